"""Exports of a study: rounds and external data as a CSV table, a workbook or a DataFrame, and events as JSON lines.

`import_csv` reads the tables back. DataFrames need pandas (`pip install 'steerbo[pandas]'`) or
polars.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import chain
from typing import Any

from ..._text import escape_unprintable, to_cell
from ..._wording import parted, parted_price
from ...core import (
    SEEN,
    BaseStudy,
    DataAdded,
    Event,
    History,
    Problem,
    Recommendation,
    Round,
    Scope,
    Suggestion,
    number_of,
)
from ...errors import InvalidOption, MissingExtra, one_of
from ...records import to_dict
from ...space import Categorical
from .workbook import workbook_of

OWN = ("token", "round", "state", "value", "cost", "charged", "scope", "reason")
"""Columns that are no variables. `round` is for people, and not read; the sum of `charged` is the spent money."""
REMARKS = "steerbo remarks"
"""Column of the remarks of people, where there are any; it is not read."""
FILES = "steerbo files"
"""Column of the files that are kept beside them, by name and SHA-256, likewise."""
SEM = "sem"
"""Column of the standard errors of values, where there are any."""
SOURCE, OWN_SOURCE = "source", "steerbo source"
"""Column of the source of data that are not of here, as people name it and as tables are written."""
ID, OWN_ID = "id", "steerbo id"
"""Column whose cells tell equal measurements apart, as people name it, and as it is called in here."""


def column(name: str) -> str:
    """A variable's column: its name, told apart where a column of another meaning is called so.

    >>> column("ph"), column("cost")
    ('ph', 'variable cost')
    """
    return f"variable {name}" if name in (*OWN, SEM) else escape_unprintable(name)


def columns_of(problem: Problem) -> tuple[str, ...]:
    """Columns of the table in order; variables and outcomes stand between costs and the reason of a failure.

    The scope is written where a play's cost or lesson depends on it.
    """
    *first, scope, reason = OWN
    return (
        *first,
        *((scope,) if problem.priced or problem.scoped else ()),
        *map(column, problem.columns),
        reason,
    )


def cells_of(problem: Problem) -> dict[str, str]:
    """The problem's `cells` by their columns: by their own names, told apart where another column is called so."""
    taken = {*OWN, SEM, *columns_of(problem)}
    return {
        f"agents {name}" if name in taken else escape_unprintable(name): name
        for name in problem.cells
    }


def units_of(problem: Problem, headers: Headers) -> dict[str, str]:
    """Unit of each column that has one, by its own name: the variable's, or the one that the lab's header states."""
    headed = {name: parted(headers.get(name, ""))[1] for name in columns_of(problem)}
    _, money = parted_price(headers.get("cost", ""))
    own = {
        column(v.name): v.unit for v in problem.space if not isinstance(v, Categorical) and v.unit
    }
    units = {**headed, SEM: headed["value"], "cost": money, "charged": money, **own}
    return {name: unit for name, unit in units.items() if unit}


Headers = Mapping[str, str]
"""Headers of the lab by the columns' own names; columns left out are headed by their own name."""


def rounds_csv(problem: Problem, history: History, headers: Headers | None = None) -> str:
    """CSV table of rounds and external data, one line each; `import_csv` reads it back.

    The sum of its column `charged` is the spent money.
    """
    return _csv((*columns_of(problem), *_more(history)), rows_of(history), headers)


def study_xlsx(study: BaseStudy, headers: Headers | None = None) -> bytes:
    """Workbook of a study: a sheet of rounds and external data, which `import_csv` reads back, and one of answers.

    Where settings depend on looks, a third one has them, by the number of the answer.

    Raises:
        MissingExtra: openpyxl is not installed.
    """
    advice = study.recommend()
    names = (*columns_of(study.problem), *_more(study.history))
    sheets = {
        "rounds": _lines(names, rows_of(study.history), headers),
        "answers": _answers(study, advice),
    }
    if len(policies := _policies(advice)) > 1:
        sheets["policies"] = policies
    return workbook_of(sheets)


def _policies(advice: Recommendation) -> list[list[Any]]:
    """Settings in some contexts of each answer that is a policy, by its number among the answers, from 1."""
    every = enumerate((advice, *advice.alternatives), 1)
    tables = [(k, table) for k, each in every if (table := getattr(each, "table", None))]
    names = list(dict.fromkeys(name for _, table in tables for name in table.columns))
    rows = [
        [k, *map(dict(zip(table.columns, row, strict=True)).get, names)]
        for k, table in tables
        for row in table.rows
    ]
    return [["answer", *names], *([_cell(cell) for cell in row] for row in rows)]


