"""Measured values that can hardly be meant: they are kept, with a warning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..space import Space
from .events import Added, Amended, Asked, Decided, Event, Failed, Told
from .finite import SMALLEST
from .history import History

_ROUNDING = 1e-9
"""Share of a range's width that is none."""


def doubts(event: Event, space: Space, history: History) -> list[str]:
    """In words, which values of an event that was just taken in are next to nothing or far outside their ranges.

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
            where = f"round {played.number}"
            return [*_tiny(where, event, history), *_named(where, new, space, f"amend {event.token}")]
        case Amended():
            measured = history.data[event.token].outcome.realised
            return [*_tiny(event.token, event, history), *_named(event.token, measured, space, f"amend {event.token}")]
        case Added():
            name = history.latest_data
            return [*_tiny(name, event, history), *_named(name, event.outcome.realised, space, f"amend {name}")]
    return []


def _tiny(where: str, event: Told | Failed | Amended | Added, history: History) -> list[str]:
    """A warning of a value that is next to nothing, where no other one is larger: models have no scale for it."""
    outcome = None if isinstance(event, Failed) else event.outcome
    small = [x for x in _numbers(outcome.value if outcome else None) if 0 < abs(x) < SMALLEST]
    if not small or any(abs(x) >= SMALLEST for _, told, _ in history.outcomes() for x in _numbers(told.value)):
        return []
    said = f"{where}: value {small[0]:g} is kept, but nothing below {SMALLEST:g} in size can be told from 0."
    return [f"{said} No value so far is larger: give all of them in a smaller unit."]


def _numbers(value: Any) -> Iterator[float]:
    """Every number of a value, which may be payoffs by name."""
    if isinstance(value, Mapping):
        for part in value.values():
            yield from _numbers(part)
    elif isinstance(value, int | float):
        yield value


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
