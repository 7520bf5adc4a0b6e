"""Features of cells, and Gaussians of their distances: all pairs, or of many cells by way of some of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from jaxtyping import Float, Int
from scipy.linalg import solve_triangular

MOST = 1000
"""Cells of which all pairs are held; of more cells all are compared with some."""
_LANDMARKS = 128
_JITTER = 1e-9  # of landmarks that lie close together, against their variance
_NOTHING = 1e-6  # of a variance: the derivative of less is left out
_LITTLE = 1e-12  # of cells in the same place, where nearness falls off as steeply as `exp(−d)`

Rows = Float[np.ndarray, "r m"]


class SymmetricMatrix(Protocol):
    """A kernel among m cells at one lengthscale: what rows of weights become, (r, m) to (r, m)."""

    def times(self, rows: Rows) -> Rows:
        """The rows times the matrix."""

    def slope(self, rows: Rows) -> Rows:
        """The rows times its derivative by the logarithm of the lengthscale."""


@dataclass(frozen=True, eq=False)
class AllPairs:
    """Squared distances (m, m)."""

    squares: Float[np.ndarray, "m m"]

    def gaussian(self, lengthscale: float) -> _Whole:
        """`exp(−d²/2ℓ²)`, exactly."""
        return _Whole(np.exp(self.squares * (-0.5 / lengthscale**2)), self.squares, lengthscale)

    def exponential(self, reach: float) -> tuple[Float[np.ndarray, "m m"], Float[np.ndarray, " m"]]:
        """F (m, k) and δ (m,) of `exp(−d/r) = F Fᵀ + diag(δ)`; here k = m and δ = 0."""
        kernel = np.exp(np.sqrt(self.squares) * (-1 / reach))
        kernel.flat[:: len(kernel) + 1] += _LITTLE
        return np.linalg.cholesky(kernel), np.zeros(len(kernel))


@dataclass(frozen=True, eq=False)
class ToLandmarks:
    """Squared distances to k landmarks (m, k): cells that are spread as far as can be, `chosen` (k,)."""

    squares: Float[np.ndarray, "m k"]
    chosen: Int[np.ndarray, " k"]

    @classmethod
    def of(cls, x: Float[np.ndarray, "m d"], most: int = _LANDMARKS) -> ToLandmarks:
        """Each landmark is the cell that is farthest from those before; where none is left, they are all there is."""
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
        """`exp(−d²/2ℓ²)` by way of the landmarks: a kernel of its own, and the same where they are closer than ℓ."""
        return _ByLandmarks(np.exp(self.squares * (-0.5 / lengthscale**2)), self, lengthscale)

    def exponential(self, reach: float) -> tuple[Float[np.ndarray, "m k"], Float[np.ndarray, " m"]]:
        """F (m, k) and δ (m,) of a kernel `F Fᵀ + diag(δ)` which by way of the landmarks stands for `exp(−d/r)`."""
        factor = _factor(np.exp(np.sqrt(self.squares) * (-1 / reach)), self.chosen)
        return factor, _rest(factor)


Features = AllPairs | ToLandmarks
"""Where m cells lie, in units of their median distance."""


def features_of(given: Sequence[Sequence[float]]) -> Features | None:
    """The features (m, d) of m cells; None where all are the same."""
    x = np.asarray(given, dtype=float)
    x = x / np.maximum(np.abs(x).max(), 1e-300)  # whatever the unit is, squares neither overflow nor vanish
    some = x if len(x) <= MOST else x[np.linspace(0, len(x) - 1, MOST).astype(np.intp)]
    squares = ((some[:, None] - some) ** 2).sum(axis=2)
    if not (squares > 0).any():  # of many cells only a few may differ
        squares = ((x - x[0]) ** 2).sum(axis=1)
    apart = squares[squares > 0]
    if not apart.size:
        return None
    unit = float(np.median(apart))
    return AllPairs(squares / unit) if len(x) <= MOST else ToLandmarks.of(x / np.sqrt(unit))


@dataclass(frozen=True, eq=False)
class _Whole:
    """K itself."""

    kernel: Float[np.ndarray, "m m"]
    squares: Float[np.ndarray, "m m"]
    lengthscale: float

    @cached_property
    def _by_length(self) -> Float[np.ndarray, "m m"]:
        return self.kernel * self.squares / self.lengthscale**2

    def times(self, rows: Rows) -> Rows:
        return rows @ self.kernel

    def slope(self, rows: Rows) -> Rows:
        return rows @ self._by_length


@dataclass(frozen=True, eq=False)
class _ByLandmarks:
    """`K̂ = Q + diag(1 − Q)`, `Q = C B⁻¹ Cᵀ`: C between cells and landmarks, B among these (Snelson & Ghahramani 2006).

    With `P = C B⁻¹` and `E = dC − ½ P dB`, `dQ = E Pᵀ + P Eᵀ`.
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
        """DC."""
        return self.cross * self.places.squares / self.lengthscale**2

    @cached_property
    def _rest_by_length(self) -> Float[np.ndarray, " m"]:
        """The derivative of what is added to the diagonal: where there is next to nothing, none."""
        if self._rest.max() < _NOTHING:
            return np.zeros(len(self._rest))
        P = self._factor @ self._whitening
        E = self._by_length - 0.5 * P @ self._by_length[self.places.chosen]
        return -2 * np.einsum("mk,mk->m", E, P)

    def times(self, rows: Rows) -> Rows:
        return rows @ self._factor @ self._factor.T + rows * self._rest

    def slope(self, rows: Rows) -> Rows:
        among = self._by_length[self.places.chosen]
        by_P = rows @ self._factor @ self._whitening
        by_E = rows @ self._by_length - 0.5 * by_P @ among
        back = by_E - 0.5 * by_P @ among  # of P, with what E has of it
        found = back @ self._whitening.T @ self._factor.T + by_P @ self._by_length.T
        return found + rows * self._rest_by_length


def _whitening(among: Float[np.ndarray, "k k"]) -> Float[np.ndarray, "k k"]:
    """L⁻¹ of B = L Lᵀ, the landmarks' kernel."""
    lower = np.linalg.cholesky(among + _JITTER * np.eye(len(among)))
    return np.asarray(solve_triangular(lower, np.eye(len(among)), lower=True, check_finite=False))


def _factor(cross: Float[np.ndarray, "m k"], chosen: Int[np.ndarray, " k"]) -> Float[np.ndarray, "m k"]:
    """F of `Q = F Fᵀ`."""
    return cross @ _whitening(cross[chosen]).T


def _rest(factor: Float[np.ndarray, "m k"]) -> Float[np.ndarray, " m"]:
    """What a variance of one has more than Q."""
    return np.maximum(1 - np.einsum("mk,mk->m", factor, factor), 0.0)
