"""Events of a log that comes from outside, read by the problem as its doors read them.

A log may have been edited, or merged by another program. A text where a number is wanted would
fail in a model, many events later and in words that help nobody: it is named here, by event and
field. There is no second parser: values that a door's reader refuses are refused, and values that
it would have filled in, or written otherwise, are missing or of another form. Numbers out of range
are no matter of this: a door may have taken them before bounds changed, and codes for missing
values are left out (`_codes`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from .._parsing import is_number
from .._wording import MISSING
from ..errors import InvalidInput, InvalidOutcome, InvalidStudy, one_of
from ..records import from_dict, of_checked, with_checked
from ..space import Categorical
from ._context import TIME
from ._history import History, Round
from ._method import Method
from ._problem import Problem
from ._stopping import read_revision, standing
from .answers import Scope, Suggestion
from .events import (
    Amended,
    Asked,
    DataAdded,
    Decided,
    Event,
    Failed,
    LimitsRevised,
    Outcome,
    OutcomeTold,
)
from .request import finite

T = TypeVar("T")
_HINT = (
    "The log was changed by hand, or by another program: put this back as it was, or use a backup."
)


def check_logged(method: Method[Any, Any], event: Event, place: str) -> None:
    """Read the values of an event that is to be applied to the history of a study.

    Args:
        method: of the study before the event; it reads scopes and notes of suggestions.
        event: of a log.
        place: of the event, for messages.

    Raises:
        InvalidStudy: naming the field that is no number where one is wanted, no choice, or missing.
    """
    problem, history = method.problem, method.history
    if isinstance(event, Asked):
        _read_asked(method, event, place)
    elif isinstance(event, Decided):
        before = history[event.token].suggestion
        decided = with_checked(
            before,
            context=event.context,
            values=event.values,
            observe=event.observe,
            note=event.note,
        )
        _read_choice(method, decided, before.values, place)
    elif isinstance(event, OutcomeTold):
        _read_outcome(problem, history.round_of(event.token), event.outcome, None, place)
    elif isinstance(event, Failed):
        _read_failed(problem, history, event, place)
    elif isinstance(event, DataAdded):
        _read_outcome(problem, None, event.outcome, event.scope, place)
    elif isinstance(event, Amended) and event.outcome is not None:
        _read_outcome(problem, history.round_of(event.token), event.outcome, event.scope, place)
    elif isinstance(event, Amended) and event.failure is not None:
        _read_failed(problem, history, event.failure, f"{place}.failure")
    elif isinstance(event, LimitsRevised):
        with _naming(f"{place}.changes"):
            now = standing(history)
            for name, (before, _) in event.changes.items():
                if name in now and before != now[name]:
                    raise InvalidStudy(name, before, f"{now[name]}, which it was before")
            given = {name: after for name, (_, after) in event.changes.items()}
            read_revision(history, given, type(method))


class _naming:  # noqa: N801
    """Context in which a refused value is named by its place in the log; a generator's takes three times as long."""

    def __init__(self, place: str) -> None:
        self.place = place

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, InvalidInput):
            wrong = error.errors[0]
            field = wrong.field.removeprefix("realised.")
            raise InvalidStudy(f"{self.place}.{field}", wrong.value, wrong.allowed, _HINT) from None


def _read_asked(method: Method[Any, Any], event: Asked, place: str) -> None:
    problem, history = method.problem, method.history
    with _naming(place):
        if history.round_of(event.token) is not None:
            raise InvalidStudy("token", event.token, "the token of no round before")
        if event.round != history.next_round:
            raise InvalidStudy("round", event.round, f"{history.next_round}, the next round")
    request = event.request
    with _naming(f"{place}.request"):
        if TIME.name in request:
            _no_list(TIME.name, request[TIME.name])
            finite(TIME.name, request[TIME.name])
        elif problem.timed:
            raise InvalidStudy(TIME.name, MISSING, "the time of the round")
        seen = request.get("context", {})
        if not isinstance(seen, Mapping):
            raise InvalidStudy("context", seen, "values by name")
        # a play of one's own has the values that were looked at here, too
        own = bool(event.note.get("own"))
        if own or problem.space.seen:
            read = problem.read_seen if own else problem.read_context
            _whatever_range(problem, read, seen)
    asked = of_checked(
        Suggestion,
        token=event.token,
        round=event.round,
        scope=event.scope,
        values=event.values,
        observe=event.observe,
        context=seen,
        note=event.note,
        change_cost=event.change_cost,
        warnings=(),
        shown={},
        limits=event.limits,
    )
    _read_choice(method, asked, {}, place)


