"""Algorithms 1 and 2 line by line, the true prior's survival, exhaustion, and what explain() says."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from steerbo import Categorical, Float, Optimizer, Prior, TimeVarying
from steerbo.errors import ModelFailure
from steerbo.timevarying import Covariance, SquaredExponential
from steerbo.timevarying._priors import PriorWarning
from tests.sizes import most_losses, size
from tests.timevarying.cases import sites
from tests.timevarying.play import play
from tests.timevarying.toy_problem import TRUE, Toy


@pytest.mark.slow
@pytest.mark.parametrize("method", ["prior-elimination", "tempered-elimination"])
@pytest.mark.parametrize("lengthscale", [0.5, 0.05])
def test_the_true_prior_is_kept(method: str, lengthscale: float) -> None:
    """With a true failure rate of δ = 0.1, more losses than allowed here come once in 400 times."""
    toy, runs = Toy(lengthscale=lengthscale), size(30, 10)
    kept = [play(toy.problem, toy.truth(s, 60), toy.noise, method, s, toy.available).alive[TRUE] for s in range(runs)]  # type: ignore[index]
    assert runs - sum(kept) <= most_losses(runs, 0.1, 1 / 400)


def two() -> TimeVarying:
    table = Covariance([[1.0, 0.2], [0.2, 1.0]])
    return TimeVarying(
        [Categorical("s", ["a", "b"])], [Prior(table, m, noise=0.1, name=f"level {m}") for m in (0.0, 5.0)]
    )


def disappoint(optimizer: Optimizer, rounds: int = 8) -> None:
    for i in range(rounds):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, 1000.0 * (-1) ** i)


def test_exhaustion_keeps_the_last_and_says_so() -> None:
    optimizer = Optimizer(two(), "prior-elimination", confidence=1.0, on_exhausted="keep-last")
    with pytest.warns(PriorWarning, match="all 2 priors were rejected"):
        disappoint(optimizer)
    assert optimizer._method.alive.sum() == 1  # type: ignore[attr-defined]
    assert "all were rejected by round" in str(optimizer.explain())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer.ask()  # said once


@pytest.mark.parametrize(
    ("on_exhausted", "left"), [("keep-last", ["level 5.0"]), ("restart", ["level 0.0", "level 5.0"])]
)
def test_exhaustion_of_evidence(on_exhausted: str, left: list[str]) -> None:
    """The second prior is dropped, and then the first one is found worse still: the second is the likeliest again."""
    optimizer = Optimizer(two(), "tempered-elimination", confidence=1.0, on_exhausted=on_exhausted)
    for site, value in (("a", 0.0), ("a", 0.0), ("b", 50.0), ("b", 50.0), ("b", 50.0)):
        suggestion = optimizer.ask(available=[site])
        assert suggestion is not None
        optimizer.tell(suggestion, value)
    with pytest.warns(PriorWarning, match="all 2 priors were rejected by round 5"):  # the first two were doubted
        optimizer.ask()
    alive = optimizer._method.alive  # type: ignore[attr-defined]
    assert [p.name for p, a in zip(two().given, alive, strict=True) if a] == left


@pytest.mark.parametrize("method", ["prior-elimination", "tempered-elimination"])
def test_the_likeliest_of_all_priors_goes_on(method: str) -> None:
    """The truth jumps from one level to another and back: who was rejected long ago may be the likeliest in the end."""
    levels = (0.0, 4.0, 8.0, 12.0)
    table = Covariance([[1.0, 0.2], [0.2, 1.0]])
    some = [Prior(table, m, noise=0.5, name=f"level {m}") for m in levels]
    optimizer = Optimizer(TimeVarying([Categorical("s", ["a", "b"])], some), method, confidence=1.0)
    kept = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PriorWarning)
        for level in (12.0,) * 4 + (0.0,) * 12:
            suggestion = optimizer.ask()
            assert suggestion is not None
            optimizer.tell(suggestion, level)
            state: Any = optimizer._method
            assert state.alive.any()
            if state.survivors.exhausted:
                assert state.alive.sum() == 1
                kept.append(int(state.alive.argmax()) == int(state.surrogate.evidence.argmax()))
        optimizer.ask()
    assert len(state.survivors.exhausted) == 1, "said once"
    assert kept[0], "the likeliest when all were rejected"
    assert kept[-1], "the likeliest in the end"


def test_exhaustion_restarts() -> None:
    optimizer = Optimizer(two(), "prior-elimination", confidence=1.0, on_exhausted="restart")
    with pytest.warns(PriorWarning, match="restart"):
        disappoint(optimizer)
    assert len(optimizer._method.survivors.exhausted) >= 1  # type: ignore[attr-defined]


def test_exhaustion_raises() -> None:
    optimizer = Optimizer(two(), "prior-elimination", confidence=1.0, on_exhausted="raise")
    with pytest.raises(ModelFailure, match="add other candidates"):
        disappoint(optimizer)


def test_explain_tells_who_was_dropped_and_why() -> None:
    optimizer = Optimizer(two(), "prior-elimination", confidence=2.0)
    for _ in range(6):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, 0.0)
    told = optimizer.explain()
    rows = {row[0]: row for row in told.tables[0].rows}
    assert rows["level 0.0"][3] is True
    _, plays, weight, alive, number, overrun = rows["level 5.0"]
    assert (plays >= 1, weight < 1e-3, alive, number >= 1, overrun > 0) == (True, True, False, True, True)
    assert "priors alive: 1 of 2" in told.summary
    assert told.tables[1].rows[0][2] == "level 0.0", "the prior behind the present choice"


def test_priors_alike_but_for_their_scale() -> None:
    scales = [Prior(SquaredExponential(0.2, s)) for s in (0.5, 1.0, 4.0)]
    for variables in ([Float("x", 0, 1, step=0.1)], [Float("x", 0, 1)]):
        with pytest.warns(PriorWarning, match="output scale"):
            Optimizer(TimeVarying(variables, scales), "prior-elimination", confidence=2.0)
        Optimizer(TimeVarying(variables, scales), "tempered-elimination", confidence=2.0)
        unlike = [*scales, Prior(SquaredExponential(0.3))]
        Optimizer(TimeVarying(variables, unlike), "prior-elimination", confidence=2.0)


def test_a_point_realised_elsewhere_is_not_booked() -> None:
    optimizer = Optimizer(sites(), "prior-elimination")
    suggestion = optimizer.ask()
    assert suggestion is not None
    elsewhere = 0.5 if suggestion.values["x"] != 0.5 else 0.6
    optimizer.tell(suggestion, 100.0, realised={"x": elsewhere})
    assert optimizer._method.comparison.counts.sum() == 0  # type: ignore[attr-defined]
    assert optimizer._method.surrogate.evidence.max() < -50  # type: ignore[attr-defined]


def test_ties_are_drawn() -> None:
    K = np.eye(6).tolist()
    flat = TimeVarying([Categorical("s", list("abcdef"))], [Prior(Covariance(K), name=str(i)) for i in range(3)])
    for method in ("prior-elimination", "mle", "fully-bayesian", "regret-balancing"):
        firsts = [Optimizer(flat, method, seed=s).ask() for s in range(20)]
        assert len({s.values["s"] for s in firsts if s}) > 3
        assert len({s.note["prior"] for s in firsts if s}) == 3