def _answers(study: BaseStudy, advice: Recommendation) -> list[list[Any]]:
    """Table of the recommendation and its alternatives: the scope, its settings, and the outcomes to be expected."""
    every = [advice, *advice.alternatives]
    named = {**{name: None for each in every for name in (*each.context, *each.values)}}
    further = [(name, f"{name} lower", f"{name} upper") for name in advice.outcomes]
    heads = ["mean", "lower", "upper", *chain.from_iterable(further)]
    rows = [["scope", *named, *heads, "cost", "reasons"]]
    for each in every:
        known = {**each.context, **study.problem.rounded(each.values, each.shown)}
        settings = [known.get(name) for name in named]
        others = [(one.mean, one.lower, one.upper) for one in each.outcomes.values()]
        ends = each.mean, each.lower, each.upper, *chain.from_iterable(others)
        row = [str(each.scope), *settings, *ends, each.cost, each.why]
        rows.append([_cell(cell) for cell in row])
    return rows


def rows_of(history: History) -> Iterator[dict[str, Any]]:
    """Cells by column of every round, then of all external data, as they were told, codes included."""
    coded = history.coded
    for played in history:
        token = played.suggestion.token
        told = coded.get(token)
        cells = _played(played if told is None else replace(played, state="told", outcome=told))
        yield {**cells, **_remarked(history, token)}
    kept = {**history.removed, **history.data}
    for name in sorted(kept, key=number_of):
        data = kept[name] if name not in coded else replace(kept[name], outcome=coded[name])
        realised = history.completed(data.outcome.realised)
        cells = _added(
            name, data, realised, "added" if name in history.data or name in coded else "void"
        )
        yield {**cells, **_remarked(history, name)}


def suggestions_csv(
    problem: Problem, suggestions: Iterable[Suggestion], headers: Headers | None = None
) -> str:
    """CSV table of suggestions, one line each, with empty cells for value and cost.

    Where agents are to be has a column for each of the problem's `cells`, to be written over.
    """
    labels = {name: label for label, name in cells_of(problem).items()}
    names = [name for name in columns_of(problem) if not labels or name not in _SPREAD]
    names[-1:-1] = labels.values()  # before the reason
    rows = []
    for each in suggestions:
        numbers = problem.by_cell(each.values)
        cells = {labels[name]: number for name, number in numbers.items()}
        rows.append({**_asked(problem, each), **cells})
    return _csv(names, rows, headers)


_SPREAD = ("distribution", "counts")
"""Columns that a table with one for each cell does not need."""


def events_jsonl(events: Iterable[Event]) -> str:
    """Every event, one JSON object a line."""
    return "".join(json.dumps(to_dict(event, Event), allow_nan=False) + "\n" for event in events)


_KEPT = " (kept)"
_MARKS = re.compile(r"[+,()]")  # in a name where something is looked at they would mean something


def scope_cell(scope: Scope) -> str:
    """Write a scope as a cell for `read_scope`: each action, with its observed variables in parentheses.

    >>> scope_cell(Scope(["ph", "temperature"])), scope_cell(Scope(["a+b"]))
    ('ph + temperature', '["a+b"]')
    >>> scope_cell(Scope(["dose", "rest"], {"dose": ["age", "pulse"]}))
    'dose (age, pulse) + rest'
    """
    if scope.look:
        if any(map(_MARKS.search, [*scope.set, *scope.contexts])):
            return json.dumps(
                {
                    "set": list(scope.set),
                    "look": {name: list(seen) for name, seen in scope.look.items()},
                }
            )
        return " + ".join(
            f"{name} ({', '.join(seen)})" if seen else name for name, seen in scope.actions
        )
    names = [*scope.set, *scope.keep]
    if any("+" in name or name.endswith(_KEPT) for name in names):
        return json.dumps(names)
    return " + ".join([*scope.set, *(name + _KEPT for name in scope.keep)])


def read_scope(cell: str) -> list[str] | dict[str, Any]:
    """Parse a scope cell, also as written by hand, into an argument of `Problem.read_scope`.

    >>> read_scope("ph+temperature"), read_scope('["a+b"]'), read_scope("dose (age) + rest")
    (['ph', 'temperature'], ['a+b'], ['dose (age)', 'rest'])
    """
    if cell.startswith(("[", "{")):
        try:
            names = json.loads(cell)
        except (ValueError, RecursionError):
            names = None
        if isinstance(names, dict) or (
            isinstance(names, list) and all(isinstance(name, str) for name in names)
        ):
            return names
    return [name.strip().removesuffix(_KEPT) for name in cell.split("+")]


