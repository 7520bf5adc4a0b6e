"""Answers of a study, for people and programs: show, recommend, explain, status. Nothing is logged by them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .._redaction import to_type
from ..core import Round
from ..records import to_dict
from ..study import Study
from ..study.formatting import data_table, rounds_table, shown_rounds
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
_LATEST = 10  # rounds shown


@commands.command()
def show(
    study: Place,
    rounds: Annotated[
        str | None,
        typer.Option(
            parser=whole_or_all("--rounds"),
            metavar="NUMBER",
            help=f"So many of the latest rounds, or all; default: {_LATEST}, in JSON all.",
            show_default=False,
        ),
    ] = None,
    find: Annotated[
        str, typer.Option(metavar="TEXT", help="Only rounds with this text, in a remark, say.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Show the answer, why, what else can be held, and the latest rounds."""
    with open_study(study, tolerated="any") as going:
        if as_json:
            print_answers(going, True, _as_data(going, rounds))
        else:
            print_answers(going, False, {})
            most = _LATEST if rounds is None else None if rounds == "all" else int(rounds)
            table = shown_rounds(going, find, most)
            console().print(ScreenTable(table))
            if most is not None and max(len(going.history), len(going.history.data)) > most:
                found = f" --find {to_type(find)}" if find else ""
                echo(f"All: steerbo show {to_type(study)} --rounds all{found}")
    explain_credentials(study)


def _as_data(study: Study, rounds: str | None) -> dict[str, Any]:
    """Rounds and data that was added, by columns; of each as many of the latest as are wanted."""
    found = {}
    for name, table in (("rounds", rounds_table(study)), ("data", data_table(study))):
        plain = to_dict(table)
        rows = [dict(zip(plain["columns"], row, strict=True)) for row in plain["rows"]]
        first = 0 if rounds in (None, "all") else max(len(rows) - int(rounds), 0)
        found[name] = rows[first:]
    return found


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
