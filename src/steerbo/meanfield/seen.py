"""What is seen before choosing, in the kernel: one more factor, of the day's weather or an index of demand.

    k((ξ, z), (ξ', z')) = k(ξ, ξ') τ(z, z'),   τ = exp(−½ Σ_d (z_d − z'_d)² / ℓ_d²)

with 1 in the place of a difference between two categories. At a fixed z the covariances with observation j are
multiplied by τ_j = τ(z, z_j), so that all the structured maths holds with α ∘ τ and K⁻¹ ∘ τ τᵀ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from ..gp import Kernel
from ..space import Space

Rows = Float[np.ndarray, "n c"]
"""What was seen, encoded; where payoffs drift in a known way, the last column is the time."""


@dataclass(frozen=True)
class SeenFactor:
    """τ, as a function of rows of what was seen, encoded.

    Args:
        space: the variables that are seen; none: τ = 1.
        drift: a kernel over the column after theirs, of which nothing is learned: one more factor of τ.
    """

    space: Space
    drift: Kernel | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Of the parameters, logarithms of lengthscales in shares of each variable's range."""
        return tuple(f"{name} lengthscale" for name in self.space.names)

    def squares(self, a: Rows, b: Rows) -> Float[np.ndarray, "c n m"]:
        """Squared differences, by variable."""
        c = self.space.dimension
        gaps = (a.T[:c, :, None] - b.T[:c, None]) ** 2
        return np.where(self.space.categorical[:, None, None], (gaps > 0).astype(float), gaps)

    def in_time(self, a: Rows, b: Rows) -> Float[np.ndarray, "n m"]:
        """The drift's part of τ."""
        return np.ones((len(a), len(b))) if self.drift is None else self.drift(a, b)

    def lengthscales(self, parameters: Mapping[str, float]) -> Float[np.ndarray, " c"]:
        """ℓ."""
        return np.exp([parameters[name] for name in self.names])

    def __call__(
        self, parameters: Mapping[str, float], squares: Float[np.ndarray, "c n m"]
    ) -> Float[np.ndarray, "n m"]:
        """τ between rows whose squared differences these are."""
        return np.asarray(np.exp(-0.5 * np.einsum("cnm,c->nm", squares, self.lengthscales(parameters) ** -2.0)))
