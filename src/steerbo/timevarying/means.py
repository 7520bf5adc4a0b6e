"""Prior means of all candidate priors at once: hills by one exponential, functions one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._arrays import Float
from ..space import Categorical, Space
from ._priors import Bumps
from ._units import values_at, widths
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
        self._functions = [
            (p, m) for p, m in enumerate(given) if callable(m) and not isinstance(m, Bumps)
        ]
        self._table = (
            np.array([mean for mean in given if isinstance(mean, tuple)], dtype=np.float64) * sign
        )
        self._tabled = [p for p, mean in enumerate(given) if isinstance(mean, tuple)]
        self._level = sign * np.array([_level(mean) for mean in given])
        self._axes, self._spans = problem.axes, widths(problem.axes)
        self._categorical = problem.axes.categorical
        self._hilly = bool(hills)
        if hills:
            self._centres = np.array(
                [_encoded(centre, problem.axes) for _, mean in hills for centre in mean.centres]
            )
            self._widths = np.concatenate(
                [np.full(len(mean.heights), mean.width) for _, mean in hills]
            )
            self._heights = np.zeros((len(given), len(self._centres)))
            start = 0
            for p, mean in hills:
                self._heights[p, start : start + len(mean.heights)] = sign * np.array(mean.heights)
                start += len(mean.heights)

    def __call__(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "P n"]:
        """All means at encoded points, (P, n); those given as tables are for all points of the domain."""
        means = np.empty((len(self._level), len(X)))
        means[:] = self._level[:, None]
        if self._hilly:
            means += self._heights @ self._hills(X)
        for p, function in self._functions:
            means[p] = self._called(function, X)
        if self._tabled:
            means[self._tabled] = self._table
        return means

    def slope(
        self, X: Float[np.ndarray, "r d"], weights: Float[np.ndarray, "P r"]
    ) -> Float[np.ndarray, "r d"]:
        """The gradient of `Σ_p weights_pr m_p(x_r)`, (r, d); of functions by differences within the bounds."""
        slope = np.zeros(X.shape)
        if self._hilly:
            # (hills, r)
            pull = (self._heights.T @ weights) * self._hills(X) / self._widths[:, None] ** 2
            towards = pull.T @ self._centres - pull.sum(axis=0)[:, None] * X
            slope += towards * self._spans**2 * ~self._categorical
        for j in np.flatnonzero(~self._categorical) if self._functions else ():
            # a table of values, or a root, ends where the variable does
            below, above = X.copy(), X.copy()
            below[:, j] = np.maximum(X[:, j] - _STEP, np.minimum(X[:, j], 0.0))
            above[:, j] = np.minimum(X[:, j] + _STEP, np.maximum(X[:, j], 1.0))
            for p, function in self._functions:
                rise = self._called(function, above) - self._called(function, below)
                slope[:, j] += weights[p] * rise / (above[:, j] - below[:, j])
        return slope

    def _called(
        self, function: Callable[..., Any], X: Float[np.ndarray, "n d"]
    ) -> Float[np.ndarray, " n"]:
        return self._sign * np.asarray(function(values_at(self._axes, X)), dtype=np.float64)

    def _hills(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "k n"]:
        squares = np.zeros((len(self._centres), len(X)))
        columns = zip(self._centres.T, X.T, self._spans, self._categorical, strict=True)
        for centre, x, span, categorical in columns:
            squares += (
                np.where(centre[:, None] == x, 0.0, np.inf)
                if categorical
                else ((centre[:, None] - x) * span) ** 2
            )
        squares *= (-0.5 / self._widths**2)[:, None]
        return np.exp(squares, out=squares)


def _level(mean: Any) -> float:
    """Constant part of a prior's mean."""
    if isinstance(mean, Bumps):
        return mean.base
    return mean if isinstance(mean, float) else 0.0


def _encoded(centre: Sequence[float | str], axes: Space) -> list[float]:
    """A centre's encoded coordinates; categories may be numbered already."""
    return [
        float(x if isinstance(v, Categorical) and not isinstance(x, str) else v.encode([x])[0])
        for v, x in zip(axes, centre, strict=True)
    ]
