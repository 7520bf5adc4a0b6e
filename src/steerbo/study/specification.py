"""The study file: a problem, how to go about it, and how it is evaluated, in TOML.

[problem]      kind and fields of one of the wings' problems. A variable may say `column = "…"`: how the lab's own
               tables head it. The sample of a law may be in a file beside the study file, as in law = { kind =
               "empirical", file = "weather.csv", column = "temp" }, and so may a causal graph, as in graph =
               "field.txt": it is read once, and copied into the log.
[study]        method, budget, rounds, seed, failures; in [study.options] the method's options; in [study.columns] how
               the lab's own tables head value, cost, token, …
[objective]    function = "module:function", or command = ["program", "argument", …] and timeout; left out where people
               evaluate by hand
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from pydantic import Field

from ..errors import InvalidInput, InvalidOption, InvalidProblem, InvalidStudy, one_of
from ..optimizer import Optimizer, Problem
from ..record import from_plain, record
from ..wings import kinds, read_problem
from .beside import with_samples, without_columns
from .columns import column, columns_of
from .graph_file import with_graph
from .objective import Command, Function, Objective

_TABLES = ("problem", "study", "objective")
_LIMITS = ("method", "budget", "rounds", "seed")


@record
class Settings:
    """The table [study].

    Args:
        method: the method's name; None: the problem's default.
        budget: money that may be spent; None: no limit.
        rounds: rounds that may be played; None: no limit.
        seed: a whole number not below 0.
        failures: a run stops after so many failed evaluations in a row.
        options: the method's options.
        columns: how tables of outcomes head what `steerbo import` reads, by its own name of it.
    """

    method: str | None = None
    budget: float | None = None
    rounds: int | None = Field(None, strict=True)
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

    def optimizer(self) -> Optimizer:
        """A new optimizer for this study."""
        s = self.settings
        return Optimizer(self.problem, s.method, budget=s.budget, rounds=s.rounds, seed=s.seed, **s.options)


def read_study(path: Path | str) -> Specification:
    """Read a study file and check everything that can be checked without evaluating the objective.

    Raises:
        InvalidStudy: the file cannot be read, is no TOML, or one of its tables is not allowed.
        InvalidProblem: the problem is not allowed.

    Both name the file, the field, the value and what is allowed.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except OSError as error:
        raise InvalidStudy("study file", str(path), "a file that can be read", f"({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise InvalidStudy("study file", str(path), "TOML in UTF-8", f"(Byte {error.start} is none.)") from None
    except tomllib.TOMLDecodeError as error:
        *lines, last = text.split("\n")
        where = f"at line {len(lines) + 1}, column {len(last) + 1}"
        message = str(error).replace("at end of document", where)
        raise InvalidStudy("study file", str(path), "TOML", f"({message}.)") from None
    try:
        return _read(file, content)
    except InvalidInput as error:
        kind = InvalidStudy if isinstance(error, InvalidOption) else type(error)
        raise kind(f"{file.name}: {error.field}", error.value, error.allowed, error.hint) from None


def _read(file: Path, content: dict[str, Any]) -> Specification:
    _known(content, "", _TABLES)
    for name in _TABLES if "objective" in content else _TABLES[:2]:
        if not isinstance(content.get(name), Mapping):
            raise InvalidStudy(name, content.get(name), f"a table [{name}]")
    table, columns = _inlined(content["problem"], file.resolve().parent)
    problem = _problem(table)
    _known(content["study"], "study.", [f.name for f in fields(Settings)])
    settings: Settings = from_plain(Settings, content["study"], "study", InvalidStudy)
    settings = replace(settings, columns=_columns(problem, settings.columns, columns))
    if settings.budget is None and settings.rounds is None:
        raise InvalidStudy("study.budget", None, "a budget, or a number of rounds", "Without either a run has no end.")
    objective = _objective(content["objective"], file.resolve().parent) if "objective" in content else None
    specification = Specification(file, problem, settings, objective)
    _check_options(problem, settings)
    try:
        specification.optimizer()
    except InvalidOption as error:
        name = error.field.partition(".")[2] or error.field  # without the name of the class of options
        place = "study" if name in _LIMITS else "study.options"
        raise InvalidStudy(f"{place}.{name}", error.value, error.allowed, error.hint) from None
    return specification


def _inlined(table: Mapping[str, Any], folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The table [problem] with what it leaves to files beside it, and how variables are headed in tables."""
    table = with_graph(table, folder)
    if "variables" not in table:
        return table, {}
    variables, columns = without_columns(with_samples(table["variables"], folder))
    return {**table, "variables": variables}, columns


def _columns(problem: Problem, stated: Mapping[str, str], of_variables: Mapping[str, Any]) -> dict[str, str]:
    """How tables of outcomes head what is imported, checked."""
    known, headed = columns_of(problem), dict(stated)
    _known(stated, "study.columns.", known)
    for name, header in of_variables.items():
        if stated.get(column(name), header) != header:
            raise InvalidStudy(f"study.columns.{name}", stated[name], f"{header!r}, as the variable's column says")
        headed[column(name)] = header
    for name, header in headed.items():
        if not isinstance(header, str) or not header.strip():
            raise InvalidStudy(f"study.columns.{name}", header, "the header of a column")
        if twin := next((n for n, h in headed.items() if n != name and h == header), None):
            raise InvalidStudy(f"study.columns.{name}", header, f"another header than that of {twin!r}")
    return headed


def _problem(table: Mapping[str, Any]) -> Problem:
    wing = kinds().get(str(table.get("kind")))
    if wing is not None:
        _known(table, "problem.", [f.name for f in fields(wing)], InvalidProblem)  # type: ignore[arg-type]
    return read_problem(table)


def _objective(table: Mapping[str, Any], folder: Path) -> Objective:
    _known(table, "objective.", ("function", "command", "timeout"))
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


def _check_options(problem: Problem, settings: Settings) -> None:
    method = problem.methods().get(settings.method or problem.default_method)
    if method is not None:  # else the optimizer complains
        _known(settings.options, "study.options.", [f.name for f in fields(method.Options)])


def _known(
    table: Mapping[str, Any], place: str, names: Iterable[str], error: type[InvalidInput] = InvalidStudy
) -> None:
    allowed = list(names)
    for name in table:
        if name not in allowed:
            raise error(f"{place}{name}", table[name], one_of(allowed, name))
