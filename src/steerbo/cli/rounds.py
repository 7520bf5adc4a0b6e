"""Rounds played by people: new, ask, decide, tell, fail, abandon, amend."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from shlex import quote
from typing import Annotated, Any

import typer

from .._parsing import parse_value
from .._redaction import to_type
from ..core import Doubts, Problem
from ..errors import InvalidContext, InvalidOutcome
from ..records import to_dict
from ..study import BY_HAND, DatabaseLog, Study, read_study, resume
from ..study.files.export import read_scope, suggestions_csv
from .arguments import (
    AsJson,
    Declaring,
    Errors,
    Given,
    LogPlace,
    Place,
    StudyFilePath,
    answering,
    explain_credentials,
    headers,
    money,
    open_study,
    pairs,
    request,
)
from .commands import group
from .instructions import todo
from .output import answer, echo, print_json
from .usage import whole

Token = Annotated[str, typer.Argument(metavar="TOKEN", help="The suggestion's token.", show_default=False)]
Value = Annotated[
    str, typer.Argument(metavar="VALUE", help="A number; JSON where it takes more than one.", show_default=False)
]
Cost = Annotated[str | None, typer.Option(metavar="NUMBER", help="What it cost.")]
Realised = Annotated[
    list[str] | None, typer.Option(metavar="NAME=VALUE", help="What really happened; as often as needed.")
]
Reason = Annotated[str, typer.Option(help="Why, for the record.")]
NEGATIVE = {"ignore_unknown_options": True}  # -1.5 is a value, not an option


commands = group()


@commands.command()
def new(
    study: StudyFilePath,
    log: LogPlace = None,
    as_json: AsJson = False,
) -> None:
    """Begin a study that is played by hand."""
    s = read_study(study)
    settings = s.settings
    limits = {name: getattr(settings, name) for name in ("budget", "rounds", "stop", "seed", "options")}
    with Study.create(log or s.log, s.problem, settings.method, **limits) as begun:
        begun.revise(columns=settings.columns)
        seen = "".join(f" --context {quote(name)}=…" for name in begun.problem.space.seen)
        said = f"begun: {begun.log.place}. Next: steerbo ask {to_type(log or str(study))}{seen}"
        answer(as_json, {"log": begun.log.place, **_status(begun)}, said)
    explain_credentials(log or "")


def _status(study: Study) -> dict[str, Any]:
    return {"status": study.status.to_dict()}


def _say_status(study: Study, as_json: bool, warned: Doubts = None) -> None:
    """Print the status; warnings go to standard error, and in JSON beside the status."""
    answer(as_json, {**_status(study), "warnings": list(warned or ())}, str(study.status))


@commands.command()
def extend(study: StudyFilePath, log: LogPlace = None, as_json: AsJson = False) -> None:
    """Go on with the wider bounds and other limits that the study file now has. Nothing else of a study can change."""
    specification = read_study(study)
    opened = DatabaseLog(log or specification.log, make=False)
    with resume(specification, opened, Errors(), begin=False, extend=True, holder=BY_HAND) as going:
        _say_status(going, as_json)


@commands.command(cls=Declaring)
def ask(
    study: Place,
    *,
    batch: Annotated[
        int, typer.Option(parser=whole("--batch", 1), metavar="NUMBER", help="So many suggestions at once.")
    ] = 1,
    csv: Annotated[bool, typer.Option("--csv", help="As a table to fill in, for `steerbo import`.")] = False,
    given: Given = None,
    as_json: AsJson = False,
) -> None:
    """Suggest the next settings, and the variables to look at first."""
    with open_study(study, asking=True) as going:
        before = going.pending
        suggestions = going.ask(batch, **request(going.problem, given))
        if as_json:
            print_json([to_dict(suggestion) for suggestion in suggestions])
        elif csv:
            echo(suggestions_csv(going.problem, suggestions, headers(study, going)), nl=False)
            if staged := [s for s in suggestions if s.observe]:
                looks = "; ".join(f"round {s.round}: {', '.join(s.observe)}" for s in staged)
                echo(f"to look at first: {looks}. Fill that in and import the table: it says what to set", err=True)
        else:
            for suggestion in suggestions:
                echo(todo(going, suggestion, to_type(study)))
            if len(suggestions) > 1 and going.problem.space.changes:
                echo("in this order: what stays is where the round before it leaves it", err=True)
            explain_credentials(study)
        others = [s.token for s in before if s.token not in {new.token for new in suggestions}]
        if others:
            echo(f"still out: {', '.join(others)}", err=True)
        if len(suggestions) < batch:
            echo(f"no more suggestions: {going.status}", err=True)


@commands.command()
def decide(
    study: Place,
    token: Token,
    context: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="What was seen; as often as needed.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="The last look was mistyped: decide by this one. What is left out stays.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Give the values looked at; says the next settings, and the next variables to look at."""

    def given(problem: Problem | None) -> dict[str, Any]:
        more = {"again": True} if again else {}
        return {"context": pairs(problem, "context", context, InvalidContext), **more}

    with answering(study, "decide", token, given) as going:
        decided = going.decide(token, **given(going.problem))
        answer(as_json, decided.to_dict(), todo(going, decided, to_type(study)))
    explain_credentials(study)