def _named(suggestion: Suggestion) -> dict[str, Any]:
    return {
        "token": suggestion.token,
        "round": suggestion.round,
        "scope": scope_cell(suggestion.scope),
    }


def _asked(problem: Problem, suggestion: Suggestion) -> dict[str, Any]:
    values = {**suggestion.context, **problem.rounded(suggestion.values, suggestion.shown)}
    return {**_named(suggestion), "state": "open", **_by_column(values)}


def _played(played: Round) -> dict[str, Any]:
    told = played.outcome
    result = {"state": played.state, "value": told.value if told else None, "cost": played.paid}
    result[SEM] = told.sem if told else None
    result["charged"] = (
        played.charged if played.paid is not None or played.charge is not None else None
    )
    result["reason"] = played.failure.reason if played.failure else None
    # as `suggestion.context`
    asked = {name: given for name, given in played.request.items() if name != SEEN.name}
    known = {**asked, **played.suggestion.context, **played.realised}
    return {**_named(played.suggestion), **_by_column(known), **result}


def _added(name: str, data: DataAdded, realised: Mapping[str, Any], state: str) -> dict[str, Any]:
    outcome = data.outcome
    result = {
        "token": name,
        "state": state,
        "value": outcome.value,
        "cost": outcome.cost,
        "charged": data.charged,
    }
    result |= {SEM: outcome.sem, OWN_SOURCE: data.source}
    return {
        **result,
        "scope": scope_cell(data.scope) if data.scope else None,
        **_by_column(realised),
    }


def _by_column(values: Mapping[str, Any]) -> dict[str, Any]:
    return {column(name): value for name, value in values.items()}


def _more(history: History) -> tuple[str, ...]:
    """Columns that only some studies have."""
    stated = any(outcome.sem is not None for _, outcome, _ in history.outcomes())
    remarks = (REMARKS,) if history.remarks else ()
    sources = (OWN_SOURCE,) if history.sources else ()
    return (*((SEM,) if stated else ()), *sources, *remarks, *((FILES,) if history.files else ()))


def _remarked(history: History, name: str) -> dict[str, Any]:
    files = (f"{kept.name} {kept.sha256}" for kept in history.files.get(name, ()))
    remarks = "; ".join(history.remarks.get(name, ()))
    return {REMARKS: remarks or None, FILES: "; ".join(files) or None}


def _csv(names: Sequence[str], rows: Iterable[Mapping[str, Any]], headers: Headers | None) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(_lines(names, rows, headers))
    return written.getvalue()


def _lines(
    names: Sequence[str], rows: Iterable[Mapping[str, Any]], headers: Headers | None
) -> Iterator[list[Any]]:
    """Lines of a table, its header first."""
    yield [_cell((headers or {}).get(name, name)) for name in names]
    for row in rows:
        yield [_cell(row.get(name, "")) for name in names]


def _cell(value: Any) -> Any:
    """Tables and lists as JSON, texts so that a spreadsheet takes none for a formula; numbers stay numbers."""
    if isinstance(value, dict | list):
        return json.dumps(value)
    return to_cell(escape_unprintable(value)) if isinstance(value, str) else value


FRAMES = ("pandas", "polars")
"""Libraries whose DataFrames `to_frame` makes, in the order in which they are looked for."""


def to_frame(study: BaseStudy, library: str | None = None) -> Any:
    """A DataFrame with one line a round, then one for each outcome that was added; `add_frame` reads it.

    Its columns are those of `steerbo export`: token, round, state, value, cost, charged, the
    variables by name (settings and measurements), and the reason of a failure. Unknown
    values are missing.

    Args:
        study: a study, or an optimizer; it stays as it is.
        library: "pandas" or "polars"; None: the first of them that is installed.

    Raises:
        InvalidOption: another library.
        MissingExtra: the library is not installed.
    """
    if library is not None and library not in FRAMES:
        raise InvalidOption("library", library, one_of(FRAMES, library))
    rows = list(rows_of(study.history))
    columns = {
        name: [row.get(name) for row in rows]
        for name in (*columns_of(study.problem), *_more(study.history))
    }
    for name in FRAMES if library is None else (library,):
        try:
            made = import_module(name)
        except ImportError:
            continue
        return made.DataFrame(columns, **({"strict": False} if name == "polars" else {}))
    raise MissingExtra(library or "pandas", library or "pandas")
