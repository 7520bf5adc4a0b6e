"""How wide the bands are: β and ξ of Theorem 4.1 (Ziomek, Adachi & Osborne 2025), or a β of one's own."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from jaxtyping import Float

from ..errors import InvalidOption
from ..space import Categorical
from .kernels import spatial
from .problem import TimeVarying

Width = Literal["theory"] | float

_SMOOTH = 1.5  # how much a slope's variance may grow when the step is halved, before the paths have no slope


class Confidence:
    """β_t of every prior and ξ_t.

    Args:
        problem: whose priors.
        width: "theory" (Theorem 4.1), or a number for β. ξ is always the theory's.
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
        P = len(problem.priors)
        self._variances = np.array([prior.noise**2 for prior in problem.priors])
        self._xi = math.log(P * math.pi**2 / delta)
        self._fixed = None if width == "theory" else np.full(P, float(width))
        if self._fixed is not None:
            return
        if problem.points is not None:  # (A): β² = 2 ln(2 |X| π² t² / δ)
            self._offset, self._slope = np.full(P, math.log(2 * len(problem.points) * math.pi**2 / delta)), 1.0
        else:
            # (B): β² = 2 ln(3 π² t² / 2δ) + 2 d ln(d t² r b √ln(3 d a / 2δ)), both logarithms taken apart in t
            d = len(problem.variables)
            r = max(_width(v) for v in problem.variables)
            offsets = []
            for i in range(P):
                a, b = smoothness(problem, i)
                inner = max(d * r * b * math.sqrt(math.log(max(3 * d * a / (2 * delta), math.e))), 1.0)
                offsets.append(math.log(3 * math.pi**2 / (2 * delta)) + d * math.log(inner))
            self._offset, self._slope = np.array(offsets), 1.0 + d

    def betas(self, t: int) -> Float[np.ndarray, " P"]:
        """β_t of every prior, (P,)."""
        if self._fixed is not None:
            return self._fixed
        return np.sqrt(2 * (self._offset + 2 * self._slope * math.log(t)))

    def xi(self, t: int) -> Float[np.ndarray, " P"]:
        """`ξ_t = 2 R² ln(|U| π² t² / δ)` of every prior, in squared units of the objective, (P,)."""
        return 2 * self._variances * (self._xi + 2 * math.log(t))


def _width(variable: Any) -> float:
    return float(len(variable.choices)) if isinstance(variable, Categorical) else float(variable.high - variable.low)


def smoothness(problem: TimeVarying, i: int) -> tuple[float, float]:
    """A and b of Assumption 3.2, `P(sup |∂f/∂x_j| > L) ≤ a exp(−L²/b)`, for prior i on a box.

    A slope is itself a Gaussian process, of variance `v = ∂²k/∂x∂x'` at `x = x'` (by central differences, the
    largest over the box). Borell's inequality (Adler & Taylor 2007, Theorem 2.1.1) gives `2 exp(−(L − m)²/2v)` with
    m its mean largest size; as `(L − m)² ≥ L²/2 − m²`, that is `b = 4v`, `a = 2 exp(m²/2v)`. For m we take the
    largest of 2N independent draws, `m² = 2 v ln 2N`, with N the number of lengthscales `√(k/v)` that fit into the
    box: a = 4N. That count is a rule of thumb, not a bound; β depends on it only through `√ln a`.

    Raises:
        InvalidOption: the paths have no slope.
    """
    kernel = spatial(problem.priors[i].kernel, len(problem.variables))
    low, high = (np.array([v.decode([z])[0] for v in problem.variables], dtype=float) for z in (0.0, 1.0))
    X = low + (high - low) * np.linspace(0.05, 0.95, 7)[:, None]
    size = float(np.max(np.diag(kernel(X, X))))
    most, cells = 0.0, 1.0
    for j in range(len(low)):
        coarse, fine = (_slope_variance(kernel, X, j, h * (high[j] - low[j])) for h in (1e-3, 5e-4))
        if not 0 < fine <= _SMOOTH * coarse:
            name = problem.priors[i].name or f"number {i}"
            raise InvalidOption(
                "confidence", "theory", f"a number for β: paths of prior {name} have no slope, which Theorem 4.1 needs"
            )
        most = max(most, fine)
        cells *= 1 + (high[j] - low[j]) / math.sqrt(size / fine)
    return 4 * cells, 4 * most


def _slope_variance(kernel: Any, X: np.ndarray, j: int, h: float) -> float:
    step = np.zeros(X.shape[1])
    step[j] = h
    up, down = X + step, X - step
    pairs = zip(up, down, strict=True)
    both = [kernel(np.array([a, b]), np.array([a, b])) for a, b in pairs]
    return max(float(K[0, 0] + K[1, 1] - K[0, 1] - K[1, 0]) / (4 * h * h) for K in both)
