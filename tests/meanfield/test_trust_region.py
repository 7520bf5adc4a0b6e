"""The trust region, and tables that are likely to work."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Optimizer
from steerbo.meanfield import MeanField
from steerbo.meanfield._gp import Observations, PayoffPosterior
from steerbo.meanfield._kernels import PLAIN, ROOT, Inputs, PayoffKernel
from steerbo.meanfield._similarity import Similarity
from steerbo.meanfield._trust_region import TableFeasibility, TrustRegion, everywhere
from steerbo.meanfield.acquisition import AveragePayoffUCB
from steerbo.meanfield.mf_gp_ucb import MFGPUCB
from steerbo.testing import bits

A = 6
CORNERS = np.eye(A)[:, None]


def bounds(played: np.ndarray, lengthscale: float = 0.3) -> AveragePayoffUCB:
    """One context, what was played, and values that do not matter."""
    names, alone = Similarity.of(np.full(A, 1 / A), None), Similarity.of(np.ones(1), None)
    kernel = PayoffKernel("product", ROOT, np.ones(1), names, alone)
    data = Observations(Inputs(played, played), np.arange(float(len(played))), np.ones(len(played)), played)
    theta = {"lengthscale": np.log(lengthscale), "actions": 0.0, "noise": -4.0}
    return AveragePayoffUCB(PayoffPosterior.of(kernel, data, theta))


def trusted(believed: AveragePayoffUCB, least: float, *played: Any) -> TrustRegion:
    return TrustRegion(believed, (believed,), least, *played)


def identity(tables: np.ndarray) -> np.ndarray:
    return tables


def near_even(n: int = 5) -> np.ndarray:
    return np.random.default_rng(0).dirichlet(np.full(A, 20.0), size=(n, 1))


def test_what_was_played_is_known_and_corners_are_not() -> None:
    played = near_even()
    learned = bounds(played).variance_reduction(np.concatenate([played, CORNERS]))
    assert (learned[:5] > 0.8).all()
    assert (learned[5:] < 0.1).all()


@pytest.mark.parametrize("kind", ["additive", "product"])
def test_what_is_learned_is_one_less_the_share_of_variance_left(kind: str) -> None:
    """Against a process that was told nothing but one outcome far away, whose variance is the prior's."""
    names, alone = Similarity.of(np.full(A, 1 / A), None), Similarity.of(np.ones(1), None)
    kernel = PayoffKernel(kind, PLAIN, np.ones(1), names, alone)  # type: ignore[arg-type]
    theta = {"lengthscale": -1.0, "actions": 0.1, "actions variance": -0.5, "noise": -4.0}
    played, trial = near_even(), near_even(7)[5:]
    after = PayoffPosterior.of(kernel, Observations(Inputs(played, played), np.zeros(5), np.ones(5), played), theta)
    gram = kernel.covariances(Inputs(trial, trial))(theta)
    left = AveragePayoffUCB(after).moments(trial)[1] ** 2 / after.scale
    np.testing.assert_allclose(
        AveragePayoffUCB(after).variance_reduction(trial), 1 - left / np.diagonal(gram), rtol=1e-9
    )


def test_ways_end_where_knowledge_does() -> None:
    played = near_even()
    trust = trusted(bounds(played), 0.4, played, identity)
    ends = trust.shortened(CORNERS)
    assert trust.contains(ends).all()
    assert not trust.contains(ends + 0.05 * (CORNERS - ends)).any()
    np.testing.assert_allclose(ends.sum(axis=2), 1.0, rtol=1e-6)


def test_what_is_kept_to_is_left_alone() -> None:
    played = near_even()
    trust = trusted(bounds(played), 0.4, played, identity)
    np.testing.assert_array_equal(trust.shortened(played), played)


def test_a_lengthscale_beyond_everything_does_not_lift_the_reach() -> None:
    played = near_even()
    trust = trusted(bounds(played, lengthscale=50.0), 0.4, played, identity)
    moved = 0.5 * np.abs(played - trust.origin).sum(axis=(1, 2)).max()
    assert (trust.ucb.variance_reduction(CORNERS) > 0.4).all()
    ends = trust.shortened(CORNERS)
    assert 0.5 * np.abs(ends - trust.origin).sum(axis=(1, 2)).max() <= max(2 * moved, 0.1)


