"""The kernel of a function that no outcome has shown yet: nothing is known of it but how fast it may change.

    k(x, z) = s² Π_d φ(√3 |x_d − z_d| / ℓ_d),   φ(u) = (1 + u) exp(−u)   (Matérn 3/2)

A fit that learns variance and lengthscale of a stationary kernel from rows in one corner takes a
function that is even there for even everywhere. Slopes of this kernel are independent where points
are further apart than ℓ, and a fit leaves it alone: outcomes in one place say nothing of another.
It is the probabilistic form of the Lipschitz constant by which safe sets expand (Sui et al. 2015,
SafeOpt): a standard deviation of the slope is √3 s/ℓ.

A product over variables: rows of other people's tables span every variable and still lie in one
corner of all together. As a sum, observations along one variable held for all values of the
others, and first plays kept limits on such tables half of the time.

The unit of distance is the span of the rows, not the box: outcomes are in units of their
differences among the rows, and so rise by about that much along the span. One span further on, the
function may be anything that a curve through the rows comes to. With the box as the unit, the first
plays of limits on outcomes that bend were kept half the time. How much may lie there only steps can
tell: rows that lay beyond all before them when a play chose them (`variance_after_steps`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ..._arrays import Bool, Float
from ..._evidence import ALIKE
from .base import Kernel, Terms

VARIANCE = 8.0
"""s², ℓ being the span of the rows. First two plays from 30 safe rows (12 seeds each) keep limits .83, .84 and .96 of
the time on models of three measured tables and .999 on five drawn functions that bend, where .9 is asked."""
LEAST_SPAN = ALIKE
"""Least ℓ, as a share of the range: one setting alone spans nothing."""
STEP = 1.1
"""Spans grow in steps of this factor, each of which a fit follows: not every row that lies a little further out."""
CATEGORIES = 0.15
"""Distance of two categories in units of ℓ: one that was never tried is neither safe nor out of reach."""


@dataclass(frozen=True, eq=False)
class UnseenKernel(Kernel):
    """`s² Π_d φ(√3 |x_d − z_d| / ℓ_d)` with `φ(u) = (1 + u) exp(−u)` over some columns; a fit learns nothing of it.

    Args:
        categorical: (d,) which columns hold categories.
        dimensions: the columns it reads; None: the first d.
        spans: ℓ of all columns, which `seeing` finds from rows; None: the whole range.
        variance: s².

    >>> kernel = UnseenKernel(np.array([False, False]))
    >>> kernel(np.zeros((1, 2)), np.array([[0.0, 0.0], [0.1, 0.0], [1.0, 1.0]])).round(3)
    array([[8.   , 7.893, 1.869]])
    >>> np.round(kernel.seeing(np.array([[0.2, 0.0], [0.4, 1.0]])).spans, 3)
    array([0.197, 0.996])
    """

    categorical: Bool[np.ndarray, " d"]
    dimensions: tuple[int, ...] | None = None
    spans: tuple[float, ...] | None = None
    variance: float = VARIANCE

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

    def without(self, part: UnseenKernel) -> Self:
        """Take what is left of the variance beside that of a part."""
        return replace(self, variance=max(self.variance - part.variance, 0.0))

    def _lengthscale(self, d: int) -> float:
        return 1.0 if self.spans is None else self.spans[d]

    def _steepness(self, d: int, apart: Float[np.ndarray, " *s"]) -> Float[np.ndarray, " *s"]:
        """Distance u along column d: √3 times the distance in units of ℓ."""
        differ = CATEGORIES * (apart != 0.0)
        away = differ if self.categorical[d] else np.abs(apart) / self._lengthscale(d)
        return np.asarray(math.sqrt(3.0) * away)

    def of_differences(self, apart: Sequence[Float[np.ndarray, " *s"]]) -> Float[np.ndarray, " *s"]:
        """k(x, z) by differences along each column, an array each."""
        polynomial, steepness = np.array(self.variance), np.array(0.0)
        for d in self.columns:
            u = self._steepness(d, apart[d])
            polynomial = polynomial * (1.0 + u)
            steepness = steepness + u
        return np.asarray(polynomial * np.exp(-steepness))

    def __call__(
        self, X: Float[np.ndarray, "n d"], Z: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, "n m"]:
        """k(x, z) for all pairs of rows, (n, m)."""
        apart = [X[:, d, None] - Z[:, d] for d in range(len(self.categorical))]
        return self.of_differences(apart)

    def with_slope(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"]
    ) -> tuple[Float[np.ndarray, "r n"], Callable[[np.ndarray], Float[np.ndarray, "r d"]]]:
        """k(x, z), and from weights W (r, n) to `∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d).

        By `φ'(u) = −u/(1 + u) φ(u)`; zero along a category.
        """
        columns = np.array(self.columns, dtype=np.intp)
        apart = X.T[columns][:, :, None] - Z.T[columns][:, None]  # (c, r, n)
        span = np.array([self._lengthscale(d) for d in columns])[:, None, None]
        category = self.categorical[columns]
        away = np.abs(apart) / span
        if category.any():
            away[category] = CATEGORIES * (apart[category] != 0.0)
        u = math.sqrt(3.0) * away
        # in the order of `of_differences`
        value = np.multiply.reduce(1.0 + u, axis=0, initial=self.variance)
        value *= np.exp(-np.add.reduce(u, axis=0))

        def slope(W: np.ndarray) -> Float[np.ndarray, "r d"]:
            gradient, weighed = np.zeros(X.shape), W * value
            for j in np.flatnonzero(~category):  # one after another: of many rows they fill a cache
                steep = np.sign(apart[j])
                steep *= -math.sqrt(3.0) / span[j]
                steep *= u[j]
                steep /= 1.0 + u[j]
                steep *= weighed
                gradient[:, columns[j]] = steep.sum(axis=1)
            return gradient

        return value, slope

    def separated(self, held: Collection[int]) -> Terms | None:
        """Factor of the `held` columns, and that of the others."""
        own = tuple(d for d in self.columns if d in held)
        others = tuple(d for d in self.columns if d not in held)
        if not (own and others):
            return super().separated(held)
        factor = replace(self, dimensions=others, variance=1.0)
        return ((replace(self, dimensions=own), factor),)

    def diagonal(self, X: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """k(x, x), s², (n,)."""
        return np.full(len(X), self.variance)

    def input_gradient(
        self, X: Float[np.ndarray, "r d"], Z: Float[np.ndarray, "n d"], W: Float[np.ndarray, "r n"]
    ) -> Float[np.ndarray, "r d"]:
        """`∂/∂x_i Σ_j W_ij k(x_i, z_j)`, (r, d); zero along a category."""
        return self.with_slope(X, Z)[1](W)
