"""Answers on the screen: tables within 80 columns, or one JSON document."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from rich.console import Console
from rich.padding import Padding

from .._wording import counted
from ..core import (
    BaseStudy,
    Explanation,
    Optimizer,
    Problem,
    Recommendation,
    Table,
    revised_text,
    settings_text,
    stop_text,
)
from ..core.request import Request
from ..errors import short_repr
from ..records import to_dict
from ..space import Categorical, truncation_said
from ..study import Study
from ..study.files.study_file import StudyFile
from ..study.formatting import advised, alternatives, with_units
from ..study.progress import literal
from .app import print_json
from .tables import CHOSEN, HEADING, ScreenTable, hung

_VALUES_LISTED = 8  # values of a law that are listed


class _Screen(Console):
    def on_broken_pipe(self) -> None:
        """Pass a broken pipe on to the program, which then ends without an error."""
        raise BrokenPipeError(errno.EPIPE, "the reader has closed")


def console(stderr: bool = False) -> Console:
    """A console; it keeps to the terminal's width, 80 columns where there is none, and to NO_COLOR."""
    return _Screen(stderr=stderr, highlight=False, emoji=False)


def print_answers(optimizer: Optimizer | Study, as_json: bool, more: Mapping[str, Any]) -> None:
    """Recommendation, explanation and status; `more` is added to the JSON document."""
    advice, why, status = optimizer.recommend(), optimizer.explain(), optimizer.status
    if as_json:
        answers = {"recommendation": advice, "explanation": why, "status": status}
        print_json({**{name: to_dict(answer) for name, answer in answers.items()}, **more})
        return
    screen = console()
    print_recommendation(screen, optimizer.problem, advice)
    print_explanation(screen, optimizer.problem, why)
    first, *more_lines = status_lines(optimizer)
    screen.print(f"[{HEADING}]Status:[/]", literal(first))
    for line in more_lines:
        screen.print(Padding(literal(line), (0, 0, 0, 2), expand=False))


def print_explanation(screen: Console, problem: Problem, why: Explanation) -> None:
    """Print how the method chooses, and the tables behind it."""
    screen.print(f"[{HEADING}]Why:[/]", literal(why.summary))
    for table in why.tables:
        screen.print(ScreenTable(with_units(problem, table)))


def status_lines(study: BaseStudy) -> list[str]:
    """Lines of a status: rounds and money, spent and left, open rounds, findings, and limits that were changed."""
    status = study.status
    rounds = (study.history[token] for token in status.pending)
    changed = (line for event in study.history.revisions for line in revised_text(event))
    return [
        status.headline,
        *([f"left: {status.left}"] if status.left else []),
        *(
            f"open: round {r.number}, token {r.suggestion.token}: hold {r.suggestion.scope}"
            for r in rounds
        ),
        *(f"{'warning: ' * (each.kind == 'law')}{each}" for each in status.findings),
        *changed,
    ]


def print_recommendation(screen: Console, problem: Problem, advice: Recommendation) -> None:
    """Print the recommended scope with settings and units, and its alternatives."""
    held, *more = advised(problem, advice)
    screen.print(f"[{HEADING}]Recommended:[/]", literal(held, CHOSEN))
    for line in more:
        screen.print(Padding(literal(line), (0, 0, 0, 2), expand=False))
    if advice.alternatives:
        screen.print(ScreenTable(alternatives(problem, advice)))


def print_methods(table: Table) -> None:
    """The table of methods as paragraphs: its texts are too long for columns."""
    screen = console()
    for kind, method, does, options in table.cells():
        screen.print(literal(method, HEADING), literal(f"({kind})"))
        screen.print(Padding(literal(does), (0, 0, 0, 4)))
        screen.print(Padding(literal(f"options: {options or 'none'}"), (0, 0, 1, 4)))


def described(specification: StudyFile) -> dict[str, Any]:
    """Report as data: the problem and the settings as they were read, and the places of objective and log."""
    settings = to_dict(specification.settings)
    return {
        "problem": to_dict(specification.problem),
        "study": {**settings, "method": specification.method},
        "objective": str(specification.objective) if specification.objective else None,
        "log": str(specification.log),
        "exists": specification.log.exists(),
    }


