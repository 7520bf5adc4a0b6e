"""Weights of fixed share against a sum over all ways to switch, and the guarantee against simulation."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from steerbo.timevarying.elimination import FixedShare
from tests.sizes import most_losses, size


def all_ways(gains: np.ndarray, gaps: np.ndarray, every: float) -> np.ndarray:
    """Posterior of the last candidate by adding up every sequence of candidates, its prior probability in full."""
    n, P = gains.shape
    total = np.zeros(P)
    for way in product(range(P), repeat=n):
        probability = 1 / P * np.exp(gains[0, way[0]])
        for t in range(1, n):
            alpha = 1 - np.exp(-gaps[t] / every)
            stays = (1 - alpha) * (way[t] == way[t - 1])
            probability *= (stays + alpha / P) * np.exp(gains[t, way[t]])
        total[way[-1]] += probability
    return total / total.sum()


def test_every_way_to_switch_is_counted() -> None:
    random = np.random.default_rng(0)
    gains, times = random.normal(size=(6, 3)), np.cumsum([3.0, 1.0, 0.0, 5.0, 0.5, 20.0])
    weights = FixedShare(3, every=7.0)
    for row, time in zip(gains, times, strict=True):
        weights.update(row, float(time))
    assert_allclose(weights.at(times[-1]), all_ways(gains, np.diff(times, prepend=times[0]), 7.0), rtol=1e-12)
    assert_allclose(weights.at(1e9), 1 / 3)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 86400.0])
def test_the_unit_of_time_does_not_matter(unit: float) -> None:
    random = np.random.default_rng(1)
    weights, times = FixedShare(3), np.cumsum(random.exponential(size=30))
    reference = FixedShare(3)
    for row, time in zip(random.normal(size=(30, 3)), times, strict=True):
        weights.update(row, float(time) * unit + 5 * unit)
        reference.update(row, float(time))
    assert_allclose(weights.at(unit * (times[-1] + 50)), reference.at(times[-1] + 45), rtol=1e-9)


def test_a_thousandth_an_outcome_where_nobody_says() -> None:
    weights = FixedShare(2)
    for t in range(5):
        weights.update(np.array([0.0, -1.0]), float(t))
    before, after = weights.at(4.0), weights.at(5.0)
    share = (after[1] - before[1]) / (0.5 - before[1])
    assert share == pytest.approx(1 - np.exp(-1 / 1000))


def test_outcomes_that_are_late_or_beyond_all_sense() -> None:
    weights = FixedShare(3)
    for gains, time in (([0, -1e5, -2e5], 5.0), ([-1e9, 0, -1e9], 4.0), ([-1e200, -1e200, 0], 5.0)):
        weights.update(np.array(gains, dtype=float), time)
        assert weights.at(9.0).sum() == pytest.approx(1.0)
    assert weights.at(5.0).tolist() == [0.0, 0.0, 1.0], "all at one time: there was none to switch in"


@pytest.mark.parametrize(("delta", "every"), [(0.3, 1e9), (0.3, 100.0), (0.1, 50.0)])
def test_the_true_candidate_stays_as_often_as_is_said(delta: float, every: float) -> None:
    """Streams from candidate 0. Were the bound attained, more losses than allowed here come once in 1000 times."""
    random, runs, rounds, P = np.random.default_rng(2), size(4000, 1000), 40, 3
    means = np.array([0.0, 0.7, -0.7])
    dropped = 0
    for _ in range(runs):
        weights, y = FixedShare(P, every), random.normal(size=rounds)
        for t in range(rounds):
            weights.update(-0.5 * (y[t] - means) ** 2, float(t))
            if weights.at(t + 1.0)[0] < delta / P:
                dropped += 1
                break
    bound = delta * np.exp(rounds / every)
    assert dropped <= most_losses(runs, bound, 1 / 1000)
    assert dropped > runs * bound / 20, "it happens, or nothing was tested"
