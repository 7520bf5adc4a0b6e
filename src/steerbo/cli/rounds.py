"""Rounds played by people: new, ask, decide, tell, fail, abandon, amend."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from .._redaction import to_type
from ..core import BoundsExtended, LimitsRevised, Problem, Warnings
from ..errors import InvalidContext, InvalidOutcome, InvalidRequest
from ..records import to_dict
from ..study import BY_HAND, DatabaseLog, Study, read_events, read_study, resume
from ..study.files.export import read_scope, suggestions_csv
from .app import answer, echo, group, print_json
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
    typed_value,
)
from .instructions import todo
from .usage import number, whole

Token = Annotated[
    str, typer.Argument(metavar="TOKEN", help="The suggestion's token.", show_default=False)
]
Value = Annotated[
    str,
    typer.Argument(
        metavar="VALUE", help="A number, or JSON for several numbers.", show_default=False
    ),
]
Cost = Annotated[str | None, typer.Option(metavar="NUMBER", help="The cost of the evaluation.")]
Realised = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="The realised value of a variable; repeatable."),
]
Sem = Annotated[
    str | None,
    typer.Option(
        "--sem", metavar="NUMBER", help="The standard error of the value, if it is known."
    ),
]
Reason = Annotated[str, typer.Option(help="The reason, for the log.")]


commands = group()


@commands.command()
def new(study: StudyFilePath, log: LogPlace = None, as_json: AsJson = False) -> None:
    """Create a study whose experiments are done by hand."""
    s = read_study(study)
    settings = s.settings
    limits = {
        name: getattr(settings, name) for name in ("budget", "rounds", "stop", "seed", "options")
    }
    with Study.create(log or s.log, s.problem, settings.method, **limits) as begun:
        begun.revise(columns=settings.columns)
        seen = "".join(f" --context {quote(name)}=…" for name in begun.problem.space.seen)
        better = "smaller" if begun.problem.minimize else "larger"
        other = "minimize = false" if begun.problem.minimize else "minimize = true"
        goal = f"{better} values are better (if not, write {other} into the file, and begin with another log)"
        said = f"begun: {begun.log.place}; {goal}. Next: steerbo ask {to_type(log or str(study))}{seen}"
        answer(as_json, {"log": begun.log.place, **_status(begun)}, said)
    explain_credentials(log or "")


def _status(study: Study) -> dict[str, Any]:
    return {"status": study.status.to_dict()}


def _say_status(study: Study, as_json: bool, warned: Warnings = None) -> None:
    """Print the status; warnings go to standard error, and in JSON beside the status."""
    answer(as_json, {**_status(study), "warnings": list(warned or ())}, str(study.status))


@commands.command()
def extend(study: StudyFilePath, log: LogPlace = None, as_json: AsJson = False) -> None:
    """Apply wider bounds, or another budget, rounds or stop, of the study file to its log. No more can change."""
    specification = read_study(study)
    place = str(log or specification.log)
    before, opened = len(read_events(place)), DatabaseLog(place, make=False)
    with resume(specification, opened, Errors(), begin=False, extend=True, holder=BY_HAND) as going:
        bounds, changes = dict[str, Any](), dict[str, Any]()
        for event in going.events[before:]:
            if isinstance(event, BoundsExtended):
                bounds |= event.bounds
            elif isinstance(event, LimitsRevised):
                changes |= event.changes
        if not bounds and not changes:
            echo(f"{study} has the bounds and limits of its log: nothing is changed", err=True)
        answer(as_json, {**_status(going), "bounds": bounds, "changes": changes}, str(going.status))


@commands.command(cls=Declaring)
def ask(
    study: Place,
    *,
    batch: Annotated[
        int,
        typer.Option(
            parser=whole("--batch", 1), metavar="NUMBER", help="The number of suggestions."
        ),
    ] = 1,
    csv: Annotated[
        bool, typer.Option("--csv", help="Print a table to fill in, for `steerbo import`.")
    ] = False,
    given: Given = None,
    as_json: AsJson = False,
) -> None:
    """Print the next suggestion: settings, and observations to make first."""
    with open_study(study, asking=True) as going:
        before = going.pending
        suggestions = going.ask(batch, **request(going.problem, given))
        if as_json:
            print_json([to_dict(going.card(suggestion)) for suggestion in suggestions])
        elif csv:
            echo(suggestions_csv(going.problem, suggestions, headers(study, going)), nl=False)
            if staged := [s for s in suggestions if s.observe]:
                looks = "; ".join(f"round {s.round}: {', '.join(s.observe)}" for s in staged)
                echo(
                    f"to look at first: {looks}. Fill that in and import the table: it says what to set",
                    err=True,
                )
        else:
            for suggestion in suggestions:
                echo(todo(going, suggestion, to_type(study)))
            if len(suggestions) > 1 and going.problem.space.changes:
                echo(
                    "do them in this order: a variable that stays keeps its value from the round before",
                    err=True,
                )
            explain_credentials(study)
        others = [s.token for s in before if s.token not in {new.token for new in suggestions}]
        if others:
            echo(f"without an outcome yet: {', '.join(others)}", err=True)
        if len(suggestions) < batch:
            echo(f"no more suggestions: {going.status}", err=True)


@commands.command(cls=Declaring)
def attach(
    study: Place,
    settings: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=VALUE", help="A setting; repeatable.", show_default=False),
    ] = None,
    *,
    context: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A value seen; repeatable.", show_default=False),
    ] = None,
    given: Given = None,
    as_json: AsJson = False,
) -> None:
    """Begin a round at settings of your own. It is charged, and its outcome told, like any other."""
    with open_study(study) as going:
        asked = request(going.problem, given)
        asked["context"] = pairs(going.problem, "context", context, InvalidContext)
        suggestion = going.attach(pairs(going.problem, "values", settings, InvalidRequest), **asked)
        answer(as_json, going.card(suggestion).to_dict(), todo(going, suggestion, to_type(study)))
    explain_credentials(study)


@commands.command()
def decide(
    study: Place,
    token: Token,
    context: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="An observation; repeatable.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Replace the last observations; those left out stay.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Enter observations; print the settings that follow from them."""

    def given(going: Study | None) -> dict[str, Any]:
        more = {"again": True} if again else {}
        return {"context": pairs(_problem(going), "context", context, InvalidContext), **more}

    with answering(study, "decide", token, given) as going:
        decided = going.decide(token, **given(going))
        answer(as_json, going.card(decided).to_dict(), todo(going, decided, to_type(study)))
    explain_credentials(study)


