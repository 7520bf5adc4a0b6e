"""The kernel of what no outcome has shown: a function of which nothing is known but how fast it may change.

    k(x, z) = Σ_d s_d² φ(√3 |x_d − z_d| / ℓ_d),   φ(u) = (1 + u) exp(−u)   (Matérn 3/2)

A fit that learns variance and lengthscale of a stationary kernel from rows in one corner takes what
is even there for even everywhere. Slopes of this kernel are independent where points are further
apart than ℓ, and a fit leaves it alone: outcomes in one place say nothing of another. It is the
probabilistic form of the Lipschitz constant by which safe sets expand (Sui et al. 2015, SafeOpt): a
standard deviation of the slope is √3 s/ℓ. As a sum over variables, what was seen along one of them
holds for all values of the others.

The unit of distance is what the rows span, not the box: outcomes are in units of what they differ
by among the rows, and so rise by about that much along the span. What lies one span further on may
be anything that a curve through the rows comes to. With the box as the unit, the first plays of
limits on outcomes that bend were kept half the time. How much may lie there only steps can tell:
rows that lay beyond all before them when a play chose them (`GPPrior.stepped`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ..._arrays import Bool, Float
from .base import Kernel, Terms

VARIANCE = 8.0
"""s² along a number, ℓ being the span of the rows. First two plays from 30 safe rows, of 12 seeds each, keep limits on
outcomes that bend .96 to .995 of the time, where .9 is asked; with 1 and half the span .63 to .96."""
LEAST_SPAN = 0.02
"""Least ℓ, as a share of the range: one setting alone spans nothing."""
STEP = 1.1
"""Spans grow in steps of this factor, each of which a fit follows: not every row that lies a little further out."""
CATEGORIES = 0.5
"""Distance of two categories in units of ℓ, s² being 1: one that was never tried is neither safe nor out of reach."""


@dataclass(frozen=True, eq=False)
class UnseenKernel(Kernel):
    """`Σ_d s_d² φ(√3 |x_d − z_d| / ℓ_d)` with `φ(u) = (1 + u) exp(−u)` over some columns; a fit learns nothing of it.

    Args:
        categorical: (d,) which columns hold categories.
        dimensions: the columns it reads; None: the first d.
        spans: ℓ of all columns, which `seeing` finds from rows; None: the whole range.
        variance: s² along numbers; 1 between categories.

    >>> kernel = UnseenKernel(np.array([False, False]))
    >>> kernel(np.zeros((1, 2)), np.array([[0.0, 0.0], [0.1, 0.0], [1.0, 1.0]])).round(3)
    array([[16.   , 15.893,  7.734]])
    >>> np.round(kernel.seeing(np.array([[0.2, 0.0], [0.4, 1.0]])).spans, 3)
    array([0.197, 0.996])
    """

    categorical: Bool[np.ndarray, " d"]
    dimensions: tuple[int, ...] | None = None
    spans: tuple[float, ...] | None = None
    variance: float = VARIANCE

    @property
    def unseen(self) -> UnseenKernel:
        """Itself."""
        return self

    def with_unseen(self, kernel: Kernel) -> Kernel:
        """Take the other for this one."""
        return kernel

    @property
    def _numbers(self) -> list[int]:
        return [d for d in self.columns if not self.categorical[d]]

    def beyond(self, X: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, " n"]:
        """Mark rows of which a number lies outside those of all rows before; the first does not."""
        numbers, beyond = X[:, self._numbers], np.zeros(len(X), dtype=bool)
        low, high = np.minimum.accumulate(numbers), np.maximum.accumulate(numbers)
        beyond[1:] = ((numbers[1:] < low[:-1]) | (numbers[1:] > high[:-1])).any(axis=1)
        return beyond

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that it reads."""
        return tuple(range(len(self.categorical))) if self.dimensions is None else self.dimensions

    def seeing(self, X: Float[np.ndarray, "n d"]) -> Self:
        """Take the span of rows X for ℓ, rounded down to steps."""
        if not len(X):
            return self if self.spans is None else replace(self, spans=None)
        spanned = np.clip(np.ptp(X[:, : len(self.categorical)], axis=0), LEAST_SPAN, 1.0)
        steps = np.floor(np.log(spanned / LEAST_SPAN) / math.log(STEP) + 1e-9)
        spans = tuple((LEAST_SPAN * STEP**steps).tolist())
        return self if spans == self.spans else replace(self, spans=spans)

    def times(self, factor: float) -> Self:
        """Take `factor` times the variance that is believed beforehand."""
        return replace(self, variance=factor * VARIANCE)

    def _lengthscale(self, d: int) -> float:
        return 1.0 if self.spans is None else self.spans[d]

    def _variance(self, d: int) -> float:
        return 1.0 if self.categorical[d] else self.variance

    def _along(self, d: int, apart: Float[np.ndarray, " *s"]) -> Float[np.ndarray, " *s"]:
        """Term of column d."""
        differ = CATEGORIES * (apart != 0.0)
        away = differ if self.categorical[d] else np.abs(apart) / self._lengthscale(d)
        u = math.sqrt(3.0) * away
        return np.asarray(self._variance(d) * (1.0 + u) * np.exp(-u))

    def __call__(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        total = np.zeros((len(X), len(Z)))
        for d in self.columns:
            total += self._along(d, X[:, d, None] - Z[:, d])
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
        return np.asarray(sum(self._along(d, apart[d]) for d in self.columns))

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x), the sum of s², (n,)."""
        return np.full(len(X), sum(map(self._variance, self.columns)))

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d), by `φ'(u) = −u exp(−u)`; zero along a category."""
        gradient = np.zeros(X.shape)
        for d in self._numbers:
            apart = (X[:, d, None] - Z[:, d]) / self._lengthscale(d)
            decay = np.exp(-math.sqrt(3.0) * np.abs(apart))
            slope = -3.0 * self._variance(d) / self._lengthscale(d)
            gradient[:, d] = slope * (W * apart * decay).sum(axis=1)
        return gradient
