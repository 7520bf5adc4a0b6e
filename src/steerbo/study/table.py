"""A table that people filled in, or that `export` wrote: line by line into the study."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Literal

from ..errors import InvalidOutcome, OutOfRangeWarning, SteerboError, UnknownSuggestion, one_of
from ..record import record
from ..rounds import SEEN, Outcome, Problem, Round, Scope, as_text
from ..space import Categorical
from ..typed import read_choice, read_value
from ..words import SHELL
from .columns import column, columns_of
from .export import read_scope
from .known import KnownData
from .sheet import Row, Sheet, read_sheet
from .study import Study


@record
class Line:
    """What became of a line of a file: `taken`, `left` (there is no outcome in it yet) or `refused`, and why."""

    number: int
    fate: Literal["taken", "left", "refused"]
    message: str

    @property
    def taken(self) -> bool:
        """Whether all that it says is in the study."""
        return self.fate == "taken"

    def __str__(self) -> str:
        return f"line {self.number}: {self.fate}, {self.message}"


def read_results(problem: Problem, text: str, headers: Mapping[str, str] | None = None) -> Sheet:
    """A table of outcomes, with its columns found.

    Args:
        problem: whose outcomes.
        text: the table in CSV; see `read_sheet` for what that may be.
        headers: how the table heads columns, by their own names; those names do, too.

    Raises:
        InvalidOutcome: it is no table, has no `value`, or a column twice.
    """
    labels = {name: ((headers or {}).get(name, name), name) for name in columns_of(problem)}
    sheet = read_sheet(text, labels)
    if "value" not in sheet.columns:
        missing = " or ".join(dict.fromkeys(f"{label!r}" for label in labels["value"]))
        close = get_close_matches("value", sheet.ignored, n=1)
        hint = f"Is it {close[0]!r}? Say so in the study file: [study.columns] value = {close[0]!r}." if close else ""
        raise InvalidOutcome("line 1", list(sheet.ignored), f"a column {missing}", hint)
    return sheet


def ignored(problem: Problem, sheet: Sheet) -> list[str]:
    """In words, which columns of a table are not read; what may be mistyped says so."""
    missing = [name for name in columns_of(problem) if name not in sheet.columns]
    said = []
    for header in sheet.ignored:
        close = get_close_matches(header.casefold(), missing, n=1)
        said.append(repr(header) + (f" (did you mean {close[0]!r}?)" if close else ""))
    return said


def import_csv(study: Study, text: str, headers: Mapping[str, str] | None = None, charge: bool = False) -> list[Line]:
    """Take outcomes from a table, line by line; each is taken, left or refused for a reason, and the others go on.

    Columns: `token`, `value`, `cost`, and what was measured, by variable (see `column`); of a mean-field problem
    `distribution`, in JSON. A line with a token tells its round, one without adds data that nobody suggested. `state`
    may say that a round failed (with its `reason`), is abandoned or void; a round without a value is else left as it
    is, or decided where the line has what was to be looked at. What `steerbo export` and `ask --csv` write is read
    back, and a file that is imported again changes nothing; lines that say more than before complete what is there.
    Where a column `scope` names the control set of a line without a token ("ph + temperature"), its cost teaches what
    a play of it costs. `charged` is read of rounds that failed, or are abandoned, at a cost that nobody knows.

    Args:
        study: takes the outcomes.
        text: the table.
        headers: see `read_results`.
        charge: whether the costs of lines without a token are charged to the budget, also of those that are known.

    Raises:
        InvalidOutcome: it is no table, has no `value`, or a column twice.
    """
    return take(study, read_results(study.problem, text, headers), charge)


def take(study: Study, sheet: Sheet, charge: bool = False) -> list[Line]:
    """The same with a table that was read. In the end all that was added is learned from, and that is logged."""
    study.refresh()
    known, before = KnownData(study), len(study.history.data)
    lines = [_doubted(lambda row=row: _take(study, sheet, row, known, charge)) for row in sheet.rows]  # type: ignore[misc]
    if len(study.history.data) > before:
        study.writer.logged(study.optimizer.refit)
    return lines


def _doubted(take: Callable[[], Line]) -> Line:
    """What became of a line, with what is hard to believe in it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OutOfRangeWarning)
        line = take()
    for warning in caught:
        if not isinstance(warning.message, OutOfRangeWarning):
            warnings.warn(warning.message, stacklevel=3)
    doubts = [str(warning.message) for warning in caught if isinstance(warning.message, OutOfRangeWarning)]
    return replace(line, message="; ".join([line.message, *doubts]))


def _take(study: Study, sheet: Sheet, row: Row, known: KnownData, charge: bool) -> Line:
    if row.width > sheet.width:
        hint = " Does a decimal comma stand in a table separated by commas?" if not sheet.local else ""
        return Line(row.number, "refused", f"it has {row.width} cells, and the first line {sheet.width}.{hint}")
    try:
        told = _read(study.problem, sheet, row)
        token = row.cells.get("token", "")
        if token and not known.has(token):
            return _tell(study, row.number, token, told)
        return _learn(known, row.number, token, told, charge)
    except UnknownSuggestion as error:
        return Line(row.number, "refused", f"{error.worded(SHELL)}. {_ELSEWHERE}")
    except SteerboError as error:
        return Line(row.number, "refused", error.worded(SHELL))


_ELSEWHERE = "If the table is another study's, empty its column token: its outcomes are then added as data."
_OUTCOME = ("", "open", "told", "added")
"""States of a line without a token whose value is data."""
_NO_OUTCOME = ("failed", "void", "abandoned")
"""States of a line without a token that has none: a round of elsewhere, which cannot be failed here."""


