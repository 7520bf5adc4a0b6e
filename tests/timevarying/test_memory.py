"""What a box keeps of a long stream: a bounded number of outcomes, and posteriors next to those of all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from steerbo import Decay, Float, Optimizer, Prior, TimeVarying
from steerbo.errors import ModelFailure
from steerbo.gp import GPPosterior
from steerbo.gp.drift import Drift
from steerbo.timevarying import Matern, MaternInTime, Periodic, SquaredExponential
from steerbo.timevarying._priors import spatial
from steerbo.timevarying.data import Datum, RoundView
from steerbo.timevarying.surrogates import FORGETS_AT, KEPT, BoxSurrogate, compress
from tests.timevarying.points import LINE

DRIFTS: dict[str, Drift | None] = {
    "never": None,
    "slow": Decay(0.002),
    "fast": Decay(0.1),
    "smooth": MaternInTime(200.0),
    "daily": Periodic(24.0),
}


def interval(drifts: list[Drift | None], noise: float = 0.2) -> TimeVarying:
    return TimeVarying([Float("x", 0, 1)], [Prior(SquaredExponential(0.2), 0.3, d, noise) for d in drifts])


def outcomes(n: int) -> list[Datum]:
    """Half of them near one place, as methods play."""
    random = np.random.default_rng(0)
    near = np.clip(0.6 + 0.05 * random.normal(size=n), 0, 1)
    xs = np.where(random.random(n) < 0.5, near, random.random(n))
    ys = np.sin(6 * xs) + 0.2 * random.normal(size=n)
    return [Datum(float(i), i, np.array([x]), float(y)) for i, (x, y) in enumerate(zip(xs, ys, strict=True))]


def exact(problem: TimeVarying, data: list[Datum]) -> BoxSurrogate:
    """The same with everything kept."""
    surrogate = BoxSurrogate(problem)
    for s in surrogate.shared:
        s.bounded = False
    for datum in data:
        surrogate.add(datum)
    return surrogate


@pytest.mark.parametrize("name", DRIFTS)
def test_the_posterior_is_next_to_that_of_all_outcomes(name: str) -> None:
    problem, data = interval([DRIFTS[name]]), outcomes(700)
    ours, whole = BoxSurrogate(problem), exact(problem, data)
    for datum in data:
        ours.add(datum)
        assert len(ours.shared[0].posterior) < FORGETS_AT
    points = np.linspace(0, 1, 21)[:, None]
    (mean, sd), (all_mean, all_sd) = (s.posterior(points, 700.0) for s in (ours, whole))
    assert np.abs(mean - all_mean).max() < 0.3 * all_sd.max()
    assert_allclose(sd, all_sd, rtol=0.15)
    assert ours.evidence[0] == pytest.approx(whole.evidence[0], abs=10)  # of some hundreds, over 700 outcomes
    assert whole.kept is None
    assert ours.kept is not None
    assert ours.kept[0] <= (FORGETS_AT if name != "fast" else 160)


def test_nothing_leaves_early_nor_where_a_window_says_what_is_remembered() -> None:
    problem, data = interval([Decay(0.1)]), outcomes(FORGETS_AT + 5)
    ours, whole = BoxSurrogate(problem), exact(problem, data[: FORGETS_AT - 1])
    for datum in data[: FORGETS_AT - 1]:
        ours.add(datum)
    assert ours.kept is None
    at = np.array([[0.4]])
    assert ours.posterior(at, 330.0)[0].tolist() == whole.posterior(at, 330.0)[0].tolist()
    window = BoxSurrogate(interval([None]), bounded=False)
    for datum in data:
        window.add(datum)
    assert len(window.shared[0].posterior) == len(data)


def rows(points: np.ndarray, noise: float = 0.5, lengthscale: float = 0.1) -> GPPosterior[Any]:
    kernel = spatial(SquaredExponential(lengthscale), LINE)
    values = np.random.default_rng(1).normal(size=(len(points), 2))
    return GPPosterior(kernel, points, values, np.full(len(points), noise))


def test_outcomes_at_one_place_are_merged_without_loss() -> None:
    places = np.random.default_rng(2).choice(np.linspace(0, 20, 200), size=FORGETS_AT)
    before = rows(np.column_stack([places, np.arange(FORGETS_AT, dtype=float)]), lengthscale=0.02)
    after = compress(before, None)
    assert len(after) == KEPT
    at = np.column_stack([np.linspace(0, 20, 300), np.zeros(300)])
    for a, b in zip(before.marginals(at), after.marginals(at), strict=True):
        assert_allclose(a, b, atol=1e-10)


def test_the_most_faded_leave_where_all_are_unlike() -> None:
    before = rows(np.column_stack([np.arange(FORGETS_AT) * 10.0, np.arange(FORGETS_AT)[::-1].astype(float)]))
    after = compress(before, None)
    assert_allclose(after.points[:, 0], np.arange(KEPT) * 10.0, err_msg="the oldest ones have gone")
    assert_allclose(after.residuals, before.residuals[:KEPT])
    faded = compress(before, Decay(0.5))  # 2⁻ᵃ: forgotten after ten units of time
    assert len(faded) == 10
    assert faded.points[:, 1].min() == FORGETS_AT - 10
    assert len(compress(before, Periodic(24.0))) == KEPT, "what was, returns"


def test_only_priors_that_matter_are_solved_for(monkeypatch: pytest.MonkeyPatch) -> None:
    surrogate = BoxSurrogate(interval([Decay(0.05), Decay(0.1), None]))
    for datum in outcomes(20):
        surrogate.add(datum)
    asked = []
    solve = GPPosterior.solve

    def watched(self: GPPosterior[Any], Z: np.ndarray) -> Any:
        asked.append(self)
        return solve(self, Z)

    monkeypatch.setattr(GPPosterior, "solve", watched)
    pick = surrogate.optimistic(RoundView(21.0), np.full(3, 2.0), np.array([1]), np.random.default_rng(0))
    assert pick.prior == 1
    assert {id(a) for a in asked} == {id(surrogate.shared[1].posterior)}
    assert len(surrogate.shared) == 3


@pytest.mark.parametrize("method", ["switching-elimination", "gp-ucb"])
def test_a_long_stream_is_replayed_to_the_last_bit(method: str) -> None:
    options: dict[str, Any] = {"prior": 1} if method == "gp-ucb" else {}
    optimizer = Optimizer(interval([None, Decay(0.02)]), method, confidence=1.0, **options)
    for datum in outcomes(FORGETS_AT):
        optimizer.add(datum.value, {"x": float(datum.place[0]), "time": datum.time - FORGETS_AT})
    for t in range(1, 4):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, float(np.sin(t)))
    assert "it uses" in str(optimizer.explain())
    again = Optimizer.replay(optimizer.problem, optimizer.events)
    assert again.ask() == optimizer.ask()
    optimizer.amend(optimizer.history.last(2)[0].suggestion, 0.5)
    assert Optimizer.replay(optimizer.problem, optimizer.events).recommend() == optimizer.recommend()


def test_a_kernel_that_fails_in_a_long_stream_is_said_when_it_is_asked_for() -> None:
    def holed(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        K = np.exp(-0.5 * ((X[:, None] - Z) ** 2).sum(-1))
        return np.where((X[:, None, 0] == 0.25) | (Z[:, 0] == 0.25), np.nan, K)

    surrogate = BoxSurrogate(TimeVarying([Float("x", 0, 1)], [Prior(holed), Prior(Matern(0.3))]))
    for datum in outcomes(FORGETS_AT - 1):
        surrogate.add(datum)
    surrogate.add(Datum(400.0, 400, np.array([0.25]), 0.0))
    with pytest.raises(ModelFailure):
        surrogate.posterior(np.array([[0.5]]), 401.0)
