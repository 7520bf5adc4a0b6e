"""A region of which only those points are allowed where something that was learned is likely enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from .ascent import differences
from .domain import Box
from .maximum import ValueAndGradient
from .region import Region

UNLIKELY = -1000.0
"""Added to the value of a point that is not allowed, where none is: far below all values of standardised functions."""
_TRIED = 16  # points on the way back to where it is allowed

Margin = Callable[[Float[np.ndarray, "n d"]], Float[np.ndarray, " n"]]
"""Points to by how much they are likely enough; below 0: they are not."""


@dataclass(frozen=True, eq=False)
class Guarded(Region):
    """A region, and a margin that must not be below 0.

    Args:
        box: a box or a region.
        margin: smooth along coordinates without levels.
        known: points to try first, such as those that were played: what is allowed may be islands around them, too
            small for a search to come upon.

    >>> guarded = Guarded(Box([0], [1]), lambda points: 0.3 - points[:, 0])
    >>> guarded.allows(np.array([[0.2], [0.4]]))
    array([ True, False])
    """

    margin: Margin
    known: Float[np.ndarray, "k d"]

    def __init__(self, box: Box, margin: Margin, known: Float[np.ndarray, "k d"] | None = None) -> None:
        within = isinstance(box, Region)
        weights = box.weights if isinstance(box, Region) else np.zeros((0, box.dimension))
        bounds = box.bounds if isinstance(box, Region) else np.zeros(0)
        super().__init__(box, weights, bounds, box.forbidden if within else (), box.logs if within else None)  # type: ignore[attr-defined]
        object.__setattr__(self, "margin", margin)
        object.__setattr__(self, "known", np.zeros((0, box.dimension)) if known is None else known)

    def allows(self, points: Float[np.ndarray, "n d"]) -> Bool[np.ndarray, " n"]:
        """Which points are inside and likely enough."""
        allowed = self.inside(points)
        if allowed.any():
            allowed[allowed] = self.margin(points[allowed]) >= 0.0
        return allowed

    @property
    def plain(self) -> Region:
        """The same without the margin."""
        return Region(self, self.weights, self.bounds, self.forbidden, self.logs)

    @property
    def tried(self) -> Float[np.ndarray, "k d"]:
        """Those of the known points that are allowed, moved to the nearest levels."""
        points = np.asarray(self.snap(self.known))
        return points[self.allows(points)]

    @property
    def rise(self) -> ValueAndGradient:
        """The margin with its gradient, by differences."""
        return differences(self.margin, self.low, self.high, self.continuous)

    def last_allowed(self, start: Float[np.ndarray, " d"], end: Float[np.ndarray, " d"]) -> Float[np.ndarray, " d"]:
        """The point furthest on a straight way from an allowed point that is allowed, of a few."""
        u, v = self.linear(np.array([start, end]))
        way = self.back(u + np.linspace(1.0, 0.0, _TRIED)[:, None] * (v - u))
        way[-1] = start
        if np.array_equal(self.linear(end[None])[0], v):
            way[0] = end
        return np.asarray(way[int(np.argmax(self.allows(way)))])
