"""Resuming a study from its study file and its log, or beginning it.

Differences between file and log are found field by field. Limits and headers may differ: a command
that begins new rounds adopts those of the file and logs the change once; any other command goes by
the log, and reports the difference. A run with an older copy of the file does not raise a limit
that was lowered since; that must be said explicitly.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from .._wording import MISSING, SHELL, number_text, show_plain
from ..core import (
    BaseStudy,
    BoundsExtended,
    Created,
    Event,
    Optimizer,
    Problem,
    after,
    extended,
    find_method,
    limit_text,
    overruled_settings,
    read_bounds,
    standing,
)
from ..core import problem_of as first_problem
from ..core.registry import name_of
from ..errors import InvalidInput, InvalidStudy, LogConflict, SteerboError, combine
from ..records import to_dict
from ..storage.log import EventLog
from ..storage.opening import replay
from ._study import Study
from .files.study_file import Settings, StudyFile
from .workers import check_options

if TYPE_CHECKING:
    from ._run import Observer

Change = tuple[str, Any, Any]
"""A field, its value in the log, and its value in the file."""
Tolerated = Literal["nothing", "widened", "any"]
"""Differences of a study file and its log with which the study is opened all the same, as the log says: none; bounds
that were widened since the file was written; any."""
_ANEW = (
    "use `steerbo export STUDY --out before.csv`, `steerbo new STUDY.TOML --log second.db`, and "
    "`steerbo import second.db before.csv --as-data`"
)
ANOTHER = (
    "To go on with this log, write that into the study file. If it is the log of another study, name another one with "
    f"--log, or move this one away. To start again with what was measured there, {_ANEW}."
)
_READING = "‹show›, ‹export› and other commands that only read go by the log."
_OWN_ENDS = (
    "Bounds are what can be set; what nature does stays as it was, and this law had its ends from the bounds. "
    "Write it so into the study file, then use ‹extend›."
)
_NARROWER = "Bounds can be widened, not narrowed: rounds were made within those of the log"
_WIDENED = "The study was widened since"


def problem_of(created: Created, place: str, events: list[Event]) -> Problem:
    """The problem that the log at a place has come to."""
    problem = first_problem(created, place)
    for event in events:
        if isinstance(event, BoundsExtended):
            problem = after(problem, event)
    return problem


def file_differences(logged: Any, said: Any, field: str) -> Iterator[Change]:
    """Differences of two plain forms; parts of lists are named where they have names.

    >>> list(file_differences({"a": [{"name": "ph", "low": 4}]}, {"a": [{"name": "ph", "low": 3}]}, "problem"))
    [('problem.a.ph.low', 4, 3)]
    """
    if (
        isinstance(logged, list)
        and isinstance(said, list)
        and _names(logged)
        and _names(logged) == _names(said)
    ):
        logged, said = ({part["name"]: part for part in parts} for parts in (logged, said))
    if isinstance(logged, Mapping) and isinstance(said, Mapping):
        for name in dict.fromkeys([*logged, *said]):
            yield from file_differences(
                logged.get(name, MISSING), said.get(name, MISSING), f"{field}.{name}"
            )
    elif logged != said:
        yield field, logged, said


def _names(parts: list[Any]) -> list[Any] | None:
    if not all(isinstance(part, Mapping) and "name" in part for part in parts):
        return None
    return [part["name"] for part in parts]


def wanted_bounds(logged: Problem, said: Problem) -> dict[str, tuple[Any, Any]]:
    """The bounds of a study file that are other than the log's, by variable."""
    both = [
        (logged.space[variable.name], variable)
        for variable in said.space
        if variable.name in logged.space
    ]
    found = {variable.name: (_ends(before), _ends(variable)) for before, variable in both}
    return {
        name: now
        for name, (before, now) in found.items()
        if before != now and None not in (*before, *now)
    }


def _ends(variable: Any) -> tuple[Any, Any]:
    return getattr(variable, "low", None), getattr(variable, "high", None)


