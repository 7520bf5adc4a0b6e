"""Where what is hard to change was, round by round, and when it was moved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..rounds import Reading, Recommendation
from ..space import Categorical, Variable
from .drawing import BLUE, ORANGE, Picture, bare, legend_below, new_figure, words

_MOST = 4  # variables


def changing(optimizer: Reading, advice: Recommendation) -> Iterator[Picture]:
    """A picture of settings against the rounds, where moving them has a price; nature's rounds leave a gap.

    A mark is a move; the dashed line is what is recommended, where that is one thing for all days.
    """
    hard = [v for v in optimizer.problem.space if v.change is not None][:_MOST]
    rounds = list(optimizer.history)
    if not hard or len(rounds) < 2:
        return
    shown = new_figure((5.6, 1.0 + 1.7 * len(hard)), dpi=130)
    for axes, variable in zip(np.atleast_1d(shown.subplots(len(hard), 1, sharex=True)), hard, strict=True):
        best = None if advice.context else advice.values.get(variable.name)
        _one(axes, variable, [r.suggestion.values.get(variable.name) for r in rounds], best)
    shown.axes[-1].set_xlabel("round")
    bare(*shown.axes)
    legend_below(shown)
    yield Picture("What was moved, and when", "Settings of what is hard to change, by round, with every move", shown)


def _one(axes: Any, variable: Variable, settings: list[Any], best: Any) -> None:
    choices = [str(choice) for choice in variable.choices] if isinstance(variable, Categorical) else []
    at = [np.nan if value is None else _height(value, choices) for value in settings]
    numbers = np.arange(1, len(at) + 1)
    axes.step(numbers, at, where="mid", color=BLUE, lw=1.5, label="as it was set")
    moved = [k for k in range(1, len(at)) if settings[k] is not None and settings[k] != settings[k - 1]]
    axes.plot(numbers[moved], np.array(at)[moved], "o", color=ORANGE, ms=5, label="moved")
    if best is not None:
        axes.axhline(_height(best, choices), color="grey", ls="--", lw=1, label="recommended")
    if choices:
        axes.set_yticks(range(len(choices)), [words(choice) for choice in choices])
    axes.set_ylabel(words(f"{variable.name} ({variable.unit})" if variable.unit else variable.name))


def _height(value: Any, choices: list[str]) -> float:
    return float(choices.index(str(value)) if choices else value)
