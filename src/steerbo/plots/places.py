"""Agents on a map, where the actions of a mean-field problem have two coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InvalidProblem
from ..meanfield import MeanField
from ..rounds import Reading, Recommendation
from .drawing import BLUE, COLOURS, Picture, finished, new_figure, of_kind, on, words

_NAMED, _NAME = 8, 16  # places that are named; characters of a name
_ROOM = np.array([0.16, 0.09])  # of the map's width and height, that a name needs for itself
_LARGEST = 900.0  # area of the mark of the fullest place
_PANELS = 4  # contexts that have a map of their own; more are added up


def has_places(problem: MeanField) -> bool:
    """Whether its actions are places on a plane."""
    given = problem.action_features
    return given is not None and len(given[0]) == 2


def places(study: Reading, ax: Any = None, context: str | None = None) -> Any:
    """Where the agents should be, on a map: the area of a mark is the share of agents there.

    Args:
        study: a study or an optimizer, of a `MeanField` problem whose `action_features` are pairs.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).
        context: whose agents; None: all of them.

    Returns:
        The axes.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: the problem is of another kind, or its actions have no two coordinates.
    """
    problem = of_kind(study, MeanField)
    if not has_places(problem):
        raise InvalidProblem("action_features", problem.action_features, "two coordinates for each action")
    axes, table = on(ax), problem.table(study.recommend().values["distribution"])
    shares = problem.shares @ table if context is None else table[problem.contexts.index(context)]
    _map(axes, problem, shares, float(shares.max()))
    axes.set(title="Where the agents should be")
    return finished(axes)


def place_pictures(problem: MeanField, advice: Recommendation) -> Picture:
    """For the page: a map for each context, or one for all where they are many."""
    table = problem.table(advice.values["distribution"])
    apart = 1 < len(problem.contexts) <= _PANELS
    rows = table if apart else (problem.shares @ table)[None]
    shown = new_figure((5.6, 4.4 if len(rows) == 1 else 2.9 * -(-len(rows) // 2)), dpi=130)
    panels = np.ravel(shown.subplots(-(-len(rows) // 2), min(len(rows), 2), squeeze=False))
    for c, (axes, shares) in enumerate(zip(panels, rows, strict=False)):
        _map(axes, problem, shares, float(rows.max()), COLOURS[c] if apart else BLUE)
        if apart:
            axes.set_title(words(problem.contexts[c]), fontsize=9)
    for axes in panels[len(rows) :]:
        axes.set_axis_off()
    text = "A map: the area of a mark is the share of agents who should be there; small dots are places without any"
    return Picture("Where the agents should be", text, shown)


def _map(axes: Any, problem: MeanField, shares: Any, most: float, colour: str = BLUE) -> None:
    at = np.array(problem.action_features, dtype=float)
    empty = shares <= 0
    axes.scatter(*at[empty].T, s=6, color="#B5B5B5", lw=0)
    axes.scatter(*at[~empty].T, s=_LARGEST * shares[~empty] / max(most, 1e-12), color=colour, alpha=0.6, lw=0)
    room, named = _ROOM * np.ptp(at, axis=0), np.empty((0, 2))
    for a in np.argsort(-shares, kind="stable")[:_NAMED]:
        if shares[a] > 0 and not (np.abs(named - at[a]) < room).all(axis=1).any():
            named = np.vstack([named, at[a]])
            text = f"{words(problem.actions[a], _NAME)}\n{shares[a]:.0%}"
            axes.text(*at[a], text, ha="center", va="center", fontsize=7)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set(xticks=[], yticks=[])
    axes.margins(0.18)
    axes.spines[:].set_visible(False)
