"""A study as a table that people fill in: outcomes from CSV, rounds to CSV."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import InvalidOutcome, SteerboError, one_of
from ..optimizer import Problem, Round, Suggestion
from ..record import record, to_plain
from ..space import Categorical
from .database import body_of
from .study import Study

OWN = ("token", "round", "state", "value", "cost")
"""Columns that are no variables. `round` and `state` are for people, and not read."""


def column(name: str) -> str:
    """A variable's column: its name, told apart where a column of another meaning is called so.

    >>> column("ph"), column("cost")
    ('ph', 'variable cost')
    """
    return f"variable {name}" if name in OWN else name


@record
class Line:
    """What became of a line of a file: taken or not, and why."""

    number: int
    taken: bool
    message: str

    def __str__(self) -> str:
        return f"line {self.number}: {'taken' if self.taken else 'refused'}, {self.message}"


def read_cell(problem: Problem, name: str, text: str) -> Any:
    """A value of one of the problem's columns from text: a choice, the name of a context or an action, a number, JSON.

    What is none of these stays the text, to be refused by whoever takes it.

    >>> import steerbo as sb
    >>> read_cell(sb.CostVarying([sb.Float("ph", 4, 8, law=sb.Uniform())], [["ph"]]), "ph", " 6.5")
    6.5
    """
    text = text.strip()
    if name in problem.space and isinstance(variable := problem.space[name], Categorical):
        return next((choice for choice in variable.choices if str(choice) == text), text)
    return text if name in ("context", "action") and name not in problem.space else read_value(text)


def read_value(text: str) -> Any:
    """A number, or a list or table in JSON; else the text itself, which whoever takes it refuses by name.

    >>> read_value("1e3"), read_value("[1, 2]"), read_value("high")
    (1000.0, [1, 2], 'high')
    """
    text = text.strip()
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def import_csv(study: Study, text: str) -> list[Line]:
    """Take outcomes from a table, line by line; each is taken, or refused for a reason, and the others go on.

    Columns: `token`, `value`, `cost`, and what was measured, by variable (see `column`); of a mean-field problem
    `distribution`, in JSON. A line with a token tells its round; a line without adds data that nobody suggested. A file
    that is imported again changes nothing.

    Raises:
        InvalidOutcome: its first line has no `value`, or a column of no known name.
    """
    rows = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    try:
        header = [name.strip() for name in next(rows, [])]
        lines = [(rows.line_num, cells) for cells in rows if any(cell.strip() for cell in cells)]
    except csv.Error as error:
        raise InvalidOutcome(f"line {rows.line_num}", text[:80], "a table in CSV", f"({error})") from None
    known = [*OWN, *map(column, study.problem.columns)]
    for name in header:
        if name not in known or header.count(name) > 1:
            raise InvalidOutcome("line 1", name, f"each column once, {one_of(known, name)}")
    if "value" not in header:
        raise InvalidOutcome("line 1", header, "a column 'value'")
    study.refresh()
    there = Counter(_key(outcome) for outcome in study.history.added)
    return [_take(study, number, header, cells, there) for number, cells in lines]


def _take(study: Study, number: int, header: list[str], cells: list[str], there: Counter[str]) -> Line:
    if len(cells) > len(header):
        return Line(number, False, f"it has {len(cells)} cells, and the first line {len(header)}")
    given = {name: cell.strip() for name, cell in zip(header, cells, strict=False) if cell.strip()}
    try:
        value = read_value(given["value"]) if "value" in given else None
        cost = read_value(given["cost"]) if "cost" in given else None
        named = {name: given[column(name)] for name in study.problem.columns if column(name) in given}
        realised = {name: read_cell(study.problem, name, cell) for name, cell in named.items()}
        if "token" in given:
            before = study.history[given["token"]]
            if "time" not in study.problem.space:  # of a round, which the log knows
                realised.pop("time", None)
            study.tell(given["token"], value, cost=cost, realised=realised)
            known = before.state == "told"
            return Line(number, True, f"round {before.number}" + (" (it was there already)" if known else ""))
        same = _key(study.problem.read_added(value, cost, realised))
        if there[same] > 0:
            there[same] -= 1
            return Line(number, True, "added (it was there already)")
        study.add(value, realised, cost=cost)
        return Line(number, True, "added")
    except SteerboError as error:
        return Line(number, False, str(error))


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
    result = {"state": played.state, "value": played.outcome.value if played.outcome else None, "cost": played.paid}
    return {**_asked(played.suggestion), **_by_column({**played.request, **played.realised}), **result}


def _by_column(values: Mapping[str, Any]) -> dict[str, Any]:
    return {column(name): value for name, value in values.items()}


def _csv(problem: Problem, rows: Iterable[Mapping[str, Any]]) -> str:
    written = io.StringIO()
    names = [*OWN, *map(column, problem.columns)]
    writer = csv.DictWriter(written, names, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(
            {name: json.dumps(cell) if isinstance(cell, dict | list) else cell for name, cell in row.items()}
        )
    return written.getvalue()


def events_jsonl(study: Study) -> str:
    """Every event, one JSON object a line."""
    return "".join(body_of(event) + "\n" for event in study.events)
