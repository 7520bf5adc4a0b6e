"""The rule by which outcomes may be doubted: which, and when suspected ones are rather right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .._arrays import Bool, Float, Int
from .kernels import Kernel
from .outliers import are_disasters, supported, suspected

Doubtable = Callable[[Float[np.ndarray, " n"]], Bool[np.ndarray, " n"]]
"""From outcomes (n,), in the user's units, to a mark for each that may be probably wrong."""

Plays = Callable[[Float[np.ndarray, "n d"], Float[np.ndarray, " n"]], Int[np.ndarray, " n"]]
"""From points (n, d) and outcomes (n,), in the user's units, to a label for each, the same for the same play."""


def all_of(outcomes: Float[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
    """Mark all outcomes (n,)."""
    return np.ones(len(outcomes), dtype=bool)


@dataclass(frozen=True)
class OutlierRule:
    """Rule by which a fit may take outcomes for wrong.

    Args:
        doubtable: marks the outcomes that a fit may doubt; the others count as they stand.
        larger_is_better: whether bad outcomes are the small ones, which are not doubted where they
            are `are_disasters`.
        timed: whether the last column of points is the time.
        plays: labels of outcomes, alike where a play was repeated although points differ; None:
            points tell.

    >>> X, y = np.arange(8.0)[:, None], np.array([7.1, 7.4, 740.0, 6.9, 7.7, 7.2, 7.3, 6.8])
    >>> from .kernels import SquaredExponentialKernel
    >>> OutlierRule().suspects(X, y, SquaredExponentialKernel([1.0])).nonzero()[0]
    array([2])
    """

    doubtable: Doubtable = all_of
    larger_is_better: bool = True
    timed: bool = False
    plays: Plays | None = None

    def suspects(
        self, X: Float[np.ndarray, "n d"], y: Float[np.ndarray, " n"], kernel: Kernel
    ) -> Bool[np.ndarray, " n"]:
        """Mark outcomes y (n,) at X (n, d) far from all others, except where their neighbours are, too, (n,)."""
        far = suspected(y) & self.doubtable(y)
        if not far.any():
            return far
        away = y - np.median(y)
        far &= ~supported(kernel(X, X), away, far, same=self.same(X, y))
        return far & (away > 0.0) if self.disasters(X, y, far) else far

    def disasters(
        self,
        X: Float[np.ndarray, "n d"],
        y: Float[np.ndarray, " n"],
        outliers: Bool[np.ndarray, " n"],
    ) -> bool:
        """Whether outcomes that are doubted for being bad are rather right: see `are_disasters`."""
        if not self.larger_is_better:
            return False
        if not self.timed:
            return are_disasters(X, y, outliers)
        return are_disasters(X[:, :-1], y, outliers, X[:, -1])

    def same(
        self, X: Float[np.ndarray, "n d"], y: Float[np.ndarray, " n"]
    ) -> Bool[np.ndarray, "n n"] | None:
        """Which outcomes are of the same play, (n, n); None where points tell."""
        if self.plays is None:
            return None
        labels = self.plays(X, y)
        return np.asarray(labels[:, None] == labels)
