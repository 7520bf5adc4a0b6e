"""Where the optimum is known to move: what was set, and when, and what is recommended now."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..rounds import Reading, Recommendation, time_of
from ..space import Categorical
from .drawing import BLUE, Picture, bare, new_figure, words

_MOST = 4  # variables
_LEAST, _ROOM = 12.0, 60.0  # areas of marks


def moving(optimizer: Reading, advice: Recommendation) -> Iterator[Picture]:
    """A picture of the numbers that are recommended, against the time, where a problem is `timed`.

    A mark is a play that set the variable, the larger the better it turned out; the ring is what is recommended now.
    """
    problem = optimizer.problem
    names = [name for name in advice.values if not isinstance(problem.space[name], Categorical)][:_MOST]
    told = [(time_of(r), r) for r in optimizer.history if problem.timed and r.state == "told" and r.outcome]
    if not names or not told:
        return
    worth = problem.sign * np.array([problem.scalar(r.outcome) for _, r in told if r.outcome])
    sizes = _LEAST + _ROOM * np.argsort(np.argsort(worth, kind="stable")) / max(len(worth) - 1, 1)
    shown = new_figure((5.6, 0.8 + 2.0 * len(names)), dpi=130)
    for axes, name in zip(np.atleast_1d(shown.subplots(len(names), 1, sharex=True)), names, strict=True):
        marks = [
            (time, r.suggestion.values[name], size)
            for (time, r), size in zip(told, sizes, strict=True)
            if name in r.suggestion.values
        ]
        _one(axes, marks, (time_of(optimizer.history.latest or told[-1][1]), advice.values[name]))
        unit = getattr(problem.space[name], "unit", "")
        axes.set_ylabel(words(f"{name} ({unit})" if unit else name))
    shown.axes[-1].set_xlabel("time")
    bare(*shown.axes)
    text = "Settings against the time: the larger a mark, the better what came of it; a ring around what is recommended"
    yield Picture("What was set, and when", text, shown)


def _one(axes: Any, marks: list[tuple[float, float, float]], now: tuple[float, float]) -> None:
    """One variable's settings."""
    times, settings, sizes = np.reshape(np.array(marks, dtype=float), (-1, 3)).T
    axes.scatter(times, settings, sizes, color=BLUE, alpha=0.6, lw=0)
    axes.plot(*now, "o", ms=14, mfc="none", color="black")
    axes.margins(0.06, 0.12)
