"""Where the hard-to-change variables are, and what moving them from there costs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..core import TIME, History, Round
from ..errors import InvalidRequest
from ..space import Categorical, Variable

ELSEWHERE = 0.1
"""Share of its range by which a measured value may differ from what was set: beyond it is somewhere else. No
thermometer is exact, and who leaves an oven alone does not move it by what is read there."""

ASSUMED = 20
"""Plays still to come where neither money nor rounds are limited; from so many rounds on, as many as there were."""


def plays_to_come(history: History, price: float, change: float) -> float:
    """How many plays at a price can still be made after a change was paid: by the money and the rounds that are left.

    Where neither is limited, as many as there were, and at least `ASSUMED`.
    """
    left = [] if history.limit is None else [float(history.limit - len(history))]
    if history.budget is not None and price > 0:
        left.append((history.remaining - change) / price)
    return max(min(left, default=float(max(len(history), ASSUMED))), 0.0)


def between(history: History) -> float:
    """How much time there is between two rounds, on average; 1 where one is known at most."""
    times = [float(played.request[TIME.name]) for played in history if TIME.name in played.request]
    return (times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else 1.0


def put(played: Round, variables: Sequence[Variable]) -> dict[str, Any]:
    """Where a round has put some variables, whatever came of it: as it was to set them, or where they were measured.

    What it left to nature is not there.
    """
    values = played.suggestion.values
    return {v.name: _where(v, values[v.name], played.realised) for v in variables if v.name in values}


def _where(variable: Variable, planned: Any, realised: Mapping[str, Any]) -> Any:
    measured = realised.get(variable.name, planned)
    if isinstance(variable, Categorical):
        return measured
    planned_at, measured_at = (float(x) for x in variable.encode([planned, measured]))
    return planned if abs(measured_at - planned_at) <= ELSEWHERE else measured


def can_stay(there: Mapping[str, Any], variables: Sequence[Variable]) -> dict[str, Any]:
    """Those values that can be set: what was measured beyond its bounds or between its steps has to be moved."""
    return {v.name: there[v.name] for v in variables if v.name in there and _settable(v, there[v.name])}


def _settable(variable: Variable, value: Any) -> bool:
    try:
        return bool(variable.check_setting(value) == value)
    except InvalidRequest:
        return False


def price_of_moving(
    there: Mapping[str, Any], to: Mapping[str, Any], variables: Sequence[Variable], first: bool
) -> float:
    """What moving variables that are `there` to other values costs; nothing in the `first` round, out of nowhere.

    What the round before left to nature is taken back at the fixed price: nobody set where it is.
    """
    if first:
        return 0.0
    prices = (v.change.price(there.get(v.name), to[v.name]) for v in variables if v.change and v.name in to)
    return math.fsum(prices)


def longest_way(variable: Variable, there: Any) -> float:
    """What moving a variable costs at most; None: nobody knows where it is."""
    assert variable.change is not None
    if isinstance(variable, Categorical) or there is None:
        return variable.change.fixed
    return max(variable.change.price(there, end) for end in (variable.low, variable.high))


def paid_for_moving(
    played: Round, history: History, variables: Sequence[Variable], standing: Mapping[str, Any] | None
) -> float:
    """What moving them has cost in a round, by where it and the round before it really put them, as far as is known.

    Before the first round they were `standing`; None: out of nowhere.
    """
    before = history.before(played)
    there = standing or {} if before is None else put(before, variables)
    return price_of_moving(there, put(played, variables), variables, before is None and standing is None)
