"""The picture of any study: what every round gave, and the best so far."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..rounds import Reading, Recommendation
from .drawing import BLUE, VERMILION, Picture, bare, finished, legend_below, new_figure, on, panel, words


def draw(optimizer: Reading, advice: Recommendation) -> Iterator[Picture]:
    """For the page: kinds of problem that say nothing else have this picture."""
    shown, axes = panel()
    outcomes(axes, optimizer)
    axes.set(xlabel="round", ylabel="value")
    bare(axes)
    legend_below(shown)
    yield Picture("What every round gave", "What every round gave, and the best so far", shown)


def progress(study: Reading, ax: Any = None, value: str = "value") -> Any:
    """What every round gave, and the best so far, of any study.

    Args:
        study: a study or an optimizer.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).
        value: name and unit of the objective, for the labels.

    Returns:
        The axes.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    axes = on(ax)
    outcomes(axes, study)
    axes.set(xlabel="round", ylabel=words(value), title="What every round gave, and the best so far")
    return finished(axes)


def figure(optimizer: Reading, value: str = "value") -> Any:
    """The picture as a matplotlib `Figure`.

    Args:
        optimizer: of any problem.
        value: name and unit of the objective, for the labels.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    shown = new_figure((10, 4.6), dpi=130)
    axes = shown.subplots()
    outcomes(axes, optimizer)
    axes.set(xlabel="round", ylabel=words(value), title="What every round gave, and the best so far")
    bare(axes)
    return shown


def outcomes(axes: Any, optimizer: Reading) -> None:
    """Draw every outcome as a point, and the best so far as a line."""
    problem = optimizer.problem
    told = [(r.number, problem.scalar(r.outcome)) for r in optimizer.history if r.state == "told" and r.outcome]
    if told:
        rounds, values = np.array(told).T
        best = np.minimum.accumulate(values) if problem.minimize else np.maximum.accumulate(values)
        axes.plot(rounds, values, "o", markersize=3, color=BLUE, alpha=0.6, label="one round")
        axes.step(rounds, best, where="post", color=VERMILION, label="best so far")
