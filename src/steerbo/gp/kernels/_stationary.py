"""Kernels of a scaled distance r, squared exponential and Matérn: one lengthscale for each dimension or one for all.

    r²(x, z) = Σ_d (x_d − z_d)² / ℓ_d²,   for a category 1[x_d ≠ z_d] / ℓ_d²,   k = s² φ(r²)

Distances are computed by differences, not by `|x|² + |z|² − 2xᵀz`: duplicates are then at distance
zero exactly, and points far outside the unit cube keep theirs.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from ..._arrays import Bool, Float, Int
from ...errors import InvalidProblem
from .._hyperparameters import Parameter, lengthscale, variance
from .base import Kernel, Pull


@dataclass(frozen=True, eq=False, init=False)
class Stationary(Kernel):
    """`k = s² φ(r²)`.

    Args:
        lengthscales: ℓ, one number for all dimensions, or (k,) one for each.
        variance: s².
        dimensions: the columns it reads; None: the first k.
        categorical: (k,) which of them hold categories; None: none.
        learn_variance: whether a fit learns s².

    Raises:
        InvalidProblem: a lengthscale or a variance that is not a finite number above zero, or
            shapes that do not fit.
    """

    lengthscales: Float[np.ndarray, " l"]
    variance: float
    dimensions: Int[np.ndarray, " k"]
    categorical: Bool[np.ndarray, " k"]
    learn_variance: bool
    _numbers: tuple[Int[np.ndarray, " a"], Float[np.ndarray, " a"]] = field(repr=False)
    _categories: tuple[tuple[int, float], ...] = field(repr=False)

    def __init__(
        self,
        lengthscales: ArrayLike,
        variance: float = 1.0,
        dimensions: Sequence[int] | None = None,
        categorical: Sequence[bool] | None = None,
        learn_variance: bool = True,
    ) -> None:
        scales = np.atleast_1d(np.asarray(lengthscales, dtype=np.float64))
        columns = (
            np.arange(len(scales)) if dimensions is None else np.asarray(dimensions, dtype=np.intp)
        )
        mask = (
            np.zeros(len(columns), bool)
            if categorical is None
            else np.asarray(categorical, dtype=bool)
        )
        if not len(columns) or len(set(columns.tolist())) < len(columns) or columns.min() < 0:
            raise InvalidProblem(
                "kernel.dimensions", dimensions, "different columns, at least one, counted from 0"
            )
        if mask.shape != columns.shape:
            raise InvalidProblem("kernel.categorical", categorical, f"{len(columns)} truth values")
        vars(self).update(dimensions=columns, categorical=mask, learn_variance=learn_variance)
        self._set_learned(scales, float(variance))

    def _set_learned(self, scales: Float[np.ndarray, " l"], variance: float) -> None:
        """Check and keep all that a fit learns, which makes thousands of kernels over the same columns."""
        columns, mask = self.dimensions, self.categorical
        if scales.shape not in {(1,), columns.shape} or not all(
            0.0 < scale < math.inf for scale in scales.tolist()
        ):
            expected = f"1 or {len(columns)} finite numbers above 0"
            raise InvalidProblem("kernel.lengthscales", scales.tolist(), expected)
        if not 0 < variance < math.inf:
            raise InvalidProblem("kernel.variance", variance, "a finite number above 0")
        # every distance needs these: a search asks for thousands of them between a handful of
        # points
        numbers: tuple[np.ndarray, np.ndarray] = (
            columns,
            scales if scales.shape == columns.shape else scales.repeat(len(columns)),
        )
        categories: tuple[tuple[int, float], ...] = ()
        if mask.any():
            _, each = numbers
            numbers = columns[~mask], each[~mask]
            categories = tuple(zip(columns[mask].tolist(), each[mask].tolist(), strict=True))
        vars(self).update(
            lengthscales=scales, variance=variance, _numbers=numbers, _categories=categories
        )

    @classmethod
    def over(cls, categorical: Sequence[bool] | Bool[np.ndarray, " d"]) -> Self:
        """One lengthscale for each of d dimensions, at its prior's mode, .205 √d; `categorical` (d,) marks categories.

        >>> SquaredExponentialKernel.over([False, True]).lengthscales.round(2)
        array([0.29, 0.29])
        """
        d = len(categorical)
        start = math.exp(lengthscale(1.0, d, "").centre)
        return cls(np.full(d, start), categorical=list(categorical))

    @staticmethod
    @abstractmethod
    def profile(
        r2: Float[np.ndarray, " *s"],
    ) -> tuple[Float[np.ndarray, " *s"], Float[np.ndarray, " *s"]]:
        """φ(r²) and −2 φ'(r²); r² is overwritten: with thousands of points fresh memory costs as much as arithmetic."""

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that it reads."""
        return tuple(self.dimensions.tolist())

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Logarithms of the lengthscales, then of the variance if it is learned."""
        k = len(self.dimensions)
        names = (
            ["lengthscale"]
            if len(self.lengthscales) == 1
            else [f"lengthscale[{d}]" for d in self.dimensions]
        )
        scales = [
            lengthscale(scale, k, name)
            for scale, name in zip(self.lengthscales, names, strict=True)
        ]
        return (
            (*scales, variance(self.variance, "variance")) if self.learn_variance else tuple(scales)
        )

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """Replace the hyperparameters."""
        values = np.exp(theta)
        count = len(self.lengthscales)
        s2 = float(values[count]) if self.learn_variance else self.variance
        made = object.__new__(type(self))
        vars(made).update(
            dimensions=self.dimensions,
            categorical=self.categorical,
            learn_variance=self.learn_variance,
        )
        made._set_learned(values[:count], s2)
        return made

    def _squared_distance(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        from scipy.spatial.distance import cdist

        columns, widths = self._numbers
        r2: np.ndarray = cdist(X[:, columns] / widths, Z[:, columns] / widths, "sqeuclidean")
        for d, scale in self._categories:
            r2 += (X[:, d, None] != Z[:, d]) / scale**2
        return r2

    def __call__(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        value = self.profile(self._squared_distance(X, Z))[0]
        value *= self.variance
        return value

    def of_differences(self, apart: Sequence[Float[np.ndarray, " m"]]) -> Float[np.ndarray, " m"]:
        """k(x, z) of m pairs by their differences, (m,)."""
        r2 = np.zeros(len(apart[self.dimensions[0]]))
        for d, scale in zip(*(each.tolist() for each in self._numbers), strict=True):
            r2 += apart[d] * apart[d] * scale**-2
        for d, scale in self._categories:
            r2 += (apart[d] != 0.0) * scale**-2
        value = self.profile(r2)[0]
        value *= self.variance
        return value

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x) = s², (n,)."""
        return np.full(len(X), self.variance)

    def linearise(self, X: Float[np.ndarray, "n d"]) -> tuple[Float[np.ndarray, "n n"], Pull]:
        """K(X, X), and the pull-back: `Σ_ab M_ab (x_ad − x_bd)² / ℓ_d²` with M = W ∘ (−2 s² φ')."""
        r2 = self._squared_distance(X, X)
        isotropic = (
            r2.copy() if len(self.lengthscales) == 1 else None
        )  # keep no more than is needed: n may be thousands
        shape, slope = self.profile(r2)

        def pull(W: Float[np.ndarray, "n n"]) -> Float[np.ndarray, " p"]:
            M = W * slope
            M *= self.variance
            parts = (
                self._along_each(X, M) if isotropic is None else np.array([np.vdot(M, isotropic)])
            )
            return (
                np.append(parts, self.variance * np.vdot(W, shape))
                if self.learn_variance
                else parts
            )

        return self.variance * shape, pull

    def _along_each(
        self, X: Float[np.ndarray, "n d"], M: Float[np.ndarray, "n n"]
    ) -> Float[np.ndarray, " k"]:
        """`Σ_ab M_ab r_d²(x_a, x_b)` for each dimension by matrix products, (k,)."""
        # Σ_ab M_ab (x_a − x_b)² = Σ_a (row sum + column sum)_a x_a² − 2 xᵀ M x: no n×n matrix for
        # each dimension. Centred, so that the two terms do not cancel where all points lie far from
        # the origin.
        A = X[:, self.dimensions] - X[:, self.dimensions].mean(axis=0)
        sums = M.sum(axis=0) + M.sum(axis=1)
        parts: np.ndarray = sums @ A**2 - 2.0 * np.einsum("nk,nk->k", A, M @ A)
        for j in np.flatnonzero(self.categorical):
            column = X[:, self.dimensions[j]]
            parts[j] = np.vdot(M, column[:, None] != column)
        return parts / self.lengthscales**2

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d); zero along a category."""
        # ∂k/∂x_d = −s² (−2φ') (x_d − z_d) / ℓ_d²: weights once, then one matrix product for all
        # dimensions
        M = W * self.profile(self._squared_distance(X, Z))[1]
        M *= self.variance
        gradient = np.zeros(X.shape)
        A, B = X[:, self.dimensions], Z[:, self.dimensions]
        slope = (M @ B - A * M.sum(axis=1)[:, None]) / self.lengthscales**2
        gradient[:, self.dimensions] = np.where(self.categorical, 0.0, slope)
        return gradient


class SquaredExponentialKernel(Stationary):
    """`s² exp(−r²/2)`: very smooth, and a product over dimensions (Rasmussen & Williams 2006, equation 4.9).

    >>> kernel = SquaredExponentialKernel([0.5, 2.0])
    >>> kernel(np.zeros((1, 2)), np.array([[0.5, 0.0]])).round(3)
    array([[0.607]])
    """

    @staticmethod
    def profile(
        r2: Float[np.ndarray, " *s"],
    ) -> tuple[Float[np.ndarray, " *s"], Float[np.ndarray, " *s"]]:
        """`exp(−r²/2)` twice: it is its own −2 φ'(r²)."""
        np.multiply(r2, -0.5, out=r2)
        value = np.exp(r2, out=r2)
        return value, value


class Matern12(Stationary):
    """`s² exp(−r)`: continuous paths without a slope (Rasmussen & Williams 2006, equation 4.18)."""

    @staticmethod
    def profile(
        r2: Float[np.ndarray, " *s"],
    ) -> tuple[Float[np.ndarray, " *s"], Float[np.ndarray, " *s"]]:
        """`exp(−r)` and `exp(−r)/r`."""
        r = np.sqrt(r2, out=r2)
        value = np.exp(-r)
        # at r = 0 there is a kink, and zero is the mean of the slopes on both sides of it
        return value, np.divide(value, r, out=np.zeros(r.shape), where=r > 0)


class Matern32(Stationary):
    """`s² (1 + √3 r) exp(−√3 r)`: once differentiable (Rasmussen & Williams 2006, equation 4.17)."""

    @staticmethod
    def profile(
        r2: Float[np.ndarray, " *s"],
    ) -> tuple[Float[np.ndarray, " *s"], Float[np.ndarray, " *s"]]:
        """`(1 + u) exp(−u)` and `3 exp(−u)`, with `u = √3 r`."""
        u = np.multiply(r2, 3.0, out=r2)
        # beyond, exp is zero, and zero times infinity would be no number
        np.sqrt(np.minimum(u, 1e6, out=u), out=u)
        fall = np.negative(u)
        np.exp(fall, out=fall)
        u += 1.0
        u *= fall
        fall *= 3.0
        return u, fall


class Matern52(Stationary):
    """`s² (1 + √5 r + 5r²/3) exp(−√5 r)`: twice differentiable (Rasmussen & Williams 2006, equation 4.17)."""

    @staticmethod
    def profile(
        r2: Float[np.ndarray, " *s"],
    ) -> tuple[Float[np.ndarray, " *s"], Float[np.ndarray, " *s"]]:
        """`(1 + u + u²/3) exp(−u)` and `5/3 (1 + u) exp(−u)`, with `u = √5 r`."""
        u2 = np.multiply(r2, 5.0, out=r2)
        np.minimum(u2, 1e6, out=u2)
        linear = np.sqrt(u2)
        fall = np.negative(linear)
        np.exp(fall, out=fall)
        linear += 1.0
        linear *= fall
        u2 /= 3.0
        u2 *= fall
        u2 += linear
        linear *= 5.0 / 3.0
        return u2, linear
