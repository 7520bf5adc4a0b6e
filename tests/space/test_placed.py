"""Every continuous law against scipy.stats, and the laws of probability that all of them obey."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from steerbo.space import Beta, Distribution, Law, LogNormal, Normal, Scipy, TruncatedNormal, Uniform
from steerbo.space._placed import NormalDistribution

from .strategies import bounds, few, laws

U = np.concatenate([[1e-12, 1e-9, 1e-5], np.linspace(0.001, 0.999, 101), [1 - 1e-5, 1 - 1e-9, 1 - 1e-12]])

PAIRS: list[tuple[Law, tuple[float, float], Any]] = [
    (Uniform(), (4, 8), scipy.stats.uniform(4, 4)),
    (Uniform(-1, 2), (-2, 2), scipy.stats.uniform(-1, 3)),
    (Normal(22, 3), (10, 35), scipy.stats.norm(22, 3)),
    (LogNormal(0.3, 0.7), (1e-3, 100), scipy.stats.lognorm(0.7, scale=np.exp(0.3))),
    (Beta(0.5, 3), (0, 10), scipy.stats.beta(0.5, 3, 0, 10)),
    (Beta(40, 7, 1, 2), (0, 10), scipy.stats.beta(40, 7, 1, 1)),
    (TruncatedNormal(22, 3), (10, 35), scipy.stats.truncnorm(-4, 13 / 3, 22, 3)),
    (TruncatedNormal(0, 1), (6, 9), scipy.stats.truncnorm(6, 9)),
    (TruncatedNormal(0, 1), (-9, -6), scipy.stats.truncnorm(-9, -6)),
    (TruncatedNormal(0.2, 5), (0, 1), scipy.stats.truncnorm(-0.04, 0.16, 0.2, 5)),
    (Scipy("gamma", [2], scale=3), (0, 60), scipy.stats.gamma(2, scale=3)),
]


@pytest.mark.parametrize(("law", "ends", "reference"), PAIRS, ids=lambda value: getattr(value, "kind", ""))
def test_agrees_with_scipy(law: Law, ends: tuple[float, float], reference: Any) -> None:
    ours = law.on(*ends)
    x = ours.ppf(U)
    np.testing.assert_allclose(reference.cdf(x), U, rtol=1e-8, atol=4e-15)  # as much as rounding x to a float costs
    np.testing.assert_allclose(reference.sf(x[-2:]), 1 - U[-2:], rtol=3e-3)
    np.testing.assert_allclose(ours.cdf(x), reference.cdf(x), rtol=1e-8, atol=4e-15)
    np.testing.assert_allclose(ours.density(x), reference.pdf(x), rtol=1e-8)
    np.testing.assert_allclose([ours.mean, ours.sd], [reference.mean(), reference.std()], rtol=1e-7)
    np.testing.assert_allclose(ours.support, reference.support())
    assert ours.atoms is None


@st.composite
def placed(draw: st.DrawFn) -> tuple[Distribution, float, float]:
    low, high = draw(bounds())
    return draw(laws(low, high)).on(low, high), low, high


@few
@given(placed(), st.lists(st.floats(1e-12, 1 - 1e-12), min_size=1, max_size=20))
def test_quantiles_and_probabilities_invert_each_other(
    case: tuple[Distribution, float, float], chosen: list[float]
) -> None:
    law, low, high = case
    u = np.sort(chosen)
    x = law.ppf(u)
    first, last = law.support
    assert np.isfinite(x).all()
    assert (np.diff(x) >= 0).all()
    assert ((x >= first) & (x <= last)).all()
    if law.atoms is None:
        steepness = law.density(x) * np.spacing(
            np.maximum(np.abs(low), np.abs(high))
        )  # what rounding x does to the cdf
        assert (np.abs(law.cdf(x) - u) <= 1e-7 + 8 * steepness).all()
    else:
        assert (law.cdf(x) >= u - 1e-12).all()


@few
@given(placed())
def test_mean_and_sd_are_those_of_the_quantiles(case: tuple[Distribution, float, float]) -> None:
    law, low, high = case
    u = (np.arange(200_000) + 0.5) / 200_000
    x = law.ppf(u)
    assert law.mean == pytest.approx(x.mean(), abs=1e-4 * (high - low))
    assert law.sd == pytest.approx(x.std(), abs=1e-3 * (high - low))


@few
@given(placed())
def test_the_density_is_the_slope_of_the_probability(case: tuple[Distribution, float, float]) -> None:
    law = case[0]
    if law.atoms is not None:
        return
    x = law.ppf(np.linspace(0.2, 0.8, 7))
    h = 1e-5 * law.sd
    slope = (law.cdf(x + h) - law.cdf(x - h)) / (2 * h)
    np.testing.assert_allclose(law.density(x), slope, rtol=2e-3, atol=1e-6 / law.sd)


@few
@given(placed())
def test_any_shape_and_far_outside(case: tuple[Distribution, float, float]) -> None:
    law, low, _ = case
    assert law.ppf(np.full((2, 1, 3), 0.5)).shape == (2, 1, 3)
    assert np.shape(law.ppf(0.5)) == np.shape(law.cdf(low)) == ()
    far = np.array([-1e308, 1e308])
    np.testing.assert_allclose(law.cdf(far), [0, 1])
    if law.atoms is None:
        np.testing.assert_allclose(law.density(far), [0, 0])


def test_extreme_parameters_stay_silent() -> None:
    assert NormalDistribution(1e308, 1e308).ppf(np.array([1 - 1e-12])) == np.inf
    law = LogNormal(0, 500).on(0, 1)
    assert (law.mean, law.sd) == (np.inf, np.inf)
    assert law.density(0.0) == 0
    assert Beta(0.5, 0.5).on(0, 1).density(0.0) == np.inf
    assert float(Beta(1e-3, 1e6).on(0, 1).ppf(0.5)) < 1e-300