def describe(specification: StudyFile, begun: bool = False) -> str:
    """Text of a study in words, within the width of the terminal; `begun`: its log has it."""
    problem, settings = specification.problem, specification.settings
    budget = settings.budget
    limits = (
        [] if budget is None else [f"a budget of {budget:g} is spent{_rounds_for(problem, budget)}"]
    )
    limits += [f"round {settings.rounds} is over"] if settings.rounds is not None else []
    limits += [f"enough is known ({stop_text(settings.stop)})"] if settings.stop is not None else []
    options = ", ".join(f"{name} = {value}" for name, value in settings.options.items())
    lines = [
        f"{specification.path.name} is a valid study.",
        f"  problem     {problem.kind}, {'smaller' if problem.minimize else 'larger'} values are better",
        *(f"  variable    {_variable(problem, variable)}" for variable in problem.space),
        *(f"  {heading:<11} {text}" for heading, text in specification.optimizer().describe()),
        f"  method      {specification.method}"
        + (f" ({options})" if options else "")
        + f", seed {settings.seed}",
        f"  until       {' or '.join(limits)}",
        f"  objective   {specification.objective or 'evaluated by hand'}",
        f"  log         {specification.log}"
        + (" (exists: a run goes on from it)" if begun else ""),
        *([] if begun else _first_plays(specification)),
    ]
    return "\n".join(hung(line, console().width) for line in lines)


def _rounds_for(problem: Problem, budget: float) -> str:
    """How many rounds a budget allows by the stated prices, in words; empty where one is not known."""
    prices = [scope.price for scope in getattr(problem, "scopes", ())]
    known = [price for price in prices if price]
    if not known or len(known) < len(prices):
        return ""
    fewest, most = (int(budget / price) for price in (max(known), min(known)))
    if any(getattr(variable, "change", None) for variable in problem.space):
        return f", in at most {counted(most, 'round')}"
    return f", in {f'{fewest} to ' if fewest < most else ''}{counted(most, 'round')}"


_FIRST = 3  # suggestions that show the kind of rounds to come


def _first_plays(specification: StudyFile) -> list[str]:
    """Lines of the first suggestions of an imaginary study, before any outcome; seen variables are in their middle."""
    optimizer = specification.optimizer()
    space = optimizer.problem.space
    context = {name: _middle(space[name]) for name in space.seen}
    request: Request = {"context": context} if context else {}
    seen = (
        f", having seen {settings_text(context, optimizer.problem.shown(context))}"
        if context
        else ""
    )
    lines = []
    for suggestion in optimizer.ask(_FIRST, **request):
        todo = [settings_text(suggestion.values, suggestion.shown)] if suggestion.values else []
        todo += [f"look at {', '.join(suggestion.observe)} first"] if suggestion.observe else []
        cost = optimizer.history[suggestion.token].expected_cost
        price = "" if cost is None or not optimizer.problem.priced else f" (costs {cost:g})"
        lines.append(
            f"  to begin    round {suggestion.round}{seen}: {'; '.join(todo) or 'set nothing'}{price}"
        )
    return lines


def _middle(variable: Any) -> Any:
    """Value in the middle of a variable's range; of choices the first."""
    if isinstance(variable, Categorical):
        return variable.choices[0]
    return variable.decode([0.5])[0]


def _variable(problem: Problem, variable: Any) -> str:
    plain = to_dict(variable)
    known = variable.range_text if "low" in plain else ", ".join(map(str, plain["choices"]))
    use = problem.use(variable) or (
        _law(plain["law"], variable.law) if "law" in plain else "always set"
    )
    return "; ".join(
        filter(None, [f"{variable.name}: {plain['kind']}, {known}", use, truncation_said(variable)])
    )


def _sized(value: Any) -> str:
    if isinstance(value, list) and len(value) > _VALUES_LISTED:
        ends = (
            f", {min(value):g} to {max(value):g}"
            if all(isinstance(x, float | int) for x in value)
            else ""
        )
        return f"{len(value)} values{ends}"
    return f"{value:g}" if isinstance(value, float) else short_repr(value)


def _law(plain: dict[str, Any], law: Any) -> str:
    usual = {each.name: each.default for each in fields(law)} if is_dataclass(law) else {}
    said = {
        name: value
        for name, value in plain.items()
        if name != "kind" and usual.get(name, ...) != value
    }
    numbers = ", ".join(f"{name} = {_sized(value)}" for name, value in said.items())
    return f"left to itself {plain['kind']}" + (f" ({numbers})" if numbers else "")
