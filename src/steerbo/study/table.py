"""A study as a table that people fill in: outcomes from CSV, rounds to CSV."""

from __future__ import annotations

import csv
import io
import json
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Literal

from ..errors import InvalidOutcome, OutOfRangeWarning, SteerboError, one_of
from ..record import record, to_plain
from ..rounds import Added, Event, Problem, Round, Suggestion
from ..space import Categorical
from ..text import to_cell, visible
from ..typed import read_choice, read_value
from ..words import SHELL
from .columns import column, columns_of
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
    names = columns_of(problem)
    if problem.priced and "scope" not in names:
        names = (*names, "scope")
    labels = {name: ((headers or {}).get(name, name), name) for name in names}
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
    is. What `steerbo export` and `ask --csv` write is read back, and a file that is imported again changes nothing.
    Where a column `scope` names the control set of a line without a token ("ph + temperature"), its cost teaches what
    a play of it costs.

    Args:
        study: takes the outcomes.
        text: the table.
        headers: see `read_results`.
        charge: whether the costs of lines without a token are charged to the budget.

    Raises:
        InvalidOutcome: it is no table, has no `value`, or a column twice.
    """
    return take(study, read_results(study.problem, text, headers), charge)


def take(study: Study, sheet: Sheet, charge: bool = False) -> list[Line]:
    """The same with a table that was read."""
    study.refresh()
    first = Counter(_key(event.outcome) for event in study.events if isinstance(event, Added))
    there = first | Counter(map(_key, study.history.added))  # also what was amended since: it is not added again
    return [_doubted(lambda row=row: _take(study, sheet, row, there, charge)) for row in sheet.rows]  # type: ignore[misc]


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


def _take(study: Study, sheet: Sheet, row: Row, there: Counter[str], charge: bool) -> Line:
    if row.width > sheet.width:
        hint = " Does a decimal comma stand in a table separated by commas?" if not sheet.local else ""
        return Line(row.number, "refused", f"it has {row.width} cells, and the first line {sheet.width}.{hint}")
    try:
        told = _read(study.problem, sheet, row)
        if "token" in row.cells:
            return _tell(study, row.number, row.cells["token"], told)
        if told.value is None and not told.realised and told.cost is None:
            return Line(row.number, "left", "it has neither a token nor a value")
        if told.state in _NO_OUTCOME:
            return Line(row.number, "left", f"its state is {told.state!r}, so there is nothing to learn from it")
        if told.state not in _OUTCOME:
            raise InvalidOutcome("state", told.state, one_of([*_OUTCOME[1:], *_NO_OUTCOME], told.state))
        same = _key(study.problem.read_added(told.value, told.cost, told.realised))
        if there[same] > 0:
            there[same] -= 1
            return Line(row.number, "taken", "added (it was there already)")
        scope = [name.strip() for name in row.cells["scope"].split("+")] if _names_scope(study, row) else None
        study.add(told.value, told.realised, cost=told.cost, scope=scope, charge=charge and told.cost is not None)
        return Line(row.number, "taken", f"added as {study.history.latest_data}")
    except SteerboError as error:
        return Line(row.number, "refused", error.worded(SHELL))


_OUTCOME = ("", "open", "told", "added")
"""States of a line without a token whose value is data."""
_NO_OUTCOME = ("failed", "void", "abandoned")
"""States of a line without a token that has none: a round of elsewhere, which cannot be failed here."""


def _names_scope(study: Study, row: Row) -> bool:
    return "scope" in row.cells and "scope" not in study.problem.columns


@record
class _Told:
    """What a line says."""

    state: str
    reason: str
    value: Any
    cost: Any
    realised: dict[str, Any]


def _read(problem: Problem, sheet: Sheet, row: Row) -> _Told:
    def number(name: str, label: str) -> Any:
        return read_value(sheet.number(label, row.cells[name])) if name in row.cells else None

    realised, variables = {}, {variable.name: variable for variable in problem.space}
    for name in problem.columns:
        if (label := column(name)) in row.cells:
            variable = variables.get(name)
            choice = read_choice(variable.choices, row.cells[label]) if isinstance(variable, Categorical) else None
            if not isinstance(variable, Categorical) or choice not in variable.choices:
                choice = problem.read_cell(name, sheet.number(label, row.cells[label]))
            realised[name] = choice
    state = row.cells.get("state", "").casefold()
    return _Told(state, row.cells.get("reason", ""), number("value", "value"), number("cost", "cost"), realised)


def _tell(study: Study, number: int, token: str, told: _Told) -> Line:
    """A line about a round: what the round then is, it may be already."""
    before = study.history[token]
    logged = {name for name in before.request if name not in study.problem.space}  # of a round, such as its time
    realised = {name: value for name, value in told.realised.items() if name not in logged}
    if (
        told.state == before.state in ("failed", "abandoned", "void")
        and told.value == _value(before)
        and (told.cost in (None, before.paid))
    ):
        return Line(number, "taken", f"round {before.number} ({before.state}: it was there already)")
    if told.value is not None and told.state == "failed":
        raise InvalidOutcome("value", told.value, "no value where the state is 'failed'", "Correct one of them.")
    if told.value is not None:
        study.tell(token, told.value, cost=told.cost, realised=realised)
    elif told.state in ("failed", "void"):
        study.fail(token, told.reason, cost=told.cost, realised=realised)
    elif told.state == "abandoned":
        study.abandon(token, told.reason, charge=told.cost)
    else:
        hint = "" if before.waiting else f", and the round is {before.state}"
        return Line(number, "left", f"round {before.number} has no value here{hint}")
    if told.state == "void":
        study.amend(token, void=True, reason=told.reason)
    known = before.state == "told" and told.state != "void"
    return Line(number, "taken", f"round {before.number}" + (" (it was there already)" if known else ""))


def _value(played: Round) -> Any:
    return played.outcome.value if played.outcome else None


def _key(outcome: Any) -> str:
    return json.dumps(to_plain(outcome), sort_keys=True)


def rounds_csv(problem: Problem, rounds: Iterable[Round]) -> str:
    """All that is known of rounds, one line each; `import_csv` reads it back."""
    return _csv(problem, map(_played, rounds))


def suggestions_csv(problem: Problem, suggestions: Iterable[Suggestion]) -> str:
    """What to set, one line a suggestion, with room for value and cost."""
    return _csv(problem, map(_asked, suggestions))


def _asked(suggestion: Suggestion) -> dict[str, Any]:
    named = {"token": suggestion.token, "round": suggestion.round, "state": "open"}
    return {**named, **_by_column({**suggestion.context, **suggestion.values})}


def _played(played: Round) -> dict[str, Any]:
    result = {"state": played.state, "value": _value(played), "cost": played.paid}
    result["reason"] = played.failure.reason if played.failure else None
    return {**_asked(played.suggestion), **_by_column({**played.request, **played.realised}), **result}


def _by_column(values: Mapping[str, Any]) -> dict[str, Any]:
    return {column(name): value for name, value in values.items()}


def _csv(problem: Problem, rows: Iterable[Mapping[str, Any]]) -> str:
    written = io.StringIO()
    names = columns_of(problem)
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(map(_cell, names))
    writer.writerows([_cell(row.get(name, "")) for name in names] for row in rows)
    return written.getvalue()


def _cell(value: Any) -> Any:
    """Tables and lists as JSON, texts so that a spreadsheet takes none for a formula; numbers stay numbers."""
    if isinstance(value, dict | list):
        return json.dumps(value)
    return to_cell(visible(value)) if isinstance(value, str) else value


def events_jsonl(events: Iterable[Event]) -> str:
    """Every event, one JSON object a line."""
    return "".join(json.dumps(to_plain(event, Event), allow_nan=False) + "\n" for event in events)
