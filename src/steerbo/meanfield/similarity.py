"""The similarity of two actions, or two contexts: a Gaussian of their features, or one number for any two names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from .features import Features, SymmetricMatrix, features_of

_KEPT = 4  # lengthscales whose kernels are kept: a search goes by several models in turn


@dataclass(frozen=True, eq=False)
class Similarity:
    """The kernel `k(a, b) = exp(−d²/2ℓ²)` on a finite set, scaled so that two independent draws have mean covariance 1.

    Mere names have d² = 2 [a ≠ b]: small ℓ makes them independent, large ℓ the same. Features are scaled to a median
    distance of one.

    Args:
        weights: (m,) shares of the draws that the scaling takes the mean over.
        features: where they lie; None: mere names.
    """

    weights: Float[np.ndarray, " m"]
    features: Features | None = None
    _kept: dict[float, tuple[SymmetricMatrix, float]] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, weights: Float[np.ndarray, " m"], features: Sequence[Sequence[float]] | None) -> Similarity:
        """Of features (m, d), None: of mere names."""
        return cls(weights, None if features is None else features_of(features))

    def mix(self, tables: Float[np.ndarray, "... m"], lengthscale: float) -> Float[np.ndarray, "... m"]:
        """The tables times the kernel, along the last axis.

        >>> Similarity(np.array([0.5, 0.5])).mix(np.array([1.0, 0.0]), 1e-3)
        array([2., 0.])
        """
        if len(self.weights) == 1:
            return tables
        if self.features is None:
            far, whole = self._names(lengthscale)
            return np.asarray(((1 - far) * tables + far * tables.sum(axis=-1, keepdims=True)) / whole)
        kernel, whole = self._gaussian(lengthscale)
        return kernel.times(tables.reshape(-1, tables.shape[-1])).reshape(tables.shape) / whole

    def slope(self, tables: Float[np.ndarray, "... m"], lengthscale: float) -> Float[np.ndarray, "... m"]:
        """The derivative of `mix` by the logarithm of the lengthscale."""
        if len(self.weights) == 1:
            return np.zeros_like(tables)
        if self.features is None:
            far, whole = self._names(lengthscale)
            by_far = (tables.sum(axis=-1, keepdims=True) - tables) / whole
            by_whole = (1 - self.weights @ self.weights) / whole
            return np.asarray(2 * far / lengthscale**2 * (by_far - self.mix(tables, lengthscale) * by_whole))
        kernel, whole = self._gaussian(lengthscale)
        rows = tables.reshape(-1, tables.shape[-1])
        by_whole = float(self.weights @ kernel.slope(self.weights[None])[0]) / whole**2
        return (kernel.slope(rows) / whole - kernel.times(rows) * by_whole).reshape(tables.shape)

    def paired(self, products: Float[np.ndarray, "n n"], lengthscale: float, slope: bool) -> Float[np.ndarray, "n n"]:
        """Of mere names: covariances of tables that sum to one, from their products; or the derivative."""
        if len(self.weights) == 1:
            return np.zeros_like(products) if slope else products
        far, whole = self._names(lengthscale)
        covariances = ((1 - far) / whole) * products + far / whole
        if not slope:
            return np.asarray(covariances)
        by_far = 2 * far / lengthscale**2 / whole
        return np.asarray(by_far * (1 - products - (1 - self.weights @ self.weights) * covariances))

    def own(self, lengthscale: float) -> float:
        """The variance k(a, a), the same for all."""
        if len(self.weights) == 1:
            return 1.0
        if self.features is None:
            return 1 / self._names(lengthscale)[1]
        return 1 / self._gaussian(lengthscale)[1]

    def _gaussian(self, lengthscale: float) -> tuple[SymmetricMatrix, float]:
        """The similarity of any two, and its mean over pairs of draws, both before scaling; the last ones are kept."""
        known = self._kept.pop(lengthscale, None)
        if known is None:
            assert self.features is not None
            kernel = self.features.gaussian(lengthscale)
            known = kernel, float(self.weights @ kernel.times(self.weights[None])[0])
            if len(self._kept) == _KEPT:  # these are large arrays, and a fit passes through many lengthscales
                del self._kept[next(iter(self._kept))]
        self._kept[lengthscale] = known
        return known

    def _names(self, lengthscale: float) -> tuple[float, float]:
        """The similarity of two different names, and the mean over pairs of draws, both before scaling."""
        far = float(np.exp(-1 / lengthscale**2))
        return far, float(far + (1 - far) * (self.weights @ self.weights))
