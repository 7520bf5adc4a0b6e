"""Events of a log that comes from outside, read by the problem as its doors read them.

A log may have been edited, or merged by another program. A text where a number is wanted would
fail in a model, many events later and in words that help nobody: it is named here, by event and
field. Numbers out of range are no matter of this: a door may have taken them before bounds
changed, and what is no measurement is left out (`_codes`).
"""

from __future__ import annotations

from typing import Any

from ..errors import InvalidInput, InvalidOutcome, InvalidStudy
from ._context import TIME
from ._history import History, Round
from ._problem import Problem
from .events import Amended, Asked, DataAdded, Event, Failed, Outcome, OutcomeTold
from .request import finite


def check_logged(problem: Problem, history: History, event: Event, place: str) -> None:
    """Read the values of an event that is to be applied to a history.

    Args:
        problem: of the study.
        history: before the event.
        event: of a log.
        place: of the event, for messages.

    Raises:
        InvalidStudy: naming the field that is no number where one is wanted, or no choice.
    """
    try:
        _read(problem, history, event)
    except InvalidInput as error:
        for wrong in error.errors:
            if isinstance(wrong.value, str | list | tuple | dict | bool):
                field = f"{place}.{_part(event)}{wrong.field}"
                hint = "The log was changed by hand, or by another program."
                raise InvalidStudy(field, wrong.value, wrong.allowed, hint) from None


def _part(event: Event) -> str:
    """Part of an event that a door's field is in."""
    if isinstance(event, Asked):
        return "request."
    return "" if isinstance(event, Failed) else "outcome."


def _read(problem: Problem, history: History, event: Event) -> None:
    if isinstance(event, Asked):
        if TIME.name in event.request:
            _no_list(TIME.name, event.request[TIME.name])
            finite(TIME.name, event.request[TIME.name])
    elif isinstance(event, OutcomeTold):
        _read_outcome(problem, history.round_of(event.token), event.outcome)
    elif isinstance(event, Failed):
        problem.read_realised(history[event.token].suggestion, event.realised, needed=False)
    elif isinstance(event, DataAdded):
        _read_outcome(problem, None, event.outcome)
    elif isinstance(event, Amended) and event.outcome is not None:
        _read_outcome(problem, history.round_of(event.token), event.outcome)


def _no_list(name: str, value: Any) -> None:
    """Refuse a list, which doors take for the number in it, and models do not."""
    if isinstance(value, list):
        raise InvalidOutcome(name, value, "a number, or a choice")


def _read_outcome(problem: Problem, played: Round | None, outcome: Outcome) -> None:
    for name, value in outcome.realised.items():
        _no_list(name, value)
    told: tuple[Any, ...] = outcome.value, outcome.cost, outcome.realised
    if played is None:
        problem.read_added(*told)
    else:
        problem.read_outcome(played.suggestion, *told)
