"""Laws that put their mass on finitely many points."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property

import jaxtyping as jt
import numpy as np
from numpy.typing import ArrayLike

from ..errors import InvalidProblem
from .distribution import Atomic


@dataclass(frozen=True, eq=False)
class Atoms:
    """A law with `weights` (k,), summing to one, on the points `values` (k,), ascending. Make one by `of`."""

    values: jt.Float[np.ndarray, " k"]
    weights: jt.Float[np.ndarray, " k"]

    @classmethod
    def of(cls, values: ArrayLike, weights: ArrayLike) -> Atoms:
        """Sorted, duplicates merged, weightless points dropped, weights scaled to sum to one.

        >>> Atoms.of([3, 1, 3], [1, 2, 1]).weights
        array([0.5, 0.5])
        """
        points, place = np.unique(np.asarray(values, float), return_inverse=True)
        shares = np.asarray(weights, float)
        summed = np.bincount(place, shares / shares.max())
        kept = summed > 0
        return cls(points[kept], summed[kept] / summed.sum())

    @property
    def atoms(self) -> Atomic:
        """The points and their weights."""
        return self.values, self.weights

    @property
    def mean(self) -> float:
        """The weighted mean of the points."""
        return float(self.weights @ self.values)

    @property
    def sd(self) -> float:
        """The weighted standard deviation of the points."""
        away = self.values - self.mean
        largest = float(np.abs(away).max()) or 1.0  # scaled before squaring: points may be as large as 1e300
        return largest * math.sqrt(self.weights @ (away / largest) ** 2)

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest point."""
        return float(self.values[0]), float(self.values[-1])

    def ppf(self, u: ArrayLike) -> jt.Float[np.ndarray, " ..."]:
        """The smallest point whose cumulative weight reaches `u`."""
        place = np.searchsorted(self._cumulative, np.asarray(u, float), side="left")
        return self.values[np.minimum(place, self.values.size - 1)]

    def cdf(self, x: ArrayLike) -> jt.Float[np.ndarray, " ..."]:
        """The weight at and below `x`."""
        place = np.searchsorted(self.values, np.asarray(x, float), side="right")
        return np.where(place > 0, self._cumulative[place - 1], 0.0)

    def density(self, x: ArrayLike) -> jt.Float[np.ndarray, " ..."]:
        """Points with weights have no density.

        Raises:
            InvalidProblem: always.
        """
        raise InvalidProblem("density", x, "a continuous law", "Read atoms instead.")

    @cached_property
    def _cumulative(self) -> jt.Float[np.ndarray, " k"]:
        summed = np.minimum(np.cumsum(self.weights), 1.0)
        summed[-1] = 1.0
        return summed


def duplicate(values: Iterable[Hashable]) -> Hashable | None:
    """The first value that appears a second time (1, 1.0 and True are the same), or None.

    >>> duplicate(["a", "b", "a"])
    'a'
    """
    seen = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None
