"""From a study file and its log to the study, begun or gone on with."""

from __future__ import annotations

import warnings
from typing import Any

from ..errors import InvalidStudy, LogConflict
from ..optimizer import Created
from .log import EventLog
from .observer import Observer
from .replay import replay
from .specification import Specification
from .study import Study


def resume(specification: Specification, log: EventLog, observer: Observer, **worker: Any) -> Study:
    """The study that the log's events lead to; a new one where it is empty.

    Budget and rounds are the study file's, so that raising them continues a finished study.

    Args:
        specification: what the study file says.
        log: where the events are.
        observer: is told of warnings.
        worker: holder, lease and clock; see `Study`.

    Raises:
        InvalidStudy: the log belongs to another study, or is damaged.
    """
    fresh = specification.optimizer()
    wanted = fresh.events[0]
    assert isinstance(wanted, Created)
    events = log.read()
    if not events:
        try:
            log.append(wanted)
            return Study(log, fresh, **worker)
        except LogConflict:  # another run has just begun it
            events = log.read()
    _check_same_study(log.place, events[0], wanted)
    limits = {"budget": wanted.budget, "rounds": wanted.rounds}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        optimizer = replay(log.place, events, specification.problem, limits)
    for warning in caught:
        observer.say(str(warning.message))
    return Study(log, optimizer, **worker)


def _check_same_study(place: str, created: Any, wanted: Created) -> None:
    if not isinstance(created, Created):
        raise InvalidStudy(f"{place}: event 1", created, "a 'created' event")
    for name in ("problem", "method", "options", "seed"):
        logged, asked = getattr(created, name), getattr(wanted, name)
        if logged != asked:
            detail = f"{name} {asked!r}" if name != "problem" else "the problem of the study file"
            raise InvalidStudy(
                f"{place}: {name}",
                logged,
                detail,
                "It is the log of another study: name another one with --log, or move this one away.",
            )