@commands.command()
def tell(
    study: Place,
    token: Token,
    value: Value,
    *,
    cost: Cost = None,
    realised: Realised = None,
    sem: Sem = None,
    as_json: AsJson = False,
) -> None:
    """Enter the outcome of a suggestion."""

    def given(going: Study | None) -> dict[str, Any]:
        measured = pairs(_problem(going), "realised", realised, InvalidOutcome)
        told = {
            "value": typed_value(going, "value", value),
            "cost": money(going, "cost", cost),
            "realised": measured,
        }
        return told if sem is None else {**told, "sem": money(going, "sem", sem)}

    with answering(study, "tell", token, given) as going, _changing(going, token):
        _say_status(going, as_json, going.tell(token, **given(going)))


@commands.command()
def fail(
    study: Place,
    token: Token,
    *,
    reason: Reason = "",
    cost: Cost = None,
    charge: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER", help="The amount to charge to the budget, if the cost is unknown."
        ),
    ] = None,
    realised: Realised = None,
    as_json: AsJson = False,
) -> None:
    """Report a failed evaluation; its settings and cost count."""

    def given(going: Study | None) -> dict[str, Any]:
        measured = pairs(_problem(going), "realised", realised, InvalidOutcome)
        return {
            "reason": reason,
            "cost": money(going, "cost", cost),
            "charge": money(going, "charge", charge),
            "realised": measured,
        }

    with answering(study, "fail", token, given) as going, _changing(going, token):
        _say_status(going, as_json, going.fail(token, **given(going)))


