"""Where the bounds of scopes are largest: the search over what they set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
from jaxtyping import Float

from ..search import (
    Box,
    Curved,
    Maximum,
    Region,
    ValueAndGradient,
    Values,
    best_first,
    climb_within,
    maximise_box,
    maximise_together,
    sobol_in,
    sobol_points,
)
from .batched_bounds import Stack
from .expectation import Expectation
from .parts import Drawn, Part, drawn
from .standardised import Standardised

EFFORT = (128, 8), (1024, 12)
"""Points tried and starts climbed from, for one or two variables and for more. Of 840 searches over two variables none
missed what sixteen times the points and five times the starts find, where six starts missed three; of 240 over more
variables none did, and with half the points three."""
NEARBY, STEPS = 64, 3
"""New points tried, and steps climbed, where a search was made a moment ago: see `again`."""
ARRIVED = 1e-6
"""A climb ends where a step gains less than this share: bounds need no more digits."""
DRAWS = 64
"""Sobol draws of what nature chooses that a point is polished on."""
TOGETHER = 2**19
"""Numbers in (n, n) arrays that are held at once for scopes searched together."""
_APART = 0.01  # encoded distance of ends of a search that are different maxima


@dataclass(frozen=True, eq=False)
class Domain:
    """Where the search for one scope goes: every column's part, and the box of those that are set, in their order."""

    parts: Sequence[Part]
    box: Box


