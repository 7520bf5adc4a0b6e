"""A look elsewhere, now and then. Where staying is cheap, a model that is surely wrong would keep a study where it is.

Once plays that moved nothing have cost as much as a move, what is hard to change goes
where it has never been near; every look waits longer than the one before it. So looks take at most half of the money,
and an ever smaller share of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..rounds import History
from ..space import Categorical, Variable
from .problem import CostVarying

TRIED = 16
"""Places drawn, of which the one farthest from all that were visited is taken."""
BACK = 2.0
"""Moves that there must be money for: there and back."""


def elsewhere(problem: CostVarying, history: History, hold: float, draw: np.random.Generator) -> dict[str, Any] | None:
    """Where a look elsewhere would put what is hard to change of the set that was played last; None: it is not time.

    Args:
        problem: with prices of changing.
        history: the rounds so far.
        hold: what a play of that set costs without changes; NaN where nobody knows.
        draw: draws places.
    """
    if history.latest is None:
        return None
    hard = [v for v in problem.hard if v.name in history.latest.suggestion.values]
    if not hard or not hold > 0:
        return None
    place = _farthest(hard, history, draw)
    price = problem.change_cost(place, history) or 0.0
    looks = sum("elsewhere" in played.suggestion.note for played in history)
    due = hold * _stayed(history) >= price * (1 + looks) and history.remaining >= BACK * price + hold
    return place if due else None


def _stayed(history: History) -> int:
    """How many rounds it is since something was moved."""
    for count, played in enumerate(reversed(list(history))):
        if played.suggestion.change_cost:
            return count
    return len(history)


def _farthest(hard: list[Variable], history: History, draw: np.random.Generator) -> dict[str, Any]:
    unit = draw.random((TRIED, len(hard)))
    drawn = [v.decode(_spread(v, u)) for v, u in zip(hard, unit.T, strict=True)]
    visited = [r.suggestion.values for r in history if all(v.name in r.suggestion.values for v in hard)]
    squares = np.zeros((TRIED, len(visited)))
    for v, values in zip(hard, drawn, strict=True):
        gaps = v.encode(values)[:, None] - v.encode([x[v.name] for x in visited])
        squares += gaps != 0 if isinstance(v, Categorical) else gaps**2
    best = int(squares.min(axis=1).argmax())
    return {v.name: values[best] for v, values in zip(hard, drawn, strict=True)}


def _spread(variable: Variable, unit: np.ndarray) -> np.ndarray:
    """Encoded values, any of them as likely as the others."""
    return np.floor(unit * len(variable.choices)) if isinstance(variable, Categorical) else unit