def _learn(known: KnownData, number: int, name: str, told: _Told, charge: bool) -> Line:
    """A line of data that nobody suggested: new, or there already, of this name where it has one."""
    study = known.study
    if told.value is None and not told.realised and told.cost is None:
        return Line(number, "left", "it has neither a token nor a value")
    if told.state in _NO_OUTCOME and not name:
        return Line(number, "left", f"its state is {told.state!r}, so there is nothing to learn from it")
    allowed = [*_OUTCOME, "void"] if name else [*_OUTCOME, *_NO_OUTCOME]
    if told.state not in allowed:
        raise InvalidOutcome("state", told.state, one_of(allowed[1:], told.state))
    outcome: Outcome = study.problem.read_added(told.value, told.cost, told.realised)
    scope: Scope | None = study.problem.read_scope(told.scope) if told.scope else None
    if there := known.find(outcome, scope, name):
        if told.state == "void" and there in study.history.data:
            study.amend(there, void=True, reason=told.reason)
            return Line(number, "taken", f"{there} is void now")
        return Line(number, "taken", known.complete(there, outcome, scope, charge))
    if name:
        hint = f"To correct it, use ‹amend›. {_ELSEWHERE}"
        raise InvalidOutcome("value", told.value, f"what {name} is known to be", hint)
    twin = known.alike(outcome)
    study.add(told.value, told.realised, cost=told.cost, scope=scope, charge=charge and told.cost is not None)
    name = study.history.latest_data
    said = f"added as {name}" + (", and charged" if study.history.data[name].charge else "")
    return Line(
        number, "taken", said + (f"; {twin} is the same at another cost: void one if they are one" * bool(twin))
    )


@record
class _Told:
    """What a line says."""

    state: str
    reason: str
    value: Any
    cost: Any
    charged: Any
    scope: list[str]
    realised: dict[str, Any]


def _read(problem: Problem, sheet: Sheet, row: Row) -> _Told:
    def number(name: str) -> Any:
        return read_value(sheet.number(name, row.cells[name])) if name in row.cells else None

    realised, variables = {}, {variable.name: variable for variable in problem.space}
    for name in problem.columns:
        if (label := column(name)) in row.cells:
            variable = variables.get(name)
            choice = read_choice(variable.choices, row.cells[label]) if isinstance(variable, Categorical) else None
            if not isinstance(variable, Categorical) or choice not in variable.choices:
                choice = problem.read_cell(name, sheet.number(label, row.cells[label]))
            realised[name] = choice
    state = row.cells.get("state", "").casefold()
    scope = read_scope(row.cells["scope"]) if "scope" in row.cells else []
    reason = row.cells.get("reason", "")
    return _Told(state, reason, number("value"), number("cost"), number("charged"), scope, realised)


def _tell(study: Study, number: int, token: str, told: _Told) -> Line:
    """A line about a round: what the round then is, it may be already."""
    before = study.history[token]
    said = before.request.keys() - {SEEN.name}  # of a round, such as its time; a context is among what happened
    logged = {name for name in said if name not in study.problem.space}
    realised = {name: value for name, value in told.realised.items() if name not in logged}
    if before.suggestion.observe and told.value is None and told.state in ("", "open"):
        return _look(study, number, before, realised)
    same = told.value == _value(before) and told.cost in (None, before.paid)
    if same and told.state == before.state in ("abandoned", "void") and told.charged in (None, before.charged):
        return Line(number, "taken", f"round {before.number} ({before.state}: it was there already)")
    if told.value is not None:
        _tell_value(study, before, told, realised)
    elif told.state in ("failed", "void"):
        charge = told.charged if told.cost is None else None
        study.fail(token, told.reason, cost=told.cost, charge=charge, realised=realised)
    elif told.state == "abandoned":
        study.abandon(token, told.reason, charge=told.cost if told.charged is None else told.charged)
    else:
        hint = "" if before.waiting else f", and the round is {before.state}"
        return Line(number, "left", f"round {before.number} has no value here{hint}")
    if told.state == "void":
        study.amend(token, void=True, reason=told.reason)
    known = before.state == study.history[token].state
    there = "it was there already" if known and before.state == "told" else f"{before.state}: it was there already"
    return Line(number, "taken", f"round {before.number}" + (f" ({there})" if known else ""))


def _tell_value(study: Study, before: Round, told: _Told, realised: dict[str, Any]) -> None:
    if told.state == "failed":
        raise InvalidOutcome("value", told.value, "no value where the state is 'failed'", "Correct one of them.")
    if before.waiting and told.charged not in (None, told.cost):
        raise InvalidOutcome("charged", told.charged, "the cost, or nothing: what an outcome cost is charged")
    study.tell(before.suggestion.token, told.value, cost=told.cost, realised=realised)


def _look(study: Study, number: int, before: Round, realised: dict[str, Any]) -> Line:
    """A line about a round in which something is looked at before the rest is set."""
    observe = before.suggestion.observe
    if missing := [name for name in observe if name not in realised]:
        hint = f"it is not decided: fill in {', '.join(missing)}, and import it again"
        return Line(number, "left", f"round {before.number} has no value here; {hint}")
    decided = study.decide(before.suggestion.token, {name: realised[name] for name in observe})
    new = {name: value for name, value in decided.values.items() if name not in before.suggestion.values}
    then = f", then look at {', '.join(decided.observe)}" if decided.observe else ""
    return Line(number, "taken", f"round {before.number} is decided: set {as_text(new)}{then}")


def _value(played: Round) -> Any:
    return played.outcome.value if played.outcome else None
