"""The covariance of what observations are off by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float

from ..gp import Kernel, Parameter
from ..gp.kernels.base import Pull


@dataclass(frozen=True)
class Discrepancy(Kernel):
    """`k = s s' k_b`, where s stands in the column after those of k_b; points that lack it have s = 0.

    >>> from steerbo.gp import SquaredExponentialKernel
    >>> kernel = Discrepancy(SquaredExponentialKernel([1.0]), 1)
    >>> kernel(np.array([[0.5, 0.3], [0.5, 0.0]]), np.array([[0.5, 0.3]])).round(2)
    array([[0.09],
           [0.  ]])
    """

    kernel: Kernel
    column: int

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that it reads."""
        return (*self.kernel.columns, self.column)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of k_b."""
        return self.kernel.parameters

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """The same with other hyperparameters of k_b."""
        return type(self)(self.kernel.with_theta(theta), self.column)

    def _marked(self, X: Float[np.ndarray, "n d"]) -> tuple[np.ndarray, Float[np.ndarray, " m"]]:
        """Which rows have an s that is not 0, and these."""
        if X.shape[1] <= self.column:
            return np.zeros(0, dtype=np.intp), np.zeros(0)
        rows = np.flatnonzero(X[:, self.column])
        return rows, X[rows, self.column]

    def __call__(self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        (a, s), (b, t), found = self._marked(X), self._marked(Z), np.zeros((len(X), len(Z)))
        if len(a) and len(b):
            found[np.ix_(a, b)] = s[:, None] * self.kernel(X[a], Z[b]) * t
        return found

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x) for every row, (n,)."""
        (rows, s), found = self._marked(X), np.zeros(len(X))
        found[rows] = s**2 * self.kernel.diagonal(X[rows])
        return found

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back to the hyperparameters of k_b."""
        rows, s = self._marked(X)
        if not len(rows):
            return np.zeros((len(X), len(X))), lambda W: np.zeros(len(self.parameters))
        inner, pull = self.kernel.linearise(X[rows])
        scale = np.outer(s, s)
        found = np.zeros((len(X), len(X)))
        found[np.ix_(rows, rows)] = scale * inner
        return found, lambda W: pull(W[np.ix_(rows, rows)] * scale)

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d); zero along s, which nobody chooses."""
        (a, s), (b, t), gradient = self._marked(X), self._marked(Z), np.zeros(X.shape)
        if len(a) and len(b):
            gradient[a] = s[:, None] * self.kernel.input_gradient(X[a], Z[b], W[np.ix_(a, b)] * t)
        return gradient
