"""Limits and headers that a study file says otherwise than the log: who goes by them logs them, once and in words.

What begins new rounds takes the file's word over. The rest goes by the log, and says that the file differs. A limit
that was lowered is not raised again to what it was by a run with an older copy of the file: that needs to be said.
"""

from __future__ import annotations

from typing import Any

from ..errors import InvalidStudy
from ..rounds import left_behind, limit_text, standing
from .observer import Observer
from .specification import Specification
from .study import Study


def adopt(study: Study, specification: Specification, observer: Observer, *, meant: bool) -> None:
    """Go by the limits and headers of a study file from here on, for all who use the log.

    Args:
        study: what the log leads to.
        specification: what the file says.
        observer: is told what is changed.
        meant: whether it was said that this is no older file.

    Raises:
        InvalidStudy: a limit is raised to what it was before it was lowered.
    """
    changes, before = _differing(study, specification), standing(study.history)
    for name, value in changes.items():
        if name != "columns" and not meant and (when := left_behind(study.history, name, value)):
            since = f"{limit_text(name, before[name])}, as the log says since {when}, when it was lowered"
            hint = "Is this an older study file? If it is meant, use ‹extend›."
            raise InvalidStudy(f"{specification.path.name}: study.{name}", value, since, hint)
    study.revise(**changes)
    for name, value in changes.items():
        if name != "columns":
            observer.say(
                f"{limit_text(name, value)} from here on, as {specification.path.name} says; {_was(before, name)}"
            )


def mention(study: Study, specification: Specification, observer: Observer) -> None:
    """Say which limits of the file are not the log's."""
    before = standing(study.history)
    for name, value in _differing(study, specification).items():
        if name != "columns":
            said = f"{specification.path.name} says {limit_text(name, value)}, which the next ask or run will go by"
            observer.say(f"{said}; {_was(before, name)}")


def _differing(study: Study, specification: Specification) -> dict[str, Any]:
    settings, logged = specification.settings, standing(study.history)
    said: dict[str, Any] = {name: getattr(settings, name) for name in ("budget", "columns", "rounds", "stop")}
    return {name: value for name, value in said.items() if value != logged[name]}


def _was(before: dict[str, Any], name: str) -> str:
    return f"the log had {limit_text(name, before[name])}"
