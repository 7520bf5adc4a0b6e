"""From a study file and its log to the study, begun or gone on with."""

from __future__ import annotations

import warnings
from typing import Any

from ..errors import InvalidStudy, LogConflict
from ..rounds import Created, Problem, find_method
from ..rounds.registry import name_of
from .difference import ANOTHER, check_same, problem_of, widening
from .limits import adopt, mention
from .log import EventLog
from .observer import Observer
from .opening import replay
from .specification import Settings, Specification
from .study import Study
from .worker import check_options


def resume(
    specification: Specification,
    log: EventLog,
    observer: Observer,
    *,
    begin: bool = True,
    extend: bool = False,
    adopt_limits: bool = True,
    **worker: Any,
) -> Study:
    """The study that the log's events lead to; a new one where it is empty. The log is closed where this fails.

    Budget and rounds are the study file's from here on, which is logged, so that raising them continues a finished
    study. A limit that was lowered is only raised again to what it was where `extend` says that it is meant.

    Args:
        specification: what the study file says.
        log: where the events are.
        observer: is told of warnings.
        begin: whether a new one may begin.
        extend: widen the bounds of variables to those of the study file, where these are wider.
        adopt_limits: whether to go by the limits of the study file; else they are mentioned where they differ.
        worker: holder, lease, clock and wait; see `Study`.

    Raises:
        InvalidStudy: the log belongs to another study, is damaged, or is empty and may not be.
    """
    try:
        check_options(worker)
        study = _resumed(specification, log, observer, begin, extend, worker)
        if extend and (bounds := widening(study.problem, specification.problem)):
            study.extend(bounds)
            for name, (low, high) in bounds.items():
                observer.say(f"{name} can be set from {low:g} to {high:g} now")
        if adopt_limits:
            adopt(study, specification, observer, meant=extend)
        else:
            mention(study, specification, observer)
        return study
    except BaseException:
        log.close()
        raise


def _resumed(  # noqa: PLR0917
    specification: Specification, log: EventLog, observer: Observer, begin: bool, extend: bool, worker: dict[str, Any]
) -> Study:
    fresh = specification.optimizer()
    wanted = fresh.events[0]
    assert isinstance(wanted, Created)
    events = log.read()
    if not events:
        if not begin:
            raise InvalidStudy("log", log.place, "a log with a study in it", "‹new› makes one.")
        try:
            log.append(wanted)
            return Study(log, fresh, say=observer.say, **worker)
        except LogConflict:  # another run has just begun it
            events = log.read()
    created = events[0]
    if not isinstance(created, Created):
        raise InvalidStudy(f"{log.place}: event 1", created, "a 'created' event")
    _check_same_study(log.place, specification.problem, created, wanted, specification.settings)
    if not extend:
        check_same(log.place, problem_of(created, log.place, events), specification.problem)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        optimizer = replay(log.place, events, None)
    _say_what_is_kept(specification.problem, created, wanted, observer)
    for warning in caught:
        observer.say(str(warning.message))
    study = Study(log, optimizer, say=observer.say, **worker)
    study.writer.settle()
    return study


def _check_same_study(place: str, problem: Problem, created: Created, wanted: Created, said: Settings) -> None:
    """Refuse what the study file says otherwise; a method or an option that it leaves out is the log's."""
    logged_options, options = ({k: v for k, v in c.options.items() if k in said.options} for c in (created, wanted))
    compared: list[tuple[str, Any, Any]] = [
        ("seed", created.seed, wanted.seed),
    ]
    if said.method is not None or said.options:
        logged = name_of(find_method(problem, created.method))
        compared[:0] = [("method", logged, wanted.method), ("options", logged_options, options)]
    for name, logged, asked in compared:
        if logged != asked:
            raise InvalidStudy(f"{place}: {name}", logged, f"{name} {asked!r}", ANOTHER)


def _say_what_is_kept(problem: Problem, created: Created, wanted: Created, observer: Observer) -> None:
    """A default may have changed since the study began: it goes on as it began."""
    method = find_method(problem, created.method)
    began = {"method": name_of(method), **method.read_options(created.options)}
    now = {"method": wanted.method, **wanted.options}
    kept = [f"{name} = {value!r}" for name, value in began.items() if now.get(name) != value]
    if kept:
        observer.say(f"as this study began, since its file does not say otherwise: {', '.join(kept)}")
