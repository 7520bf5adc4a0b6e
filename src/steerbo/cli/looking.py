"""Answers of a study, for people and programs: show, recommend, explain, status. Nothing is logged by them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .._redaction import to_type
from ..core import Round, Table
from ..records import to_dict
from ..study import Study
from ..study.formatting import data_table, rounds_table, shown_rounds, timeline
from .app import answer, echo, group, print_json
from .arguments import AsJson, Place, explain_credentials, open_study
from .instructions import about_round
from .report import (
    console,
    print_answers,
    print_explanation,
    print_recommendation,
    status_lines,
)
from .tables import ScreenTable
from .usage import whole_or_all

commands = group()
_LATEST = 10  # rounds that `show` prints where nobody says how many: a screen has room for them


@commands.command()
def show(
    study: Place,
    rounds: Annotated[
        str | None,
        typer.Option(
            parser=whole_or_all("--rounds"),
            metavar="NUMBER",
            help=f"How many of the latest rounds to show, or all; default: {_LATEST}, in JSON all.",
            show_default=False,
        ),
    ] = None,
    find: Annotated[
        str,
        typer.Option(metavar="TEXT", help="Only rounds with this text, for example in a remark."),
    ] = "",
    who_and_when: Annotated[
        bool,
        typer.Option(
            "--timeline",
            help="Instead of the rounds: what happened, when and by whom, the latest first.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the answer, why, what else can be held, and the latest rounds."""
    with open_study(study, tolerated="any") as going:
        if as_json:
            print_answers(going, True, _as_data(going, rounds, who_and_when))
        else:
            print_answers(going, False, {})
            most = _LATEST if rounds is None else None if rounds == "all" else int(rounds)
            table = timeline(going, most) if who_and_when else shown_rounds(going, find, most)
            console().print(ScreenTable(table))
            if most is not None and max(len(going.history), len(going.history.data)) > most:
                more = f" --find {to_type(find)}" * bool(find) + " --timeline" * who_and_when
                echo(f"All: steerbo show {to_type(study)} --rounds all{more}")
    explain_credentials(study)


def _as_data(study: Study, rounds: str | None, who_and_when: bool) -> dict[str, Any]:
    """Rounds and data that was added, by columns, or the timeline; of each as many of the latest as are wanted."""
    most = None if rounds in (None, "all") else int(rounds)
    if who_and_when:
        return {"timeline": _rows(timeline(study, most))}
    found = {"rounds": _rows(rounds_table(study)), "data": _rows(data_table(study))}
    return {
        name: rows if most is None else rows[max(len(rows) - most, 0) :]
        for name, rows in found.items()
    }


def _rows(table: Table) -> list[dict[str, Any]]:
    """Rows of a table as data, by column."""
    plain = to_dict(table)
    return [dict(zip(plain["columns"], row, strict=True)) for row in plain["rows"]]


@commands.command()
def recommend(study: Place, as_json: AsJson = False) -> None:
    """Print the recommendation, what is expected of it, and its alternatives."""
    with open_study(study, tolerated="any") as going:
        advice = going.recommend()
        if as_json:
            print_json(advice.to_dict())
        else:
            print_recommendation(console(), going.problem, advice)
    explain_credentials(study)


@commands.command()
def explain(
    study: Place,
    token: Annotated[
        str | None,
        typer.Argument(
            metavar="TOKEN",
            help="The round; default: the open one, else the last.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Explain a suggestion, the open or the last one if no token is given, and the method's choices."""
    with open_study(study, tolerated="any") as going:
        played = going.history[token] if token is not None else _present(going)
        card, state = (going.card(played.suggestion.token), played.state) if played else (None, "")
        why = going.explain()
        if as_json:
            found = None if card is None else {**card.to_dict(), "state": state}
            print_json({"suggestion": found, "explanation": why.to_dict()})
        else:
            echo("no round yet" if card is None else about_round(going, card, state))
            print_explanation(console(), going.problem, why)
    explain_credentials(study)


def _present(study: Study) -> Round | None:
    """The round that is open, the latest of several; else the last one; None before the first."""
    return next(iter([*study.history.pending[-1:], *study.history.last(1)]), None)


@commands.command()
def status(study: Place, as_json: AsJson = False) -> None:
    """Print rounds, money, what is left, open rounds, and all that was noticed."""
    with open_study(study, tolerated="any") as going:
        answer(as_json, going.status.to_dict(), "\n".join(status_lines(going)))
    explain_credentials(study)
