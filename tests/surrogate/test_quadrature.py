"""Gauss rules against scipy's adaptive quadrature, closed forms and exact sums."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate
import scipy.stats

import steerbo as sb
from steerbo.errors import InvalidProblem
from steerbo.space import Variable
from steerbo.surrogate._parts import gauss_rule

CONTINUOUS: list[Variable] = [
    sb.Float("v", 2, 6, law=sb.Uniform()),
    sb.Float("v", -3, 3, law=sb.Normal(0, 1)),
    sb.Float("v", 0, 1, law=sb.TruncatedNormal(0.2, 0.3)),
    sb.Float("v", 0, 10, law=sb.space.Beta(0.5, 3)),
    sb.Float("v", 0.01, 20, law=sb.space.LogNormal(0, 1), scale="log"),
    sb.Float("v", 0, 30, law=scipy.stats.weibull_min(2, scale=8)),
]


@pytest.mark.parametrize("variable", CONTINUOUS, ids=lambda v: str(v.law.kind))
@pytest.mark.parametrize("lengthscale", [0.05, 0.2, 1.0])
def test_kernel_integrals_against_adaptive_quadrature(variable: Variable, lengthscale: float) -> None:
    nodes, weights = gauss_rule(variable, lengthscale)
    for centre in (0.1, 0.5, 0.95):

        def product(z: float | np.ndarray, centre: float = centre) -> float | np.ndarray:
            return np.exp(-0.5 * ((z - centre) / lengthscale) ** 2 - 0.5 * ((z - 0.4) / lengthscale) ** 2)

        exact, _ = scipy.integrate.quad(
            lambda u: product(variable.encoded_ppf(np.array(u))), 0, 1, epsabs=1e-11, limit=400
        )
        assert weights @ product(nodes) == pytest.approx(exact, abs=3e-8)


def test_polynomials_are_exact() -> None:
    nodes, weights = gauss_rule(sb.Float("v", 0, 1, law=sb.Uniform()), 1.0)
    for degree in range(2 * len(nodes)):
        assert weights @ nodes**degree == pytest.approx(1 / (degree + 1), rel=1e-8)


def test_few_atoms_are_kept_and_many_are_compressed() -> None:
    few = sb.Categorical("line", ["a", "b", "c"], law=sb.space.Discrete({"a": 1, "c": 3}))
    nodes, weights = gauss_rule(few, 0.1)
    assert (nodes.tolist(), weights.tolist()) == ([0.0, 2.0], [0.25, 0.75])
    sample = np.random.default_rng(0).beta(2, 5, 3000)
    many = sb.Float("v", 0, 1, law=sb.space.Empirical(sample.tolist()))
    nodes, weights = gauss_rule(many, 0.3)
    assert len(nodes) < 40
    assert (weights > 0).all()
    for k in range(1, 12):
        assert weights @ nodes**k == pytest.approx((sample**k).mean(), rel=1e-9)


def test_a_variable_without_a_law() -> None:
    with pytest.raises(InvalidProblem, match=r"v\.law"):
        gauss_rule(sb.Float("v", 0, 1), 0.3)
