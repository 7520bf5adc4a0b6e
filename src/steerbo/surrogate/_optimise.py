"""Maximisation of the bounds of scopes over their controlled columns, several scopes at once, by Newton steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from .._arrays import Bool, Float, Int
from ..optim import (
    Box,
    Curved,
    FeasibleRegion,
    Maximum,
    Screen,
    ValueAndGradient,
    Values,
    best_first,
    maximise,
    maximise_constrained,
    maximise_many,
    may_reach,
    sobol_in_box,
    sobol_points,
)
from ._batched_expectation import ROUGH, BatchedBounds, Mixture
from ._expectation import Expectation, ProductKernelPosterior
from ._parts import Part, Uncontrolled, drawn

EFFORT = (128, 8), (1024, 12)
"""Points tried and starts climbed from, for one or two variables and for more. Of 840 searches over two variables none
missed a point that sixteen times the points and five times the starts find, where six starts missed three;
of 240 over more variables none did, and with half the points three."""
NEARBY, STEPS = 64, 3
"""New points tried, and steps climbed, where a search was made a moment ago: see `warm_started`."""
ARRIVED = 1e-6
"""A climb ends where a step gains less than this share: bounds need no more digits."""
DRAWS = 64
"""Sobol draws of nature that a point is polished on."""
TOGETHER = 2**19
"""Numbers in (n, n) arrays that are held at once for scopes searched together."""
_SEVERAL = 8  # scopes for which it pays that some observations say where deviations are needed
_RIVALS = 8
"""Points of a screen, the best that may be allowed: within limits a climb from the first is taken to
gain no more than that is ahead of the last. No proof: of 145 searches in 32 rounds, with 10 to 60
outcomes, 8 gained more (with the first four, 14), and no round chose another set for it."""
_APART = 0.01  # encoded distance of ends of a search that are different maxima


@dataclass(frozen=True, eq=False)
class Domain:
    """Search domain of one scope, and the kind of bound that is searched over it.

    Args:
        parts: every column's part.
        box: of the controlled columns, in their order.
        of_value: whether bounds are `E μ + β sd[g]`, those of the expected value itself, and not
            `E μ + β sqrt(E σ²)`.
        known: the largest bound in the whole box, without limits and margins, where it was found
            before.
    """

    parts: Sequence[Part]
    box: Box
    of_value: bool = False
    known: Maximum | None = None

    @cached_property
    def uncertain(self) -> bool:
        """Whether anything is left to nature."""
        return any(isinstance(part, Uncontrolled) for part in self.parts)

    @property
    def narrow(self) -> Domain:
        """The same with bounds of the expected value; where nothing is left to nature both bounds are one."""
        return replace(self, of_value=True) if self.uncertain and not self.of_value else self

    @property
    def briefly(self) -> bool:
        """Whether one climb is enough: within a margin they take long, and bounds of the mean mostly compare scopes."""
        return self.of_value and isinstance(self.box, FeasibleRegion)

    def expectation(self, posterior: ProductKernelPosterior) -> Expectation:
        """Expected value as a function of the settings, with the deviation of the bounds."""
        make = Expectation.of_value if self.of_value else Expectation.over
        return make(posterior, self.parts)


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
    return not box.constrained and all(levels is None for levels in box.levels)


def maximise_bounds(
    posterior: ProductKernelPosterior,
    domains: Sequence[Domain],
    beta: float,
    seed: int,
) -> list[Maximum]:
    """Largest bound of each scope, in standardised units.

    Scopes that set equally many columns are searched together as long as their (n, n) arrays are
    small.
    """
    ends = {k: each.known for k, each in enumerate(domains) if each.known is not None}
    boxes = {
        k: each.box.whole
        for k, each in enumerate(domains)
        if each.box.constrained and k not in ends
    }
    far = {
        k: _far_outside(partial(domains[k].expectation(posterior).height, beta=beta), each, seed)
        for k, each in ((k, domains[k].box) for k in boxes)
    }
    if near := [k for k in boxes if far[k] is None]:
        some = [replace(domains[k], box=boxes[k]) for k in near]
        ends |= zip(near, maximise_bounds(posterior, some, beta, seed), strict=True)
    # where the largest bound of all settings is at a feasible one there is nothing else to search
    # for
    kept = {k: end for k, end in ends.items() if _allowed(domains[k].box, end)}
    left = [k for k in range(len(domains)) if k not in kept]
    screens = [
        ends[k].screen if k in ends and _tries_the_same(domains[k].box) else far.get(k)
        for k in left
    ]
    found = _maximise_bounds(posterior, [domains[k] for k in left], beta, seed, screens=screens)
    return [*map((kept | dict(zip(left, found, strict=True))).__getitem__, range(len(domains)))]


def _maximise_bounds(
    posterior: ProductKernelPosterior,
    domains: Sequence[Domain],
    beta: float,
    seed: int,
    *,
    screens: Sequence[Screen | None],
) -> list[Maximum]:
    screened = dict(zip(domains, screens, strict=True))
    together = max(1, TOGETHER // max(1, len(posterior.inputs)) ** 2)
    alike: dict[tuple[int, bool], list[Domain]] = {}
    for domain in dict.fromkeys(domains):  # one that is given twice is searched once
        alike.setdefault((domain.box.dimension, smooth(domain.box)), []).append(domain)
    found: dict[Domain, Maximum] = {}
    for (dimension, climbs), group in alike.items():
        some_are_enough = climbs and posterior.coarse is not posterior
        # few scopes take less time without, and few points are all tried
        if some_are_enough and not posterior.many:
            certain = all(not each.of_value or posterior.certain(each.parts) for each in group)
            some_are_enough = dimension > 2 and len(group) >= _SEVERAL and certain
        for first in range(0, len(group), together):
            some = group[first : first + together]
            coarse = [one.expectation(posterior.coarse) for one in some] if some_are_enough else []
            before = [screened[one] for one in some]
            every = [one.expectation(posterior) for one in some]
            ends = _alike(every, coarse, some, beta, seed, screens=before)
            found |= zip(some, ends, strict=True)
    return [found[domain] for domain in domains]


def _tries_the_same(box: Box) -> bool:
    """Whether a search begins with the same points as in the whole box; a polytope has points of its own."""
    return not (box.without_margin if isinstance(box, FeasibleRegion) else box).constrained


def _allowed(box: Box, found: Maximum) -> bool:
    """Whether the best end of a search in the whole box is allowed."""
    return bool(box.allows(found.point[None])[0])


def most_within(
    posterior: ProductKernelPosterior,
    domain: Domain,
    free: Maximum,
    beta: float,
    *,
    seed: int,
) -> Iterator[float]:
    """Numbers that the largest bound within a margin is taken not to exceed, without a climb.

    The last one is the bound of the best point of a screen that may be allowed, and as much more as
    a climb without the margin gains over its screen, or as that point is ahead of the last of
    `_RIVALS` such points. Those before it are the same of the best point that is not judged yet:
    points are judged from the highest on, a block for each number, so that a scope that others
    overtake is judged no further. `free` is the largest bound without the margin. Where no point
    may be allowed the last one is minus infinity, as of a scope without any.

    Where it is exceeded after all, a scope may be taken for the best one whose bound is lower by as
    much at most.
    """
    region = domain.box
    if not isinstance(region, FeasibleRegion) or not region.dimension:
        return
    same = _tries_the_same(region)
    if not same and region.size < np.inf:
        return  # all of its points are tried, which the whole box need not have
    bound = domain.expectation(posterior)

    def screened(box: Box) -> Screen:
        points = sobol_in_box(box, EFFORT[box.dimension > 2][0], seed)
        return points, bound.height(points, beta)

    whole = screened(region.whole) if free.screen is None else free.screen
    points, values = whole if same else screened(region)
    if not may_reach(region, points):
        yield -np.inf
        return
    order, gained = np.argsort(-values, kind="stable"), free.value - float(whole[1].max())
    points, values, rivals = points[order], values[order], np.zeros(0)
    # around what was played there may be an island that no screen comes upon
    island = len(region.known) > 0 and region.may_allow(region.snap(region.known)).any()
    for k in range(0, len(values), ROUGH):
        some = slice(k, k + ROUGH)
        rivals = np.append(rivals, values[some][region.may_allow(points[some])])[:_RIVALS]
        if len(rivals) == _RIVALS:
            break
        left = values[k + ROUGH :][:_RIVALS]
        if not (rivals.size or island) and left.size:
            yield min(float(left[0] + max(gained, left[0] - left[-1])), free.value)
    if rivals.size:
        yield min(float(rivals[0] + max(gained, rivals[0] - rivals[-1])), free.value)
    elif not island:
        yield -np.inf


def warm_started(
    posterior: ProductKernelPosterior,
    domain: Domain,
    before: Maximum,
    beta: float,
    *,
    seed: int,
) -> Maximum:
    """Maximise the bound of one scope again after some points became pending since `before` was found.

    Pending points lower bounds, and leave them where they say nothing: they are still highest near
    an end of the search before, or at one of some new points. Nothing is climbed, which takes a
    twentieth of the time: an end that has moved a little is lower than the new one by next to
    nothing. `climb_from` improves the end that is played.
    """
    box, bound = domain.box, partial(domain.expectation(posterior).bound, beta=beta)
    points = before.points
    if box.dimension:
        points = np.concatenate([box.snap(points), sobol_in_box(box, NEARBY, seed)])
    found = best_first(points, bound(points)[0])
    keep = slice(0, len(before.points))
    return Maximum(found.point, found.value, found.points[keep], found.values[keep])


def climb_from(
    posterior: ProductKernelPosterior, domain: Domain, found: Maximum, beta: float
) -> Maximum:
    """Improve a maximum of `warm_started` by a few steps."""
    if not domain.box.dimension:
        return found
    bound = partial(domain.expectation(posterior).bound, beta=beta)
    points, values = maximise_constrained(
        bound, found.points[:1], domain.box, iterations=STEPS, tolerance=ARRIVED
    )
    return Maximum(points[0], float(values[0]), points, values)


def _alike(
    expectations: Sequence[Expectation],
    coarse: Sequence[Expectation],
    domains: Sequence[Domain],
    beta: float,
    seed: int,
    *,
    screens: Sequence[Screen | None],
) -> list[Maximum]:
    """Maximise the bounds of scopes with equally many columns, all smooth or none."""
    boxes = [domain.box for domain in domains]
    if not boxes[0].dimension:  # nothing is set: there is nowhere to go
        return [_only(each, beta) for each in expectations]
    if smooth(boxes[0]):
        stack = BatchedBounds(expectations, beta, coarse, EFFORT[boxes[0].dimension > 2][1])
        # with many observations every step saved counts
        meet = _APART if expectations[0].posterior.many else 0.0
        found = _together(
            stack.screened,
            stack.restarted,
            boxes,
            seed,
            together=meet,
            everywhere=stack.everywhere if coarse else None,
        )
        widest = stack.widest.tolist()
        return [replace(one, widest=most) for one, most in zip(found, widest, strict=True)]
    return [
        _mixed(
            partial(each.bound, beta=beta),
            domain.box,
            seed,
            partial(each.height, beta=beta),
            screen,
            climbs=1 if domain.briefly else None,
        )
        for each, domain, screen in zip(expectations, domains, screens, strict=True)
    ]


def _only(expectation: Expectation, beta: float) -> Maximum:
    points = np.zeros((1, 0))
    values = expectation.bound(points, beta)[0]
    return Maximum(points[0], float(values[0]), points, values)


S = TypeVar("S", bound=Smooth)


@dataclass(eq=False)
class Search(Generic[S]):
    """Search for the largest value of one function of a scope's settings.

    Args:
        function: of settings.
        box: of them, with their limits.
        seed: of the points that are tried.
        known: the largest value without limits, where it was found before.
    """

    function: S
    box: Box
    seed: int
    known: Maximum | None = None

    @cached_property
    def without_limits(self) -> Maximum:
        """The largest value without limits."""
        return self.known or Search(self.function, self.box.whole, self.seed).highest()

    @cached_property
    def is_limited(self) -> bool:
        """Whether limits forbid the largest value without them, or are taken to: see `_far_outside`."""
        if not self.box.constrained:
            return False
        return self._far is not None or not _allowed(self.box, self.without_limits)

    @cached_property
    def _far(self) -> Screen | None:
        """See `_far_outside`; None where the largest value without limits is known."""
        if self.known is not None:
            return None
        return _far_outside(self.function.values, self.box, self.seed)

    @property
    def may_be_brief(self) -> bool:
        """Whether one climb takes much less time than all: within a margin."""
        return isinstance(self.box, FeasibleRegion) and self.is_limited

    def briefly(self) -> Maximum:
        """The largest value, within a margin by one climb alone."""
        return self._within_limits(climbs=1) if self.may_be_brief else self.highest()

    def highest(self) -> Maximum:
        """The largest value."""
        if self.is_limited or (self.known is None and not self.box.constrained):
            return self._within_limits()
        return self.without_limits

    def _within_limits(self, climbs: int | None = None) -> Maximum:
        function = self.function
        if not smooth(self.box):
            rise = function.risen if isinstance(function, Mixture) else _risen(function)
            again = self.is_limited and _tries_the_same(self.box)
            screen = (self._far or self.without_limits.screen) if again else None
            return _mixed(rise, self.box, self.seed, function.values, screen, climbs=climbs)
        return _together(
            lambda points: function.values(points[0])[None],
            lambda points, _: function.curved(points),
            [self.box],
            self.seed,
        )[0]


def highest_of(function: Smooth, box: Box, seed: int) -> Maximum:
    """The largest value of one function of a scope's settings: see `Search`."""
    return Search(function, box, seed).highest()