def test_every_model_must_know() -> None:
    """What one believes to be known, as its lengthscale is beyond everything, the other one does not."""
    played = near_even()
    sure, unsure = bounds(played, lengthscale=50.0), bounds(played, lengthscale=0.2)
    trust = TrustRegion(sure, (sure, unsure), 0.4, played, identity)
    between = 0.7 * played.mean(axis=0) + 0.3 * CORNERS
    assert trusted(sure, 0.4, played, identity).contains(between).any()
    assert not trust.contains(between).any()
    assert trust.contains(played).all()


def test_one_agent_may_always_move_anywhere() -> None:
    """Of four it is a quarter of the population. By rounding nearly none could, and studies stood still."""
    problem = MeanField([f"station {k}" for k in range(20)], agents=4)
    optimizer = Optimizer(problem, seed=0)
    for value in (1.0, 0.0, 0.0, 0.0, 0.0, 0.0):
        optimizer.tell(optimizer.ask(), value)
    method: Any = optimizer._method
    region = method.region({})
    trust = method.trust_region(method.surrogate({}), region, {})
    here = region.whole(trust.origin)
    singles = np.eye(20, dtype=int)
    moved = np.array([here - one + other for one in singles[here[0] > 0] for other in singles])
    assert trust.contains(moved / 4).all()


def test_suggestions_that_are_out_say_nothing_yet() -> None:
    """However many are asked for at once, none goes further than outcomes allow."""
    problem = MeanField(tuple("abcdef"), agents=1000)
    optimizer = Optimizer(problem, seed=0)
    for _ in range(6):
        suggestion = optimizer.ask()
        assert suggestion is not None
        table = problem.table(suggestion.values["distribution"])
        optimizer.tell(suggestion, -float((table**2).sum()))
    batch = [problem.table(s.values["distribution"]) for s in optimizer.ask(batch=12)]
    method = optimizer._method
    assert isinstance(method, MFGPUCB)
    surrogate = method.surrogate({})
    trust = method.trust_region(surrogate, problem.region, {})
    assert (trust.known[-1].variance_reduction(np.array(batch)) > 0.35).all()  # but for the rounding to whole agents
    assert (
        surrogate.ucb.variance_reduction(np.array(batch)).mean()
        > trust.known[-1].variance_reduction(np.array(batch)).mean()
    )


def test_nothing_is_kept_from_the_careless() -> None:
    played = near_even()
    trust = trusted(bounds(played), 0.0, played, identity)
    np.testing.assert_array_equal(trust.shortened(CORNERS), CORNERS)


def test_a_bound_is_hopeless_where_caution_forbids() -> None:
    played = near_even()
    trust = trusted(bounds(played), 0.4, played, identity)
    values, slopes = trust.restrict(lambda tables: (np.ones(len(tables)), tables))(np.concatenate([played, CORNERS]))
    np.testing.assert_array_equal(values, [1.0] * 5 + [-np.inf] * A)
    assert slopes.shape == (5 + A, 1, A)


def crowded(table: np.ndarray) -> float:
    """Dear corners: each place holds a tenth of the agents, and beyond it they pay."""
    return -float(10.0 * np.maximum(table - 0.1, 0.0).sum() + table[0] @ np.linspace(0.0, 0.5, 20))


def lowest(seed: int, **options: Any) -> float:
    """Of what was played in fifteen rounds, with noise that hides all differences between the first ones."""
    problem = MeanField(tuple(map(str, range(20))), agents=200)
    optimizer, noise, found = Optimizer(problem, seed=seed, **options), np.random.default_rng(seed), []
    for _ in range(15):
        suggestion = optimizer.ask()
        assert suggestion is not None
        found.append(crowded(problem.table(suggestion.values["distribution"])))
        optimizer.tell(suggestion, found[-1] + 0.1 * noise.normal())
    return min(found)


def test_the_default_is_safe_under_noise() -> None:
    """A corner costs ten; without caution one is tried within fifteen rounds by at least one of three seeds."""
    assert min(lowest(seed, caution=0.0) for seed in range(3)) < -5
    assert min(lowest(seed) for seed in range(3)) > -5


REWARDS = np.array([1.5, 0.6, 0.3, 0.2])


