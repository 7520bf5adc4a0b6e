"""A mean-field study in one picture: how payoffs grew, and where the agents should be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidOption, one_of
from ..meanfield import MeanField
from ..rounds import Reading, Recommendation
from .drawing import (
    COLOURS,
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
)
from .places import has_places, place_pictures, places
from .rounds import outcomes

__all__ = ["draw", "figure", "payoffs", "places", "save", "shares", "tried"]
_SHOWN = 40
_NAME = 24  # characters of an action


def figure(optimizer: Reading, value: str = "value") -> Any:
    """The picture as a matplotlib `Figure`.

    Left: the population's payoff of every round, and the best one so far. Right: the recommended shares of the actions,
    stacked by context; of many actions the fullest forty.

    Args:
        optimizer: of a `MeanField` problem.
        value: name and unit of the payoff, for the labels.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: the problem is of another kind.
    """
    return _figure(optimizer, optimizer.recommend(), value)


def shares(study: Reading, ax: Any = None) -> Any:
    """Where the agents should be: the recommended shares of the actions, stacked by context.

    Args:
        study: a study or an optimizer, of a `MeanField` problem.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).

    Returns:
        The axes.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: the problem is of another kind.
    """
    problem, axes = of_kind(study, MeanField), on(ax)
    _shares(axes, problem, study.recommend())
    axes.set(xlabel="action", ylabel="share of all agents", title="Where the agents should be")
    return finished(axes)


def tried(study: Reading, ax: Any = None) -> Any:
    """Where the agents were in every round: shares of the actions that had the most of them; see `shares`."""
    problem, axes = of_kind(study, MeanField), on(ax)
    rounds, tables = _played(study, problem)
    if rounds:
        fullest = np.sort(np.argsort(-tables.sum(axis=0), kind="stable")[: len(COLOURS) - 1])
        others = 1.0 - tables[:, fullest].sum(axis=1)
        lines, names = list(tables[:, fullest].T), [words(problem.actions[a], _NAME) for a in fullest]
        if len(fullest) < len(problem.actions):
            lines, names = [*lines, others], [*names, "all others"]
        stacked(axes, rounds, lines, names, COLOURS)
    axes.set(xlabel="round", ylabel="share of all agents", ylim=(0, 1), title="Where the agents were")
    return finished(axes)


def payoffs(study: Reading, ax: Any = None, action: str | None = None, value: str = "value") -> Any:
    """What is known of one action: the payoff of every round against the share of agents that took it; see `shares`.

    Args:
        study: a study or an optimizer, of a `MeanField` problem.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).
        action: which; None: the one whose share was varied most.
        value: name and unit of the payoff, for the labels.

    Raises:
        InvalidOption: there is no such action.
    """
    problem, axes = of_kind(study, MeanField), on(ax)
    if action is not None and action not in problem.actions:
        raise InvalidOption("action", action, one_of(problem.actions, action))
    rounds, tables = _played(study, problem)
    a = problem.actions.index(action) if action is not None else int(np.ptp(tables, axis=0).argmax()) if rounds else 0
    told = [problem.scalar(r.outcome) for r in study.history if r.state == "told" and r.outcome]
    if rounds:
        points = axes.scatter(tables[:, a], told, c=rounds, cmap="viridis", s=22)
        axes.figure.colorbar(points, ax=axes, label="round")
    axes.set(xlabel=f"share of agents in {words(problem.actions[a], _NAME)}", ylabel=words(value))
    axes.set(title="What is known of one action")
    return finished(axes)


def _played(study: Reading, problem: MeanField) -> tuple[list[int], Any]:
    """Numbers of the rounds with an outcome, and which share of all agents took each action then, (n, A)."""
    told = [r for r in study.history if r.state == "told" and r.outcome]
    tables = [problem.shares @ problem.table(r.outcome.realised["distribution"]) for r in told if r.outcome]
    return [r.number for r in told], np.array(tables).reshape(len(told), len(problem.actions))


def draw(optimizer: Reading, advice: Recommendation) -> Iterator[Picture]:
    """For the page."""
    problem = of_kind(optimizer, MeanField)
    yield place_pictures(problem, advice) if has_places(problem) else _bars(problem, advice)
    shown, axes = panel()
    outcomes(axes, optimizer)
    axes.set(xlabel="round", ylabel="payoff")
    bare(axes)
    legend_below(shown)
    yield Picture("What every round gave", "Payoff of every round, and the best so far", shown)


def _bars(problem: MeanField, advice: Recommendation) -> Picture:
    shown, axes = panel()
    _shares(axes, problem, advice)
    axes.set(xlabel="action", ylabel="share")
    bare(axes)
    if len(problem.contexts) > 1:
        legend_below(shown)
    return Picture("Where the agents should be", "The recommended share of agents in every action", shown)


def _figure(optimizer: Reading, advice: Recommendation, value: str = "value") -> Any:
    problem = of_kind(optimizer, MeanField)
    shown = new_figure((12, 4.6), dpi=130)
    left, right = shown.subplots(1, 2)
    outcomes(left, optimizer)
    left.set(xlabel="round", ylabel=words(value), title="Payoff of every round, and the best so far")
    _shares(right, problem, advice)
    right.set(xlabel="action", ylabel="share of all agents", title="Where the agents should be")
    bare(left, right)
    if len(problem.contexts) > 1:
        right.legend(frameon=False, title="context", loc="upper left", bbox_to_anchor=(1, 1))
    return shown


def save(optimizer: Reading, path: Path, value: str = "value") -> Path:
    """Save the picture of `figure` as `path`, making its folder; the suffix says the format.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidOption: the file cannot be written.
    """
    return save_file(figure(optimizer, value), path)


def _shares(axes: Any, problem: MeanField, advice: Recommendation) -> None:
    table = problem.table(advice.values["distribution"]) * problem.shares[:, None]
    fullest = np.sort(np.argsort(-table.sum(axis=0), kind="stable")[:_SHOWN])
    below = np.zeros(len(fullest))
    for c, context in enumerate(problem.contexts):
        shares = table[c, fullest]
        colour = COLOURS[c % len(COLOURS)]  # contexts beyond the eighth begin anew
        label = words(context) if len(problem.contexts) > 1 else None
        axes.bar(range(len(fullest)), shares, bottom=below, color=colour, label=label)
        below += shares
    names = [words(problem.actions[a], _NAME) for a in fullest]
    crowded = sum(map(len, names)) > 50
    axes.set_xticks(range(len(fullest)), names, rotation=90 * crowded, fontsize=7 if crowded else 10)
