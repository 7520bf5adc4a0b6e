"""Limits of a problem in the rounds: no choice may break one, and an explanation says which ones bind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..errors import SteerboError
from ..space import Crowd, Forbid, Limit, Measured, broken
from .answers import Explanation, Recommendation, Table
from .history import History
from .method import Method
from .problem import Problem

_NEAR = 0.02  # of a bound on what is measured: probabilities are known to no more digits
_BINDS = 1e-4  # of the sizes that are added up: less room than that is none


def check_kept(problem: Problem, method: str, values: Mapping[str, Any], request: Mapping[str, Any]) -> None:
    """Refuse a choice that breaks a limit: methods of others may not know of limits.

    Raises:
        SteerboError: naming the method and the limit.
    """
    known = {**request.get("context", {}), **values}
    for i in broken(problem.every_limit, known):
        raise SteerboError(f"{method} chose {known}, which breaks a limit of the problem: {problem.every_limit[i]}")


def check_decided(problem: Problem, method: str, values: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """The same of what is set in the course of a round, beside what was set and seen before.

    A limit of which nothing is set now may be broken by what was looked at: that is nature's.
    """
    for i in broken(problem.every_limit, {**given, **values}):
        if set(values) & set(problem.every_limit[i].names):
            raise SteerboError(
                f"{method} chose {values}, which breaks a limit of the problem: {problem.every_limit[i]}"
            )


def with_limits(
    explanation: Explanation, history: History, method: Method[Any, Any], advice: Recommendation
) -> Explanation:
    """An explanation with what room each limit leaves at what is recommended; as it is where there are no limits."""
    limits = method.problem.every_limit
    if not limits:
        return explanation
    rooms = method.rooms(history, advice)
    rows = tuple(
        (str(limit), None if room is None or isinstance(limit, Forbid) else room, _bound(limit, room, advice))
        for limit, room in zip(limits, rooms, strict=True)
    )
    binding = [str(limit) for limit, (_, _, binds) in zip(limits, rows, strict=True) if binds]
    said = f"What is recommended is at {'a limit: ' + '; '.join(binding) if binding else 'no limit'}."
    table = Table("Limits", ("limit", "room", "binds"), rows)
    return replace(explanation, summary=f"{explanation.summary}\n{said}", tables=(*explanation.tables, table))


def _bound(limit: Limit | Crowd, room: float | None, advice: Recommendation) -> bool:
    if room is None:
        return False
    if isinstance(limit, Forbid | Crowd):
        return room < 1
    if isinstance(limit, Measured):
        return room <= _NEAR * max(abs(end) for end in (limit.at_most, limit.at_least) if end is not None)
    known = {**advice.context, **advice.values}
    size = sum(abs(limit.weights[n] * known[n]) for n in limit.names if n in known)
    return bool(room <= _BINDS * max(size, *(abs(end) for end in (limit.at_most, limit.at_least) if end is not None)))