def widening(logged: Problem, said: Problem) -> dict[str, tuple[Any, Any]]:
    """The bounds to widen, so that the log's problem becomes the file's.

    Raises:
        InvalidStudy: more is changed than that, or bounds are narrower: naming the field.
    """
    if (other := _other_variables(logged, said)) is not None:
        raise other
    bounds = wanted_bounds(logged, said)
    if not bounds:
        found = list(file_differences(to_dict(logged), to_dict(said), "problem"))
        if found:
            raise _changed(found)
        return {}
    if (narrower := _narrower(logged, said, bounds)) is not None:
        raise narrower
    try:
        wider = read_bounds(logged, bounds)
    except InvalidInput as error:
        raise error.moved(f"problem.variables.{error.field}", InvalidStudy) from None
    whole = extended(logged, wider)
    if ends := list(_without_ends(logged, whole, said, wider)):
        raise combine(ends)
    if found := list(file_differences(to_dict(whole), to_dict(said), "problem")):
        raise _changed(found)
    return wider


def _narrower(logged: Problem, said: Problem, names: Iterable[str]) -> InvalidStudy | None:
    """Error that names bounds that are narrower than the log's, and how to go on or begin anew; None where none are."""
    found = list[tuple[str, str, Any, Any]]()
    wanted = list[str]()
    for name in names:
        (low, high), (new_low, new_high) = _ends(logged.space[name]), _ends(said.space[name])
        ends = [("low", low, new_low)] * (new_low > low) + [("high", high, new_high)] * (
            new_high < high
        )
        found += [(name, *each) for each in ends]
        wanted += (
            [f"{', '.join(f'{end} = {json.dumps(old)}' for end, old, _ in ends)} for {name}"]
            if ends
            else []
        )
    if not found:
        return None
    (name, end, old, new), *others = found
    more = ", ".join(
        f"{name}.{end} ({number_text(new)}, and {number_text(old)} in the log)"
        for name, end, old, new in others
    )
    hint = (
        f"{_NARROWER}.{f' Narrower, too: {more}.' if more else ''} To go on with this log, write "
        f"{' and '.join(wanted)} into the study file. To begin a new study by this file with what was measured, "
        f"{_ANEW}. If it is the log of another study, name another one with --log."
    )
    allowed = f"at {'most' if end == 'low' else 'least'} {number_text(old)}, as in the log"
    return InvalidStudy(f"problem.variables.{name}.{end}", new, allowed, hint)


def _without_ends(
    logged: Problem, whole: Problem, said: Problem, names: Iterable[str]
) -> Iterator[InvalidStudy]:
    """Laws that would follow wider bounds, and how to write them so that they do not."""
    for name in names:
        before, after, now = (
            getattr(problem.space[name], "law", None) for problem in (logged, whole, said)
        )
        if now != after and now == before:
            yield InvalidStudy(
                f"problem.variables.{name}.law", to_dict(now), _law_text(to_dict(after)), _OWN_ENDS
            )


def _law_text(law: Mapping[str, Any]) -> str:
    """A law as a study file has it."""
    parts = sorted(
        ((field, value) for field, value in law.items() if value is not None),
        key=lambda x: x[0] != "kind",
    )
    return f"law = {{ {', '.join(f'{field} = {json.dumps(value)}' for field, value in parts)} }}"


