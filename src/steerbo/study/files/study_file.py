"""Study files in TOML: the problem, the method and limits, and how rounds are evaluated.

[problem]      kind and fields of one of the wings' problems. A variable may say `column = "…"`:
               how the lab's own tables head it. The sample of a law may be in a file beside the
               study file, as in law = { kind = "empirical", file = "weather.csv",
               column = "temp" }, and so may a causal graph, as in graph = "field.txt": it is read
               once, and copied into the log. A graph may also stand there as text.
[study]        method (a name, or "package.module:Class", whose module may be beside the file),
               budget, rounds, stop, seed, failures; in [study.options] the method's options; in
               [study.columns] how the lab's own tables head value, cost, token, …; in
               [study.missing] which codes stand for a missing value there, by column
[objective]    function = "module:function", or command = ["program", "argument", …] and timeout;
               left out where people evaluate by hand

Files are read as people save them (any encoding of Unicode). Samples and graphs in files beside the
study file are read once, into the problem.
"""

from __future__ import annotations

import re
import tomllib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from pydantic import Field

from ..._files import LARGEST_TABLE, read_file
from ..._parsing import kept_number, read_choice, typed_number
from ..._text import normalised_texts, shortened
from ..._validation import collecting_errors
from ...core import (
    Method,
    Optimizer,
    Problem,
    default_method,
    find_method,
    problem_class,
    read_problem,
)
from ...core.registry import is_place, load
from ...errors import (
    InvalidInput,
    InvalidOption,
    InvalidProblem,
    InvalidStudy,
    combine,
    did_you_mean,
    one_of,
)
from ...records import from_dict, record
from ...space.distributions import MOST_CELLS
from ..objective import Command, Function, Objective, load_module
from .export import ID, SOURCE, cells_of, column, columns_of
from .spreadsheet import Row, Spreadsheet, decoded, read_sheet

DEEPEST = 50
"""Tables and lists in a study file lie no deeper in one another than this."""
_PART = r"(?<![\w\"'-])[\w\"'-]+[ \t]*\.[ \t]*"
_DOTTED = re.compile(f"(?:{_PART}){{{DEEPEST}}}")  # a key of more parts
_LONG = re.compile(r"[0-9_]{4300,}")  # digits of a number that Python refuses to read


def _about(text: str, message: str) -> str:
    """The faulty line, and a hint at the most common mistake."""
    found = re.search(r"at line (\d+)", message)
    lines = text.splitlines()
    if found is None or int(found[1]) > len(lines):
        return ""
    line = lines[int(found[1]) - 1].strip()
    said = f"The line is: {shortened(line, 80)}"
    return f"{said} ({hint})" if (hint := _mistaken(line)) else said


def _mistaken(line: str) -> str:
    """Hint at a mistake that is made in lines of TOML; empty where none is seen.

    >>> _mistaken("low = 1,5"), _mistaken("kind = causal")
    ('numbers have decimal points', 'texts stand in double quotes')
    """
    value = line.partition("=")[2].strip()
    if re.match(r"[+-]?\d+,\d", value):
        return "numbers have decimal points"
    if re.search("[“”„«»]", line):
        return 'quotes are straight: "'
    if value[:1].isalpha():
        return "texts stand in double quotes"
    return "" if "=" in line or line.startswith("[") else "a field is written: name = value"


def read_tables(path: Path | str) -> dict[str, Any]:
    """The tables of a study file.

    Raises:
        InvalidStudy: it is no file, cannot be read, is too large, or is no TOML in UTF-8.
    """
    text = _text(path)
    try:
        if _DOTTED.search(text):  # before it is parsed: that takes gigabytes
            raise RecursionError
        tables = tomllib.loads(text, parse_float=kept_number)
        if _depth(tables) > DEEPEST:
            raise RecursionError
    except tomllib.TOMLDecodeError as error:
        *lines, last = text.split("\n")
        where = f"at line {len(lines) + 1}, column {len(last) + 1}"
        message = str(error).replace("at end of document", where)
        raise InvalidStudy(
            "study file", str(path), "TOML", f"({message}.) {_about(text, message)}".rstrip()
        ) from None
    except RecursionError:
        allowed = f"tables and lists at most {DEEPEST} deep in one another"
        raise InvalidStudy("study file", str(path), allowed) from None
    except ValueError as error:  # a number of thousands of digits, or one that is too small
        if (found := _LONG.search(text)) is None:
            raise InvalidStudy(
                "study file", str(path), "numbers that can be kept", f"({error}.)"
            ) from None
        where = f"line {text.count(chr(10), 0, found.start()) + 1}"
        raise InvalidStudy(
            "study file", str(path), "numbers with fewer digits", f"({where}.)"
        ) from None
    return {
        name: table if name == "objective" else normalised_texts(table)
        for name, table in tables.items()
    }


