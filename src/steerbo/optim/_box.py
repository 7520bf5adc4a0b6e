"""The largest value of a function on a box: screen, keep a diverse few, climb, exchange levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, combinations

import numpy as np

from .._arrays import Float
from ._constrained import CLIMBED, climb_inside, maximise_constrained
from ._domain import (
    ENUMERATED,
    Box,
    Maximum,
    Screen,
    Value,
    ValueAndGradient,
    best_first,
    finite,
    nearest,
    sobol_in_box,
)
from ._lbfgs import differences
from ._polytope import FeasibleRegion, Polytope

# levels of one coordinate that are all tried; of more, only near ones and far jumps
_TRIED_IN_FULL = 64
# discrete coordinates at most for which pairs are tried: the work grows with their square
_PAIRED = 12
_ROUNDS = 20  # of climbing and exchanging by turns
_LIKELIEST = 1e-3  # of a margin: a climb to it ends where a step gains less
_MARGINS, _CLIMBS = (
    128,
    4,
)  # points of a search for allowed ones, beside known ones, and climbs from them
_RAYS = 64  # from where it is allowed to points all over a box, where none of those is
_JUDGED = 32  # points of a screen that are judged at a time
_APART = 0.1  # root mean square distance of two starts, in box widths


def maximise(
    value: Value,
    value_and_gradient: ValueAndGradient | None,
    box: Box,
    seed: int,
    *,
    screen: int = 512,
    starts: int = 8,
    extra: Float[np.ndarray, "e d"] | None = None,
    tolerance: float = 1e-10,
    screened: Screen | None = None,
) -> Maximum:
    """Maximise a function on a box of continuous coordinates, whole numbers and categories.

    Sobol points and the `extra` ones are screened; the best few that lie apart are climbed along
    the continuous coordinates and improved one discrete coordinate at a time (or two, where one
    does not help), by turns, until nothing helps. A small finite box is enumerated instead; one of
    no dimension answers the empty point. Of a `Region` no point outside is tried, but by central
    differences.

    Args:
        value: points `(n, d)` to values `(n,)`; a value that is not finite counts as `-inf`.
        value_and_gradient: points `(r, d)` to values `(r,)` and gradients `(r, d)`, of which the
            entries of discrete coordinates are ignored; `None`: central differences of `value`.
        box: where to search.
        seed: a whole number; the same one gives the same answer.
        screen: how many Sobol points to try before climbing.
        starts: how many of the best points to climb from. One within a margin: the climb begins at
            the best point, of the screen or known, that is roughly allowed, and if it ends inside
            no other point is compared.
        extra: more points to try, `(e, d)`, such as the best seen so far; moved into the box if
            outside.
        tolerance: a climb ends where a step gains less than this share of the value.
        screened: points that the same search without a margin tried before climbing.

    Raises:
        ModelFailure: the function is a finite number nowhere that the box allows.

    >>> best = maximise(lambda Z: -(Z[:, 0] - 0.3) ** 2 + Z[:, 1], None, Box([0, 0], [1, 2], [None, range(3)]), 0)
    >>> best.point.round(6)
    array([0.3, 2. ])
    """
    region = box.region if isinstance(box, FeasibleRegion) else box
    everywhere = _only(value, region) if region.constrained else value
    listed = box.size <= ENUMERATED
    if screened is None:
        spread = box.grid() if listed else sobol_in_box(box, max(screen, starts), seed)
        screened = spread, everywhere(spread)
    ranked = best_first(*screened)
    known = [] if extra is None or listed else [box.snap(extra)]
    if isinstance(box, FeasibleRegion):
        rise = value_and_gradient
        if starts == 1 and rise is not None and box.dimension and box.continuous.all():
            end = _by_one_climb(everywhere, rise, screened, box, tolerance)
            if end is not None:
                return replace(best_first(*end), screen=screened)
        allowed = _any_allowed(box, ranked.points if listed else ranked.points[:_JUDGED])
        if not allowed:
            inside = box.tried
            best = None if len(inside) else _likeliest(box, seed)
            if best is not None and best.value < 0.0:  # before more points are judged
                return _without_value(best)
            allowed = _any_allowed(box, ranked.points)
        if not allowed:
            best = best or _likeliest(box, seed)
            inside = _judged(box, np.array([*inside, *best.points[best.values >= 0.0]]))
            # one climb alone begins at the best of these
            some = inside if starts == 1 else _around(box, inside, max(screen, starts), seed)
            known.insert(0, some)
        elif not listed:
            known.insert(0, box.snap(box.known))
    if known:
        more = np.concatenate(known)
        both = zip((more, everywhere(more)), screened, strict=True)
        ranked = best_first(*map(np.concatenate, both))
    free = box.continuous
    if isinstance(box, FeasibleRegion) and free.all():
        starts = min(starts, CLIMBED)  # others would be judged, and not climbed from
    points, values = _diverse(box, ranked, starts, apart=not listed)
    if listed:
        return replace(best_first(points, values), screen=screened)

    value = _only(value, box) if box.constrained else value
    rise = value_and_gradient or differences(value, box.low, box.high, free)
    changed = np.arange(len(points))
    for _ in range(_ROUNDS):
        if free.any():
            points[changed], values[changed] = maximise_constrained(
                rise, points[changed], box, tolerance=tolerance
            )
        before = points[changed].copy()
        # pairs only where no single exchange helps: ridges and matched categories need them
        for together in (1, 0, 2):
            left = (points[changed] == before).all(axis=1)
            rows = changed[left]
            if not rows.size:
                break
            points[rows], values[rows] = _exchange(value, box, points[rows], values[rows], together)
        changed = changed[(points[changed] != before).any(axis=1)]
        if not changed.size:
            break
    return replace(best_first(points, values), screen=screened)


def _without_value(likeliest: Maximum) -> Maximum:
    """The likeliest points where none is likely enough."""
    values = np.full(len(likeliest.points), -np.inf)
    return Maximum(likeliest.point, -np.inf, likeliest.points, values, margin=likeliest.value)


def _only(value: Value, box: Box) -> Value:
    """A function that is -inf where the box does not allow a point, and not called there."""

    def inside(points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        allowed = box.allows(points)
        values = np.full(len(points), -np.inf)
        if allowed.any():
            values[allowed] = finite(value(points[allowed]))
        return values

    return inside


def _by_one_climb(
    value: Value, rise: ValueAndGradient, screened: Screen, box: FeasibleRegion, tolerance: float
) -> tuple[Float[np.ndarray, "1 d"], Float[np.ndarray, " 1"]] | None:
    """End of a climb from the best point that is roughly allowed, and its value; None where it ends outside."""
    known = box.snap(box.known)
    both = zip(screened, (known, value(known)), strict=True)
    points = best_first(*map(np.concatenate, both)).points
    for k in range(0, len(points), _MARGINS):
        some = points[k : k + _MARGINS]
        if (likely := box.rough_room(some) >= 0.0).any():
            return climb_inside(rise, some[[likely.argmax()]], box, tolerance=tolerance)
        if not k and not may_reach(box, screened[0]):
            break
    return None


def _any_allowed(box: FeasibleRegion, points: Float[np.ndarray, "n d"]) -> bool:
    """Whether any of some points is allowed; no more of them are judged than it takes."""
    return any(
        bool(box.allows(points[k : k + _JUDGED]).any()) for k in range(0, len(points), _JUDGED)
    )


def _judged(box: FeasibleRegion, points: Float[np.ndarray, "k d"]) -> Float[np.ndarray, "k d"]:
    """Points, once the region knows their margins: among many others their rough ones do not rule them out."""
    box.room(points)
    return points


def may_reach(box: FeasibleRegion, points: Float[np.ndarray, "n d"]) -> bool:
    """Whether a point is likely to be allowed: the likeliest of some and of known ones, or the end of a climb from it.

    A climb is given up where the margin, if it were concave, could not reach 0 in the box: of 1490
    climbs, 87 of which reach it, none would have. Always where coordinates have levels, which no
    climb exchanges.
    """
    if not box.continuous.all():
        return True
    tried = np.concatenate([points[:_JUDGED], box.snap(box.known)])
    if (margins := box.rough_room(tried)).max() >= 0.0:
        return True
    start = tried[[margins.argmax()]]

    def short_of(points: Float[np.ndarray, "r d"]) -> tuple[np.ndarray, np.ndarray]:
        """Margins below 0; flat where a climb may end: at 0, or where straight slopes do not lead there."""
        margins, slopes = box.margin_gradient(points)
        along = np.maximum(slopes * (box.low - points), slopes * (box.high - points))
        on = (margins < 0.0) & (margins + along.sum(axis=1) >= 0.0)
        return np.minimum(margins, 0.0), slopes * on[:, None]

    _, (best,) = maximise_constrained(short_of, start, box.without_margin, tolerance=_LIKELIEST)
    return bool(best >= 0.0)


def _likeliest(box: FeasibleRegion, seed: int) -> Maximum:
    """Maximise the margin, whether or not it reaches 0, from known points and some of all over the box; once a seed."""
    if seed not in box.likeliest:
        whole, screened = box.without_margin, None
        if box.continuous.all():  # else levels are exchanged by their margins
            points = np.concatenate([sobol_in_box(whole, _MARGINS, seed), box.snap(box.known)])
            screened = points, box.rough_room(points)
        box.likeliest[seed] = maximise(
            box.room,
            box.margin_gradient,
            # climbs in a box are made together, those in a polytope one after another
            whole,
            seed,
            screen=_MARGINS,
            starts=_CLIMBS,
            extra=box.known if screened is None else None,
            tolerance=_LIKELIEST,
            screened=screened,
        )
    return box.likeliest[seed]


def _around(
    box: FeasibleRegion, inside: Float[np.ndarray, "r d"], screen: int, seed: int
) -> Float[np.ndarray, "p d"]:
    """Feasible points: known ones, and the farthest feasible ones from them towards points all over the box.

    The feasible part of a box may be so small that no Sobol point hits it.
    """
    ends = sobol_in_box(box, screen, seed)[:_RAYS]
    return np.concatenate(
        [inside, box.last_allowed(inside[np.arange(len(ends)) % len(inside)], ends)]
    )


def _diverse(
    box: Box, ranked: Maximum, starts: int, apart: bool = True
) -> tuple[Float[np.ndarray, "r d"], Float[np.ndarray, " r"]]:
    """Best allowed points that lie apart from better ones; if there are too few, the best of the rest as well.

    No more points are judged than it takes: judging takes the time. `apart`: whether they are
    to lie apart.
    """
    width = np.where(box.high > box.low, box.high - box.low, 1.0)
    good = ranked.values > -np.inf
    points, values = ranked.points[good], ranked.values[good]
    left, crowded = np.ones(len(points), dtype=bool), np.zeros(len(points), dtype=bool)
    chosen: list[int] = []
    judged = 0
    while len(chosen) < starts and left.any():
        i = int(np.argmax(left & ~crowded if (left & ~crowded).any() else left))
        if i >= judged:
            some = slice(judged, judged + _JUDGED)
            left[some] &= box.allows(points[some])
            judged += _JUDGED
            continue
        chosen.append(i)
        left[i] = False
        if apart:
            gaps = np.where(box.unordered, points != points[i], (points - points[i]) / width)
            crowded |= (gaps**2).mean(axis=1) <= _APART**2
    return points[chosen], values[chosen]


def _exchange(
    value: Value,
    box: Box,
    points: Float[np.ndarray, "r d"],
    values: Float[np.ndarray, " r"],
    together: int,
) -> tuple[Float[np.ndarray, "r d"], Float[np.ndarray, " r"]]:
    """One sweep: every coordinate, or every pair of them, takes its best levels with all others held.

    With none `together` it goes along the sums that must be equal, by each of the region's moves.
    """
    points, values = points.copy(), values.copy()
    rows = np.arange(len(points))
    choosable = [j for j, levels in enumerate(box.levels) if levels is not None and levels.size > 1]
    if together > 1 and len(choosable) > _PAIRED:
        return points, values
    region = box.region if isinstance(box, FeasibleRegion) else Polytope.of(box)
    groups = [*combinations(choosable, together)] if together else []
    for tries in chain(
        (_levels(box, points, group) for group in groups),
        (_along(region, points, way) for way in ([] if together else region.moves)),
    ):
        tried = finite(value(tries.reshape(-1, box.dimension))).reshape(tries.shape[:2])
        best = tried.argmax(axis=1)
        better = tried[rows, best] > values
        points[better] = tries[rows, best][better]
        values = np.where(better, tried[rows, best], values)
    return points, values


def _levels(
    box: Box, points: Float[np.ndarray, "r d"], group: Sequence[int]
) -> Float[np.ndarray, "r n d"]:
    """Points with all levels to try of some coordinates."""
    options = [_options(box, j, points[:, j], near=len(group) > 1) for j in group]
    picks = np.indices([option.shape[1] for option in options]).reshape(len(group), -1)
    tries = np.repeat(points[:, None], picks.shape[1], axis=1)
    for j, option, pick in zip(group, options, picks, strict=True):
        tries[:, :, j] = option[:, pick]
    return tries


def _along(
    region: Polytope, points: Float[np.ndarray, "r d"], way: Float[np.ndarray, " d"]
) -> Float[np.ndarray, "r n d"]:
    """Points 1, 2, 4, … moves before and behind these."""
    longest = max(levels.size for levels in region.levels if levels is not None)
    jumps = 2.0 ** np.arange(longest.bit_length())
    u = region.linear(points)[:, None] + np.concatenate([-jumps, jumps])[:, None] * way
    return region.snap(region.back(u.reshape(-1, region.dimension))).reshape(u.shape)


def _options(
    box: Box, j: int, present: Float[np.ndarray, " r"], near: bool
) -> Float[np.ndarray, "r n"]:
    """The levels of coordinate j to try, `(r, n)`: all of a few or of categories, else 1, 2, 4, … up and down."""
    levels = box.levels[j]
    assert levels is not None
    if box.unordered[j] or (not near and levels.size <= _TRIED_IN_FULL):
        return np.broadcast_to(levels, (present.size, levels.size))
    jumps = np.array([1]) if near else 2 ** np.arange((levels.size - 1).bit_length())
    reached = nearest(levels, present)[:, None] + np.concatenate([-jumps, [0], jumps])
    return np.asarray(levels[np.clip(reached, 0, levels.size - 1)])
