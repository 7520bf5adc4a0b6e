"""Values that can hardly be meant: they are kept, with a warning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from ..space import Space
from .clock import known_before
from .events import Added, Amended, Asked, Decided, Event, Failed, Outcome, Told
from .finite import SMALLEST
from .history import History
from .problem import Problem
from .suggestion import Suggestion

_ROUNDING = 1e-9
"""Share of a range's width that is none."""


def doubts(event: Event, space: Space, history: History) -> list[str]:
    """In words, which values of an event that was just taken in are next to nothing or far outside their ranges.

    Far is more than half the range's width beyond its ends; see `Float.is_far`.
    """
    match event:
        case Asked():
            seen = event.request.get("context", {})
            return _named(f"round {event.round}", seen, space, _asked_again(event.token))
        case Decided():
            number = history[event.token].number
            return _named(f"round {number}", event.context, space, _decided_again(event.token))
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
        f"{where}: {value:.6g} is far from what was expected there, {low:.3g} to {high:.3g}; it is kept. "
        f"If it is wrong, amend {name}."
    ]


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


def _asked_again(token: str) -> str:
    return f"abandon {token} and ask again, or tell it right among `realised`"


def _decided_again(token: str) -> str:
    return f"decide {token} again, before anything is set by it, or tell it right among `realised`"


def doubts_of_looks(suggestion: Suggestion, request: Mapping[str, Any], space: Space) -> tuple[str, ...]:
    """In words, which values that were seen before choosing, or looked at, lie far outside their ranges."""
    first = {name: value for name, value in suggestion.context.items() if name in known_before(request)}
    later = {name: value for name, value in suggestion.context.items() if name not in first}
    where, token = f"round {suggestion.round}", suggestion.token
    found = [(first, _asked_again(token)), (later, _decided_again(token))]
    return tuple(said for seen, how in found for said in _named(where, seen, space, how))


FEW, SOME = 4, 8
"""Numbers from which a usual range is known, and from which it is known well."""
_WIDE, _WIDER = 3.0, 10.0  # widths beyond a range that is known well, and less well, in which nothing is unusual
_LATEST = 100  # rounds, and as many pieces of data, that say what is usual


def unusual(value: float, others: Sequence[float]) -> bool:
    """Whether a number lies so far from all others that it looks mistyped.

    Of fewer than `FEW` others, and where all are the same, nothing is unusual.

    >>> unusual(740.0, [3.0, 10.0, 5.0, 4.0]), unusual(14.0, [3.0, 10.0, 5.0, 4.0]), unusual(740.0, [3.0, 10.0])
    (True, False, False)
    """
    if len(others) < FEW:
        return False
    low, high = min(others), max(others)
    beyond = (high - low) * (_WIDE if len(others) >= SOME else _WIDER)
    return high > low and not low - beyond <= value <= high + beyond


def unlike_others(event: Event, problem: Problem, history: History, value: bool = True) -> list[str]:
    """In words, whether value and cost of an event that was just taken in are far from the latest others.

    Costs are compared with those of the same scope; the value only where that is wanted.
    """
    match event:
        case Told() | Amended(outcome=Outcome()) | Added():
            name = history.latest_data if isinstance(event, Added) else event.token
            outcome, cost = event.outcome, event.outcome.cost if event.outcome else None
        case Failed():
            name, outcome, cost = event.token, None, event.cost
        case _:
            return []
    rounds = [r for r in history.last(_LATEST) if r.suggestion.token != name]
    data = [added for at, added in islice(reversed(history.data.items()), _LATEST) if at != name]
    where, scope = (
        (name, history.data[name].scope)
        if name in history.data
        else (f"round {history[name].number}", history[name].suggestion.scope)
    )
    found = []
    if outcome is not None and value:
        told = [r.outcome for r in rounds if r.state == "told" and r.outcome] + [added.outcome for added in data]
        found.append(("value", problem.scalar(outcome), [problem.scalar(each) for each in told]))
    if cost is not None and scope is not None:
        paid = [r.paid for r in rounds if r.suggestion.scope == scope]
        paid += [added.outcome.cost for added in data if added.scope == scope]
        found.append(("cost", cost, [each for each in paid if each is not None]))
    return [
        f"{where}: {what} = {number:g} is far from the others, {min(others):g} to {max(others):g}; it is kept. "
        f"If it is wrong, amend {name}."
        for what, number, others in found
        if unusual(number, others)
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