def _depth(value: Any) -> int:
    """Number of tables and lists in one another."""
    if not isinstance(value, dict | list):
        return 0
    return 1 + max(map(_depth, value.values() if isinstance(value, dict) else value), default=0)


def _text(path: Path | str) -> str:
    if not isinstance(path, str | Path):
        raise InvalidStudy("study file", path, "the name of a file")
    raw = read_file(path, "study file", InvalidStudy)
    if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise InvalidStudy(
            "study file", str(path), "TOML in UTF-8", "(It is in UTF-16: save it again as UTF-8.)"
        )
    try:
        return raw.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        hint = f"(Byte {error.start}, in line {line}, is not UTF-8: save the file again as UTF-8.)"
        raise InvalidStudy("study file", str(path), "TOML in UTF-8", hint) from None


LONGEST = 100_000
"""Most points of a sample: the problem is written into the log as a whole."""


def text_beside(folder: Path, name: Any, field: str) -> str:
    """The text of the file `name`, relative to the study file's folder.

    Raises:
        InvalidProblem: naming `field`: it is no text, or there is no such file.
    """
    if not isinstance(name, str) or not name.strip():
        raise InvalidProblem(field, name, "the name of a file")
    allowed = f"a file that can be read, beside the study file in {folder}"
    raw = read_file(
        folder / name, field, InvalidProblem, LARGEST_TABLE, allowed=allowed, shown=name
    )
    try:
        return decoded(raw)
    except ValueError as error:
        raise InvalidProblem(field, name, allowed, f"({error})") from None


def with_samples(variables: Any, folder: Path) -> Any:
    """Variables of a study file, with the samples of empirical laws that name a file and its column in their place."""
    if not isinstance(variables, list):
        return variables
    return [
        _with_sample(variable, folder, f"problem.variables.{i}")
        for i, variable in enumerate(variables)
    ]


def _with_sample(variable: Any, folder: Path, place: str) -> Any:
    law = variable.get("law") if isinstance(variable, Mapping) else None
    if (
        not isinstance(law, Mapping)
        or law.get("kind") != "empirical"
        or not {"file", "column"} & set(law)
    ):
        return variable
    place = f"{place}.law"
    if "sample" in law:
        raise InvalidProblem(
            f"{place}.file", law.get("file"), "a sample, or a file and its column, not both"
        )
    if "column" not in law or "file" not in law:
        raise InvalidProblem(
            place,
            dict(law),
            "a file and a column",
            'For example file = "weather.csv", column = "temp".',
        )
    others = {name: value for name, value in law.items() if name not in ("file", "column")}
    choices = variable.get("choices") if variable.get("kind") == "categorical" else None
    text, unit = text_beside(folder, law["file"], f"{place}.file"), _unit_of(variable)
    sample = _sample(text, law, choices, place, unit)
    return {**variable, "law": {**others, "sample": sample}}


