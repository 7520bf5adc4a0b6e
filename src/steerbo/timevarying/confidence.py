"""Widths of the bands: β and ξ of Theorem 4.1 (Ziomek, Adachi & Osborne 2025), or a β of one's own."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from .._arrays import Float
from ..errors import InvalidOption
from ..space import Categorical
from ..space.fields import as_number
from ._priors import spatial
from .problem import TimeVarying, plain_box


def _width(value: object) -> float | str:
    if isinstance(value, str) and value == "theory":
        return value
    number = as_number(value)
    if number is None or number < 0:
        raise PydanticCustomError(
            "width", "a number for β from 0, such as 1.5, or the word 'theory' (Theorem 4.1)"
        )
    return number


Width = Annotated[float | Literal["theory"], BeforeValidator(_width)]
"""Value of the option `confidence`: a number for β, or the word "theory"."""

# how much a slope's variance may grow when the step is halved, before the paths have no slope
_SMOOTH = 1.5


class Confidence:
    """β_t of every prior and ξ_t.

    Args:
        problem: whose priors.
        width: a number for β, or the word "theory" (Theorem 4.1). ξ is always the theory's.
        delta: δ, the probability with which the theory may fail.

    Raises:
        InvalidOption: theory on a box, for a prior whose paths have no slope.

    >>> from steerbo import Float, Prior, TimeVarying
    >>> from steerbo.timevarying import SquaredExponential
    >>> problem = TimeVarying([Float("x", 0, 1, step=0.5)], [Prior(SquaredExponential(0.5))])
    >>> Confidence(problem, "theory", 0.1).betas(1).round(2)
    array([3.57])
    """

    def __init__(self, problem: TimeVarying, width: Width, delta: float) -> None:
        P = len(problem.given)
        self._variances = np.array([prior.noise**2 for prior in problem.given])
        self._xi = math.log(P * math.pi**2 / delta)
        self._fixed = None if width == "theory" else np.full(P, float(width))
        if self._fixed is not None:
            return
        if problem.points is not None:  # (A): β² = 2 ln(2 |X| π² t² / δ)
            self._offset = np.full(P, math.log(2 * len(problem.points) * math.pi**2 / delta))
            self._slope = 1.0
        else:
            # (B): β² = 2 ln(3 π² t² C / 2δ) + 2 d ln(d t² r b √ln(3 d a / 2δ)), both logarithms
            # taken apart in t
            numeric = [v for v in problem.variables if not isinstance(v, Categorical)]
            d = len(numeric)
            settings = math.prod(
                len(v.choices) for v in problem.variables if isinstance(v, Categorical)
            )
            offsets = []
            for i in range(P):
                a, b = smoothness(problem, i)
                inner = max(d * b * math.sqrt(math.log(max(3 * d * a / (2 * delta), math.e))), 1.0)
                offsets.append(
                    math.log(3 * math.pi**2 * settings / (2 * delta)) + d * math.log(inner)
                )
            self._offset, self._slope = np.array(offsets), 1.0 + d

    def betas(self, t: int) -> Float[np.ndarray, " P"]:
        """β_t of every prior, (P,)."""
        if self._fixed is not None:
            return self._fixed
        return np.sqrt(2 * (self._offset + 2 * self._slope * math.log(t)))

    def xi(self, t: int) -> Float[np.ndarray, " P"]:
        """`ξ_t = 2 R² ln(|U| π² t² / δ)` of every prior, in squared units of the objective, (P,)."""
        return 2 * self._variances * (self._xi + 2 * math.log(t))


def smoothness(problem: TimeVarying, i: int) -> tuple[float, float]:
    """A and b of Assumption 3.2 for prior i on a box, both without unit: they hold for `g = f / √max k`, x in [0, 1]^d.

    The paper prints `P(sup |∂f/∂x_j| > L) ≤ a exp(−L²/b)`, but puts `b √ln(d a / 2δ)` where
    Srinivas et al. (2010) have a slope. That is one, and β is free of units, only if `exp(−(L/b)²)`
    is meant and f has unit variance, as the paper's `k ≤ 1` says. Variables are scaled to [0, 1],
    so that r = 1 and β is free of their units as well.

    A slope is itself a Gaussian process, of variance `v = ∂²k/∂x∂x'` at `x = x'` (by central
    differences, the largest over the box). Borell's inequality (Adler & Taylor 2007, Theorem 2.1.1)
    gives `2 exp(−(L − m)²/2v)` with m its mean largest size; as `(L − m)² ≥ L²/2 − m²`, that is
    `b = 2√v`, `a = 2 exp(m²/2v)`. For m we take the largest of 2N independent draws,
    `m² = 2 v ln 2N`, with N the number of lengthscales `√(k/v)` that fit into the box: a = 4N. That
    count is a rule of thumb, not a bound; β depends on it only through `√ln a`.

    Categories have no slope: in the theorem's union they count as C separate boxes, C being their
    combinations.

    Raises:
        InvalidOption: the paths have no slope.
    """
    kernel = spatial(problem.given[i].kernel, problem.axes)
    high = plain_box(problem, None).high
    numeric = ~problem.space.categorical
    X = high * np.linspace(0.05, 0.95, 7)[:, None]
    X[:, ~numeric] = X[:, ~numeric].round()
    size = float(np.max(np.diag(kernel(X, X))))
    most, cells = 0.0, 1.0
    for j in np.flatnonzero(numeric):
        width = float(high[j])
        coarse, fine = (
            _slope_variance(kernel, X, int(j), h * width) * width**2 / size for h in (1e-3, 5e-4)
        )
        if not 0 < fine <= _SMOOTH * coarse:
            name = problem.given[i].name or f"number {i}"
            raise InvalidOption(
                "confidence",
                "theory",
                f"a number for β: paths of prior {name} have no slope, which Theorem 4.1 needs",
            )
        most = max(most, fine)
        cells *= 1 + math.sqrt(fine)
    return 4 * cells, 2 * math.sqrt(most)


def _slope_variance(kernel: Any, X: np.ndarray, j: int, h: float) -> float:
    step = np.zeros(X.shape[1])
    step[j] = h
    up, down = X + step, X - step
    pairs = zip(up, down, strict=True)
    both = [kernel(np.array([a, b]), np.array([a, b])) for a, b in pairs]
    return max(float(K[0, 0] + K[1, 1] - K[0, 1] - K[1, 0]) / (4 * h * h) for K in both)
