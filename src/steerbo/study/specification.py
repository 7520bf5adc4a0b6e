"""The study file: a problem, how to go about it, and how it is evaluated, in TOML.

[problem]      kind and fields of one of the wings' problems. A variable may say `column = "…"`: how the lab's own
               tables head it. The sample of a law may be in a file beside the study file, as in law = { kind =
               "empirical", file = "weather.csv", column = "temp" }, and so may a causal graph, as in graph =
               "field.txt": it is read once, and copied into the log.
[study]        method (a name, or "package.module:Class", whose module may be beside the file), budget, rounds, stop,
               seed, failures; in [study.options] the method's options; in [study.columns] how the lab's own tables head
               value, cost, token, …
[objective]    function = "module:function", or command = ["program", "argument", …] and timeout; left out where people
               evaluate by hand
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

from pydantic import Field

from ..complaints import attempt
from ..errors import InvalidInput, InvalidOption, InvalidStudy, one_of, together
from ..names import guess
from ..record import from_plain, record
from ..rounds import Method, Optimizer, Problem, default_method, find_method, problem_class, read_problem
from ..rounds.places import is_place, load
from .columns import column, columns_of
from .document import read_tables
from .included import with_rows, with_samples, without_columns
from .modules import load_module
from .objective import Command, Function, Objective

_TABLES = ("problem", "study", "objective")
_LIMITS = ("method", "budget", "rounds", "stop", "seed")


@record
class Settings:
    """The table [study].

    Args:
        method: the method's name, or where its class is, as "package:Class"; None: the default.
        budget: money that may be spent; None: no limit.
        rounds: rounds that may be played; None: no limit.
        stop: when enough is known: a difference in the objective that is not worth looking for, or "enough": what could
            still be gained is less than a play costs.
        seed: a whole number from 0 to 2**128 - 1; all that is drawn follows from it.
        failures: a run stops after so many failed evaluations in a row, or so many answers that cannot be used.
        options: the method's options.
        columns: how tables of outcomes head what `steerbo import` reads, by its own name of it.
    """

    method: str | None = None
    budget: float | None = None
    rounds: int | None = Field(None, strict=True)
    stop: float | Literal["enough"] | None = None
    seed: int = Field(0, strict=True)
    failures: int = Field(3, ge=1, strict=True)
    options: dict[str, Any] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Specification:
    """A study file, read and checked."""

    path: Path
    problem: Problem
    settings: Settings
    objective: Objective | None

    @property
    def log(self) -> Path:
        """Where its log is unless another place is named: an SQLite file next to it."""
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


def read_study(path: Path | str) -> Specification:
    """Read a study file and check everything that can be checked without evaluating the objective.

    Raises:
        InvalidStudy: the file cannot be read, is no TOML, or one of its tables is not allowed.
        InvalidProblem: the problem is not allowed.

    Both name the file, the field, the value and what is allowed, for all that is wrong at once: see `errors`.
    """
    content = read_tables(path)
    file = Path(path)
    try:
        return _read(file, content)
    except InvalidInput as error:
        raise together(_in_file(file, fault) for fault in error.errors) from None


def _in_file(file: Path, fault: InvalidInput) -> InvalidInput:
    kind = InvalidStudy if isinstance(fault, InvalidOption) else type(fault)
    return fault.moved(f"{file.name}: {fault.field}", kind)


def _read(file: Path, content: dict[str, Any]) -> Specification:
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
        problem = attempt(wrong, lambda: _problem(tables["problem"], folder))
    if "study" in tables:
        settings = attempt(wrong, lambda: _settings(tables["study"], folder, wrong))
    if "objective" in tables:
        objective = attempt(wrong, lambda: _objective(tables["objective"], folder, wrong))
    if problem is not None and settings is not None:
        parts = Specification(file, problem[0], settings, objective)
        specification = attempt(wrong, lambda: _complete(parts, problem[1], wrong))
    if wrong or specification is None:
        raise together(wrong)
    return specification


def _problem(table: Mapping[str, Any], folder: Path) -> tuple[Problem, dict[str, Any]]:
    """The problem, with what it leaves to files beside it, and how its variables are headed in tables."""
    columns: dict[str, Any] = {}
    table = problem_class(table.get("kind")).with_files(table, folder)
    table = with_rows(table, folder)
    if "variables" in table:
        variables, columns = without_columns(with_samples(table["variables"], folder))
        table = {**table, "variables": variables}
    return read_problem(table), columns


def _complete(part: Specification, columns: Mapping[str, Any], wrong: list[InvalidInput]) -> Specification:
    """With the headers of columns; whether an optimizer can be made of it."""
    headed = attempt(wrong, lambda: _columns(part.problem, part.settings.columns, columns, wrong))
    whole = replace(part, settings=replace(part.settings, columns=headed or {}))
    _check_settings(whole, wrong)
    return whole


def _columns(
    problem: Problem, stated: Mapping[str, str], of_variables: Mapping[str, Any], wrong: list[InvalidInput]
) -> dict[str, str]:
    """How tables of outcomes head what is imported, checked."""
    headed = dict(stated := _known(stated, "study.columns.", columns_of(problem), wrong))
    for name, header in of_variables.items():
        if stated.get(column(name), header) != header:
            raise InvalidStudy(f"study.columns.{name}", stated[name], f"{header!r}, as the variable's column says")
        headed[column(name)] = header
    for name, header in headed.items():
        if not isinstance(header, str) or not header.strip():
            raise InvalidStudy(f"study.columns.{name}", header, "the header of a column")
        own = {n: headed.get(n, n) for n in columns_of(problem)}
        if twin := next((n for n, h in own.items() if n != name and h == header), None):
            hint = "" if twin in headed else f"If it is meant, give {twin!r} another header, too."
            raise InvalidStudy(f"study.columns.{name}", header, f"another header than that of {twin!r}", hint)
    return headed


def _settings(table: Mapping[str, Any], folder: Path, wrong: list[InvalidInput]) -> Settings:
    known = _known(table, "study.", [f.name for f in fields(Settings)], wrong)
    settings: Settings = from_plain(Settings, known, "study", InvalidStudy)
    if is_place(settings.method):
        load(str(settings.method), Method, "study.method", partial(_module, folder))
    if settings.budget is None and settings.rounds is None and len(known) == len(table):
        wrong.append(
            InvalidStudy("study.budget", None, "a budget, or a number of rounds", "Without either a run has no end.")
        )
    return settings


def _module(folder: Path, name: str) -> ModuleType:
    """A module beside the study file, or one that is installed; logs call it by its own name."""
    found = load_module(name, folder)
    if found.__name__ != name:
        raise ImportError(f"another module is called {name}: give the file beside the study file another name")
    return found


def _objective(table: Mapping[str, Any], folder: Path, wrong: list[InvalidInput]) -> Objective:
    table = _known(table, "objective.", ("function", "command", "timeout"), wrong)
    if ("function" in table) == ("command" in table):
        raise InvalidStudy("objective", dict(table), 'either function = "module:function" or command = ["program", …]')
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


def _check_settings(specification: Specification, wrong: list[InvalidInput]) -> None:
    """Whether an optimizer can be made of them."""
    settings, problem = specification.settings, specification.problem
    method = attempt([], lambda: find_method(problem, settings.method))
    if method is not None:  # else the optimizer complains
        names = [f.name for f in fields(method.Options)]
        settings = replace(settings, options=_known(settings.options, "study.options.", names, wrong))
    try:
        replace(specification, settings=settings).optimizer()
    except InvalidOption as error:
        for fault in error.errors:
            name = fault.field.partition(".")[2] or fault.field  # without the name of the class of options
            place = "study" if name in _LIMITS else "study.options"
            wrong.append(fault.moved(f"{place}.{name}", InvalidStudy))


def _known(table: Mapping[str, Any], place: str, names: Iterable[str], wrong: list[InvalidInput]) -> dict[str, Any]:
    """The fields that are known; a mistyped name stands for the one that it resembles, once it is complained of."""
    allowed = list(names)
    known = {name: value for name, value in table.items() if name in allowed}
    for name in table:
        if name not in allowed:
            wrong.append(InvalidStudy(f"{place}{name}", table[name], one_of(allowed, name)))
            meant = guess(allowed, name)
            if meant:
                known.setdefault(meant, table[name])
    return known
