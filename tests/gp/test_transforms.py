"""Standardising and power transforms, and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from steerbo.gp import OutcomeTransform
from tests.sizes import examples

finite = st.floats(-1e300, 1e300)
lists = st.lists(finite, min_size=1, max_size=20).map(np.array)


@settings(deadline=None, derandomize=True, max_examples=examples(200))
@given(lists)
def test_any_finite_outcomes_are_standardised_without_a_warning(y: np.ndarray) -> None:
    output = OutcomeTransform.fitted(y)
    z = output.forward(y)
    assert np.isfinite(z).all()
    assert output.scale > 0
    np.testing.assert_allclose(output.backward(z), y, rtol=1e-9, atol=1e-9 * np.abs(y).max())


@settings(deadline=None, derandomize=True, max_examples=examples(100))
@given(lists)
def test_any_finite_outcomes_are_power_transformed_without_a_warning(y: np.ndarray) -> None:
    output = OutcomeTransform.fitted(y, "yeo-johnson")
    z = output.forward(y)
    assert np.isfinite(z).all()
    np.testing.assert_allclose(output.backward(z), y, rtol=1e-6, atol=1e-6 * np.abs(y).max())
    mean, sd = output.moments(z, np.full(len(z), 0.5))
    assert np.isfinite(mean).all()
    assert np.isfinite(sd).all()


@pytest.mark.parametrize("factor", [1e-12, 1.0, 1e12, 1e290])
def test_standardised_outcomes_do_not_know_their_units(factor: float) -> None:
    y = np.random.default_rng(0).normal(3.0, 2.0, size=30)
    for transform in (None, "yeo-johnson"):
        z = OutcomeTransform.fitted(y, transform).forward(y)
        scaled = OutcomeTransform.fitted(factor * y, transform).forward(factor * y)
        np.testing.assert_allclose(scaled, z, rtol=1e-4, atol=1e-6)
        assert z.mean() == pytest.approx(0.0, abs=1e-12)
        assert z.std() == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("y", [np.array([7.0]), np.full(5, -3.0), np.zeros(4)])
def test_constant_outcomes_have_unit_scale(y: np.ndarray) -> None:
    for transform in (None, "yeo-johnson"):
        assert OutcomeTransform.fitted(y, transform) == OutcomeTransform(float(y[0]), 1.0)


def test_rounding_errors_are_not_blown_up() -> None:
    y = np.array([1e12, np.nextafter(1e12, np.inf), 1e12])
    assert np.abs(OutcomeTransform.fitted(y).forward(y)).max() < 1e-3


@pytest.mark.parametrize("power", [0.0, 0.3, 1.7, 2.0])
def test_power_transform_is_that_of_scipy_and_its_inverse(power: float) -> None:
    y = np.linspace(-5, 5, 41)
    output = OutcomeTransform(power=power)
    np.testing.assert_allclose(output.forward(y), stats.yeojohnson(y, power), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(output.backward(output.forward(y)), y, rtol=1e-8, atol=1e-10)


def test_power_makes_skewed_outcomes_symmetric() -> None:
    y = np.random.default_rng(0).lognormal(size=400)
    output = OutcomeTransform.fitted(y, "yeo-johnson")
    u = (y - output.offset) / output.scale
    assert output.power < 0.9
    assert abs(stats.skew(output.forward(y))) < 0.3 * stats.skew(y)
    loss = [-stats.yeojohnson_llf(p, u) + 2 * (p - 1) ** 2 for p in np.linspace(0, 2, 401)]
    assert output.power == pytest.approx(np.linspace(0, 2, 401)[int(np.argmin(loss))], abs=6e-3)


def test_moments_agree_with_sampling() -> None:
    output = OutcomeTransform(3.0, 2.0, 0.6, 0.1, 0.9)
    mean, sd = output.moments(np.array([0.4]), np.array([0.7]))
    draws = output.backward(0.4 + 0.7 * np.random.default_rng(0).standard_normal(400_000))
    # four standard errors: a false alarm in one of 16 000 runs, and the seed is fixed
    assert mean[0] == pytest.approx(draws.mean(), abs=4 * draws.std() / np.sqrt(4e5))
    assert sd[0] == pytest.approx(draws.std(), rel=0.01)
    affine_mean, affine_sd = OutcomeTransform(3.0, 2.0).moments(np.array([0.4]), np.array([0.7]))
    assert (affine_mean[0], affine_sd[0]) == (pytest.approx(3.8), pytest.approx(1.4))
