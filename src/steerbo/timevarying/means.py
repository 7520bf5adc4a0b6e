"""The prior means of all priors at once: hills by one exponential, functions one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from ..space import Categorical
from .priors import Bumps
from .problem import TimeVarying

_STEP = 1e-6  # of a variable's range, for the slope of a function


class Means:
    """The prior means of P priors, in units of sign · value.

    >>> from steerbo import Float, Prior
    >>> from steerbo.timevarying import SquaredExponential
    >>> hill = Bumps(centres=[[0.5]], heights=[2.0], width=0.1)
    >>> problem = TimeVarying([Float("x", 0, 1)], [Prior(SquaredExponential(1.0), m) for m in (hill, 1.0)])
    >>> Means(problem)(np.array([[0.5], [0.0]])).round(2)
    array([[2., 0.],
           [1., 1.]])
    """

    def __init__(self, problem: TimeVarying) -> None:
        sign, given = problem.sign, [prior.mean for prior in problem.given]
        hills = [(p, mean) for p, mean in enumerate(given) if isinstance(mean, Bumps)]
        self._sign = sign
        self._functions = [(p, m) for p, m in enumerate(given) if callable(m) and not isinstance(m, Bumps)]
        self._table = np.array([mean for mean in given if isinstance(mean, tuple)], dtype=np.float64) * sign
        self._tabled = [p for p, mean in enumerate(given) if isinstance(mean, tuple)]
        self._level = sign * np.array(
            [m.base if isinstance(m, Bumps) else m if isinstance(m, float) else 0.0 for m in given]
        )
        self._steps = np.array(
            [_STEP * (1.0 if isinstance(v, Categorical) else float(v.high - v.low)) for v in problem.variables]
        )
        self._hilly = bool(hills)
        if hills:
            names = problem.categories
            self._centres = np.array([_numbers(centre, names) for _, mean in hills for centre in mean.centres])
            self._categorical = np.array([known is not None for known in names])
            self._widths = np.concatenate([np.full(len(mean.heights), mean.width) for _, mean in hills])
            self._heights = np.zeros((len(given), len(self._centres)))
            start = 0
            for p, mean in hills:
                self._heights[p, start : start + len(mean.heights)] = sign * np.array(mean.heights)
                start += len(mean.heights)

    def __call__(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "P n"]:
        """All means at points, (P, n); those given as tables are for all points of the domain."""
        means = np.empty((len(self._level), len(X)))
        means[:] = self._level[:, None]
        if self._hilly:
            means += self._heights @ self._hills(X)
        for p, function in self._functions:
            means[p] = self._called(function, X)
        if self._tabled:
            means[self._tabled] = self._table
        return means

    def slope(self, X: Float[np.ndarray, "r d"], weights: Float[np.ndarray, "P r"]) -> Float[np.ndarray, "r d"]:
        """The gradient of `Σ_p weights_pr m_p(x_r)`, (r, d); of functions by central differences."""
        slope = np.zeros(X.shape)
        if self._hilly:
            pull = (self._heights.T @ weights) * self._hills(X) / self._widths[:, None] ** 2  # (hills, r)
            slope += (pull.T @ self._centres - pull.sum(axis=0)[:, None] * X) * ~self._categorical
        for j, h in enumerate(self._steps if self._functions else ()):
            step = np.zeros(X.shape[1])
            step[j] = h
            for p, function in self._functions:
                slope[:, j] += (
                    weights[p] * (self._called(function, X + step) - self._called(function, X - step)) / (2 * h)
                )
        return slope

    def _called(self, function: Callable[..., Any], X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        return self._sign * np.asarray(function(X), dtype=np.float64)

    def _hills(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "k n"]:
        squares = np.zeros((len(self._centres), len(X)))
        for centre, x, categorical in zip(self._centres.T, X.T, self._categorical, strict=True):
            squares += np.where(centre[:, None] == x, 0.0, np.inf) if categorical else (centre[:, None] - x) ** 2
        squares *= (-0.5 / self._widths**2)[:, None]
        return np.exp(squares, out=squares)


def _numbers(centre: Sequence[float | str], names: Sequence[tuple[Any, ...] | None]) -> list[float]:
    """A centre's coordinates, categories numbered."""
    pairs = zip(centre, names, strict=True)
    return [float(known.index(x) if known is not None and isinstance(x, str) else x) for x, known in pairs]
