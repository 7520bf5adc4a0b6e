"""What a learned course of time is made of: epochs that tell nothing of each other, and time in units of its own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float

from ...errors import InvalidProblem
from ..parameters import Parameter
from .base import Kernel, Pull


@dataclass(frozen=True)
class EpochsKernel(Kernel):
    """1 within an epoch, 0 across: what was before a cut tells nothing of what came after.

    Args:
        dimension: the column that holds time.
        cuts: when epochs begin, ascending; the first one begins at the beginning of time.

    Raises:
        InvalidProblem: a dimension below 0, or cuts that are not ascending numbers.

    >>> EpochsKernel(0, (5.0,))(np.array([[5.0]]), np.array([[4.9], [5.0], [9.0]]))
    array([[0., 1., 1.]])
    """

    dimension: int
    cuts: tuple[float, ...]

    def __post_init__(self) -> None:
        if self.dimension < 0:
            raise InvalidProblem("kernel.dimension", self.dimension, "a column, counted from 0")
        if not all(np.isfinite(self.cuts)) or not all(np.diff(self.cuts) > 0):
            raise InvalidProblem("kernel.cuts", self.cuts, "finite numbers, ascending")

    def _epoch(self, X: Float[np.ndarray, "n d"]) -> np.ndarray:
        return np.searchsorted(self.cuts, X[:, self.dimension], side="right")

    @property
    def columns(self) -> tuple[int, ...]:
        """The one with time."""
        return (self.dimension,)

    def __call__(self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        return np.equal.outer(self._epoch(X), self._epoch(Z)).astype(np.float64)

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """One for every row, (n,)."""
        return np.ones(len(X))

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """Zero, (r, d): within an epoch nothing changes."""
        return np.zeros(X.shape)


@dataclass(frozen=True)
class InUnitsKernel(Kernel):
    """A kernel over time that counts it in other units: `k(t / unit, t' / unit)`, so that its priors suit any clock.

    Args:
        kernel: over the column that holds time, and no other.
        dimension: that column.
        unit: how much time counts as one.

    Raises:
        InvalidProblem: a unit that is not a finite number above 0.
    """

    kernel: Kernel
    dimension: int
    unit: float

    def __post_init__(self) -> None:
        if not 0 < self.unit < math.inf:
            raise InvalidProblem("kernel.unit", self.unit, "a finite number above 0")

    def _counted(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        counted = np.zeros(X.shape)
        counted[:, self.dimension] = X[:, self.dimension] / self.unit
        return counted

    @property
    def columns(self) -> tuple[int, ...]:
        """The one with time."""
        return (self.dimension,)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The kernel's, in these units."""
        return self.kernel.parameters

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """The same kernel with other hyperparameters."""
        return type(self)(self.kernel.with_theta(theta), self.dimension, self.unit)

    def __call__(self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        return self.kernel(self._counted(X), self._counted(Z))

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x) for every row, (n,)."""
        return self.kernel.diagonal(self._counted(X))

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back to the hyperparameters."""
        return self.kernel.linearise(self._counted(X))

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d)."""
        return self.kernel.input_gradient(self._counted(X), self._counted(Z), W) / self.unit
