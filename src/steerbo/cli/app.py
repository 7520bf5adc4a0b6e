"""The commands. What they need is imported when they run, so that `steerbo --version` answers at once.

Exit codes stand in `exits`.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ..errors import InvalidStudy, OutOfRangeWarning, SteerboError
from ..masking import masked
from . import by_hand, exits, keeping, records
from .arguments import AsJson, LogPlace, StudyFile
from .declared import Declaring
from .policy import policy
from .scopes import scopes
from .screen import echo

_JSON = "steerbo.json"


def _say(message: Warning | str, *_: Any, **__: Any) -> None:
    echo(f"steerbo: {masked(str(message))}", err=True)


class _Commands(TyperGroup):
    """Clear lines on standard error instead of a traceback."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Remember whether the answer is to be JSON, also where a command's options cannot be read."""
        ctx.meta[_JSON] = "--json" in args
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _say  # one line, without a place in our code
                warnings.simplefilter("always", OutOfRangeWarning)
                return super().invoke(ctx)
        except SteerboError as error:
            _print_json(ctx, exits.document(error))
            for line in exits.lines(error):
                echo(line, err=True)
            raise typer.Exit(exits.exit_code(error)) from None
        except KeyboardInterrupt:
            _print_json(ctx, exits.plain_document(exits.STOPPED, "Stopped", "stopped; run again to go on"))
            echo("steerbo: stopped", err=True)
            raise typer.Exit(exits.STOPPED) from None
        except Exception as error:
            if isinstance(said := getattr(error, "message", None), str):  # about options: it repeats what was typed
                error.message = masked(said)  # type: ignore[attr-defined]
                _print_json(ctx, exits.plain_document(exits.REFUSED, "InvalidCommand", error.format_message()))  # type: ignore[attr-defined]
            raise


def _print_json(ctx: Any, document: dict[str, Any]) -> None:
    from .report import print_json

    if ctx.meta[_JSON]:
        print_json(document)


main = typer.Typer(
    cls=_Commands,
    name="steerbo",
    help="Bayesian optimisation of systems that one can only partly steer.",
    epilog=exits.table(),
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_show_locals=False,  # passwords may be among them
)

Quiet = Annotated[bool, typer.Option("--quiet", help="No progress, only what went wrong.")]


def _version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        echo(f"steerbo {__version__}")
        raise typer.Exit


@main.callback()
def _steerbo(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Bayesian optimisation of systems that one can only partly steer."""


@main.command()
def run(
    study: StudyFile,
    as_json: AsJson = False,
    quiet: Quiet = False,
    log: LogPlace = None,
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Stop after so many rounds; the study can go on later.")
    ] = None,
) -> None:
    """Optimise the study's objective. Run it again to go on where it stopped."""
    from ..study import LEASE, DatabaseLog, Display, drive, read_study, resume
    from .report import console, print_answers, print_json

    specification = read_study(study)
    errors = console(stderr=True)
    if specification.objective is None:
        raise InvalidStudy("objective", None, "a table [objective]", "Without one, use ‹ask› and ‹tell›.")
    specification.objective.prepare()
    display = Display(errors, quiet)
    events = DatabaseLog(log or specification.log)
    with resume(specification, events, display, lease=LEASE) as going:
        if going.status.rounds and not quiet:
            display.say(f"going on from {events.place}: {going.status}")
        try:
            with display:
                drive(going, specification.objective, display, failures=specification.settings.failures, rounds=rounds)
        except KeyboardInterrupt:
            said = f"stopped after {going.status}. Run the same command again to go on."
            if as_json:
                print_json(exits.plain_document(exits.STOPPED, "Stopped", said))
            echo(f"steerbo: {said}", err=True)
            raise typer.Exit(exits.STOPPED) from None
        print_answers(going, as_json, {"log": events.place})


@main.command()
def check(study: StudyFile, as_json: AsJson = False) -> None:
    """Read a study file and say in words what would be run. Nothing is evaluated; no objective is imported."""
    from ..study import read_study
    from .report import answer, describe, described

    specification = read_study(study)
    if specification.objective is not None:
        specification.objective.find()
    answer(as_json, described(specification), describe(specification))


main.command()(scopes)
main.command(cls=Declaring)(policy)


@main.command()
def methods(
    kind: Annotated[str | None, typer.Argument(help="A kind of problem, such as cost-varying.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the methods, what they do, and their options with their defaults."""
    from ..rounds import methods as table
    from .report import print_json, print_methods

    found = table(kind)
    if as_json:
        print_json([dict(zip(found.columns, row, strict=True)) for row in found.rows])
    else:
        print_methods(found)


@main.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the picture.")] = Path("demo"),
    as_json: AsJson = False,
) -> None:
    """Which controls of a borehole are worth holding? A full study on a published simulator, with its picture."""
    from .demo import show

    show(out, as_json)


by_hand.add_to(main)
records.add_to(main)
keeping.add_to(main)
