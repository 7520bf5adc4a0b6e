"""Answers on the screen: tables within 80 columns, or one JSON document."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table as RichTable

from ..errors import show
from ..plots.drawing import BLUE, GREEN
from ..record import to_plain
from ..rounds import Optimizer, Problem, Recommendation, Table, as_text
from ..study import Study
from ..study.progress import literal
from ..study.specification import Specification
from ..text import escaped_json
from .screen import echo

HEADING, CHOSEN = f"bold {BLUE}", f"bold {GREEN}"
_FEW = 8  # values of a law that are listed
_LONGEST = 90  # characters of a cell


def console(stderr: bool = False) -> Console:
    """A console; it keeps to the terminal's width, 80 columns where there is none, and to NO_COLOR."""
    return Console(stderr=stderr, highlight=False, emoji=False)


def print_json(document: Any) -> None:
    """One JSON document on standard output."""
    sys.stdout.write(escaped_json(json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False)) + "\n")


def answer(as_json: bool, document: Mapping[str, Any], text: str) -> None:
    """A command's answer: one JSON document, or words."""
    if as_json:
        print_json(document)
    else:
        echo(text)


def print_answers(optimizer: Optimizer | Study, as_json: bool, more: Mapping[str, Any]) -> None:
    """Recommendation, explanation and status; `more` is added to the JSON document."""
    advice, why, status = optimizer.recommend(), optimizer.explain(), optimizer.status
    if as_json:
        answers = {"recommendation": advice, "explanation": why, "status": status}
        print_json({**{name: to_plain(answer) for name, answer in answers.items()}, **more})
        return
    screen = console()
    print_recommendation(screen, optimizer.problem, advice)
    screen.print(f"[{HEADING}]Why[/]", literal(why.summary))
    for table in why.tables:
        screen.print(rich_table(table))
    screen.print(f"[{HEADING}]Status[/]", literal(str(status)))


def print_recommendation(screen: Console, problem: Problem, advice: Recommendation) -> None:
    """The recommended scope with its settings and units, and what the others would give."""
    screen.print(f"[{HEADING}]Recommended:[/]", literal(f"steer {advice.scope}", CHOSEN))
    for name, value in advice.values.items():
        screen.print(literal(f"  {name} = {_setting(problem, name, value)}"))
    cost = f", cost {advice.cost:.4g} a play" if advice.cost is not None else ""
    screen.print(f"  expected value {_expected(advice)}{cost}")
    if advice.note:
        screen.print(literal(f"  {advice.note}"))
    if advice.alternatives:
        screen.print(rich_table(alternatives(problem, advice)))


def alternatives(problem: Problem, advice: Recommendation) -> Table:
    """What every scope would give, the recommended one first marked."""
    everyone = sorted((advice, *advice.alternatives), key=lambda a: float("inf") if a.cost is None else a.cost)
    counted = problem.priced or any(choice.cost is not None for choice in everyone)
    rows = tuple(
        (
            ("→ " if choice is advice else "  ") + str(choice.scope),
            ", ".join(f"{name} = {_setting(problem, name, value)}" for name, value in choice.values.items()),
            _expected(choice),
            *(("unknown" if choice.cost is None else choice.cost,) if counted else ()),
        )
        for choice in everyone
    )
    columns = ("steer", "settings", "expected value", *(("cost",) if counted else ()))
    return Table("What each would give", columns, rows)


def print_methods(table: Table) -> None:
    """The table of methods as paragraphs: its texts are too long for columns."""
    screen = console()
    for kind, method, does, options in table.cells():
        screen.print(literal(method, HEADING), literal(f"({kind})"))
        screen.print(Padding(literal(does), (0, 0, 0, 4)))
        screen.print(Padding(literal(f"options: {options or 'none'}"), (0, 0, 1, 4)))


def rich_table(table: Table) -> Group:
    """A table for the screen under its title; cells that are very long end in an ellipsis."""
    shown = RichTable(box=SIMPLE_HEAD, pad_edge=False)
    for k, column in enumerate(table.columns):
        number = all(isinstance(row[k], float | int | None) for row in table.rows)  # which no line break may cut in two
        shown.add_column(literal(column), overflow="fold", no_wrap=number)
    for cells in table.cells():
        short = (cell if len(cell) <= _LONGEST else cell[: _LONGEST - 1] + "…" for cell in cells)
        shown.add_row(*map(literal, short), style=CHOSEN if cells[0].startswith("→") else "")
    return Group(literal(table.title, HEADING), shown)


def described(specification: Specification) -> dict[str, Any]:
    """The same as data: the problem and the settings as they were read, and where objective and log are."""
    settings = to_plain(specification.settings)
    return {
        "problem": to_plain(specification.problem),
        "study": {**settings, "method": specification.method},
        "objective": str(specification.objective) if specification.objective else None,
        "log": str(specification.log),
        "exists": specification.log.exists(),
    }


def describe(specification: Specification) -> str:
    """A study in words."""
    problem, settings = specification.problem, specification.settings
    limits = [f"a budget of {settings.budget:g} is spent"] if settings.budget is not None else []
    limits += [f"{settings.rounds} rounds are played"] if settings.rounds is not None else []
    options = ", ".join(f"{name} = {value}" for name, value in settings.options.items())
    lines = [
        f"{specification.path.name} is a valid study.",
        f"  problem     {problem.kind}, {'smaller' if problem.minimize else 'larger'} values are better",
        *(f"  variable    {_variable(problem, variable)}" for variable in problem.space),
        *(f"  {heading:<12}{text}" for heading, text in specification.optimizer().describe()),
        f"  method      {specification.method}" + (f" ({options})" if options else "") + f", seed {settings.seed}",
        f"  until       {' or '.join(limits)}",
        f"  objective   {specification.objective or 'evaluated by hand'}",
        f"  log         {specification.log}"
        + (" (exists: a run goes on from it)" if specification.log.exists() else ""),
    ]
    return "\n".join(lines)


def _variable(problem: Problem, variable: Any) -> str:
    plain = to_plain(variable)
    unit = f" {plain['unit']}" if plain.get("unit") else ""
    known = f"{plain['low']:g} to {plain['high']:g}{unit}" if "low" in plain else ", ".join(map(str, plain["choices"]))
    use = problem.use(variable) or (_law(plain["law"]) if "law" in plain else "always set")
    return f"{variable.name}: {plain['kind']}, {known}; {use}"


def _sized(value: Any) -> str:
    if isinstance(value, list) and len(value) > _FEW:
        ends = f", {min(value):g} to {max(value):g}" if all(isinstance(x, float | int) for x in value) else ""
        return f"{len(value)} values{ends}"
    return show(value)


def _law(plain: dict[str, Any]) -> str:
    numbers = ", ".join(f"{name} = {_sized(value)}" for name, value in plain.items() if name != "kind")
    return f"left to itself {plain['kind']}" + (f" ({numbers})" if numbers else "")


def _setting(problem: Problem, name: str, value: Any) -> str:
    unit = getattr(problem.space[name], "unit", "") if name in problem.space else ""
    return f"{as_text(value)} {unit}".strip()


def _expected(choice: Recommendation) -> str:
    if choice.mean is None:
        return "unknown"
    return f"{choice.mean:.4g}" + (f" ({choice.lower:.4g} to {choice.upper:.4g})" if choice.lower is not None else "")
