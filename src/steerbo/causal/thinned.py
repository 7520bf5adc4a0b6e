"""Many observations as few: those that lie together become their mean."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Bool, Float, Int

MOST = 256
"""Observations that a model is told of: it is exact, and a fit costs their cube."""


@dataclass(frozen=True, eq=False)
class Thinned:
    """Which observations stand for which.

    Attributes:
        chosen: (k,) some single observations, from all groups alike, by which hyperparameters are learned.
        groups: m arrays, the observations that become one.
    """

    chosen: Int[np.ndarray, " k"]
    groups: list[Int[np.ndarray, " g"]]

    @classmethod
    def of(cls, points: Float[np.ndarray, "n d"], categorical: Bool[np.ndarray, " d"], most: int = MOST) -> Self:
        """At most `most` groups of observations that lie together, about equally many in each.

        The largest group is split again and again: in halves along the number that varies most, but first of all by
        category. Where a group that is left has several categories, it stands for the most frequent one. Nothing is
        drawn: the same rows give the same groups.

        >>> Thinned.of(np.array([[0.0], [0.9], [0.1], [1.0]]), np.array([False]), 2).groups
        [array([0, 2]), array([1, 3])]
        """
        rows = np.arange(len(points))
        if len(points) <= most:
            return cls(rows, [rows[i : i + 1] for i in rows])
        heap, whole, count = [(-len(rows), 0, rows)], list[np.ndarray](), 1
        while heap and len(heap) + len(whole) < most:
            _, _, group = heapq.heappop(heap)
            halves = _halves(points, categorical, group)
            if halves is None:
                whole.append(group)
                continue
            for half in halves:
                heapq.heappush(heap, (-len(half), count, half))
                count += 1
        groups = sorted((*whole, *(group for _, _, group in heap)), key=lambda group: int(group[0]))
        pure = [_of_one_kind(points, categorical, group) for group in groups]
        every = np.concatenate(pure)
        return cls(np.sort(every[(np.arange(most) * len(every)) // most]), pure)

    def points(self, points: Float[np.ndarray, "n d"], categorical: Bool[np.ndarray, " d"]) -> Float[np.ndarray, "m d"]:
        """The mean point of every group, with the category that all in it have."""
        means = np.array([points[group].mean(axis=0) for group in self.groups])
        firsts = points[[group[0] for group in self.groups]]
        return np.where(categorical, firsts, means)

    def means(self, values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " m"]:
        """The mean of every group."""
        return np.array([values[group].mean() for group in self.groups])

    @property
    def more(self) -> Float[np.ndarray, " m"]:
        """How many observations beside the first one each group has, (m,)."""
        return np.array([len(group) - 1.0 for group in self.groups])


def _halves(
    points: Float[np.ndarray, "n d"], categorical: Bool[np.ndarray, " d"], group: Int[np.ndarray, " g"]
) -> tuple[Int[np.ndarray, " a"], Int[np.ndarray, " b"]] | None:
    """Two parts, each in order; None where all points are the same."""
    inside = points[group]
    spread = np.ptp(inside, axis=0)
    spread[categorical & (spread > 0)] = np.inf
    if not len(spread) or not spread.max() > 0:
        return None
    column = inside[:, int(spread.argmax())]
    if np.isinf(spread.max()):
        values, counts = np.unique(column, return_counts=True)
        first = column == values[counts.argmax()]
    else:
        first = np.zeros(len(group), dtype=bool)
        first[np.argsort(column, kind="stable")[: len(group) // 2]] = True
    return group[first], group[~first]


def _of_one_kind(
    points: Float[np.ndarray, "n d"], categorical: Bool[np.ndarray, " d"], group: Int[np.ndarray, " g"]
) -> Int[np.ndarray, " g"]:
    """Its most frequent combination of categories."""
    codes = points[group][:, categorical]
    if not codes.shape[1] or (codes == codes[0]).all():
        return group
    _, kinds, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    return group[kinds.reshape(-1) == counts.argmax()]