def shares(distribution: object) -> np.ndarray:
    table = MeanField(actions=("a", "b", "c", "d"), agents=40).table(distribution)
    return np.asarray(table[0])


def test_what_is_too_crowded_to_work_is_left() -> None:
    """Rounds fail where more than half of all are at a, which rewards would lead to: 21 of 30 did before."""
    optimizer = sb.Optimizer(MeanField(actions=("a", "b", "c", "d"), agents=40), "mf-gp-ucb", rounds=60, seed=0)
    random, failed = np.random.default_rng(0), 0
    for _ in range(24):
        suggestion = optimizer.ask()
        assert suggestion is not None
        share = shares(suggestion.values["distribution"])
        if share[0] > 0.5:
            failed += 1
            optimizer.fail(suggestion, "the road was blocked", cost=0.0)
        else:
            optimizer.tell(suggestion, value=float(share @ (REWARDS - share)) + 0.01 * random.normal(), cost=0.0)
    assert failed <= 8
    assert shares(optimizer.recommend().values["distribution"])[0] <= 0.5
    assert bits(sb.load(optimizer.to_json()).ask()) == bits(optimizer.ask())


@pytest.mark.parametrize("current", [None, {"a": 10, "b": 10, "c": 10, "d": 10}])
def test_where_the_usual_spread_fails_others_are_drawn_from_far_away(current: dict[str, int] | None) -> None:
    """Rounds fail unless more than half of all are at a: all 25 lay near the even spread, and failed."""
    failed: list[bool] = []
    optimizer = sb.Optimizer(sb.MeanField(["a", "b", "c", "d"], agents=40, counts=True, current=current), seed=0)
    for _ in range(20):
        suggestion = optimizer.ask()
        assert suggestion is not None
        share = suggestion.values["distribution"]["everyone"]
        failed.append(bool(share["a"] <= 0.5))
        if failed[-1]:
            optimizer.fail(suggestion, "nobody came")
        else:
            optimizer.tell(suggestion, 1.0 + share["b"])
    assert sum(failed) <= 12
    assert sum(failed[12:]) <= 4


@pytest.mark.parametrize("seed", [0, 1, 13])
def test_a_distribution_that_failed_is_not_sent_again_and_again(seed: int) -> None:
    """Where rounds had failed all around the best one, the same was sent up to fourteen times, and failed."""
    random = np.random.default_rng(seed)
    base, congestion, way = random.normal(size=4), random.uniform(0, 4, 4), random.normal(size=4)
    end = float(np.quantile(random.dirichlet(np.ones(4), 600) @ way, 0.8))
    ends = np.round(np.cumsum(random.dirichlet(np.ones(4))) * 150)
    today = dict(zip("abcd", np.diff(ends, prepend=0.0).astype(int).tolist(), strict=True))
    problem = sb.MeanField([*"abcd"], agents=150, counts=True, largest_move=0.2, current=today)
    optimizer, failed = sb.Optimizer(problem, seed=seed), list[str]()
    for _ in range(30):
        suggestion = optimizer.ask()
        assert suggestion is not None
        shares = np.array([*suggestion.values["distribution"]["everyone"].values()])
        if shares @ way < end:
            failed.append(str(shares))
            optimizer.fail(suggestion, "nobody came")
        else:
            optimizer.tell(suggestion, float(shares @ (base - congestion * shares)))
    assert len(failed) == len(set(failed))


def test_all_works_as_long_as_nothing_fails() -> None:
    problem = MeanField(actions=("a", "b"), agents=10)
    assert TableFeasibility(problem, Optimizer(problem).history).at({}) is everywhere
    assert everywhere(np.zeros((3, 1, 2))).all()


def test_one_agent_may_always_move() -> None:
    """Of five agents one is a fifth of the population, about which outcomes tell nothing beforehand."""
    played = near_even()
    believed = bounds(played, lengthscale=0.05)
    few, many = (TrustRegion(believed, (believed,), 0.4, played, identity, agent=1 / m) for m in (5, 5000))
    moved = few.origin[None] + 0.19 * (CORNERS - few.origin)
    assert few.contains(moved).all()
    assert not many.contains(moved).any()
    assert not few.contains(few.origin[None] + 0.9 * (CORNERS - few.origin)).any()
