"""A walk within a region, a step of many points at once: hit and run, and one coordinate at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

if TYPE_CHECKING:
    from .region import Region

INWARDS = 1e-13
"""Of a limit's size: how far inside of it moves aim, so that what rounding in other units adds is inside, too."""
_SWEEPS = 4
_ENUMERATED = 4096  # levels of one coordinate that are all looked at where combinations are forbidden


def walked(region: Region, points: Float[np.ndarray, "n d"], random: np.random.Generator) -> Float[np.ndarray, "n d"]:
    """Points inside of a region, one for each that is given.

    They begin in the middle of slices, go towards the points that are given as far as limits let, and then by turns
    along a random line (hit and run; Smith 1984) and along each coordinate in turn, each as far as any other.
    """
    points = points.copy()
    which = np.arange(len(points)) % len(region.middles)
    for s, middle in enumerate(region.middles):
        rows = which == s
        goal = region.linear(points[rows]) - region.linear(middle[None])
        points[rows] = region.nearer(region.back(region.linear(middle[None]) + goal @ region.along), middle)
    for _ in range(_SWEEPS):
        if region.directions.size:
            u = region.linear(points)
            way = random.standard_normal((len(u), region.directions.shape[1])) @ region.directions.T
            back, forth = region.reach(u, way)
            points = region.back(u + (back + (forth - back) * random.random(len(u)))[:, None] * way)
        for j in range(region.dimension):
            points[:, j] = _moved(region, points, j, random.random(len(points)))
    return points


def _moved(
    region: Region, points: Float[np.ndarray, "n d"], j: int, unit: Float[np.ndarray, " n"]
) -> Float[np.ndarray, " n"]:
    """One coordinate drawn anew from what the others leave of it, any value as likely as the others."""
    w = region.weights[:, j]
    if region.exact[w != 0].any():
        return points[:, j]
    u = region.linear(points)
    rest = u @ region.weights.T - np.outer(u[:, j], w)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = (region.bounds - rest) / w
    high = np.where(w > 0, ends, np.inf).min(axis=1, initial=np.inf)
    low = np.where(w < 0, ends, -np.inf).max(axis=1, initial=-np.inf)
    levels = region.levels[j]
    if levels is None:
        below, above = region.back_of(j, low + INWARDS), region.back_of(j, high - INWARDS)
        return np.asarray(below + unit * np.maximum(above - below, 0.0))
    return _level(region, points, j, (low, high), unit)


def _level(
    region: Region,
    points: Float[np.ndarray, "n d"],
    j: int,
    ends: tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]],
    unit: Float[np.ndarray, " n"],
) -> Float[np.ndarray, " n"]:
    """A level of coordinate j with u between ends that forms no forbidden combination; as it was if there is none."""
    levels, (low, high) = region.levels[j], ends
    assert levels is not None
    shares = region.linear_of(j, levels)
    if levels.size <= _ENUMERATED and any(j in each for each in region.forbidden):
        fits = (shares >= low[:, None] - region.slack) & (shares <= high[:, None] + region.slack)
        for k, level in enumerate(levels):
            tried = points.copy()
            tried[:, j] = level
            fits[:, k] &= ~region.combined(tried)
        count = fits.sum(axis=1)
        pick = np.minimum((unit * count).astype(int), count - 1)
        place = (np.cumsum(fits, axis=1) > pick[:, None]).argmax(axis=1)
        return np.where(count > 0, levels[place], points[:, j])
    first = np.searchsorted(shares, low - region.slack)
    count = np.searchsorted(shares, high + region.slack, side="right") - first
    pick = np.minimum((unit * count).astype(int), count - 1)
    return np.where(count > 0, levels[np.clip(first + pick, 0, levels.size - 1)], points[:, j])
