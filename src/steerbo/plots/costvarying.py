"""Pictures of cost-varying studies: expected outcomes of control sets by price, and the money spent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..core import BaseStudy, Recommendation, Scope, as_text
from ..costvarying import CostVarying
from .choices import LEGEND, choices_of, choices_picture, draw_choices, draw_prices, height_of
from .drawing import (
    SHAPES,
    SMALL,
    Picture,
    each_look,
    finished,
    legend_below,
    money_words,
    of_kind,
    on,
    side_by_side,
    stacked,
    styled,
    value_words,
    words,
    wrapped,
)
from .model import learned_pictures
from .policies import settings_pictures
from .traded import traded_pictures

Looks = dict[Sequence[str], tuple[str, str]]
"""Colour and shape of each control set."""


def looks_of(problem: CostVarying) -> Looks:
    """Colour and shape of each control set of a problem."""
    return dict(zip(problem.control_sets, each_look(SHAPES), strict=False))


def figure(optimizer: BaseStudy, value: str = "", money: str = "") -> Any:
    """The two main pictures side by side, as a matplotlib `Figure`.

    Left: `prices`, the expected value that each control set reaches at its best against its cost;
    where something is seen before choosing, that of the recommended set in typical contexts.
    Right: `plays`, the value of each play against the money spent so far.

    Args:
        optimizer: of a `CostVarying` problem.
        value: name and unit of the objective, for the labels; empty: as the study heads its column.
        money: unit of the costs, for the labels.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: the problem is of another kind.
    """
    problem, advice = of_kind(optimizer, CostVarying), optimizer.recommend()
    found = choices_of(optimizer, advice)
    shown, left, right = side_by_side(height_of(found))
    if advice.context:
        _contexts(left, optimizer, advice, value)
    else:
        draw_choices(left, optimizer, found, value, money)
    _plays(right, optimizer, problem, value, money)
    for axes in (left, right):
        styled(axes)
    legend_below(shown, left, right, rows=LEGEND)
    return shown


def prices(study: BaseStudy, ax: Any = None, value: str = "", money: str = "") -> Any:
    """Draw the expected value of each control set at its best, with bounds, against the cost of a play.

    The recommended set is in a ring; sets that cost the same stand side by side. The dashed line
    joins those that no cheaper one betters; good enough values are shaded. Of very many sets a
    dozen have bounds and a name. Where something is seen before choosing: the recommended set in
    typical contexts.

    Args:
        study: a study or an optimizer, of a `CostVarying` problem.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).
        value: name and unit of the objective, for the labels; empty: as the study heads its column.
        money: unit of the costs, for the labels.

    Returns:
        The axes.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: the problem is of another kind.
    """
    of_kind(study, CostVarying)
    return _advised_prices(study, study.recommend(), ax, value, money)


def plays(study: BaseStudy, ax: Any = None, value: str = "", money: str = "") -> Any:
    """Draw the value of each play against the money spent so far (the rounds, where no money is counted); see `prices`.

    The line is the bound on the best expected value that the method had guaranteed before each
    play.
    """
    problem, axes = of_kind(study, CostVarying), on(ax, 2.6)
    _plays(axes, study, problem, value, money)
    return finished(axes)


def spending(study: BaseStudy, ax: Any = None, money: str = "") -> Any:
    """Draw where the money went: the sum spent on each control set so far, round by round; see `prices`."""
    problem, axes = of_kind(study, CostVarying), on(ax, 2.6)
    rounds, lines, counted = spent_by_set(study, problem)
    looks = looks_of(problem)
    colours = [colour for colour, _ in looks.values()]
    names = [words(" + ".join(names)) for names in looks]
    stacked(axes, rounds, lines, names, colours)
    title = "Money spent" if counted else "Plays by control set"
    axes.set(xlabel="round", ylabel=spent_words(study, counted, money), title=title)
    return finished(axes)


def draw(optimizer: BaseStudy, advice: Recommendation) -> Iterator[Picture]:
    """Yield the pictures of the kind."""
    of_kind(optimizer, CostVarying)
    if advice.outcomes:
        yield from traded_pictures(optimizer, advice)
    elif advice.context:
        text = "Expected value and bounds of the set that is best in each typical context"
        title = "Recommended in typical contexts"
        yield Picture(title, text, lambda: _advised_prices(optimizer, advice).figure)
    else:
        yield from choices_picture(optimizer, advice)
    yield from learned_pictures(optimizer, advice)
    if all(played.outcome is None for played in optimizer.history):
        return
    text = "The value of every round, by control set, against what was spent"
    yield Picture("Outcome of every round", text, lambda: plays(optimizer).figure)
    yield from settings_pictures(optimizer, advice)


# -- drawing on axes -------------------------------------------------------------------------------


def _advised_prices(
    study: BaseStudy, advice: Recommendation, ax: Any = None, value: str = "", money: str = ""
) -> Any:
    """Expected values of sets by cost; where something is seen before choosing, in typical contexts."""
    if not advice.context:
        return draw_prices(study, advice, ax, value, money)
    axes = on(ax, 2.9)
    _contexts(axes, study, advice, value)
    return finished(axes)


def _contexts(axes: Any, study: BaseStudy, advice: Recommendation, value: str) -> None:
    problem = of_kind(study, CostVarying)
    draw_contexts(axes, problem, advice, looks_of(problem))
    axes.set(
        xlabel="seen before choosing",
        ylabel=f"expected {value_words(study, value)}",
        title="Recommended in typical contexts",
    )


def draw_contexts(axes: Any, problem: CostVarying, advice: Recommendation, looks: Looks) -> None:
    """Draw the expected value, in typical contexts, of the set that is recommended there; the legend names the sets."""
    space = problem.space.subset(problem.space.seen)
    rows = sorted(
        (advice, *advice.alternatives), key=lambda choice: space.encode([choice.context]).tolist()
    )
    named: dict[Scope, None] = {}
    for k, choice in enumerate(rows):
        colour, shape = looks[tuple(choice.scope.set)]
        y = float(choice.mean or 0.0)
        low, high = (y if bound is None else float(bound) for bound in (choice.lower, choice.upper))
        if choice.mean is not None:
            label = "" if choice.scope in named else wrapped(str(choice.scope), 40)
            named[choice.scope] = None
            axes.errorbar(
                k, y, [[y - low], [high - y]], color=colour, marker=shape, ms=6, mec="black", mew=0.4, capsize=3,
                lw=1.6, ls="none", label=label or None,
            )  # fmt: skip
    labels = [
        wrapped(as_text(problem.shown(choice.context)), max(44 // max(len(rows), 1), 9), 3)
        for choice in rows
    ]
    axes.set_xticks(range(len(rows)), labels, fontsize=SMALL)
    axes.margins(0.12, 0.15)


def spent_by_set(study: BaseStudy, problem: CostVarying) -> tuple[list[int], list[Any], bool]:
    """Numbers of the ended rounds, the sum spent on each control set by then, (n,) each, and whether money is counted.

    Where nothing has a cost, rounds are counted.
    """
    ended = [r for r in study.history if r.state != "open"]
    counted = any(r.charged for r in ended)
    sets = np.array([problem.number(r.suggestion.scope) for r in ended])
    paid = np.array([r.charged if counted else 1.0 for r in ended])
    lines = [np.cumsum(np.where(sets == i, paid, 0.0)) for i in range(len(problem.control_sets))]
    return [r.number for r in ended], lines, counted


def spent_words(study: BaseStudy, counted: bool, money: str) -> str:
    """Label of an axis of money spent, or of rounds where no money is counted."""
    return money_words(study, money, "money spent") if counted else "rounds"


def _plays(axes: Any, study: BaseStudy, problem: CostVarying, value: str, money: str) -> None:
    """Draw the plays, the guaranteed bound, and where exploring ended."""
    rounds = [r for r in study.history if r.state != "open"]
    counted = any(r.charged for r in rounds)
    spent = np.cumsum([r.charged if counted else 1.0 for r in rounds])
    own = [tuple(problem.control_sets[problem.number(r.suggestion.scope)]) for r in rounds]
    for names, (colour, shape) in looks_of(problem).items():
        played = [(x, r) for x, r, scope in zip(spent, rounds, own, strict=True) if scope == names]
        mine = [(x, r.outcome.value) for x, r in played if r.state == "told" and r.outcome]
        look = {"color": colour, "ms": 5, "mec": "black", "mew": 0.3, "ls": "none"}
        axes.plot(*np.reshape(mine, (-1, 2)).T, shape, label=words(" + ".join(names)), **look)
    notes = [(x, r.suggestion.note.get("guaranteed")) for x, r in zip(spent, rounds, strict=True)]
    steps = [(x, bound) for x, bound in notes if bound is not None]
    if steps:  # the bounds that the method had logged before each play
        axes.step(
            *zip(*steps, strict=True),
            where="post",
            color="black",
            lw=1.2,
            label="bound on the best expected value",
        )
    first = next(
        (i for i, r in enumerate(rounds) if r.suggestion.note.get("phase") == "exploit"), 0
    )
    if first:
        axes.axvline(spent[first - 1], color="grey", ls=":", zorder=0, label="exploring ends")
    axes.set(
        xlabel=spent_words(study, counted, money),
        ylabel=value_words(study, value),
        title="Outcome of every round",
    )
    axes.set_xlim(left=0)
