"""Similarity of two actions, or of two contexts: a Gaussian kernel of their features, or one number for any two names.

Features of up to `ALL_PAIRS_UP_TO` cells use all pairs of distances; of more cells the kernel is a
low-rank approximation by landmarks. Both give products with rows of weights, and derivatives by the
lengthscale, without more memory than the distances take.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
import scipy

from .._arrays import Float, Int

ALL_PAIRS_UP_TO = 1000
"""Largest number of cells with all pairs of distances; more cells are compared with landmarks."""
_LANDMARKS = 128  # cells that all others are compared with
_JITTER = 1e-9  # added to the variance of landmarks, which may lie close together
_NOTHING = 1e-6  # variance whose derivative is neglected
_KEPT = 4  # lengthscales whose kernels are cached: a search uses several models in turn
_LITTLE = 1e-12  # jitter for cells in the same place, small because `exp(−d)` is steep at zero

Rows = Float[np.ndarray, "r m"]


class SymmetricMatrix(Protocol):
    """Kernel matrix K (m, m) among cells at one lengthscale, as a linear operator on rows (r, m)."""

    def times(self, rows: Rows) -> Rows:
        """Return rows · K."""

    def slope(self, rows: Rows) -> Rows:
        """Return rows · ∂K/∂ln ℓ."""


@dataclass(frozen=True, eq=False)
class AllPairs:
    """Squared distances (m, m) of all pairs of cells."""

    squares: Float[np.ndarray, "m m"]

    def gaussian(self, lengthscale: float) -> _Whole:
        """Return the kernel `exp(−d²/2ℓ²)`, exactly."""
        return _Whole(np.exp(self.squares * (-0.5 / lengthscale**2)), self.squares, lengthscale)

    def exponential(self, reach: float) -> tuple[Float[np.ndarray, "m m"], Float[np.ndarray, " m"]]:
        """Factorise `exp(−d/r) = F Fᵀ + diag(δ)`: F (m, k) and δ (m,), here k = m and δ = 0."""
        kernel = np.exp(np.sqrt(self.squares) * (-1 / reach))
        kernel.flat[:: len(kernel) + 1] += _LITTLE
        return np.linalg.cholesky(kernel), np.zeros(len(kernel))


@dataclass(frozen=True, eq=False)
class ToLandmarks:
    """Squared distances (m, k) to k landmarks, the cells `chosen` (k,) by farthest-point sampling."""

    squares: Float[np.ndarray, "m k"]
    chosen: Int[np.ndarray, " k"]

    @classmethod
    def of(cls, x: Float[np.ndarray, "m d"], most: int = _LANDMARKS) -> ToLandmarks:
        """Choose landmarks: each is the cell farthest from all before it; fewer than `most` if cells coincide."""
        centre = ((x - x.mean(axis=0)) ** 2).sum(axis=1)
        chosen, columns = [int(centre.argmin())], []
        nearest = np.full(len(x), np.inf)
        while True:
            columns.append(((x - x[chosen[-1]]) ** 2).sum(axis=1))
            nearest = np.minimum(nearest, columns[-1])
            if len(chosen) == most or not nearest.max() > 0:
                return cls(np.array(columns).T, np.array(chosen))
            chosen.append(int(nearest.argmax()))

    def gaussian(self, lengthscale: float) -> _ByLandmarks:
        """Return the landmark approximation of `exp(−d²/2ℓ²)`: a valid kernel, exact if landmarks are closer than ℓ."""
        return _ByLandmarks(np.exp(self.squares * (-0.5 / lengthscale**2)), self, lengthscale)

    def exponential(self, reach: float) -> tuple[Float[np.ndarray, "m k"], Float[np.ndarray, " m"]]:
        """Factorise the landmark approximation of `exp(−d/r)` as `F Fᵀ + diag(δ)`: F (m, k) and δ (m,)."""
        factor = _factor(np.exp(np.sqrt(self.squares) * (-1 / reach)), self.chosen)
        return factor, _rest(factor)


Features = AllPairs | ToLandmarks
"""Positions of m cells, in units of their median distance."""


def features_of(given: Sequence[Sequence[float]]) -> Features | None:
    """Scale the features (m, d) of m cells to a median distance of one; None if all cells coincide."""
    x = np.asarray(given, dtype=float)
    # in any unit, squares neither overflow nor underflow
    x = x / np.maximum(np.abs(x).max(), 1e-300)
    some = (
        x
        if len(x) <= ALL_PAIRS_UP_TO
        else x[np.linspace(0, len(x) - 1, ALL_PAIRS_UP_TO).astype(np.intp)]
    )
    squares = ((some[:, None] - some) ** 2).sum(axis=2)
    if not (squares > 0).any():  # a subsample may miss the few cells that differ
        squares = ((x - x[0]) ** 2).sum(axis=1)
    apart = squares[squares > 0]
    if not apart.size:
        return None
    unit = float(np.median(apart))
    return (
        AllPairs(squares / unit) if len(x) <= ALL_PAIRS_UP_TO else ToLandmarks.of(x / np.sqrt(unit))
    )


@dataclass(frozen=True, eq=False)
class _Whole:
    """Dense kernel matrix."""

    kernel: Float[np.ndarray, "m m"]
    squares: Float[np.ndarray, "m m"]
    lengthscale: float

    @cached_property
    def _by_length(self) -> Float[np.ndarray, "m m"]:
        return self.kernel * self.squares / self.lengthscale**2

    def times(self, rows: Rows) -> Rows:
        """Multiply rows (r, m) by the kernel matrix."""
        return rows @ self.kernel

    def slope(self, rows: Rows) -> Rows:
        """Multiply rows (r, m) by ∂K/∂ln ℓ."""
        return rows @ self._by_length


@dataclass(frozen=True, eq=False)
class _ByLandmarks:
    """Low-rank kernel `K̂ = Q + diag(1 − Q)`, `Q = C B⁻¹ Cᵀ` (FITC: Snelson & Ghahramani 2006).

    C holds the kernel between cells and landmarks, B the kernel among landmarks. With `P = C B⁻¹`
    and `E = dC − ½ P dB`, the derivative is `dQ = E Pᵀ + P Eᵀ`.
    """

    cross: Float[np.ndarray, "m k"]
    places: ToLandmarks
    lengthscale: float

    @cached_property
    def _whitening(self) -> Float[np.ndarray, "k k"]:
        return _whitening(self.cross[self.places.chosen])

    @cached_property
    def _factor(self) -> Float[np.ndarray, "m k"]:
        return self.cross @ self._whitening.T

    @cached_property
    def _rest(self) -> Float[np.ndarray, " m"]:
        return _rest(self._factor)

    @cached_property
    def _by_length(self) -> Float[np.ndarray, "m k"]:
        """Compute ∂C/∂ln ℓ."""
        return self.cross * self.places.squares / self.lengthscale**2

    @cached_property
    def _rest_by_length(self) -> Float[np.ndarray, " m"]:
        """Compute the derivative of the diagonal 1 − Q; zero where the diagonal is negligible."""
        if self._rest.max() < _NOTHING:
            return np.zeros(len(self._rest))
        P = self._factor @ self._whitening
        E = self._by_length - 0.5 * P @ self._by_length[self.places.chosen]
        return -2 * np.einsum("mk,mk->m", E, P)

    def times(self, rows: Rows) -> Rows:
        """Multiply rows (r, m) by K̂."""
        return rows @ self._factor @ self._factor.T + rows * self._rest

    def slope(self, rows: Rows) -> Rows:
        """Multiply rows (r, m) by ∂K̂/∂ln ℓ."""
        among = self._by_length[self.places.chosen]
        by_P = rows @ self._factor @ self._whitening
        by_E = rows @ self._by_length - 0.5 * by_P @ among
        back = by_E - 0.5 * by_P @ among  # gradient by P, including its part in E
        found = back @ self._whitening.T @ self._factor.T + by_P @ self._by_length.T
        return found + rows * self._rest_by_length


def _whitening(among: Float[np.ndarray, "k k"]) -> Float[np.ndarray, "k k"]:
    """Compute L⁻¹ of the landmarks' kernel B = L Lᵀ."""
    lower = np.linalg.cholesky(among + _JITTER * np.eye(len(among)))
    return np.asarray(
        scipy.linalg.solve_triangular(lower, np.eye(len(among)), lower=True, check_finite=False)
    )


