"""A matrix that many scopes have up to scaling: it is multiplied with, and never made for each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True, eq=False)
class Scaled:
    """`diag(a) A diag(a) − Σ R Rᵀ`: what stands right of `@`.

    With thousands of observations to make such a matrix takes as long as a search on it.

    Args:
        inverse: A, (n, n), symmetric; shared.
        scale: a, (n,).
        roots: the R, (n, r) each.

    >>> scaled = Scaled(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([1.0, 3.0]))
    >>> np.array([[1.0, 1.0]]) @ scaled
    array([[ 5., 21.]])
    """

    __array_ufunc__: ClassVar[None] = None  # numpy lets the right side multiply

    inverse: Float[np.ndarray, "n n"]
    scale: Float[np.ndarray, " n"]
    roots: tuple[Float[np.ndarray, "n r"], ...] = ()

    def __rmatmul__(self, rows: Float[np.ndarray, "m n"]) -> Float[np.ndarray, "m n"]:
        found: Float[np.ndarray, "m n"] = (rows * self.scale) @ self.inverse
        found *= self.scale
        for root in self.roots:
            found -= (rows @ root) @ root.T
        return found

    def made(self) -> Float[np.ndarray, "n n"]:
        """The matrix."""
        found = self.inverse * self.scale
        found *= self.scale[:, None]
        for root in self.roots:
            found -= root @ root.T
        return found
