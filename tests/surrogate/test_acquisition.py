"""Scores of a Gaussian: against integrals, and finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from steerbo.surrogate import Acquisition, expected_improvement, ucb
from steerbo.surrogate._acquisition import Moments

mean, sd, incumbent = st.floats(-5, 5), st.floats(0.01, 5), st.floats(-5, 5)


def moments(mean: float, sd: float) -> Moments:
    """At one place, whose coordinates are mean and standard deviation themselves."""
    return np.array([mean]), np.array([sd]), np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])


@given(mean, sd, incumbent)
def test_expected_improvement_is_the_integral(mean: float, sd: float, incumbent: float) -> None:
    ((value,), _) = expected_improvement(incumbent)(moments(mean, sd))
    z = (incumbent - mean) / sd
    expected = integrate.quad(lambda u: (mean + sd * u - incumbent) * stats.norm.pdf(u), max(z, -12.0), 12.0)[0]
    assert value == pytest.approx(max(expected, 0.0), rel=1e-6, abs=1e-9)


@given(mean, sd, st.floats(0, 9))
def test_the_upper_bound_is_so_many_deviations_above(mean: float, sd: float, beta: float) -> None:
    ((value,), _) = ucb(beta)(moments(mean, sd))
    assert value == pytest.approx(mean + beta**0.5 * sd)


@given(mean, sd, incumbent)
def test_gradients_are_differences(mean: float, sd: float, incumbent: float) -> None:
    for score in (ucb(2.0), expected_improvement(incumbent)):
        _, slope = score(moments(mean, sd))
        np.testing.assert_allclose(slope[0], differences(score, mean, sd), rtol=1e-4, atol=1e-6)


def differences(score: Acquisition, mean: float, sd: float, h: float = 1e-5) -> list[float]:
    pairs = [((mean + h, sd), (mean - h, sd)), ((mean, sd + h), (mean, sd - h))]
    return [float(score(moments(*up))[0][0] - score(moments(*down))[0][0]) / (2 * h) for up, down in pairs]


@pytest.mark.parametrize(("mean", "sd"), [(0.0, 0.0), (-1e9, 1e-9), (1e9, 1e-9), (-40.0, 1.0)])
def test_nothing_to_be_expected_is_no_warning(mean: float, sd: float) -> None:
    (values, slopes) = expected_improvement(1.0)(moments(mean, sd))
    assert np.all(np.isfinite(values))
    assert np.all(np.isfinite(slopes))
    assert values[0] == pytest.approx(max(mean - 1.0, 0.0), rel=1e-12, abs=1e-9)