def _factor(
    cross: Float[np.ndarray, "m k"], chosen: Int[np.ndarray, " k"]
) -> Float[np.ndarray, "m k"]:
    """Compute F of `Q = F Fᵀ`."""
    return cross @ _whitening(cross[chosen]).T


def _rest(factor: Float[np.ndarray, "m k"]) -> Float[np.ndarray, " m"]:
    """Compute the diagonal of 1 − Q."""
    return np.maximum(1 - np.einsum("mk,mk->m", factor, factor), 0.0)


@dataclass(frozen=True, eq=False)
class Similarity:
    """Kernel `k(a, b) = exp(−d²/2ℓ²)` on a finite set, scaled so that two independent draws have mean covariance 1.

    Names without features have d² = 2 [a ≠ b]: small ℓ makes them independent, large ℓ identical.
    Features are scaled to a median distance of one.

    Args:
        weights: (m,) distribution of the draws that the scaling averages over.
        features: positions; None: names only.
    """

    weights: Float[np.ndarray, " m"]
    features: Features | None = None
    _kept: dict[float, tuple[SymmetricMatrix, float]] = field(
        default_factory=dict, init=False, repr=False
    )

    @classmethod
    def of(
        cls, weights: Float[np.ndarray, " m"], features: Sequence[Sequence[float]] | None
    ) -> Similarity:
        """Build the kernel of features (m, d), or of names (None)."""
        return cls(weights, None if features is None else features_of(features))

    def mix(
        self, tables: Float[np.ndarray, "... m"], lengthscale: float
    ) -> Float[np.ndarray, "... m"]:
        """Multiply tables by the kernel along the last axis.

        >>> Similarity(np.array([0.5, 0.5])).mix(np.array([1.0, 0.0]), 1e-3)
        array([2., 0.])
        """
        if len(self.weights) == 1:
            return tables
        if self.features is None:
            far, whole = self._names(lengthscale)
            return np.asarray(
                ((1 - far) * tables + far * tables.sum(axis=-1, keepdims=True)) / whole
            )
        kernel, whole = self._gaussian(lengthscale)
        return kernel.times(tables.reshape(-1, tables.shape[-1])).reshape(tables.shape) / whole

    def slope(
        self, tables: Float[np.ndarray, "... m"], lengthscale: float
    ) -> Float[np.ndarray, "... m"]:
        """Return the derivative of `mix` by the logarithm of the lengthscale."""
        if len(self.weights) == 1:
            return np.zeros_like(tables)
        if self.features is None:
            far, whole = self._names(lengthscale)
            by_far = (tables.sum(axis=-1, keepdims=True) - tables) / whole
            by_whole = (1 - self.weights @ self.weights) / whole
            return np.asarray(
                2 * far / lengthscale**2 * (by_far - self.mix(tables, lengthscale) * by_whole)
            )
        kernel, whole = self._gaussian(lengthscale)
        rows = tables.reshape(-1, tables.shape[-1])
        by_whole = float(self.weights @ kernel.slope(self.weights[None])[0]) / whole**2
        return (kernel.slope(rows) / whole - kernel.times(rows) * by_whole).reshape(tables.shape)

    def paired(
        self, products: Float[np.ndarray, "n n"], lengthscale: float, slope: bool
    ) -> Float[np.ndarray, "n n"]:
        """Return covariances of tables that sum to one from their inner products, or the derivative; names only."""
        if len(self.weights) == 1:
            return np.zeros_like(products) if slope else products
        far, whole = self._names(lengthscale)
        covariances = ((1 - far) / whole) * products + far / whole
        if not slope:
            return np.asarray(covariances)
        by_far = 2 * far / lengthscale**2 / whole
        return np.asarray(by_far * (1 - products - (1 - self.weights @ self.weights) * covariances))

    def own(self, lengthscale: float) -> float:
        """Return the variance k(a, a), the same for all a."""
        if len(self.weights) == 1:
            return 1.0
        if self.features is None:
            return 1 / self._names(lengthscale)[1]
        return 1 / self._gaussian(lengthscale)[1]

    def _gaussian(self, lengthscale: float) -> tuple[SymmetricMatrix, float]:
        """Return the unscaled kernel and its mean over pairs of draws; the latest lengthscales are cached."""
        known = self._kept.pop(lengthscale, None)
        if known is None:
            assert self.features is not None
            kernel = self.features.gaussian(lengthscale)
            known = kernel, float(self.weights @ kernel.times(self.weights[None])[0])
            if len(self._kept) == _KEPT:  # large arrays, and a fit evaluates many lengthscales
                del self._kept[next(iter(self._kept))]
        self._kept[lengthscale] = known
        return known

    def _names(self, lengthscale: float) -> tuple[float, float]:
        """Return the unscaled similarity of two different names, and the mean over pairs of draws."""
        far = float(np.exp(-1 / lengthscale**2))
        return far, float(far + (1 - far) * (self.weights @ self.weights))
