"""From a log's events to the optimizer that they lead to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..errors import InvalidStudy, SteerboError
from ..rounds import Created, Event, Optimizer, Problem, problem_of


def replay(place: str, events: list[Event], problem: Problem | None, limits: Mapping[str, Any]) -> Optimizer:
    """What the events of the log at `place` lead to.

    Raises:
        InvalidStudy: they do not follow from one another, or need a package that is not installed.
    """
    if not events:
        raise InvalidStudy("log", place, "a log with a study in it", "‹new› makes one.")
    created, *rest = events
    if not isinstance(created, Created):
        raise InvalidStudy(f"{place}: event 1", created, "a 'created' event")
    try:
        known = problem_of(created, place, problem)
        return Optimizer.replay(known, [replace(created, **limits), *rest])
    except InvalidStudy:
        raise
    except (SteerboError, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        hint = f"It was changed by hand, or by another version ({type(error).__name__}: {error})."
        raise InvalidStudy("log", place, "events that follow from one another", hint) from error
