"""Theorem 4.1, to the letter, and the constants for boxes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from steerbo import Categorical, Float, Optimizer, Prior, TimeVarying
from steerbo.errors import InvalidOption
from steerbo.timevarying import Matern, SquaredExponential
from steerbo.timevarying.confidence import Confidence, smoothness
from tests.timevarying.cases import sites
from tests.timevarying.points import LINE


def interval(kernel: object) -> TimeVarying:
    return TimeVarying([Float("x", 0, 2)], [Prior(kernel, noise=0.3), Prior(kernel, mean=1.0, noise=0.1)])  # type: ignore[arg-type]


@pytest.mark.parametrize("t", [1, 2, 50])
def test_finite_domain(t: int) -> None:
    c = Confidence(sites(), "theory", 0.1)
    assert c.betas(t) == pytest.approx([math.sqrt(2 * math.log(2 * 21 * math.pi**2 * t**2 / 0.1))] * 3)
    assert c.xi(t) == pytest.approx([2 * 0.01 * math.log(3 * math.pi**2 * t**2 / 0.1)] * 3)


def test_a_number_overrides_beta_only() -> None:
    c = Confidence(sites(), 1.5, 0.1)
    assert c.betas(9).tolist() == [1.5] * 3
    assert c.xi(9) == pytest.approx(Confidence(sites(), "theory", 0.1).xi(9))


@pytest.mark.parametrize("t", [1, 3, 100])
def test_box(t: int) -> None:
    problem = interval(SquaredExponential(0.4))
    a, b = smoothness(problem, 0)
    d, r, delta = 1, 1.0, 0.2
    inner = d * t**2 * r * b * math.sqrt(math.log(3 * d * a / (2 * delta)))
    beta = math.sqrt(2 * math.log(3 * math.pi**2 * t**2 / (2 * delta)) + 2 * d * math.log(inner))
    assert Confidence(problem, "theory", delta).betas(t) == pytest.approx([beta, beta])
    noise = np.array([0.09, 0.01])
    assert Confidence(problem, "theory", delta).xi(t) == pytest.approx(
        2 * noise * math.log(2 * math.pi**2 * t**2 / delta)
    )


@pytest.mark.parametrize(
    ("kernel", "slope"), [(SquaredExponential(0.4, 2.0), 1), (Matern(0.4, 1.5, 2.0), 3), (Matern(0.4, 2.5, 2.0), 5 / 3)]
)
def test_variance_of_slopes(kernel: object, slope: float) -> None:
    a, b = smoothness(interval(kernel), 0)
    assert b == pytest.approx(2 * math.sqrt(slope) * 2 / 0.4, rel=0.05)
    assert a == pytest.approx(4 * (1 + 2 * math.sqrt(slope) / 0.4), rel=0.05)


def test_the_tail_of_slopes_holds() -> None:
    """Assumption 3.2 on 400 paths of a squared exponential, at levels where a exp(−(L/b)²) is between 1 and 1e-3."""
    problem = interval(SquaredExponential(0.4))
    a, b = smoothness(problem, 0)
    x = np.linspace(0, 2, 401)[:, None]
    K = SquaredExponential(0.4).over(LINE)(x, x)
    values, vectors = np.linalg.eigh(K)
    paths = vectors * np.sqrt(np.maximum(values, 0)) @ np.random.default_rng(0).standard_normal((401, 400))
    steepest = np.abs(np.gradient(paths, x[:, 0] / 2, axis=0)).max(axis=0)  # x scaled to [0, 1]
    for level in np.quantile(steepest, [0.5, 0.9, 0.99]):
        assert (steepest > level).mean() <= a * math.exp(-((level / b) ** 2))


def test_theory_s_beta_on_a_box_has_no_unit() -> None:
    """Neither the objective's unit nor that of any variable changes it; a shorter lengthscale does."""

    def betas(output: float, *units: float, lengthscale: float = 0.4) -> Any:
        variables = [Float(f"x{j}", 3 * u, 5 * u) for j, u in enumerate(units)]
        kernel = SquaredExponential([lengthscale * u for u in units], output**2)
        return Confidence(TimeVarying(variables, [Prior(kernel, noise=0.1 * output)]), "theory", 0.1).betas(7)

    for units in ((1.0,), (1e-3,), (1.0, 1.0), (0.01, 300.0)):
        for output in (0.001, 1.0, 1000.0):
            assert betas(output, *units) == pytest.approx(betas(1.0, *[1.0] * len(units)), rel=1e-6)
    assert betas(1.0, 1.0) == pytest.approx([5.65], abs=0.05)
    assert betas(1.0, 1.0, lengthscale=0.04) > betas(1.0, 1.0) + 0.2


def test_a_box_with_categories_counts_them_as_boxes_of_their_own() -> None:
    """Union over C boxes: 2 ln C under the root."""

    def kernel(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return SquaredExponential(0.4).over(LINE)(X[:, :1], Z[:, :1]) * (0.5 + 0.5 * (X[:, 1:] == Z[:, 1:].T))

    mixed = TimeVarying([Float("x", 0, 2), Categorical("c", ["a", "b", "d"])], [Prior(kernel, noise=0.3)])
    alone = Confidence(interval(SquaredExponential(0.4)), "theory", 0.1).betas(4)[0]
    assert Confidence(mixed, "theory", 0.1).betas(4) ** 2 == pytest.approx([alone**2 + 2 * math.log(3)], rel=1e-9)


@pytest.mark.parametrize("method", ["prior-elimination", "tempered-elimination", "gp-ucb", "w-gp-ucb", "mle"])
@pytest.mark.parametrize("wrong", ["high", "Theory", "2", True, -1, None, math.nan, math.inf, [1.0]])
def test_what_confidence_takes_is_said(method: str, wrong: Any) -> None:
    with pytest.raises(InvalidOption, match=r"number for β from 0, such as 1\.5, or the word 'theory'") as caught:
        Optimizer(sites(), method, confidence=wrong)
    assert caught.value.field == "confidence"


def test_rough_paths_have_no_theory_on_a_box() -> None:
    rough = interval(Matern(0.4, 0.5))
    with pytest.raises(InvalidOption, match="no slope"):
        Optimizer(rough, "prior-elimination")
    assert Optimizer(rough, "prior-elimination", confidence=2.0).ask() is not None