def with_rows(table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The table [problem] with the rows of ``nature = { file = "weather.csv", columns = ["temp", "ph"] }``.

    The columns are headed like the variables whose values they hold. The log keeps the rows, not
    the file's name.

    Raises:
        InvalidProblem: no file, no such column, a cell that is empty or no value of its variable.
    """
    nature = table.get("nature")
    if not isinstance(nature, Mapping) or "file" not in nature:
        return dict(table)
    place = "problem.nature"
    if "rows" in nature:
        raise InvalidProblem(
            f"{place}.file", nature["file"], "rows, or a file and its columns, not both"
        )
    names = nature.get("columns")
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise InvalidProblem(
            f"{place}.columns", names, "a list of variables, as the file heads their columns"
        )
    listed = table.get("variables")
    variables = (
        [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []
    )
    sheet = read_sheet(
        text_beside(folder, nature["file"], f"{place}.file"),
        {n: [n] for n in names},
        InvalidProblem,
        {str(each.get("name")): _unit_of(each) for each in variables},
    )
    for name in names:
        if name not in sheet.columns:
            allowed = (
                f"a column of {nature['file']}, {one_of((*sheet.columns, *sheet.ignored), name)}"
            )
            raise InvalidProblem(
                f"{place}.columns", name, allowed, "Head the column like the variable."
            )
    if len(sheet.rows) * len(names) > MOST_CELLS:
        hint = "All of them are copied into the study's log: leave rows out, every second one, say."
        raise InvalidProblem(
            f"{place}.file", f"{len(sheet.rows)} rows", f"at most {MOST_CELLS} cells", hint
        )
    choices = {v.get("name"): v.get("choices") for v in variables if v.get("kind") == "categorical"}
    rows = []
    for row in sheet.rows:
        where = f"{place}: {nature['file']}, line {row.number}"
        _check_width(sheet, row, where)
        rows.append([_cell(sheet, row, name, choices.get(name), where) for name in names])
    return {**table, "nature": {**{k: v for k, v in nature.items() if k != "file"}, "rows": rows}}


def _check_width(sheet: Spreadsheet, row: Row, where: str) -> None:
    if row.width > sheet.width:
        hint = "Does a decimal comma stand in a table separated by commas?"
        raise InvalidProblem(where, row.width, f"at most {sheet.width} cells, as line 1", hint)


def _cell(sheet: Spreadsheet, row: Row, name: str, choices: Any, where: str) -> Any:
    """Value of one variable in one row."""
    cell = row.cells.get(name)
    if cell is None:
        hint = "Rows with gaps do not show how variables vary together: leave the line out."
        raise InvalidProblem(where, "", f"a value in column {name!r}", hint)
    return _value(sheet, cell, name, choices, where)


def _value(sheet: Spreadsheet, cell: str, column: str, choices: Any, where: str) -> Any:
    if choices is not None:
        return read_choice(choices, cell) if isinstance(choices, list) else cell
    if (number := typed_number(sheet.number(where, cell, InvalidProblem))) is None:
        raise InvalidProblem(where, cell, f"a number in column {column!r}")
    return number


def _unit_of(variable: Mapping[str, Any]) -> str:
    unit = "" if variable.get("kind") == "categorical" else variable.get("unit")
    return unit if isinstance(unit, str) else ""


def _sample(text: str, law: Mapping[str, Any], choices: Any, place: str, unit: str) -> list[Any]:
    """The cells of a column: numbers, or the variable's choices. Empty cells are gaps, and left out."""
    column, field = law["column"], f"{place}.column"
    if not isinstance(column, str):
        raise InvalidProblem(field, column, "the header of a column")
    sheet = read_sheet(text, {"sample": [column]}, InvalidProblem, {"sample": unit})
    if not sheet.columns:
        raise InvalidProblem(
            field, column, f"a column of {law['file']}, {one_of(sheet.ignored, column)}"
        )
    found: list[Any] = []
    for row in sheet.rows:
        where = f"{place}: {law['file']}, line {row.number}"
        _check_width(sheet, row, where)
        cell = row.cells.get("sample")
        if cell is None:
            continue
        found.append(_value(sheet, cell, column, choices, where))
    if not 0 < len(found) <= LONGEST:
        hint = "The whole sample is copied into the study's log: thin it out." if found else ""
        raise InvalidProblem(
            field, f"{len(found)} cells", f"1 to {LONGEST} cells that are not empty", hint
        )
    return found


def _without_column(variable: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in variable.items() if key != "column"}


def without_columns(variables: Any) -> tuple[Any, dict[str, Any]]:
    """Variables of a study file without their `column`, and these by name: how the lab's own table heads them.

    They are no part of the problem: renaming a column does not make it another study.
    """
    if not isinstance(variables, list):
        return variables, {}
    found = {
        variable["name"]: variable["column"]
        for variable in variables
        if isinstance(variable, Mapping)
        and "column" in variable
        and isinstance(variable.get("name"), str)
    }
    # anything but a table is left for the problem to refuse
    bare = [_without_column(each) if isinstance(each, Mapping) else each for each in variables]
    return bare, found


_TABLES = ("problem", "study", "objective")
_LIMITS = ("method", "budget", "rounds", "stop", "seed")


@record
class Settings:
    """The table [study].

    Args:
        method: the method's name, or where its class is, as "package:Class"; None: the default.
        budget: money that may be spent; None: no limit.
        rounds: rounds that may be played; None: no limit.
        stop: when enough is known: a difference in the objective that is not worth looking for, or
            "enough": the possible gain is less than the cost of a play.
        seed: a whole number from 0 to 2**128 - 1; all that is drawn follows from it.
        failures: a run stops after so many failed evaluations in a row, or so many answers that
            cannot be used.
        options: the method's options.
        columns: headings of the columns that `steerbo import` reads in tables of outcomes, by its
        own names.
        missing: numbers and texts that stand for a missing value in such tables, by the same names.
    """

    method: str | None = None
    budget: float | None = None
    rounds: int | None = Field(None, strict=True)
    stop: float | Literal["enough"] | None = None
    seed: int = Field(0, strict=True)
    failures: int = Field(3, ge=1, strict=True)
    options: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)
    missing: dict[str, list[float | str]] = field(default_factory=dict)


