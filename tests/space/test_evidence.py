"""Bets against laws: fair while the law holds, and soon won where it does not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.core.law_tests import BINS, BettingTest, IndependenceTest, Ranks, shares

RUNS, DRAWS = 200, 60


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from(BINS))
def test_shares_of_an_interval_sum_to_one(a: float, b: float, bins: int) -> None:
    found = shares((min(a, b), max(a, b)), [bins])
    assert found.shape == (bins,)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(1)


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=6), st.integers(1, 20))
def test_the_next_bet_is_fair(before: list[tuple[float, float]], atoms: int) -> None:
    """Whatever was seen: over a law's atoms, or a fine grid, the stake stays what it is on average."""
    values = []
    for k in range(atoms):
        evidence = BettingTest()
        for a, b in before:
            evidence.take((min(a, b), max(a, b)))
        start = evidence.value
        evidence.take((k / atoms, (k + 1) / atoms))
        values.append(evidence.value / start)
    assert np.mean(values) == pytest.approx(1)


def ever(values: np.ndarray, threshold: float, before: np.ndarray | None = None) -> bool:
    evidence, ranks = BettingTest(), None if before is None else Ranks(before.tolist())
    for value in values.tolist():
        evidence.take((value, value) if ranks is None else ranks.take(value))
        if evidence.value >= threshold:
            return True
    return False


@pytest.mark.parametrize("data", [False, True])
def test_false_alarms_at_any_time_are_no_more_than_one_in_twenty(data: bool) -> None:
    """Their rate is at most .05: of 200 studies more than 19 alarms would come once in 300 times."""
    alarms = 0
    for run in range(RUNS):
        random = np.random.default_rng(run)
        alarms += ever(random.random(DRAWS), 20, random.random(30) if data else None)
    assert alarms <= 19


def test_a_wrong_law_is_noticed_within_a_few_draws() -> None:
    found = []
    for run in range(40):
        evidence, draws = BettingTest(), np.random.default_rng(run).normal(0.8, 0.03, 40).clip(0, 1)
        values = []
        for draw in draws.tolist():
            evidence.take((draw, draw))
            values.append(evidence.value)
        found.append(next(k for k, value in enumerate(values, 1) if value >= 100))
    assert np.median(found) <= 8


def first_pair(rho: float, seed: int, threshold: float = 100.0, marginals: float = 1.0) -> int:
    """The draw at which two normals are seen to go together; 300 where that never happens."""
    random = np.random.default_rng(seed)
    pairs = random.multivariate_normal([0, 0], [[1, rho], [rho, 1]], 299)
    pairs = np.sign(pairs) * np.abs(pairs) ** marginals
    evidence, first, second = IndependenceTest(), Ranks(), Ranks()
    for k, (a, b) in enumerate(pairs.tolist(), 1):
        evidence.take(*(shares(ranks.take(x), [3])[None] for ranks, x in ((first, a), (second, b))))
        if evidence.values[0] >= threshold:
            return k
    return 300


def test_what_goes_together_is_noticed_and_what_does_not_is_not() -> None:
    assert np.median([first_pair(0.9, seed) for seed in range(20)]) <= 26
    assert sum(first_pair(0.0, seed, 20.0) < 300 for seed in range(60)) <= 8, "at most .05 each: .6 % for more"
    assert first_pair(0.9, 0) == first_pair(0.9, 0, marginals=3.0), "ranks do not hang on either law"


def test_ties_leave_the_place_open() -> None:
    ranks = Ranks([1.0, 1.0, 2.0])
    assert ranks.take(1.0) == (0.0, 0.75)
    assert ranks.take(5.0) == (0.8, 1.0)


def test_evidence_beyond_all_numbers_is_still_a_number() -> None:
    evidence, pair = BettingTest(), IndependenceTest()
    for _ in range(3000):
        evidence.take((0.99, 0.99))
        pair.take(np.array([[0.0, 0.0, 1.0]]), np.full((1, 3), 1 / 3))
    assert np.isfinite([evidence.value, pair.values[0]]).all()


def test_of_a_pair_that_is_not_there_nothing_is_learned() -> None:
    pair, nothing, something = IndependenceTest(2), np.zeros(3), np.array([0.0, 1.0, 0.0])
    for _ in range(20):
        pair.take(np.array([something, something]), np.array([something, nothing]))
    assert pair.values[0] > 100
    assert pair.values[1] == 1.0
