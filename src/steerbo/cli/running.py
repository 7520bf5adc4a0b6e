"""Commands that need a study file only: run, check, and the list of methods."""

from __future__ import annotations

import json
from contextlib import closing
from typing import Annotated, Any

import typer

from .._parsing import typed_number
from ..core import find_method, read_stop
from ..core import methods as table
from ..errors import InvalidStudy
from ..storage.connections import OPENING
from ..storage.log import WAIT
from ..study import DatabaseLog, Display, compare, read_study, resume, run_study
from ..study.files.study_file import StudyFile
from ..study.workers import check_options
from . import usage
from .app import answer, echo, group, print_json
from .arguments import AsJson, Declaring, Errors, Given, LogPlace, StudyFilePath, request
from .report import console, describe, described, print_answers, print_methods
from .usage import whole

commands = group()

Quiet = Annotated[bool, typer.Option("--quiet", help="Print errors only: no progress, no answer.")]
_WAIT = f"Seconds to wait whenever the log cannot be reached (default: {WAIT:g}, at the start {OPENING:g})."
Rounds = Annotated[
    int | None,
    typer.Option(
        parser=whole("--rounds", 1),
        metavar="NUMBER",
        help="Stop after this many rounds; the study can go on later.",
    ),
]


Stop = Annotated[
    str | None,
    typer.Option(
        metavar="DIFFERENCE|enough",
        help="Stop when the possible gain, by the bounds, is below this difference; enough: below the cost of a round.",
    ),
]


@commands.command(cls=Declaring)
def run(
    study: StudyFilePath,
    *,
    as_json: AsJson = False,
    quiet: Quiet = False,
    log: LogPlace = None,
    rounds: Rounds = None,
    stop: Stop = None,
    wait: Annotated[
        float | None, typer.Option(parser=usage.number("--wait"), metavar="SECONDS", help=_WAIT)
    ] = None,
    given: Given = None,
) -> None:
    """Optimise the study's objective. Run it again to go on where it stopped."""
    specification = read_study(study)
    rule = None if stop is None else _rule(specification, stop)
    if wait is not None:
        check_options({"wait": wait})
    errors = console(stderr=True)
    if specification.objective is None:
        raise InvalidStudy(
            "objective", None, "a table [objective]", "Without one, use ‹ask› and ‹tell›."
        )
    specification.objective.prepare()
    display = Display(errors, quiet)
    events = DatabaseLog(log or specification.log, opening=wait)
    with resume(specification, events, display, wait=WAIT if wait is None else wait) as going:
        if going.status.rounds and not quiet:
            display.say(f"going on from {events.place}: {going.status}")
        try:
            with display:
                asked, failures = request(going.problem, given), specification.settings.failures
                limits: dict[str, Any] = {"rounds": rounds, "stop": rule}
                run_study(
                    going,
                    going.session,
                    specification.objective,
                    display,
                    failures=failures,
                    request=asked,
                    **limits,
                )
        except KeyboardInterrupt:
            said = f"stopped after {going.status}. Run the same command again to go on."
            if as_json:
                print_json(usage.plain_document(usage.STOPPED, "Stopped", said))
            echo(f"steerbo: {said}", err=True)
            raise typer.Exit(usage.STOPPED) from None
        if as_json or not quiet:
            print_answers(going, as_json, {"log": events.place})


def _rule(specification: StudyFile, typed: str) -> float | str | None:
    """Check the typed stopping rule."""
    number = typed_number(typed)
    return read_stop(
        typed if number is None else number,
        find_method(specification.problem, specification.settings.method),
    )


@commands.command()
def check(study: StudyFilePath, as_json: AsJson = False) -> None:
    """Check a study file, also against its log, and print the study that it describes.

    Nothing is evaluated, and no objective is imported.
    """
    specification = read_study(study)
    if specification.objective is not None:
        specification.objective.find()
    begun = False
    if specification.log.exists():
        with closing(DatabaseLog(specification.log, make=False)) as log:
            begun = compare(specification, log, Errors())
    answer(as_json, described(specification), describe(specification, begun))


@commands.command()
def schema(as_json: AsJson = False) -> None:
    """Print the JSON schema of study files, for editors."""
    from ..study.files.schema import study_schema  # start-up time: it imports every kind of problem

    found = study_schema()
    answer(as_json, found, json.dumps(found, indent=2))


@commands.command()
def methods(
    kind: Annotated[
        str | None, typer.Argument(metavar="KIND", help="A kind of problem, such as cost-varying.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the methods with their options and defaults."""
    found = table(kind)
    if as_json:
        print_json([dict(zip(found.columns, row, strict=True)) for row in found.rows])
    else:
        print_methods(found)
