"""A mean-field study in one picture: how payoffs grew, and where the agents should be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..meanfield import MeanField
from ..rounds import Reading, Recommendation
from .drawing import COLOURS, Picture, bare, legend_below, new_figure, of_kind, panel, save_file, words
from .rounds import outcomes

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


def draw(optimizer: Reading, advice: Recommendation) -> Iterator[Picture]:
    """For the page."""
    problem = of_kind(optimizer, MeanField)
    shown, axes = panel()
    _shares(axes, problem, advice)
    axes.set(xlabel="action", ylabel="share")
    bare(axes)
    if len(problem.contexts) > 1:
        legend_below(shown)
    yield Picture("Where the agents should be", "The recommended share of agents in every action", shown)
    shown, axes = panel()
    outcomes(axes, optimizer)
    axes.set(xlabel="round", ylabel="payoff")
    bare(axes)
    legend_below(shown)
    yield Picture("What every round gave", "Payoff of every round, and the best so far", shown)


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
        axes.bar(range(len(fullest)), shares, bottom=below, color=colour, label=words(context))
        below += shares
    names = [words(problem.actions[a], _NAME) for a in fullest]
    crowded = sum(map(len, names)) > 50
    axes.set_xticks(range(len(fullest)), names, rotation=90 * crowded, fontsize=7 if crowded else 10)
