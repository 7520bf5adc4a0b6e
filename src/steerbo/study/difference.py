"""What a study file says otherwise than the log that it is to go on with, field by field."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..errors import InvalidInput, InvalidStudy, together
from ..record import to_plain
from ..rounds import Created, Event, Extended, Problem, after, extended, read_bounds
from ..rounds import problem_of as first_problem
from ..words import MISSING

Change = tuple[str, Any, Any]
"""A field, what the log says, and what the file says."""
ANOTHER = (
    "It is the log of another study: name another one with --log, or move this one away. To begin anew with what was "
    "measured there, use ‹new› with --log, then ‹export›, and ‹import› with --as-data."
)
_OWN_ENDS = (
    "Bounds are what can be set; what nature does stays as it was, and this law had its ends from the bounds. "
    "Write it so into the study file, then use ‹extend›."
)


def problem_of(created: Created, place: str, events: list[Event]) -> Problem:
    """The problem that the log at a place has come to."""
    problem = first_problem(created, place)
    for event in events:
        if isinstance(event, Extended):
            problem = after(problem, event)
    return problem


def changes(logged: Any, said: Any, field: str) -> Iterator[Change]:
    """Where two plain forms differ; of lists whose parts have names, the parts are named.

    >>> list(changes({"a": [{"name": "ph", "low": 4}]}, {"a": [{"name": "ph", "low": 3}]}, "problem"))
    [('problem.a.ph.low', 4, 3)]
    """
    if isinstance(logged, list) and isinstance(said, list) and _names(logged) and _names(logged) == _names(said):
        logged, said = ({part["name"]: part for part in parts} for parts in (logged, said))
    if isinstance(logged, Mapping) and isinstance(said, Mapping):
        for name in dict.fromkeys([*logged, *said]):
            yield from changes(logged.get(name, MISSING), said.get(name, MISSING), f"{field}.{name}")
    elif logged != said:
        yield field, logged, said


def _names(parts: list[Any]) -> list[Any] | None:
    if not all(isinstance(part, Mapping) and "name" in part for part in parts):
        return None
    return [part["name"] for part in parts]


def wanted_bounds(logged: Problem, said: Problem) -> dict[str, tuple[Any, Any]]:
    """The bounds of a study file that are other than the log's, by variable."""
    both = [(logged.space[variable.name], variable) for variable in said.space if variable.name in logged.space]
    found = {variable.name: (_ends(before), _ends(variable)) for before, variable in both}
    return {name: now for name, (before, now) in found.items() if before != now and None not in (*before, *now)}


def _ends(variable: Any) -> tuple[Any, Any]:
    return getattr(variable, "low", None), getattr(variable, "high", None)


def widening(logged: Problem, said: Problem) -> dict[str, tuple[Any, Any]]:
    """The bounds to widen, so that the log's problem becomes the file's.

    Raises:
        InvalidStudy: more is changed than that, or bounds are narrower: naming the field.
    """
    bounds = wanted_bounds(logged, said)
    if not bounds:
        found = list(changes(to_plain(logged), to_plain(said), "problem"))
        if found:
            raise _changed(found)
        return {}
    try:
        wider = read_bounds(logged, bounds)
    except InvalidInput as error:
        raise error.moved(f"problem.variables.{error.field}", InvalidStudy) from None
    whole = extended(logged, wider)
    if ends := list(_without_ends(logged, whole, said, wider)):
        raise together(ends)
    if found := list(changes(to_plain(whole), to_plain(said), "problem")):
        raise _changed(found)
    return wider


def _without_ends(logged: Problem, whole: Problem, said: Problem, names: Iterable[str]) -> Iterator[InvalidStudy]:
    """Laws that would follow wider bounds, and how to write them so that they do not."""
    for name in names:
        before, after, now = (getattr(problem.space[name], "law", None) for problem in (logged, whole, said))
        if now != after and now == before:
            wanted = ", ".join(
                f"{field} = {json.dumps(end)}"
                for field, end in sorted(to_plain(after).items(), key=lambda part: part[0] != "kind")
            )
            yield InvalidStudy(f"problem.variables.{name}.law", to_plain(now), f"law = {{ {wanted} }}", _OWN_ENDS)


def check_same(place: str, logged: Problem, said: Problem) -> None:
    """Refuse a study file whose problem is not the log's.

    Raises:
        InvalidStudy: naming the first field that is changed, and what to do.
    """
    found = list(changes(to_plain(logged), to_plain(said), "problem"))
    if not found:
        return
    try:
        bounds = widening(logged, said)
    except InvalidStudy as error:
        if any(said in error._hint for said in (ANOTHER, _OWN_ENDS)):
            raise together(each.moved(f"{place}: {each.field}") for each in error.errors) from None
        raise InvalidStudy(f"{place}: {error.field}", error.value, error.allowed, f"{error.hint} {ANOTHER}") from None
    names = " and ".join(f"problem.variables.{name}" for name in bounds)
    field, before, now = found[0]
    hint = f"The bounds of {names} are wider in the study file: to go on with them, use ‹extend›."
    raise InvalidStudy(f"{place}: {field}", now, f"{before!r}, as in the log", hint)


def _changed(found: list[Change]) -> InvalidStudy:
    field, before, now = found[0]
    more = f" Changed, too: {', '.join(name for name, _, _ in found[1:4])}." if len(found) > 1 else ""
    allowed = "nothing, as in the log" if before is MISSING else f"{before!r}, as in the log"
    return InvalidStudy(field, now, allowed, ANOTHER + more)
