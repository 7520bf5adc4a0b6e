"""Standardising, and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.gp import Standardisation
from tests.sizes import examples

finite = st.floats(-1e300, 1e300)
lists = st.lists(finite, min_size=1, max_size=20).map(np.array)


@settings(deadline=None, derandomize=True, max_examples=examples(200))
@given(lists)
def test_any_finite_outcomes_are_standardised_without_a_warning(y: np.ndarray) -> None:
    output = Standardisation.fitted(y)
    z = output.forward(y)
    assert np.isfinite(z).all()
    assert output.scale > 0
    np.testing.assert_allclose(output.backward(z), y, rtol=1e-9, atol=1e-9 * np.abs(y).max())


@settings(deadline=None, derandomize=True, max_examples=examples(100))
@given(lists)
def test_moments_of_any_finite_outcomes_are_finite(y: np.ndarray) -> None:
    output = Standardisation.fitted(y)
    z = output.forward(y)
    mean, sd = output.moments(z, np.full(len(z), 0.5))
    assert np.isfinite(mean).all()
    assert np.isfinite(sd).all()


@pytest.mark.parametrize("factor", [1e-12, 1.0, 1e12, 1e290])
def test_standardised_outcomes_do_not_know_their_units(factor: float) -> None:
    y = np.random.default_rng(0).normal(3.0, 2.0, size=30)
    z = Standardisation.fitted(y).forward(y)
    scaled = Standardisation.fitted(factor * y).forward(factor * y)
    np.testing.assert_allclose(scaled, z, rtol=1e-4, atol=1e-6)
    assert z.mean() == pytest.approx(0.0, abs=1e-12)
    assert z.std() == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("y", [np.array([7.0]), np.full(5, -3.0), np.zeros(4)])
def test_constant_outcomes_have_unit_scale(y: np.ndarray) -> None:
    assert Standardisation.fitted(y) == Standardisation(float(y[0]), 1.0)


def test_rounding_errors_are_not_blown_up() -> None:
    y = np.array([1e12, np.nextafter(1e12, np.inf), 1e12])
    assert np.abs(Standardisation.fitted(y).forward(y)).max() < 1e-3


def test_moments_are_those_of_the_user_s_units() -> None:
    mean, sd = Standardisation(3.0, 2.0).moments(np.array([0.4]), np.array([0.7]))
    assert (mean[0], sd[0]) == (pytest.approx(3.8), pytest.approx(1.4))


@pytest.mark.parametrize("errors", [[0.0, 0.3], [0.3, 0.0], [0.0, 0.3, 3.0]])
def test_one_exact_outcome_tells_no_deviation(errors: list[float]) -> None:
    """Its weight is all but 1, and the deviation from it none: bounds of a millionth would follow."""
    outcomes = np.array([8.9, 9.1, 9.3])[: len(errors)]
    assert Standardisation.fitted(outcomes, errors=np.array(errors)).scale > 0.05
