"""Kernel of a function that is translated over time at constant velocity and keeps its shape."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float

from ...errors import InvalidProblem
from ..parameters import Parameter
from .base import Kernel, Pull

LIKELY, MOST = 0.5, 5.0
"""A velocity that is likely beforehand, in either direction, and the largest there is: ranges in one unit of time."""


@dataclass(frozen=True)
class SlidingKernel(Kernel):
    """Translation at constant velocity v: `k(x − v t, x' − v t')` (frozen field; Gneiting 2002, section 4).

    Where time is known it is a kernel of points alone: those that were seen, as far as they have moved since.

    Args:
        space: k, over columns other than the time's.
        dimension: the column that holds time.
        unit: how much time counts as one.
        columns_moved: the columns that slide, which hold numbers.
        velocity: v of each of these, in one unit of time; a fit learns it.

    Raises:
        InvalidProblem: columns, a unit or a velocity that are not allowed.

    >>> from .stationary import SquaredExponentialKernel
    >>> kernel = SlidingKernel(SquaredExponentialKernel([0.3]), 1, 10.0, (0,), (0.5,))
    >>> kernel(np.array([[0.2, 0.0]]), np.array([[0.2, 10.0], [0.7, 10.0]])).round(2)
    array([[0.25, 1.  ]])
    """

    space: Kernel
    dimension: int
    unit: float
    columns_moved: tuple[int, ...]
    velocity: tuple[float, ...]

    def __post_init__(self) -> None:
        if not 0 < self.unit < math.inf:
            raise InvalidProblem("kernel.unit", self.unit, "a finite number above 0")
        if self.dimension < 0 or self.dimension in self.space.columns:
            raise InvalidProblem("kernel.dimension", self.dimension, "a column that the other kernel does not read")
        if not set(self.columns_moved) <= set(self.space.columns):
            raise InvalidProblem("kernel.columns_moved", self.columns_moved, f"some of {self.space.columns}")
        if len(self.velocity) != len(self.columns_moved) or not all(map(math.isfinite, self.velocity)):
            raise InvalidProblem("kernel.velocity", self.velocity, f"{len(self.columns_moved)} finite numbers")

    @property
    def columns(self) -> tuple[int, ...]:
        """Columns of the inner kernel, and the time's."""
        return tuple(sorted((*self.space.columns, self.dimension)))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Parameters of the inner kernel, then the velocities."""
        pace = zip(self.columns_moved, self.velocity, strict=True)
        moving = (Parameter(f"velocity[{d}]", v, 0.0, LIKELY, -MOST, MOST) for d, v in pace)
        return (*self.space.parameters, *moving)

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """Replace the hyperparameters."""
        own = len(theta) - len(self.velocity)
        velocity = tuple(np.asarray(theta[own:], dtype=np.float64).tolist())
        return type(self)(self.space.with_theta(theta[:own]), self.dimension, self.unit, self.columns_moved, velocity)

    def moved(self, X: Float[np.ndarray, "n d"], now: float = 0.0) -> Float[np.ndarray, "n d"]:
        """Move points (n, d) to their positions now; the column of time stays."""
        found = np.array(X, dtype=np.float64)
        found[:, list(self.columns_moved)] += np.outer((now - X[:, self.dimension]) / self.unit, self.velocity)
        return found

    def __call__(self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        now = self._now(Z)
        return self.space(self.moved(X, now), self.moved(Z, now))

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x) for every row, (n,)."""
        return self.space.diagonal(self.moved(X, self._now(X)))

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back: a velocity moves both arguments, each by the time since then."""
        now = self._now(X)
        moved, since = self.moved(X, now), (now - X[:, self.dimension]) / self.unit
        K, pull = self.space.linearise(moved)

        def both(W: Float[np.ndarray, "n n"]) -> Float[np.ndarray, " p"]:
            slope = self.space.input_gradient(moved, moved, W) + self.space.input_gradient(moved, moved, W.T)
            return np.concatenate([pull(W), since @ slope[:, list(self.columns_moved)]])

        return K, both

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d); along time it is that of going back."""
        now = self._now(Z)
        gradient = self.space.input_gradient(self.moved(X, now), self.moved(Z, now), W)
        gradient[:, self.dimension] = -(gradient[:, list(self.columns_moved)] @ np.array(self.velocity)) / self.unit
        return gradient

    @property
    def gradients(self) -> bool:
        """Whether slopes along inputs are exact."""
        return self.space.gradients

    def _now(self, X: Float[np.ndarray, "n d"]) -> float:
        """A time among these, so that points stay near where they are on any clock."""
        return float(X[:, self.dimension].max()) if len(X) else 0.0