def _read_choice(
    method: Method[Any, Any],
    asked: Suggestion,
    before: Mapping[str, Any],
    place: str,
) -> None:
    """Read a suggestion's settings beside those set `before`, its looks and its reasons, as answers will."""
    problem = method.problem
    with _naming(f"{place}.values"):
        if method.complete and not asked.observe:
            for name in asked.scope.set:
                if name not in asked.values and name not in before:
                    raise InvalidStudy(name, MISSING, "a value: its scope sets it")
        known = {**asked.values, **asked.context}

        def read(told: Mapping[str, Any]) -> Mapping[str, Any]:
            if told is known:
                return problem.read_realised(asked, {}, needed=False)
            values = {name: x for name, x in told.items() if name in asked.values}
            seen = {name: x for name, x in told.items() if name in asked.context}
            chosen = with_checked(asked, values=values, context=seen)
            return problem.read_realised(chosen, {}, needed=False)

        if known:
            _same_form("", _whatever_range(problem, read, known), known, filled=False)
    with _naming(place):
        for name in asked.observe:
            if name not in problem.space:
                raise InvalidStudy("observe", name, one_of(problem.space.names, name))
        method.read_logged(asked)


def _read_failed(problem: Problem, history: History, event: Failed, place: str) -> None:
    asked = history[event.token].suggestion

    def read(told: Mapping[str, Any]) -> Mapping[str, Any]:
        return problem.read_realised(asked, told, needed=False)

    with _naming(f"{place}.realised"):
        found = _whatever_range(problem, read, event.realised)
        _same_form("", found, event.realised, filled=True)


def _read_outcome(
    problem: Problem, played: Round | None, outcome: Outcome, scope: Scope | None, place: str
) -> None:
    def read(told: Mapping[str, Any]) -> Outcome:
        named = told["value"], told["cost"], told["realised"]
        if played is None:
            return problem.read_added(*named)
        return problem.read_outcome(played.suggestion, *named)

    with _naming(f"{place}.outcome"):
        told = {"value": outcome.value, "cost": outcome.cost, "realised": outcome.realised}
        found = _whatever_range(problem, read, told)
        _same_form("value", found.value, outcome.value, filled=True)
        _same_form("realised", found.realised, outcome.realised, filled=True)
    if scope is not None:
        with _naming(place):
            if scope != problem.read_scope(None):
                problem.read_scope(scope)
            problem.check_data(outcome, scope)


def _no_list(name: str, value: Any) -> None:
    """Refuse a list, which doors take for the number in it, and models do not."""
    if isinstance(value, list):
        raise InvalidOutcome(name, value, "a number, or a choice")


def _whatever_range(
    problem: Problem, read: Callable[[Mapping[str, Any]], T], told: Mapping[str, Any]
) -> T:
    """Read a report; a number that is refused as out of range is read as if it were another one."""
    replaced = set[str]()
    while True:
        try:
            return read(told)
        except InvalidInput as error:
            wrong = error.errors[0]
            out: Any = wrong.value
            if wrong.field in replaced or not is_number(out):
                raise
            replaced.add(wrong.field)
            name = wrong.field.removeprefix("realised.").removeprefix("context.")
            number = 0.0
            if name in problem.space:
                variable = problem.space[name]
                if isinstance(variable, Categorical) or (variable.scale == "log" and out <= 0):
                    raise
                number = variable.decode([0.5])[0]
            told = _with_number(told, name.split("."), number)


def _with_number(told: Any, path: list[str], number: float) -> Any:
    """Copy of values in which the number at a path, or among the realised values there, is another one."""
    if not path:
        return number if is_number(told) else told
    if not isinstance(told, Mapping):
        return told
    name, rest = path[0], path[1:]
    if (whole := ".".join(path)) in told:  # a name may have dots
        name, rest = whole, []
    elif name not in told and isinstance(told.get("realised"), Mapping):
        name, rest = "realised", path
    return {**told, name: _with_number(told[name], rest, number)} if name in told else told


def _same_form(field: str, read: Any, logged: Any, *, filled: bool) -> None:
    """Refuse a field that a reader would have written in another form, or, if `filled`, filled in."""
    if read == logged:  # nearly always
        return
    if isinstance(read, Mapping) and isinstance(logged, Mapping):
        for name, value in read.items():
            part = f"{field}.{name}" if field else str(name)
            if name in logged:
                _same_form(part, value, logged[name], filled=filled)
            elif filled:
                raise InvalidStudy(part, MISSING, "a value: it was logged with the others")
    elif not (is_number(read) and is_number(logged)) and type(read) is not type(logged):
        words = "values by name" if isinstance(read, Mapping) else "a number, or a choice"
        raise InvalidStudy(field, logged, words)


def read_note(kind: type[T], note: Mapping[str, Any]) -> T:
    """Read those parts of the note of a suggestion that a record has.

    Raises:
        InvalidStudy: naming the part that is none.
    """
    names = [each for each in kind.__dataclass_fields__ if each in note]  # type: ignore[attr-defined]
    found: T = from_dict(kind, {name: note[name] for name in names}, "note", InvalidStudy)
    return found
