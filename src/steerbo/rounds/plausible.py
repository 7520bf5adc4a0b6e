"""Values that can hardly be meant: they are kept, and the person who told them is warned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..space import Space
from .events import Added, Amended, Asked, Decided, Event, Failed, Told
from .history import History

_ROUNDING = 1e-9
"""Share of a range's width that is none."""


def doubts(event: Event, space: Space, history: History) -> list[str]:
    """In words, which values of an event that was just taken in lie far outside their ranges, and how to correct them.

    Far is more than half the range's width beyond its ends; see `Float.is_far`.
    """
    match event:
        case Asked():
            seen = event.request.get("context", {})
            return _named(f"round {event.round}", seen, space, "tell it right among `realised`")
        case Decided():
            number = history[event.token].number
            return _named(f"round {number}", event.context, space, "tell it right among `realised`")
        case Amended(outcome=None, failure=None):
            return []
        case Told() | Failed() | Amended() if event.token not in history.data:
            played = history[event.token]
            said = played.suggestion.context
            new = {name: value for name, value in played.realised.items() if said.get(name) != value}
            return _named(f"round {played.number}", new, space, f"amend {event.token}")
        case Amended():
            return _named(event.token, history.data[event.token].outcome.realised, space, f"amend {event.token}")
        case Added():
            name = history.latest_data
            return _named(name, event.outcome.realised, space, f"amend {name}")
    return []


COMPARABLE = 8
"""Outcomes from which on another one can be compared with what they say."""
FAR = 5.0
"""Deviations from what was expected beyond which an outcome is unlikely."""


def unlikely(event: Event, value: float, mean: float, deviation: float, history: History) -> list[str]:
    """In words, that an outcome which was just taken in is far from what was expected there, and how to correct it.

    Args:
        event: the outcome's.
        value: the objective.
        mean: of what was expected.
        deviation: of what was expected, that of the noise included.
        history: with the event.
    """
    if not abs(value - mean) > FAR * deviation:
        return []
    where, name = history.latest_data, history.latest_data
    if isinstance(event, Told):
        where, name = f"round {history[event.token].number}", event.token
    low, high = mean - 2.0 * deviation, mean + 2.0 * deviation
    return [
        f"{where}: {value:.6g} is far from what was expected there, {low:.3g} to {high:.3g}; it is kept, and counts "
        f"for little until more like it come. If it is wrong, amend {name}."
    ]


def _named(where: str, measured: Mapping[str, Any], space: Space, how: str) -> list[str]:
    return [
        f"{where}: {name} = {measured[name]:g} is far outside its range, {space[name].range_text}; it is kept. "
        f"If it is wrong, {how}."
        for name in space.names
        if name in measured and space[name].is_far(measured[name])
    ]


def outside(seen: Mapping[str, Any], space: Space) -> str:
    """In words, which values that were seen lie outside their ranges: outcomes say little about what to do there.

    >>> from steerbo.space import Float
    >>> outside({"age": 150.0, "pulse": 80.0}, Space((Float("age", 20, 90, unit="years"), Float("pulse", 50, 120))))
    'age = 150 is outside its range, 20 to 90 years: this is a guess'
    """
    far = [name for name in space.names if name in seen and space[name].is_far(seen[name], _ROUNDING)]
    if not far:
        return ""
    named = [f"{name} = {seen[name]:g} is outside its range, {space[name].range_text}" for name in far]
    return f"{'; '.join(named)}: this is a guess"
