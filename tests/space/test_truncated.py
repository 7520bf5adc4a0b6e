from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import truncnorm

from steerbo.errors import InvalidProblem
from steerbo.space import Float, TruncatedNormal, Uniform
from steerbo.space._placed import TruncatedNormalDistribution, UniformDistribution, log_mass, parent_of, reach

from .strategies import few


@pytest.mark.parametrize(("variance", "parent"), [(0.02, 0.1418), (0.04, 0.2135)])
def test_published_parents(variance: float, parent: float) -> None:
    law = TruncatedNormal(0.5, variance**0.5, moments="truncated").on(0, 1)
    assert isinstance(law, TruncatedNormalDistribution)
    assert law.parent_sd == pytest.approx(parent, abs=5e-5)
    assert law.parent_mean == pytest.approx(0.5)


@few
@given(st.floats(0.02, 0.98), st.floats(1e-3, 0.9999), st.floats(-1e3, 1e3), st.floats(1e-3, 1e3))
def test_the_moments_asked_for_are_those_it_has(at: float, share: float, low: float, width: float) -> None:
    high = low + width
    mean = low + at * width
    sd = share * reach(mean, low, high)
    law = TruncatedNormal(mean, sd, moments="truncated").on(low, high)
    assert law.mean == pytest.approx(mean, abs=1e-8 * width + 1e-12 * abs(low))
    assert law.sd == pytest.approx(sd, rel=1e-6)


def test_moments_by_integration() -> None:
    mean, sd = parent_of(0.3, 0.2, 0, 1)
    weight = quad(lambda x: np.exp(-(((x - mean) / sd) ** 2) / 2), 0, 1)[0]
    first, second = (
        quad(lambda x, k=k: x**k * np.exp(-(((x - mean) / sd) ** 2) / 2), 0, 1)[0] / weight for k in (1, 2)
    )
    assert first == pytest.approx(0.3)
    assert second - first**2 == pytest.approx(0.04)


def test_reach_is_the_exponential_laws() -> None:
    rate = 3.0
    weight, first, second = (quad(lambda x, k=k: x**k * np.exp(-rate * x), 0, 1)[0] for k in (0, 1, 2))
    mean, square = first / weight, second / weight
    assert reach(mean, 0, 1) == pytest.approx((square - mean**2) ** 0.5)
    assert reach(2 + 4 * mean, 2, 6) == pytest.approx(4 * reach(mean, 0, 1))


@pytest.mark.parametrize("mean", [0.1, 0.5, 0.95])
def test_impossible_moments_are_refused_with_the_reachable_range(mean: float) -> None:
    widest = reach(mean, 0, 1)
    with pytest.raises(InvalidProblem, match=rf"x\.law\.sd.*below {widest:.6g}"):
        Float("x", 0, 1, law=TruncatedNormal(mean, widest * 1.001, moments="truncated"))
    TruncatedNormal(mean, widest * 0.999, moments="truncated").on(0, 1)


@pytest.mark.parametrize("mean", [0.0, 1.0, -3.0, 1e99])
def test_impossible_means_are_refused(mean: float) -> None:
    with pytest.raises(InvalidProblem, match="between the bounds"):
        TruncatedNormal(mean, 0.1, moments="truncated").on(0, 1)


def test_absurd_parents_are_refused() -> None:
    with pytest.raises(InvalidProblem, match="within 10000"):
        TruncatedNormal(1e6, 1).on(0, 1)
    with pytest.raises(InvalidProblem, match="at least 1e-09"):
        TruncatedNormal(0.5, 1e-99).on(0, 1)


def test_a_parent_without_curvature_is_uniform() -> None:
    assert TruncatedNormal(0.5, 1e149).on(0, 1) == UniformDistribution(0, 1) == Uniform().on(0, 1)


@few
@given(st.floats(-40, 40), st.floats(1e-6, 30))
def test_log_mass_against_scipys(a: float, width: float) -> None:
    b = a + width
    assume(abs(a) < 37 or abs(b) < 37)
    assert float(log_mass(a, b)) == pytest.approx(_reference(a, b), rel=1e-9, abs=1e-9)


def _reference(a: float, b: float) -> float:
    """log ∫ φ from a to b by quadrature, the largest value of φ taken out."""
    top = 0.0 if a < 0 < b else min(abs(a), abs(b))
    end = min(b, a + 40 / max(a, 1)) if a >= 0 else b
    start = max(a, b - 40 / max(-b, 1)) if b <= 0 else a
    peak = [0.0] if start < 0 < end else None
    mass = quad(lambda x: np.exp((top**2 - x**2) / 2), start, end, points=peak, limit=400, epsabs=0, epsrel=1e-12)[0]
    return float(np.log(mass) - top**2 / 2 - np.log(2 * np.pi) / 2)


@pytest.mark.parametrize(("a", "b"), [(30.0, 31.0), (-31.0, -30.0), (-200.0, -190.0), (5.0, 5.0001), (-1e-7, 2e-7)])
def test_far_and_narrow_tails(a: float, b: float) -> None:
    law = TruncatedNormal(0, 1).on(a, b)
    u = np.array([1e-12, 0.01, 0.5, 0.99, 1 - 1e-12])
    np.testing.assert_allclose(law.ppf(u), truncnorm(a, b).ppf(u), atol=1e-6 * (b - a), rtol=1e-9)
    np.testing.assert_allclose(law.cdf(law.ppf(u[1:4])), u[1:4], rtol=1e-6)
    np.testing.assert_allclose(law.ppf([0.0, 1.0]), [a, b], rtol=0, atol=1e-9 * (b - a))
