"""The kernel of what no outcome has shown: a function of which nothing is known but how fast it may change.

    k(x, z) = Σ_d φ(√3 |x_d − z_d| / ℓ),   φ(u) = (1 + u) exp(−u)   (Matérn 3/2)

A fit that learns variance and lengthscale of a stationary kernel from rows in one corner takes what
is even there for even everywhere. Slopes of this kernel are independent where points are further
apart than ℓ, and a fit leaves it alone: outcomes in one place say nothing of another. It is the
probabilistic form of the Lipschitz constant by which safe sets expand (Sui et al. 2015, SafeOpt): a
standard deviation of the slope is √3/ℓ. As a sum over variables, what was seen along one of them
holds for all values of the others.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..._arrays import Bool, Float
from .base import Kernel, Terms

LENGTHSCALE = 0.5
"""ℓ of a coordinate whose range is one: the outcome may differ by its scale within a third of the range."""
CATEGORIES = 0.25
"""Distance of two categories, as a share of a range: one that was never tried is neither safe nor out of reach."""


@dataclass(frozen=True, eq=False)
class UnseenKernel(Kernel):
    """`Σ_d φ(√3 |x_d − z_d| / ℓ)` with `φ(u) = (1 + u) exp(−u)` over some columns; a fit learns nothing of it.

    Args:
        categorical: (d,) which columns hold categories.
        dimensions: the columns it reads; None: the first d.

    >>> kernel = UnseenKernel(np.array([False, False]))
    >>> kernel(np.zeros((1, 2)), np.array([[0.0, 0.0], [0.1, 0.0], [1.0, 1.0]])).round(3)
    array([[2.   , 1.952, 0.279]])
    """

    categorical: Bool[np.ndarray, " d"]
    dimensions: tuple[int, ...] | None = None

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that it reads."""
        return tuple(range(len(self.categorical))) if self.dimensions is None else self.dimensions

    def _distances(self, d: int, apart: Float[np.ndarray, " *s"]) -> Float[np.ndarray, " *s"]:
        """√3 |x_d − z_d| / ℓ."""
        away = np.where(apart != 0.0, CATEGORIES, 0.0) if self.categorical[d] else np.abs(apart)
        return np.asarray(math.sqrt(3.0) / LENGTHSCALE * away)

    def __call__(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        total = np.zeros((len(X), len(Z)))
        for d in self.columns:
            total += _matern(self._distances(d, X[:, d, None] - Z[:, d]))
        return total

    def separated(self, held: Collection[int]) -> Terms | None:
        """Terms of `held` columns, and those of the others."""
        own = tuple(d for d in self.columns if d in held)
        others = tuple(d for d in self.columns if d not in held)
        if not (own and others):
            return super().separated(held)
        return ((replace(self, dimensions=own), None), (None, replace(self, dimensions=others)))

    def of_differences(self, apart: Sequence[Float[np.ndarray, " m"]]) -> Float[np.ndarray, " m"]:
        """k(x, z) of m pairs by their differences, (m,)."""
        return np.asarray(sum(_matern(self._distances(d, apart[d])) for d in self.columns))

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x), the number of columns, (n,)."""
        return np.full(len(X), float(len(self.columns)))

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d), by `φ'(u) = −u exp(−u)`; zero along a category."""
        gradient = np.zeros(X.shape)
        for d in (d for d in self.columns if not self.categorical[d]):
            apart = X[:, d, None] - Z[:, d]
            decay = np.exp(-self._distances(d, apart))
            gradient[:, d] = -3.0 / LENGTHSCALE**2 * (W * apart * decay).sum(axis=1)
        return gradient


def _matern(u: Float[np.ndarray, " *s"]) -> Float[np.ndarray, " *s"]:
    return np.asarray((1.0 + u) * np.exp(-u))
