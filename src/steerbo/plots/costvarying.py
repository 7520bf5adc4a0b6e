"""A cost-varying study in one picture: what each control set would give for its price, and how the money was spent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..costvarying import CostVarying
from ..rounds import History, Reading, Recommendation
from .changing import changing
from .control_sets import Looks, by_scope, draw_contexts, draw_prices, looks_of, priced
from .drawing import (
    Picture,
    bare,
    finished,
    legend_below,
    new_figure,
    of_kind,
    on,
    panel,
    save_file,
    stacked,
    words,
    wrapped,
)
from .moving import moving


def figure(optimizer: Reading, value: str = "value", money: str = "money") -> Any:
    """The picture as a matplotlib `Figure`.

    Left: the expected value that each control set reaches at its best, with the model's bounds, against what a play
    costs; the acceptable region is shaded where the problem alone decides it. Right: what each play gave against the
    money spent so far (the rounds, where nobody counts money), and how the bound on the best expected value grew.

    Args:
        optimizer: of a `CostVarying` problem.
        value: name and unit of the objective, for the labels.
        money: unit of the costs, for the labels.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: the problem is of another kind.
    """
    return _figure(optimizer, optimizer.recommend(), value, money)


def prices(study: Reading, ax: Any = None, value: str = "value", money: str = "money") -> Any:
    """What each control set would give at its best, with bounds, against what a play of it costs.

    Where something is seen before choosing: the recommended set in typical contexts.

    Args:
        study: a study or an optimizer, of a `CostVarying` problem.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).
        value: name and unit of the objective, for the labels.
        money: unit of the costs, for the labels.

    Returns:
        The axes.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: the problem is of another kind.
    """
    problem, axes = of_kind(study, CostVarying), on(ax)
    _left(axes, problem, study.recommend(), value, money)
    return finished(axes)


def plays(study: Reading, ax: Any = None, value: str = "value", money: str = "money") -> Any:
    """What each play gave, against the money spent so far (the rounds, where nobody counts money); see `prices`."""
    problem, axes = of_kind(study, CostVarying), on(ax)
    _right(axes, problem, study.history, value, money)
    return finished(axes)


def spending(study: Reading, ax: Any = None, money: str = "money") -> Any:
    """Where the money went: what was spent on each control set so far, round by round; see `prices`."""
    problem, axes = of_kind(study, CostVarying), on(ax)
    ended = [r for r in study.history if r.state != "open"]
    counted = any(r.charged for r in ended)
    sets = np.array([problem.number(r.suggestion.scope) for r in ended])
    paid = np.array([r.charged if counted else 1.0 for r in ended])
    looks = looks_of(problem)
    lines = [np.cumsum(np.where(sets == i, paid, 0.0)) for i in range(len(looks))]
    colours, names = [colour for colour, _ in looks.values()], [words(" + ".join(names)) for names in looks]
    stacked(axes, [r.number for r in ended], lines, names, colours)
    axes.set(
        xlabel="round", ylabel=_spent(counted, money), title="Where the money went" if counted else "What was played"
    )
    return finished(axes)


def _spent(counted: bool, money: str) -> str:
    return f"money spent ({words(money)})" if counted else "rounds"


def draw(optimizer: Reading, advice: Recommendation) -> Iterator[Picture]:
    """For the page."""
    problem = of_kind(optimizer, CostVarying)
    looks = looks_of(problem)
    if advice.context:
        shown, axes = panel()
        draw_contexts(axes, problem, advice, looks)
        for scope, (colour, shape) in by_scope((advice, *advice.alternatives), looks).items():
            axes.plot([], [], color=colour, marker=shape, ls="none", label=wrapped(str(scope), 46))
        axes.set(xlabel="seen before choosing", ylabel="expected value")
        bare(axes)
        legend_below(shown)
        yield Picture(
            "What to do in typical contexts", "Expected value and bounds of the set that is best there", shown
        )
    elif priced(advice):
        shown, axes = panel()
        draw_prices(axes, problem, advice, by_scope(priced(advice), looks))
        axes.set(xlabel="cost of a play", ylabel="expected value")
        _finish(shown)
        yield Picture("What each control set would give", "Expected value and bounds of each, and its price", shown)
    if all(played.outcome is None for played in optimizer.history):
        return
    shown, axes = panel()
    counted = _plays(axes, problem, optimizer.history, looks)
    axes.set(xlabel="money spent" if counted else "rounds", ylabel="value")
    _finish(shown)
    yield Picture("Every play, and what it gave", "The value of every play, by control set", shown)
    yield from moving(optimizer, advice)
    yield from changing(optimizer, advice)


def _finish(shown: Any) -> None:
    for axes in shown.axes:
        axes.set_xlim(left=0)
    bare(*shown.axes)
    legend_below(shown)


def _figure(optimizer: Reading, advice: Recommendation, value: str = "value", money: str = "money") -> Any:
    problem = of_kind(optimizer, CostVarying)
    shown = new_figure((12, 5.2), dpi=130)
    left, right = shown.subplots(1, 2)
    _left(left, problem, advice, value, money)
    _right(right, problem, optimizer.history, value, money)
    bare(left, right)
    shown.legend(loc="outside lower center", ncols=5, frameon=False, markerscale=0.8)
    return shown


def _left(axes: Any, problem: CostVarying, advice: Recommendation, value: str, money: str) -> None:
    """What is expected of the sets; where something is seen before choosing, in typical contexts."""
    axes.set(ylabel=f"expected {words(value)}")
    if advice.context:
        draw_contexts(axes, problem, advice, looks_of(problem))
        axes.set(xlabel="seen before choosing", title="What to do in typical contexts")
    else:
        draw_prices(axes, problem, advice, by_scope(priced(advice), looks_of(problem)))
        axes.set(xlabel=f"cost of a play ({words(money)})", title="What each control set would give")
        axes.set_xlim(left=0)


def _right(axes: Any, problem: CostVarying, history: History, value: str, money: str) -> None:
    """What the plays gave."""
    counted = _plays(axes, problem, history, looks_of(problem))
    axes.set(xlabel=_spent(counted, money), ylabel=words(value), title="Every play, and what it gave")
    axes.set_xlim(left=0)


def save(optimizer: Reading, path: Path, value: str = "value", money: str = "money") -> Path:
    """Save the picture of `figure` as `path`, making its folder; the suffix says the format.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidOption: the file cannot be written.
    """
    return save_file(figure(optimizer, value, money), path)


def _plays(axes: Any, problem: CostVarying, history: History, looks: Looks) -> bool:
    """Draw the plays; returns whether money was counted."""
    rounds = [r for r in history if r.state != "open"]
    counted = any(r.charged for r in rounds)
    spent = np.cumsum([r.charged if counted else 1.0 for r in rounds])
    for names, (colour, shape) in looks.items():
        mine = [
            (x, r.outcome.value)
            for x, r in zip(spent, rounds, strict=True)
            if tuple(problem.control_sets[problem.number(r.suggestion.scope)]) == names
            and r.state == "told"
            and r.outcome
        ]
        axes.plot(*np.reshape(mine, (-1, 2)).T, shape, color=colour, label=words(" + ".join(names)))
    notes = [(x, r.suggestion.note.get("guaranteed")) for x, r in zip(spent, rounds, strict=True)]
    steps = [(x, bound) for x, bound in notes if bound is not None]
    if steps:  # what the method had logged before each play
        axes.step(
            *zip(*steps, strict=True), where="post", color="black", lw=1.5, label="bound on the best expected value"
        )
    first = next((i for i, r in enumerate(rounds) if r.suggestion.note.get("phase") == "exploit"), 0)
    if first:
        axes.axvline(spent[first - 1], color="grey", ls=":", zorder=0)
        place = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "color": "dimgrey"}
        axes.annotate("exploring ends", (spent[first - 1], 0.02), (4, 0), **place)
    return counted
