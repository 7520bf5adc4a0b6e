"""Which scope to hold: the expected value of each, against the cost of its rounds.

`choices_of` makes the numbers; matplotlib and the page draw the same ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..core import BaseStudy, Problem, Recommendation, Scope, as_text, least_acceptable
from ..costvarying import CostVarying
from .drawing import (
    COLOURS,
    GREEN,
    GREY,
    SHAPES,
    Picture,
    finished,
    money_words,
    name_beside,
    on,
    value_words,
    wrapped,
)

_NAMED = 12  # scopes with bounds and a name: more are not compared at a glance
_ROOM = 0.08  # of the range of an axis, free at its ends
_APART = 0.06  # of the range of costs, between scopes that cost the same
LEGEND = _NAMED + 3
"""Rows of a legend that leaves none of them out."""
_INK = "#444444"


@dataclass(frozen=True)
class Choice:
    """A scope at its best, as a picture shows it.

    Args:
        advice: of the scope.
        name: of the scope, with the values seen before.
        at: its place along the axis of costs, beside those that cost the same; None: its cost or
            its value is unknown.
        look: number of its colour and shape.
        named: whether it has bounds and a name; of very many only some have.
        chosen: whether it is the recommended one.
    """

    advice: Recommendation
    name: str
    at: float | None
    look: int
    named: bool
    chosen: bool

    @property
    def ends(self) -> tuple[float, float, float]:
        """The expected value, and its bounds where there are some."""
        mean = float(self.advice.mean or 0.0)
        low, high = self.advice.lower, self.advice.upper
        return mean, mean if low is None else float(low), mean if high is None else float(high)

    @property
    def works(self) -> str:
        """How often a round of it works, where some have failed.

        >>> from steerbo.core import Recommendation, Scope
        >>> Choice(Recommendation(Scope(), {}, works=0.826), "ph", 1.0, 0, True, False).works
        '83 %'
        """
        chance = self.advice.works
        return "" if chance is None else f"{100 * chance:.0f} %"


@dataclass(frozen=True)
class Choices:
    """Scopes side by side: the numbers that every drawing of them shows.

    Args:
        rows: the cheapest first; those of unknown cost last.
        frontier: places and expected values of those that no cheaper one betters; empty where
            nothing has a cost.
        least: the least expected value that is good enough; None where the answer states none.
        across: range of the axis of costs.
        up: range of the axis of expected values.
        priced: whether anything has a cost; else they stand in their order.
        title: of the picture.
    """

    rows: tuple[Choice, ...]
    frontier: tuple[tuple[float, float], ...]
    least: float | None
    across: tuple[float, float]
    up: tuple[float, float]
    priced: bool
    title: str

    @property
    def costs(self) -> list[float]:
        """Different costs, in order."""
        return sorted({float(row.advice.cost) for row in self.drawn if row.advice.cost is not None})

    @property
    def drawn(self) -> list[Choice]:
        """Rows that have a place."""
        return [row for row in self.rows if row.at is not None]


def choices_of(study: BaseStudy, advice: Recommendation) -> Choices:
    """Compare the recommended scope with its alternatives."""
    problem, everyone = study.problem, [advice, *advice.alternatives]
    sign = problem.sign

    def by_price(choice: Recommendation) -> tuple[float, float]:
        cost = float("inf") if choice.cost is None else float(choice.cost)
        return cost, -sign * float(choice.mean or 0.0)

    everyone.sort(key=by_price)
    priced = any(choice.cost is not None for choice in everyone)
    known = [c for c in everyone if c.mean is not None and (c.cost is not None or not priced)]
    front = _undominated(known, sign) if priced else []
    named = _most_telling(everyone, advice, front, sign)
    across, places = _places(known, named, priced=priced)
    rows = tuple(
        Choice(
            choice,
            str(choice.scope) + (f" at {as_text(choice.context)}" if choice.context else ""),
            places.get(id(choice)),
            look_of(problem, choice, k),
            id(choice) in named,
            choice is advice,
        )
        for k, choice in enumerate(everyone)
    )
    frontier = tuple((places[id(c)], float(c.mean or 0.0)) for c in front)
    least = least_acceptable(advice.reasons)
    title = "Which to set" if problem.kind == "causal" else "Which to hold"
    if len({choice.scope for choice in everyone}) == 1 < len(everyone):
        title = "What each belief says"
    up = _range_of_values(rows, least)
    return Choices(rows, frontier, least, across, up, priced, title)


def _undominated(cheapest_first: Sequence[Recommendation], sign: float) -> list[Recommendation]:
    """Keep the choices that none that costs no more is expected to better."""
    front = list[Recommendation]()
    for choice in cheapest_first:
        if not front or sign * (choice.mean or 0.0) > sign * (front[-1].mean or 0.0):
            front.append(choice)
    return front


def _most_telling(
    everyone: Sequence[Recommendation],
    advice: Recommendation,
    front: Sequence[Recommendation],
    sign: float,
) -> set[int]:
    """Choose whom to name: the recommended one, those that no cheaper one betters, and the best others."""
    on_front = {id(choice) for choice in front}

    def telling(choice: Recommendation) -> tuple[bool, bool, bool, float]:
        mean = sign * float(choice.mean or 0.0)
        return choice is not advice, id(choice) not in on_front, choice.mean is None, -mean

    return {id(choice) for choice in sorted(everyone, key=telling)[:_NAMED]}


def _places(
    known: Sequence[Recommendation], named: set[int], *, priced: bool
) -> tuple[tuple[float, float], dict[int, float]]:
    """Range of the axis of costs, and the place of each choice along it.

    Named ones that cost the same stand side by side, nearer to their cost than to the next one.
    """
    if not priced:
        return (0.0, len(known) + 1.0), {id(c): k + 1.0 for k, c in enumerate(known)}
    costs = [float(c.cost or 0.0) for c in known]
    different = sorted(set(costs))
    low, high = min(costs, default=0.0), max(costs, default=1.0)
    span = (high - low) or abs(high) or 1.0
    gaps = [b - a for a, b in pairwise(different)]
    alike = Counter(float(c.cost or 0.0) for c in known if id(c) in named)
    most = max(alike.values(), default=1)
    step = min(_APART * span, min(gaps, default=2.0 * span) / (most + 1)) if most > 1 else 0.0
    place, met = dict[int, float](), Counter[float]()
    for choice, cost in zip(known, costs, strict=True):
        place[id(choice)] = cost
        if id(choice) in named:
            place[id(choice)] += (met[cost] - (alike[cost] - 1) / 2) * step
            met[cost] += 1
    ends = [*place.values()] or [low, high]
    room = _ROOM * span if len(different) > 1 else span / 2
    return (min(ends) - room, max(ends) + room), place


def _range_of_values(rows: Sequence[Choice], least: float | None) -> tuple[float, float]:
    ends = [] if least is None else [least]
    for row in rows:
        if row.at is not None:
            ends += row.ends if row.named else row.ends[:1]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    room = _ROOM * (high - low) or abs(high) / 2 or 1.0
    return low - room, high + room


def look_of(problem: Problem, choice: Recommendation, place: int) -> int:
    """Number of a scope's colour and shape: in all pictures of control sets the same."""
    if not isinstance(problem, CostVarying):
        return place
    scope = choice.scope
    held = Scope((*scope.set, *scope.keep)) if scope.keep else scope
    return problem.numbers.get(held, place)