def _far_outside(
    height: Callable[[Float[np.ndarray, "p c"]], Float[np.ndarray, " p"]], box: Box, seed: int
) -> Screen | None:
    """Screen of the whole box, whose best point a margin surely does not allow; None where it may.

    The largest value of all settings is then taken not to be allowed either. Where it is after all,
    the search within the margin, which begins with the same points, may find it as well.
    """
    if not isinstance(box, FeasibleRegion) or not _tries_the_same(box) or box.size < np.inf:
        return None
    points = sobol_in_box(box.whole, EFFORT[box.dimension > 2][0], seed)
    values = height(points)
    return None if box.may_allow(points[[values.argmax()]])[0] else (points, values)


def highest_of_each(
    mixtures: Sequence[Mixture], boxes: Sequence[Box], seed: int
) -> list[Maximum | None]:
    """`highest_of` several scopes, those that set equally many columns together; None of a box that is not smooth."""
    found: dict[int, Maximum] = {}
    alike: dict[int, list[int]] = {}
    for k, box in enumerate(boxes):
        if box.dimension and smooth(box):
            alike.setdefault(box.dimension, []).append(k)
    for group in alike.values():
        some, starts = [mixtures[k] for k in group], EFFORT[boxes[group[0]].dimension > 2][1]
        ends = _together(
            partial(Mixture.values_of_each, some),
            partial(_each, some, starts),
            [boxes[k] for k in group],
            seed,
        )
        found |= zip(group, ends, strict=True)
    return [found.get(k) for k in range(len(boxes))]