@dataclass(frozen=True)
class StudyFile:
    """A study file, read and checked."""

    path: Path
    problem: Problem
    settings: Settings
    objective: Objective | None

    @property
    def log(self) -> Path:
        """Default place of its log: an SQLite file next to it."""
        return self.path.with_name(f"{self.path.stem}.db")

    @property
    def method(self) -> str:
        """The method's name, also where the file does not say it."""
        return self.settings.method or default_method(self.problem)

    def optimizer(self) -> Optimizer:
        """A new optimizer for this study."""
        s = self.settings
        limits = {"budget": s.budget, "rounds": s.rounds, "stop": s.stop}
        return Optimizer(self.problem, s.method, seed=s.seed, **limits, **s.options)  # type: ignore[arg-type]


def read_study(path: Path | str) -> StudyFile:
    """Read a study file and check everything that can be checked without evaluating the objective.

    Raises:
        InvalidStudy: the file cannot be read, is no TOML, or one of its tables is not allowed.
        InvalidProblem: the problem is not allowed.

    Both name the file, the field, its value and the allowed values, for all that is wrong at once:
    see `errors`.
    """
    content = read_tables(path)
    file = Path(path)
    try:
        return _read(file, content)
    except InvalidInput as error:
        raise combine(_in_file(file, fault) for fault in error.errors) from None


def _in_file(file: Path, fault: InvalidInput) -> InvalidInput:
    kind = InvalidStudy if isinstance(fault, InvalidOption) else type(fault)
    return fault.moved(f"{file.name}: {fault.field}", kind)


def _read(file: Path, content: dict[str, Any]) -> StudyFile:
    """Every table on its own, so that all that is wrong is found at once."""
    wrong: list[InvalidInput] = []
    content = _known(content, "", _TABLES, wrong)
    tables: dict[str, Mapping[str, Any]] = {}
    for name in _TABLES if "objective" in content else _TABLES[:2]:
        if isinstance(content.get(name), Mapping):
            tables[name] = content[name]
        else:
            wrong.append(InvalidStudy(name, content.get(name), f"a table [{name}]"))
    folder = file.absolute().parent
    problem = settings = objective = specification = None
    if "problem" in tables:
        problem = collecting_errors(wrong, lambda: _problem(tables["problem"], folder))
    if "study" in tables:
        settings = collecting_errors(wrong, lambda: _settings(tables["study"], folder, wrong))
    if "objective" in tables:
        objective = collecting_errors(wrong, lambda: _objective(tables["objective"], folder, wrong))
    if problem is not None and settings is not None:
        parts = StudyFile(file, problem[0], settings, objective)
        specification = collecting_errors(wrong, lambda: _complete(parts, problem[1], wrong))
    if wrong or specification is None:
        raise combine(_elsewhere(fault, tables) for each in wrong for fault in each.errors)
    return specification


def _elsewhere(fault: InvalidInput, tables: Mapping[str, Mapping[str, Any]]) -> InvalidInput:
    """The same fault; of a field that the other table has, with a hint at that."""
    table, _, name = fault.field.partition(".")
    of_study = {each.name for each in fields(Settings)}
    kind = tables.get("problem", {}).get("kind")
    # none, where the kind itself is wrong
    declared = collecting_errors([], lambda: problem_class(kind))
    of_problem = set(getattr(declared, "__pydantic_fields__", ()))
    known = {"problem": (of_problem, of_study, "study"), "study": (of_study, of_problem, "problem")}
    own, others, other = known.get(table, (set(), set(), ""))
    if name in own or name not in others or name not in tables.get(table, {}) or fault.hint:
        return fault
    hint = f"It stands in the table [{other}]."
    return type(fault)(fault.field, fault.value, fault.allowed, hint)


def _problem(table: Mapping[str, Any], folder: Path) -> tuple[Problem, dict[str, Any]]:
    """Read the problem with the files beside it, and the table headers of its variables."""
    columns: dict[str, Any] = {}
    table = problem_class(table.get("kind")).with_files(table, folder)
    table = with_rows(table, folder)
    if "variables" in table:
        variables, columns = without_columns(with_samples(table["variables"], folder))
        table = {**table, "variables": variables}
    return read_problem(table), columns


