"""A kernel of sheared points: what is best in one column may move along a line with another.

    k(x, z) = k₀(S x, S z),   (S x)_i = x_i + Σ_j a_ij x_j

Where a dose should grow with the weight, outcomes are alike along a ridge that lies aslant. A product of kernels over
single columns knows ridges along the axes only, and has to learn a slanted one piece by piece.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from jaxtyping import Float

from ..parameters import Parameter
from .base import Kernel, Pull

SLOPE = "slope"
"""With this the names of slopes begin, among hyperparameters."""
_STEEPEST = 3.0


@dataclass(frozen=True, eq=False)
class Sheared(Kernel):
    """`k₀(S x, S z)`.

    Args:
        base: k₀.
        pairs: of columns (i, j): column i moves with column j.
        slopes: a, one for each pair.
        held: whether a fit leaves slopes at zero; else they are normal about zero with standard deviation 1.

    >>> from steerbo.gp import SquaredExponentialKernel
    >>> kernel = Sheared(SquaredExponentialKernel([0.5, 9.0]), ((0, 1),), (-1.0,))
    >>> kernel(np.array([[0.2, 0.2]]), np.array([[0.7, 0.7], [0.2, 0.7]])).round(2)
    array([[1.  , 0.61]])
    """

    base: Kernel
    pairs: tuple[tuple[int, int], ...]
    slopes: tuple[float, ...]
    held: bool = False

    def _shear(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        sheared = X.copy()
        for (i, j), slope in zip(self.pairs, self.slopes, strict=True):
            sheared[:, i] += slope * X[:, j]
        return sheared

    def __call__(self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        return self.base(self._shear(X), self._shear(Z))

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x) for every row, (n,)."""
        return self.base.diagonal(self._shear(X))

    @property
    def columns(self) -> tuple[int, ...]:
        """Those of the base, and those that others move with."""
        return tuple(sorted({*self.base.columns, *(j for _, j in self.pairs)}))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the base, then the slopes."""
        end = 0.0 if self.held else _STEEPEST
        named = zip(self.pairs, self.slopes, strict=True)
        slopes = (Parameter(f"{SLOPE}[{i},{j}]", a, 0.0, 1.0, -end, end) for (i, j), a in named)
        return (*self.base.parameters, *slopes)

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """The same kernel with other hyperparameters."""
        k = len(self.base.parameters)
        return replace(self, base=self.base.with_theta(theta[:k]), slopes=tuple(float(a) for a in theta[k:]))

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back: a slope moves column i of both rows by what stands in their columns j."""
        sheared = self._shear(X)
        gram, pull = self.base.linearise(sheared)

        def both(W: Float[np.ndarray, "n n"]) -> Float[np.ndarray, " p"]:
            moved = self.base.input_gradient(sheared, sheared, W + W.T)
            return np.concatenate([pull(W), [float(moved[:, i] @ X[:, j]) for i, j in self.pairs]])

        return gram, both

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d)."""
        return self._back(self.base.input_gradient(self._shear(X), self._shear(Z), W))

    def diagonal_gradient(self, X: Float[np.ndarray, "r d"]) -> Float[np.ndarray, "r d"]:
        """`∂/∂x k(x, x)`, (r, d)."""
        return self._back(self.base.diagonal_gradient(self._shear(X)))

    def _back(self, gradient: Float[np.ndarray, "r d"]) -> Float[np.ndarray, "r d"]:
        """From a gradient in sheared points to one in points: Sᵀ."""
        found = gradient.copy()
        for (i, j), slope in zip(self.pairs, self.slopes, strict=True):
            found[:, j] += slope * gradient[:, i]
        return found