def _each(
    functions: Sequence[Smooth],
    starts: int,
    points: Float[np.ndarray, "r c"],
    restarts: Int[np.ndarray, " r"],
) -> Any:
    """Values, gradients and Hessians at points of restarts, so many of each function, numbered ascending."""
    which = restarts // starts
    parts = [functions[k].curved(points[which == k]) for k in np.unique(which)]
    return tuple(map(np.concatenate, zip(*parts, strict=True)))


def _risen(function: Smooth) -> ValueAndGradient:
    return lambda points: function.curved(points)[:2]


def polished(expectation: Expectation, box: Box, found: Maximum, beta: float, seed: int) -> Maximum:
    """Maximise `E[μ + βσ]` near the two best ends of a search on `E μ + β sqrt(E σ²)`.

    E σ is averaged over Sobol draws of nature's values; whole numbers and categories stay as they
    were found.
    """
    parts = expectation.parts
    if not box.dimension or not any(isinstance(part, Uncontrolled) for part in parts):
        return found  # nature has no part: the bound is E[μ + βσ] itself
    other = np.flatnonzero(np.abs(found.points - found.point).max(axis=1) > _APART)[:1]
    sampled = expectation.sampled(beta, drawn(parts, sobol_points(DRAWS, len(parts), seed)))
    at_best = float(sampled(found.point[None])[0][0])
    # no bound below it leads above it
    starts = found.points[[0, *other[found.values[other] > at_best]]]
    points, values = maximise_constrained(sampled, starts, box, iterations=5, tolerance=1e-5)
    best = int(values.argmax())
    return Maximum(points[best], float(values[best]), points, values)


