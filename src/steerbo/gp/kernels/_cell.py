"""The cell kernel: a factor by which every setting has an effect of its own, beside the one that it shares with others.

    k(x, z) = 1 − w + w 1[x = z]

Times a kernel over the same columns it adds an independent effect to each cell of a table of
settings, with the share w of the variance. Without it, an effect that a product over variables
cannot explain is taken for noise, although a repetition would show it again: then beliefs about
cells that were never played are too sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ..._arrays import Bool, Float
from ...errors import InvalidProblem
from .._hyperparameters import Parameter, weight
from .base import Kernel, Pull


@dataclass(frozen=True)
class CellKernel(Kernel):
    """`1 − w + w 1[x = z]`, for columns that take listed values only.

    Args:
        dimensions: the columns that say which cell it is.
        share: w, from 0 (settings teach all there is to know of each other) to 1 (nothing).

    Raises:
        InvalidProblem: no dimension, or a share outside [0, 1].

    >>> CellKernel([0, 1], 0.25)(np.array([[0.0, 1.0]]), np.array([[0.0, 1.0], [0.0, 2.0]]))
    array([[1.  , 0.75]])
    """

    dimensions: Sequence[int]
    share: float = 0.5

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimensions", tuple(int(d) for d in self.dimensions))
        if not self.dimensions or min(self.dimensions) < 0:
            raise InvalidProblem(
                "kernel.dimensions", self.dimensions, "at least one column, counted from 0"
            )
        if not 0.0 <= self.share <= 1.0:
            raise InvalidProblem("kernel.share", self.share, "a number from 0 to 1")

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that it reads."""
        return tuple(self.dimensions)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The log odds of w."""
        return (weight(self.share, "cell"),)

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """Replace w."""
        return type(self)(self.dimensions, float(1.0 / (1.0 + np.exp(-theta[0]))))

    def same(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Bool[np.ndarray, "n m"]:
        """Whether two rows are of the same cell, for all pairs, (n, m)."""
        found = np.ones((len(X), len(Z)), dtype=bool)
        for d in self.dimensions:
            found &= X[:, d, None] == Z[:, d]
        return found

    def __call__(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        return np.where(self.same(X, Z), 1.0, 1.0 - self.share)

    def of_differences(self, apart: Sequence[Float[np.ndarray, " m"]]) -> Float[np.ndarray, " m"]:
        """k(x, z) of m pairs by their differences, (m,)."""
        same = np.logical_and.reduce([apart[d] == 0.0 for d in self.dimensions])
        return np.where(same, 1.0, 1.0 - self.share)

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x) = 1, (n,)."""
        return np.ones(len(X))

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back to the log odds of w."""
        gram, w = self(X, X), self.share
        apart = gram != 1.0 if w else ~self.same(X, X)
        return gram, lambda W: np.array([-w * (1.0 - w) * float(W[apart].sum())])

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """Zero, (r, d): from one listed value to the next there is no slope."""
        return np.zeros(X.shape)