@commands.command()
def abandon(
    study: Place,
    token: Token,
    reason: Reason = "",
    charge: Annotated[
        float | None,
        typer.Option(
            parser=number("--charge"),
            metavar="NUMBER",
            help="The amount to charge to the budget, until the cost is told.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Give up a suggestion; its outcome can still be told later. If its cost is known, use `fail`."""
    with open_study(study) as going, _changing(going, token):
        _say_status(going, as_json, going.abandon(token, reason, charge=charge))


@commands.command()
def remark(
    study: Place,
    token: Annotated[
        str,
        typer.Argument(
            metavar="TOKEN",
            help="The suggestion's token, the name of data, or study.",
            show_default=False,
        ),
    ],
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="The remark.", show_default=False)
    ] = "",
    file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A photograph, a spectrum or any file; a copy of it is kept."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Keep a remark on a round, such as a lot number or a photograph. `show --find` finds it; `files` gives files."""
    with open_study(study) as going:
        warned = going.remark(token, text, file=file)
        remarks, files = going.history.remarks.get(token, ()), going.history.files.get(token, ())
        about = {
            "remarks": [*remarks],
            "files": [kept.to_dict() for kept in files],
            "warnings": list(warned or ()),
        }
        answer(as_json, about, "\n".join([*remarks, *(kept.name for kept in files)]))
    for known in warned or ():
        echo(known, err=True)


def _problem(study: Study | None) -> Problem | None:
    return None if study is None else study.problem


@contextmanager
def _changing(study: Study, token: str) -> Iterator[None]:
    """Tell where a report leaves the state of a round as it was, and whether its reason became a remark."""
    before, remarks = study.history[token].state, study.history.remarks.get(token, ())
    yield
    if (played := study.history[token]).state == before:
        more = study.history.remarks.get(token, ()) != remarks
        said = "the other reason is kept as a remark" if more else "nothing is changed"
        echo(f"round {played.number} was {before} already: {said}", err=True)


@commands.command()
def amend(
    study: Place,
    token: Token,
    value: Annotated[
        str | None, typer.Argument(metavar="VALUE", help="The correct value.", show_default=False)
    ] = None,
    *,
    cost: Cost = None,
    realised: Realised = None,
    charge: Annotated[
        str | None,
        typer.Option(
            help="Added data: whether its cost is charged, yes or no. A failed round: the amount."
        ),
    ] = None,
    scope: Annotated[
        str | None, typer.Option(help='Added data: the variables that were set, such as "ph + t".')
    ] = None,
    sem: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER", help="The standard error of the value; none: it is unknown."
        ),
    ] = None,
    void: Annotated[bool, typer.Option("--void", help="Withdraw the outcome.")] = False,
    reason: Reason = "",
    as_json: AsJson = False,
) -> None:
    """Correct or void an outcome; the log keeps the old one."""

    def given(going: Study | None) -> dict[str, Any]:
        measured = pairs(_problem(going), "realised", realised, InvalidOutcome) or None
        right = None if value is None else typed_value(going, "value", value)
        charged = (
            {"yes": True, "no": False}.get(
                charge.strip().lower(), typed_value(going, "cost", charge)
            )
            if charge
            else None
        )
        played = read_scope(scope) if scope else None
        more = {"charge": charged, "scope": played, "void": void, "reason": reason}
        more |= {} if sem is None else {"sem": money(going, "sem", sem) if sem != "none" else False}
        return {"value": right, "cost": money(going, "cost", cost), "realised": measured, **more}

    with answering(study, "amend", token, given) as going:
        _say_status(going, as_json, going.amend(token, **given(going)))