def _together(
    values: Values,
    curved: Curved,
    boxes: Sequence[Box],
    seed: int,
    *,
    together: float = 0.0,
    everywhere: Callable[
        [Float[np.ndarray, "m p c"], Bool[np.ndarray, " m"]], Float[np.ndarray, "k p"]
    ]
    | None = None,
) -> list[Maximum]:
    screen, starts = EFFORT[boxes[0].dimension > 2]
    return maximise_many(
        values,
        curved,
        boxes,
        seed,
        screen=screen,
        starts=starts,
        tolerance=ARRIVED,
        together=together,
        everywhere=everywhere,
    )


def _mixed(
    rise: ValueAndGradient,
    box: Box,
    seed: int,
    value: Callable[[np.ndarray], np.ndarray],  # a screen needs no slopes, which take far longer
    screened: Screen | None,
    *,
    climbs: int | None = None,
) -> Maximum:
    screen, starts = EFFORT[box.dimension > 2]
    return maximise(
        value,
        rise,
        box,
        seed=seed,
        screen=screen,
        starts=climbs or starts,
        tolerance=ARRIVED,
        screened=screened,
    )


class Except:
    """A function of a scope's settings, but at some of them, where it is minus infinity.

    Args:
        function: of settings.
        settings: (k, c), those that are left out.
    """

    def __init__(self, function: Smooth, settings: Float[np.ndarray, "k c"]) -> None:
        self._function, self._settings = function, np.unique(settings, axis=0)

    def _among(self, points: Float[np.ndarray, "r c"]) -> Bool[np.ndarray, " r"]:
        return np.asarray((points[:, None] == self._settings).all(axis=2).any(axis=1))

    def values(self, points: Float[np.ndarray, "r c"]) -> Float[np.ndarray, " r"]:
        """Values (r,)."""
        return np.where(self._among(points), -np.inf, self._function.values(points))

    def curved(
        self, points: Float[np.ndarray, "r c"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r c"], Float[np.ndarray, "r c c"]]:
        """Values (r,), gradients (r, c) and Hessians (r, c, c)."""
        value, rise, bend = self._function.curved(points)
        return np.where(self._among(points), -np.inf, value), rise, bend