def look(number: int) -> tuple[str, str]:
    """Colour and shape of this number, as `each_look` has them."""
    turn, k = divmod(number, len(COLOURS))
    return COLOURS[k], SHAPES[(k + turn) % len(SHAPES)]


FRONTIER = "nothing cheaper is expected to be better"
"""Words for the dashed line."""


def height_of(found: Choices) -> float:
    """Height in inches of the picture, with its legend."""
    return 2.9 + 0.16 * sum(row.named for row in found.drawn)


def draw_prices(
    study: BaseStudy, advice: Recommendation, ax: Any = None, value: str = "", money: str = ""
) -> Any:
    """Draw the choices on axes; new ones where none are given."""
    found = choices_of(study, advice)
    axes = on(ax, height_of(found))
    draw_choices(axes, study, found, value, money)
    return finished(axes, LEGEND)


def choices_picture(study: BaseStudy, advice: Recommendation) -> Iterator[Picture]:
    """Yield the picture for the page, where a scope has a cost and an expected value."""
    found = choices_of(study, advice)
    if found.priced and found.drawn:
        text = "Expected value of each scope against its cost, with bounds; the recommended one in a ring"
        yield Picture(found.title, text, lambda: draw_prices(study, advice).figure)


def draw_choices(axes: Any, study: BaseStudy, found: Choices, value: str, money: str) -> None:
    """Draw marks with bounds, the frontier, and the range of good enough values."""
    axes.set(xlim=found.across, ylim=found.up, title=found.title)
    axes.set(xlabel=money_words(study, money), ylabel=f"expected {value_words(study, value)}")
    if not found.priced:
        axes.set(xlabel="", xticks=[])
    elif len(found.costs) == 1:
        axes.set_xticks(found.costs)
    for row in found.drawn:
        mean, low, high = row.ends
        colour, shape = look(row.look)
        if not row.named:
            axes.plot(row.at, mean, "o", ms=3, color=GREY, alpha=0.5, zorder=2)
            continue
        label = wrapped(row.name, 44, 2, 88)
        ends = [[max(mean - low, 0.0)], [max(high - mean, 0.0)]]
        axes.errorbar(
            row.at, mean, yerr=ends, color=colour, marker=shape, ms=6, mec="black", mew=0.4,
            ecolor=_INK, capsize=3, lw=1.2, ls="none", zorder=3, label=label,
        )  # fmt: skip
        if row.chosen:
            ring = {"ms": 13, "mfc": "none", "color": "black", "ls": "none", "zorder": 4}
            axes.plot(row.at, mean, "o", label="recommended", **ring)
    if len(found.frontier) > 1:
        x, y = zip(*steps(found), strict=True)
        axes.plot(x, y, color=_INK, lw=1.0, ls="--", zorder=1, label=FRONTIER)
    if found.least is not None:
        end = found.up[0] if study.problem.minimize else found.up[1]
        shade = {"color": GREEN, "alpha": 0.15, "lw": 0, "zorder": 0}
        axes.axhspan(found.least, end, label="good enough", **shade)
        axes.set_ylim(found.up)
    marked = [row for row in found.drawn if row.named]
    texts = {
        (float(row.at or 0.0), row.ends[0]): row.works and f"works {row.works}" for row in marked
    }
    whiskers = [[(row.at, y) for y in np.linspace(*row.ends[1:], 25)] for row in marked]
    lines = [axes.transData.transform(line) * 72.0 / axes.figure.dpi for line in whiskers]
    name_beside(axes, texts, [13.0 if row.chosen else 6.0 for row in marked], lines, always=False)


def steps(found: Choices) -> list[tuple[float, float]]:
    """Corners of the frontier: each expected value as far as the cost of the next better one, the last to the edge."""
    corners = list[tuple[float, float]]()
    for x, y in found.frontier:
        if corners:
            corners.append((x, corners[-1][1]))
        corners.append((x, y))
    return [*corners, (found.across[1], corners[-1][1])] if corners else []