def _widened_since(first: Problem, logged: Problem, said: Problem) -> str:
    """Advice on the bounds to write into a study file from before they were widened; empty where more is different.

    Args:
        first: the problem that the study began with.
        logged: the problem by now.
        said: the file's.
    """
    wanted, explained = list[str](), 0
    for name in said.space.names:
        if name not in logged.space.names or _ends(logged.space[name]) == _ends(first.space[name]):
            continue
        if type(said.space[name]) is not type(logged.space[name]):
            return ""
        own, now = (to_dict(problem.space[name]) for problem in (said, logged))
        found = list(file_differences(own, now, name))
        ends = {
            end: now[end]
            for end, wider in (
                ("low", now["low"] < own["low"]),
                ("high", now["high"] > own["high"]),
            )
            if wider and now[end] != _ends(first.space[name])[end == "high"]
        }
        of_law = [
            field
            for field, end, _ in found
            if field.startswith(f"{name}.law.") and end in (None, MISSING)
        ]
        explained += len(ends) + len(of_law)
        parts = [f"{end} = {json.dumps(value)}" for end, value in ends.items()]
        parts += [_law_text(now["law"])] if of_law else []
        wanted += [f"{', '.join(parts)} for {name}"] if parts else []
    everything = list(file_differences(to_dict(said), to_dict(logged), ""))
    return " and ".join(wanted) if explained == len(everything) else ""


def check_same(place: str, first: Problem, logged: Problem, said: Problem) -> None:
    """Refuse a study file with another problem than the log's.

    Args:
        place: of the log.
        first: the problem that the study began with.
        logged: the problem by now.
        said: the file's.

    Raises:
        InvalidStudy: naming the first field that is changed, and the remedy.
    """
    found = list(file_differences(to_dict(logged), to_dict(said), "problem"))
    if not found:
        return
    if wanted := _widened_since(first, logged, said):
        field, before, now = found[0]
        hint = f"{_WIDENED}: write {wanted} into the study file. {_READING}"
        raise InvalidStudy(f"{place}: {field}", now, f"{show_plain(before)}, as in the log", hint)
    try:
        bounds = widening(logged, said)
    except InvalidStudy as error:
        if error.field == "problem.variables" or any(
            said in error._hint for said in (ANOTHER, _NARROWER, _OWN_ENDS)
        ):
            raise combine(each.moved(f"{place}: {each.field}") for each in error.errors) from None
        raise InvalidStudy(
            f"{place}: {error.field}", error.value, error.allowed, f"{error.hint} {ANOTHER}"
        ) from None
    names = " and ".join(f"problem.variables.{name}" for name in bounds)
    field, before, now = found[0]
    hint = f"The bounds of {names} are wider in the study file: to go on with them, use ‹extend›."
    raise InvalidStudy(f"{place}: {field}", now, f"{show_plain(before)}, as in the log", hint)


def _other_variables(logged: Problem, said: Problem) -> InvalidStudy | None:
    """Error that names variables that are new, missing or in another order; None where they are the same."""
    before, now = list(logged.space.names), list(said.space.names)
    new, gone = (
        [n for n in some if n not in others] for some, others in ((now, before), (before, now))
    )
    wanted = f"{', '.join(before)}, as in the log"
    if not new and not gone:
        return (
            None
            if now == before
            else InvalidStudy("problem.variables", now, wanted, "Write them in this order.")
        )
    changes = [
        f"variable{'s' * (len(names) > 1)} {', '.join(names)} {'are' if len(names) > 1 else 'is'} {how}"
        for names, how in ((new, "new"), (gone, "missing"))
        if names
    ]
    fill = (
        f" Before the import, give the table a column {' and a column '.join(new)}." if new else ""
    )
    hint = (
        f"The {' and the '.join(changes)}: a study keeps its variables, and their names. To begin a new study with "
        f"what was measured, {_ANEW}.{fill}"
    )
    return InvalidStudy("problem.variables", now, wanted, hint)


def _changed(found: list[Change]) -> InvalidStudy:
    field, before, now = found[0]
    more = (
        f" Changed, too: {', '.join(name for name, _, _ in found[1:4])}." if len(found) > 1 else ""
    )
    allowed = f"{show_plain(before)}, as in the log"
    return InvalidStudy(field, now, allowed, ANOTHER + more)