@commands.command(context_settings=NEGATIVE)
def tell(
    study: Place,
    token: Token,
    value: Value,
    *,
    cost: Cost = None,
    realised: Realised = None,
    as_json: AsJson = False,
) -> None:
    """Give the outcome of a suggestion."""

    def given(problem: Problem | None) -> dict[str, Any]:
        measured = pairs(problem, "realised", realised, InvalidOutcome)
        return {"value": parse_value(value), "cost": money("cost", cost), "realised": measured}

    with answering(study, "tell", token, given) as going, _changing(going, token):
        _say_status(going, as_json, going.tell(token, **given(going.problem)))


@commands.command()
def fail(
    study: Place,
    token: Token,
    *,
    reason: Reason = "",
    cost: Cost = None,
    charge: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="What to charge to the budget where nobody knows.")
    ] = None,
    realised: Realised = None,
    as_json: AsJson = False,
) -> None:
    """The evaluation broke: its point and cost count, a value there is none."""

    def given(problem: Problem | None) -> dict[str, Any]:
        measured = pairs(problem, "realised", realised, InvalidOutcome)
        return {"reason": reason, "cost": money("cost", cost), "charge": money("charge", charge), "realised": measured}

    with answering(study, "fail", token, given) as going, _changing(going, token):
        _say_status(going, as_json, going.fail(token, **given(going.problem)))


@commands.command()
def abandon(
    study: Place,
    token: Token,
    reason: Reason = "",
    charge: Annotated[
        float | None, typer.Option(help="What to charge to the budget all the same, until its cost is told.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Give a round up: it is not evaluated any more; an outcome that comes all the same is used. See `fail`."""
    with open_study(study) as going, _changing(going, token):
        _say_status(going, as_json, going.abandon(token, reason, charge=charge))


@contextmanager
def _changing(study: Study, token: str) -> Iterator[None]:
    """Report that nothing was logged where a round is unchanged."""
    before = study.history[token].state
    yield
    if (played := study.history[token]).state == before:
        echo(f"round {played.number} was {before} already: nothing is changed", err=True)


@commands.command(context_settings=NEGATIVE)
def amend(
    study: Place,
    token: Token,
    value: Annotated[str | None, typer.Argument(metavar="VALUE", help="The right value.", show_default=False)] = None,
    *,
    cost: Cost = None,
    realised: Realised = None,
    charge: Annotated[
        str | None,
        typer.Option(help="Of data that was added: is its cost charged, yes or no. Of a failed round: the amount."),
    ] = None,
    scope: Annotated[str | None, typer.Option(help='Of data that was added: what was played, "ph + t".')] = None,
    void: Annotated[bool, typer.Option("--void", help="There is no outcome to learn from after all.")] = False,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Correct or void an outcome; the log keeps the old one."""

    def given(problem: Problem | None) -> dict[str, Any]:
        measured = pairs(problem, "realised", realised, InvalidOutcome) or None
        right = None if value is None else parse_value(value)
        charged = {"yes": True, "no": False}.get(charge.strip().lower(), parse_value(charge)) if charge else None
        played = read_scope(scope) if scope else None
        more = {"charge": charged, "scope": played, "void": void, "reason": reason}
        return {"value": right, "cost": money("cost", cost), "realised": measured, **more}

    with answering(study, "amend", token, given) as going:
        _say_status(going, as_json, going.amend(token, **given(going.problem)))
