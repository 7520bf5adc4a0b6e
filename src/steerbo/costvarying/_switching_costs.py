"""Positions of the hard-to-change variables, and the cost of moving them from there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..core import TIME, History, Round
from ..errors import InvalidRequest
from ..space import Categorical, Variable

ELSEWHERE = 0.1
"""Share of its range by which a measured value may differ from the setting and still be the same position: no
thermometer is exact, and an oven that was left alone is not moved by its reading."""

ASSUMED = 20
"""Plays still to come where neither money nor rounds are limited; from so many rounds on, as many as there were."""


def plays_to_come(history: History, price: float, switching: float) -> float:
    """Number of plays at a price that remain after a switching cost is paid, by the money and the rounds left.

    Where neither is limited: as many as there were, and at least `ASSUMED`.
    """
    left = [] if history.limit is None else [float(history.limit - len(history))]
    if history.budget is not None and price > 0:
        left.append((history.remaining - switching) / price)
    return max(min(left, default=float(max(len(history), ASSUMED))), 0.0)


def time_between_rounds(history: History) -> float:
    """Mean time between two rounds; 1 where the time of fewer than two is known."""
    times = [float(played.request[TIME.name]) for played in history if TIME.name in played.request]
    return (times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else 1.0


def positions_after(played: Round, variables: Sequence[Variable]) -> dict[str, Any]:
    """Positions of some variables after a round, whatever its outcome: as set, or as measured where that is elsewhere.

    A variable that the round left to nature has none.
    """
    values = played.suggestion.values
    return {v.name: _position(v, values[v.name], played.realised) for v in variables if v.name in values}


def _position(variable: Variable, planned: Any, realised: Mapping[str, Any]) -> Any:
    measured = realised.get(variable.name, planned)
    if isinstance(variable, Categorical):
        return measured
    planned_at, measured_at = (float(x) for x in variable.encode([planned, measured]))
    return planned if abs(measured_at - planned_at) <= ELSEWHERE else measured


def settable(positions: Mapping[str, Any], variables: Sequence[Variable]) -> dict[str, Any]:
    """Positions that can be set, and so kept: one measured beyond its bounds or between its steps has to be moved."""
    return {v.name: positions[v.name] for v in variables if v.name in positions and _settable(v, positions[v.name])}


def _settable(variable: Variable, value: Any) -> bool:
    try:
        return bool(variable.check_setting(value) == value)
    except InvalidRequest:
        return False


def switching_cost(
    positions: Mapping[str, Any], to: Mapping[str, Any], variables: Sequence[Variable], first: bool
) -> float:
    """Cost of moving variables from their positions to other values; 0 in the `first` round, out of nowhere.

    A variable without a position, since the round before left it to nature, costs the fixed price.
    """
    if first:
        return 0.0
    prices = (v.change.price(positions.get(v.name), to[v.name]) for v in variables if v.change and v.name in to)
    return math.fsum(prices)


def largest_switching_cost(variable: Variable, position: Any) -> float:
    """Largest cost of moving a variable from a position; None: the position is unknown."""
    assert variable.change is not None
    if isinstance(variable, Categorical) or position is None:
        return variable.change.fixed
    return max(variable.change.price(position, end) for end in (variable.low, variable.high))


def switching_cost_of(
    played: Round, history: History, variables: Sequence[Variable], initial: Mapping[str, Any] | None
) -> float:
    """Switching cost of a round, by the positions that it and the round before really reached, as far as is known.

    `variables` are those that are hard to change; without `initial` positions the first move is out of nowhere.
    """
    before = history.before(played)
    positions = initial or {} if before is None else positions_after(before, variables)
    return switching_cost(positions, positions_after(played, variables), variables, before is None and initial is None)