def _complete(part: StudyFile, columns: Mapping[str, Any], wrong: list[InvalidInput]) -> StudyFile:
    """Check a study file with its headers of columns: an optimizer can be made of it."""
    headed = collecting_errors(
        wrong, lambda: _columns(part.problem, part.settings.columns, columns, wrong)
    )
    missing = _known(part.settings.missing, "study.missing.", _own_columns(part.problem), wrong)
    whole = replace(part, settings=replace(part.settings, columns=headed or {}, missing=missing))
    _check_settings(whole, wrong)
    return whole


def _own_columns(problem: Problem) -> tuple[str, ...]:
    """Names of the columns of tables of outcomes."""
    return tuple(dict.fromkeys((*columns_of(problem), *cells_of(problem), ID, SOURCE)))


def _columns(
    problem: Problem,
    stated: Mapping[str, str],
    of_variables: Mapping[str, Any],
    wrong: list[InvalidInput],
) -> dict[str, str]:
    """Check the table headers of value, cost, token and the other columns."""
    own = _own_columns(problem)
    headed = dict(stated := _known(stated, "study.columns.", own, wrong))
    for name, header in of_variables.items():
        if stated.get(column(name), header) != header:
            raise InvalidStudy(
                f"study.columns.{name}", stated[name], f"{header!r}, as the variable's column says"
            )
        headed[column(name)] = header
    for name, header in headed.items():
        if not isinstance(header, str) or not header.strip():
            raise InvalidStudy(f"study.columns.{name}", header, "the header of a column")
        if twin := next((n for n in own if n != name and headed.get(n, n) == header), None):
            hint = "" if twin in headed else f"If it is meant, give {twin!r} another header, too."
            raise InvalidStudy(
                f"study.columns.{name}", header, f"another header than that of {twin!r}", hint
            )
    return headed


def _settings(table: Mapping[str, Any], folder: Path, wrong: list[InvalidInput]) -> Settings:
    known = _known(table, "study.", [f.name for f in fields(Settings)], wrong)
    settings: Settings = from_dict(Settings, known, "study", InvalidStudy)
    if is_place(settings.method):
        load(str(settings.method), Method, "study.method", partial(_module, folder))
    if settings.budget is None and settings.rounds is None and len(known) == len(table):
        wrong.append(
            InvalidStudy(
                "study.budget",
                None,
                "a budget, or a number of rounds",
                "Without either a run has no end.",
            )
        )
    return settings


def _module(folder: Path, name: str) -> ModuleType:
    """A module beside the study file, or one that is installed; logs call it by its own name."""
    found = load_module(name, folder)
    if found.__name__ != name:
        raise ImportError(
            f"another module is called {name}: give the file beside the study file another name"
        )
    return found


def _objective(table: Mapping[str, Any], folder: Path, wrong: list[InvalidInput]) -> Objective:
    table = _known(table, "objective.", ("function", "command", "timeout"), wrong)
    if ("function" in table) == ("command" in table):
        raise InvalidStudy(
            "objective",
            dict(table),
            'either function = "module:function" or command = ["program", …]',
        )
    if "command" in table:
        return Command(table["command"], folder, table.get("timeout", 600.0))
    if "timeout" in table:
        raise InvalidStudy(
            "objective.timeout",
            table["timeout"],
            "no timeout beside a function",
            "A function cannot be stopped from outside; make it a command.",
        )
    return Function(table["function"], folder)


def _check_settings(specification: StudyFile, wrong: list[InvalidInput]) -> None:
    """Whether an optimizer can be made of them."""
    settings, problem = specification.settings, specification.problem
    method = collecting_errors([], lambda: find_method(problem, settings.method))
    if method is not None:  # else the optimizer complains
        names = [f.name for f in fields(method.Options)]
        settings = replace(
            settings, options=_known(settings.options, "study.options.", names, wrong)
        )
    try:
        replace(specification, settings=settings).optimizer()
    except InvalidOption as error:
        for fault in error.errors:
            # without the name of the class of options
            name = fault.field.partition(".")[2] or fault.field
            place = "study" if name in _LIMITS else "study.options"
            wrong.append(fault.moved(f"{place}.{name}", InvalidStudy))


def _known(
    table: Mapping[str, Any], place: str, names: Iterable[str], wrong: list[InvalidInput]
) -> dict[str, Any]:
    """Known fields; a mistyped name is reported, and stands for the one that it resembles."""
    allowed = list(names)
    known = {name: value for name, value in table.items() if name in allowed}
    for name in table:
        if name not in allowed:
            wrong.append(InvalidStudy(f"{place}{name}", table[name], one_of(allowed, name)))
            meant = did_you_mean(allowed, name)
            if meant:
                known.setdefault(meant, table[name])
    return known