def adopt(study: Study, specification: StudyFile, observer: Observer, *, meant: bool) -> None:
    """Go by the limits and headers of a study file from here on, for all workers on the log.

    Args:
        study: the study of the log.
        specification: the contents of the file.
        observer: is told of every change.
        meant: whether it was said that this is no older file.

    Raises:
        InvalidStudy: a limit is raised to its value before it was lowered.
    """
    changes, before = _differing(study, specification), standing(study.history)
    if not meant:
        _check_older(study, specification)
    study.revise(**changes)
    for name, value in changes.items():
        if name != "columns":
            observer.say(
                f"{limit_text(name, value)} from here on, as {specification.path.name} says; {_was(before, name)}"
            )


def _check_older(study: BaseStudy, specification: StudyFile) -> None:
    """Refuse limits that were lowered since.

    Raises:
        InvalidStudy: naming the first of them.
    """
    before = standing(study.history)
    for name, value in _differing(study, specification).items():
        if name != "columns" and (when := overruled_settings(study.history, name, value)):
            since = f"{limit_text(name, before[name])}, as the log says since {when}, when it was lowered"
            hint = "Is this an older study file? If it is meant, use ‹extend›."
            raise InvalidStudy(f"{specification.path.name}: study.{name}", value, since, hint)


def compare(specification: StudyFile, log: EventLog, observer: Observer) -> bool:
    """Compare a study file with its log, as `resume` does, and change neither; whether a study is in the log.

    The observer is told of findings about the study, too.

    Args:
        specification: the contents of the study file.
        log: where the events are.
        observer: is told of limits that differ, which the next ask or run will go by.

    Raises:
        InvalidStudy: the log belongs to another study, or is damaged.
    """
    if not (events := log.read()):
        return False
    study, _ = _replayed(specification, log, events, observer)
    _check_older(study, specification)
    mention(study, specification, observer)
    for found in study.status.findings:
        observer.say(str(found))
    return True


def mention(study: BaseStudy, specification: StudyFile, observer: Observer) -> None:
    """Name the limits of the file that differ from the log's."""
    before = standing(study.history)
    for name, value in _differing(study, specification).items():
        if name != "columns":
            said = f"{specification.path.name} says {limit_text(name, value)}, which the next ask or run will go by"
            observer.say(f"{said}; {_was(before, name)}")


def _differing(study: BaseStudy, specification: StudyFile) -> dict[str, Any]:
    settings, logged = specification.settings, standing(study.history)
    said: dict[str, Any] = {
        name: getattr(settings, name) for name in ("budget", "columns", "rounds", "stop")
    }
    return {name: value for name, value in said.items() if value != logged[name]}


def _was(before: dict[str, Any], name: str) -> str:
    return f"the log had {limit_text(name, before[name])}"


def resume(
    specification: StudyFile,
    log: EventLog,
    observer: Observer,
    *,
    begin: bool = True,
    extend: bool = False,
    adopt_limits: bool = True,
    tolerated: Tolerated = "nothing",
    **worker: Any,
) -> Study:
    """The study that the log's events lead to; a new one where it is empty. The log is closed where this fails.

    Budget and rounds are the study file's from here on, which is logged, so that raising them
    continues a finished study. A limit that was lowered is only raised again to its old value where
    `extend` says that it is meant.

    Args:
        specification: the contents of the study file.
        log: where the events are.
        observer: is told of warnings.
        begin: whether a new one may begin.
        extend: widen the bounds of variables to those of the study file, where these are wider.
        adopt_limits: whether to go by the limits of the study file; else they are mentioned where
            they differ.
        tolerated: differences with which the study is opened as the log says, and which are
            mentioned.
        worker: holder, lease, clock and wait; see `Study`.

    Raises:
        InvalidStudy: the log belongs to another study, is damaged, or is empty and may not be.
    """
    try:
        check_options(worker)
        study, same = _resumed(specification, log, observer, begin, extend, tolerated, worker)
        study.missing = specification.settings.missing
        if extend and (bounds := widening(study.problem, specification.problem)):
            study.extend(bounds)
            for name, (low, high) in bounds.items():
                observer.say(
                    f"{name} can be set from {number_text(low)} to {number_text(high)} now"
                )
        if adopt_limits:
            adopt(study, specification, observer, meant=extend)
        elif same:
            mention(study, specification, observer)
        return study
    except BaseException:
        log.close()
        raise


