"""How much wider bounds are given than a model has them: Student's t where the scale is learned, and surprises."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from steerbo.bandit import TRUSTED, Calibration, all_equal, scale_inflation

number = st.floats(-1e100, 1e100)


@pytest.mark.parametrize("k", [2, 3, 5, 30])
def test_bounds_are_those_of_student(k: int) -> None:
    """A new value of a normal sample with a known mean, and a scale that is the root mean square about it."""
    points, outcomes = np.arange(k, dtype=float)[:, None], np.arange(k, dtype=float)
    quantile = scipy.stats.t(k - 1).ppf(scipy.stats.norm.cdf(2.0))
    assert scale_inflation(points, outcomes) == pytest.approx(math.sqrt(k / (k - 1)) * quantile / 2.0)


def test_many_outcomes_leave_no_doubt() -> None:
    doubts = [scale_inflation(np.arange(k)[:, None], np.arange(k)) for k in (2, 3, 5, 10, 100, 10_000)]
    assert doubts == sorted(doubts, reverse=True)
    assert doubts[-1] == pytest.approx(1.0, abs=1e-3)


def test_what_tells_no_scale() -> None:
    one, two, nothing = np.zeros((1, 2)), np.array([[0.0], [1.0]]), np.zeros((0, 2))
    assert scale_inflation(nothing, np.zeros(0)) == math.inf
    assert scale_inflation(one, np.array([4.2])) == math.inf
    assert scale_inflation(two, np.array([0.3, 0.1 + 0.2])) == math.inf, "alike but for rounding"
    assert scale_inflation(np.zeros((5, 1)), np.arange(5.0)) == math.inf, "five times one point tell of noise only"
    assert scale_inflation(two[[0, 0, 0, 1]], np.arange(4.0)) == scale_inflation(two, np.arange(2.0))
    assert scale_inflation(np.zeros((5, 0)), np.arange(5.0)) < 2, "a scope that sets nothing has one mean"


@given(st.lists(number, min_size=1, max_size=9), st.floats(1e-150, 1e100))
def test_alike_has_no_unit(values: list[float], unit: float) -> None:
    outcomes = np.array(values) / 1e100
    assert all_equal(outcomes * 1.0) == all_equal(outcomes * 2.0**40)
    assert all_equal(np.full(3, unit))
    assert not all_equal(np.array([unit, -unit]))


@given(st.lists(st.floats(-50, 50), max_size=40))
def test_calibration_is_at_least_one_and_no_more_than_the_largest_surprise(surprises: list[float]) -> None:
    largest = max([1.0, *(abs(s) for s in surprises)])
    assert 1.0 <= Calibration(tuple(surprises)).factor <= largest
    if surprises:
        doubtful = math.sqrt((surprises[0] ** 2 + TRUSTED) / (1 + TRUSTED))
        assert Calibration((surprises[0],)).factor == pytest.approx(max(1.0, doubtful))


@given(number, number, st.sampled_from([0.0, 1e-300, 1.0, 1e100]))
def test_any_outcome_is_taken_in(value: float, mean: float, deviation: float) -> None:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        off = float(np.divide(value - mean, deviation))
    assert 1.0 <= Calibration().after(off).factor < math.inf


def test_old_surprises_are_forgotten() -> None:
    calibration = Calibration().after(1e3)
    assert calibration.factor > 100
    for _ in range(25):
        calibration = calibration.after(0.0)
    assert calibration.factor == 1.0


def test_what_is_beyond_all_measure_leaves_no_bounds() -> None:
    assert not Calibration().after(1e5).lost
    beyond = Calibration().after(1e99)
    assert beyond.lost
    assert beyond.factor < math.inf
    for _ in range(25):
        beyond = beyond.after(0.5)
    assert not beyond.lost
    assert Calibration().after(math.nan) == Calibration()
