"""A mean-field study in one picture: how payoffs grew, and where the agents should be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidProblem
from ..meanfield import MeanField
from ..rounds import Optimizer
from .drawing import COLOURS, new_figure, save_file, words

_SHOWN = 40
_NAME = 24  # characters of an action


def figure(optimizer: Optimizer, value: str = "value") -> Any:
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
    problem = optimizer.problem
    if not isinstance(problem, MeanField):
        raise InvalidProblem("optimizer.problem", problem, "a MeanField problem")
    shown = new_figure((12, 4.6), dpi=130)
    left, right = shown.subplots(1, 2)
    _payoffs(left, optimizer, problem)
    left.set(xlabel="round", ylabel=words(value), title="Payoff of every round, and the best so far")
    _shares(right, optimizer, problem)
    right.set(xlabel="action", ylabel="share of all agents", title="Where the agents should be")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    return shown


def save(optimizer: Optimizer, path: Path, value: str = "value") -> Path:
    """Save the picture of `figure` as `path`, making its folder; the suffix says the format.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidOption: the file cannot be written.
    """
    return save_file(figure(optimizer, value), path)


def _payoffs(axes: Any, optimizer: Optimizer, problem: MeanField) -> None:
    told = [r for r in optimizer.history if r.state == "told" and r.outcome is not None]
    if not told:
        return
    rounds = [r.number for r in told]
    averages = np.array([problem.average(r.outcome) for r in told if r.outcome is not None])
    best = np.minimum.accumulate(averages) if problem.minimize else np.maximum.accumulate(averages)
    axes.plot(rounds, averages, "o", markersize=3, color=COLOURS[0], alpha=0.6)
    axes.step(rounds, best, where="post", color=COLOURS[3])


def _shares(axes: Any, optimizer: Optimizer, problem: MeanField) -> None:
    table = problem.table(optimizer.recommend().values["distribution"]) * problem.shares[:, None]
    fullest = np.sort(np.argsort(-table.sum(axis=0), kind="stable")[:_SHOWN])
    below = np.zeros(len(fullest))
    for c, context in enumerate(problem.contexts):
        shares = table[c, fullest]
        colour = COLOURS[c % len(COLOURS)]  # contexts beyond the eighth begin anew
        axes.bar(range(len(fullest)), shares, bottom=below, color=colour, label=words(context))
        below += shares
    names = [words(problem.actions[a], _NAME) for a in fullest]
    crowded = sum(map(len, names)) > 50
    axes.set_xticks(range(len(fullest)), names, rotation=90 * crowded, fontsize=7 if crowded else 10)
    if len(problem.contexts) > 1:
        axes.legend(frameon=False, title="context", loc="upper left", bbox_to_anchor=(1, 1))