def _resumed(  # noqa: PLR0917
    specification: StudyFile,
    log: EventLog,
    observer: Observer,
    begin: bool,
    extend: bool,
    tolerated: Tolerated,
    worker: dict[str, Any],
) -> tuple[Study, bool]:
    """The study, and whether the file is the log's."""
    fresh = specification.optimizer()
    wanted = fresh.events[0]
    assert isinstance(wanted, Created)
    events = log.read()
    if not events:
        if not begin:
            raise InvalidStudy("log", log.place, "a log with a study in it", "‹new› makes one.")
        try:
            log.append(wanted)
            return Study(log, fresh, say=observer.say, **worker), True
        except LogConflict:  # another run has just begun it
            events = log.read()
    optimizer, same = _replayed(specification, log, events, observer, extend, tolerated)
    study = Study(log, optimizer, say=observer.say, **worker)
    study.session.settle()
    return study, same


def _replayed(  # noqa: PLR0917
    specification: StudyFile,
    log: EventLog,
    events: list[Event],
    observer: Observer,
    extend: bool = False,
    tolerated: Tolerated = "nothing",
) -> tuple[Optimizer, bool]:
    """The optimizer that the events of a log lead to, and whether they are of the file's study or only tolerated."""
    created, wanted = events[0], specification.optimizer().events[0]
    assert isinstance(wanted, Created)
    if not isinstance(created, Created):
        raise InvalidStudy(f"{log.place}: event 1", created, "a 'created' event")
    same = True
    try:
        _check_same_study(log.place, specification.problem, created, wanted, specification.settings)
        if not extend:
            problems = first_problem(created, log.place), problem_of(created, log.place, events)
            check_same(log.place, *problems, specification.problem)
    except SteerboError as error:
        if not (
            tolerated == "any"
            or (tolerated == "widened" and _WIDENED in getattr(error, "_hint", ""))
        ):
            raise
        same = False
        observer.say(
            f"{specification.path.name} differs from its log, and the log counts here: {error.worded(SHELL)}"
        )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        optimizer = replay(log.place, events, None)
    if same:
        _say_what_is_kept(specification.problem, created, wanted, observer)
    for warning in caught:
        observer.say(str(warning.message))
    return optimizer, same


def _check_same_study(
    place: str, problem: Problem, created: Created, wanted: Created, said: Settings
) -> None:
    """Refuse differing settings; a method or option left out of the file is the log's."""
    logged_options, options = (
        {k: v for k, v in c.options.items() if k in said.options} for c in (created, wanted)
    )
    compared: list[tuple[str, Any, Any]] = [("seed", created.seed, wanted.seed)]
    if said.method is not None or said.options:
        logged = name_of(find_method(problem, created.method))
        compared[:0] = [("method", logged, wanted.method), ("options", logged_options, options)]
    for name, logged, asked in compared:
        if logged != asked:
            raise InvalidStudy(
                f"{place}: {name}", asked, f"{show_plain(logged)}, as in the log", ANOTHER
            )


def _say_what_is_kept(
    problem: Problem, created: Created, wanted: Created, observer: Observer
) -> None:
    """A default may have changed since the study began: it goes on as it began."""
    method = find_method(problem, created.method)
    began = {"method": name_of(method), **created.options}
    now = {"method": wanted.method, **wanted.options}
    kept = [f"{name} = {value!r}" for name, value in began.items() if now.get(name) != value]
    if kept:
        observer.say(
            f"as this study began, since its file does not say otherwise: {', '.join(kept)}"
        )