class Smooth(Protocol):
    """A function of settings, with derivatives."""

    def values(self, points: Float[np.ndarray, "r c"]) -> Float[np.ndarray, " r"]:
        """Values (r,)."""

    def curved(
        self, points: Float[np.ndarray, "r c"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r c"], Float[np.ndarray, "r c c"]]:
        """Values (r,), gradients (r, c), Hessians (r, c, c)."""


def smooth(box: Box) -> bool:
    """Whether a box has neither whole numbers nor categories, nor limits."""
    return not isinstance(box, Region) and all(levels is None for levels in box.levels)


def highest(
    process: Standardised, domains: Sequence[Domain], betas: Sequence[float], seed: int, of_mean: bool = False
) -> list[list[Maximum]]:
    """For each scope and each β the largest `E μ + β sqrt(E σ²)`, in standardised units; `of_mean`: `E μ + β sd[g]`.

    Scopes that set equally many columns are searched together as long as their (n, n) arrays are small.
    """
    together = max(1, TOGETHER // max(1, len(process.inputs)) ** 2)
    alike: dict[tuple[int, bool], list[int]] = {}
    for i, domain in enumerate(domains):
        alike.setdefault((domain.box.dimension, smooth(domain.box)), []).append(i)
    found: dict[int, list[Maximum]] = {}
    for (_, climbs), group in alike.items():
        some_are_enough = climbs and process.coarse is not process
        for first in range(0, len(group), together):
            some = [domains[i] for i in group[first : first + together]]
            coarse = [_over(process.coarse, each, of_mean) for each in some] if some_are_enough else []
            ends = _alike([_over(process, each, of_mean) for each in some], coarse, [d.box for d in some], betas, seed)
            found |= zip(group[first : first + together], ends, strict=True)
    return [found[i] for i in range(len(domains))]


def again(
    process: Standardised, domain: Domain, before: Maximum, beta: float, *, seed: int, of_mean: bool = False
) -> Maximum:
    """The same for one scope and β where some points have become pending since `before` was found.

    What is pending lowers bounds, and leaves them where it says nothing: they are still highest near an end of the
    search before, or at one of some new points. Nothing is climbed, which takes a twentieth of the time: an end that
    has moved a little is lower than the new one by next to nothing. Whatever is played is `risen` from there.
    """
    box, bound = domain.box, partial(_over(process, domain, of_mean).bound, beta=beta)
    points = before.points
    if box.dimension:
        points = np.concatenate([box.snap(points), sobol_in(box, NEARBY, seed)])
    found = best_first(points, bound(points)[0])
    keep = slice(0, len(before.points))
    return Maximum(found.point, found.value, found.points[keep], found.values[keep])


def risen(process: Standardised, domain: Domain, found: Maximum, beta: float) -> Maximum:
    """What `again` found, after a few steps uphill."""
    if not domain.box.dimension:
        return found
    bound = partial(_over(process, domain, of_mean=False).bound, beta=beta)
    points, values = climb_within(bound, found.points[:1], domain.box, iterations=STEPS, tolerance=ARRIVED)
    return Maximum(points[0], float(values[0]), points, values)


def _over(process: Standardised, domain: Domain, of_mean: bool) -> Expectation:
    found = Expectation.over(process, domain.parts, product=not of_mean)
    return found.of_mean() if of_mean else found


def _alike(
    expectations: Sequence[Expectation],
    coarse: Sequence[Expectation],
    boxes: Sequence[Box],
    betas: Sequence[float],
    seed: int,
) -> list[list[Maximum]]:
    """The same for scopes that set equally many columns, all of them smooth or none."""
    if not boxes[0].dimension:  # nothing is set: there is nowhere to go
        return [[_only(each, beta) for beta in betas] for each in expectations]
    if smooth(boxes[0]):
        stack = Stack(expectations, betas, coarse)
        starts = EFFORT[boxes[0].dimension > 2][1]
        meet = _APART if coarse else 0.0  # with many observations every step saved counts
        each = [box for box in boxes for _ in betas]
        found = _together(stack.screened, stack.curved_by(starts), each, seed, meet)
        return [found[k : k + len(betas)] for k in range(0, len(found), len(betas))]
    return [
        [_mixed(partial(each.bound, beta=beta), box, seed) for beta in betas]
        for each, box in zip(expectations, boxes, strict=True)
    ]


def _only(expectation: Expectation, beta: float) -> Maximum:
    points = np.zeros((1, 0))
    values = expectation.bound(points, beta)[0]
    return Maximum(points[0], float(values[0]), points, values)


def highest_of(function: Smooth, box: Box, seed: int) -> Maximum:
    """The largest value of one function of a scope's settings."""
    if not smooth(box):
        return _mixed(lambda points: function.curved(points)[:2], box, seed)
    return _together(
        lambda points: function.values(points[0])[None], lambda points, _: function.curved(points), [box], seed
    )[0]


def polished(expectation: Expectation, box: Box, found: Maximum, beta: float, seed: int) -> Maximum:
    """The largest `E[μ + βσ]` near the two best ends of a search on `E μ + β sqrt(E σ²)`.

    E σ is averaged over Sobol draws of what nature chooses; whole numbers and categories stay as they were found.
    """
    parts = expectation.parts
    if not box.dimension or not any(isinstance(part, Drawn) for part in parts):
        return found  # nature has no part: the bound is E[μ + βσ] itself
    other = np.flatnonzero(np.abs(found.points - found.point).max(axis=1) > _APART)[:1]
    sampled = expectation.sampled(beta, drawn(parts, sobol_points(DRAWS, len(parts), seed)))
    at_best = float(sampled(found.point[None])[0][0])
    starts = found.points[[0, *other[found.values[other] > at_best]]]  # no bound below it leads above it
    points, values = climb_within(sampled, starts, box, iterations=5, tolerance=1e-5)
    best = int(values.argmax())
    return Maximum(points[best], float(values[best]), points, values)


def _together(values: Values, curved: Curved, boxes: Sequence[Box], seed: int, together: float = 0.0) -> list[Maximum]:
    screen, starts = EFFORT[boxes[0].dimension > 2]
    return maximise_together(
        values, curved, boxes, seed, screen=screen, starts=starts, tolerance=ARRIVED, together=together
    )


def _mixed(rise: ValueAndGradient, box: Box, seed: int) -> Maximum:
    screen, starts = EFFORT[box.dimension > 2]
    return maximise_box(
        lambda points: rise(points)[0], rise, box, seed=seed, screen=screen, starts=starts, tolerance=ARRIVED
    )
