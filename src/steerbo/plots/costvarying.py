"""A cost-varying study in one picture: what each control set would give for its price, and how the money was spent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

from ..costvarying import CostVarying
from ..rounds import History, Reading, Recommendation
from .drawing import COLOURS, GREEN, Picture, bare, legend_below, new_figure, of_kind, panel, save_file, words, wrapped
from .moving import moving

SHAPES = "osD^vP*X"  # they say what colours say, again


Looks = dict[Sequence[str], tuple[str, str]]


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


def draw(optimizer: Reading, advice: Recommendation) -> Iterator[Picture]:
    """For the page."""
    problem = of_kind(optimizer, CostVarying)
    looks = _looks(problem)
    if _priced(advice):
        shown, axes = panel()
        _prices(axes, problem, advice, looks)
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


def _looks(problem: CostVarying) -> Looks:
    return dict(zip(problem.control_sets, zip(cycle(COLOURS), cycle(SHAPES), strict=False), strict=False))


def _finish(shown: Any) -> None:
    for axes in shown.axes:
        axes.set_xlim(left=0)
    bare(*shown.axes)
    legend_below(shown)


def _figure(optimizer: Reading, advice: Recommendation, value: str = "value", money: str = "money") -> Any:
    problem = of_kind(optimizer, CostVarying)
    looks = _looks(problem)
    shown = new_figure((12, 5.2), dpi=130)
    left, right = shown.subplots(1, 2)
    value, money = words(value), words(money)
    if advice.context:
        _contexts(left, problem, advice, looks)
        left.set(xlabel="seen before choosing", ylabel=f"expected {value}", title="What to do in typical contexts")
    else:
        _prices(left, problem, advice, looks)
        title = "What each control set would give"
        left.set(xlabel=f"cost of a play ({money})", ylabel=f"expected {value}", title=title)
    counted = _plays(right, problem, optimizer.history, looks)
    right.set(
        xlabel=f"money spent ({money})" if counted else "rounds", ylabel=value, title="Every play, and what it gave"
    )
    for axes in (right,) if advice.context else (left, right):
        axes.set_xlim(left=0)
    bare(left, right)
    shown.legend(loc="outside lower center", ncols=5, frameon=False, markerscale=0.8)
    return shown


def save(optimizer: Reading, path: Path, value: str = "value", money: str = "money") -> Path:
    """Save the picture of `figure` as `path`, making its folder; the suffix says the format.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidOption: the file cannot be written.
    """
    return save_file(figure(optimizer, value, money), path)


def _contexts(axes: Any, problem: CostVarying, advice: Recommendation, looks: Looks) -> None:
    """What is expected in typical contexts of the set that is recommended there; the legend says which that is."""
    space = problem.space.subset(problem.space.seen)
    rows = sorted((advice, *advice.alternatives), key=lambda choice: space.encode([choice.context]).tolist())
    for k, choice in enumerate(rows):
        colour, shape = looks[tuple(choice.scope.set)]
        y = float(choice.mean or 0.0)
        low, high = (y if bound is None else float(bound) for bound in (choice.lower, choice.upper))
        if choice.mean is not None:
            axes.errorbar(k, y, [[y - low], [high - y]], color=colour, marker=shape, markersize=9, capsize=5)
    labels = [wrapped(_in_one(problem.shown(choice.context, 3)), 16) for choice in rows]
    axes.set_xticks(range(len(rows)), labels, fontsize=8)
    axes.margins(0.12, 0.15)


def _in_one(texts: dict[str, str]) -> str:
    """Values by name in one line."""
    return ", ".join(f"{name} = {text}" for name, text in texts.items())


def _priced(advice: Recommendation) -> list[Recommendation]:
    """What has both a price and an expected value."""
    return [c for c in (advice, *advice.alternatives) if c.cost is not None and c.mean is not None]


def _prices(axes: Any, problem: CostVarying, advice: Recommendation, looks: Looks) -> None:
    choices = _priced(advice)
    dearest = max((float(c.cost or 0.0) for c in choices), default=0.0)
    for i, choice in enumerate(sorted(choices, key=lambda c: c.cost or 0.0)):
        colour, shape = looks[tuple(choice.scope.set)]
        x, y = float(choice.cost or 0.0), float(choice.mean or 0.0)
        low, high = (y if bound is None else float(bound) for bound in (choice.lower, choice.upper))
        axes.errorbar(x, y, [[y - low], [high - y]], color=colour, marker=shape, markersize=9, capsize=5, zorder=3)
        above = i % 2 == 0  # neighbours in price are named on opposite sides
        axes.annotate(
            wrapped(str(choice.scope), 24),
            (x, high if above else low),
            (0, 11 if above else -11),
            textcoords="offset points",
            ha="left" if x < 0.25 * dearest else "right" if x > 0.75 * dearest else "center",
            va="bottom" if above else "top",
        )
    if advice in choices:
        axes.plot(advice.cost, advice.mean, "o", ms=20, mfc="none", color="black", ls="none", label="recommended")
    axes.margins(0.12, 0.15)
    least = _acceptable(problem, [c.mean for c in choices if c.mean is not None])
    if least is not None:
        low, high = axes.get_ylim()
        low, high = min(low, least), max(high, least)
        edge = low if problem.minimize else high
        axes.axhspan(least, edge, color=GREEN, alpha=0.12, lw=0, zorder=0, label="acceptable")
        axes.set_ylim(low, high)


def _acceptable(problem: CostVarying, means: Sequence[float]) -> float | None:
    """The least acceptable expected value in the user's units; None where the method's own schedule decides it."""
    tolerance, sign = problem.tolerance, problem.sign
    if tolerance is None or getattr(tolerance, "worst", 0.0) is None or not means:
        return None
    return float(sign * tolerance.acceptable(max(sign * mean for mean in means), 0.0, sign))


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
