"""The program `steerbo`: its commands and options, its output, and the ends of commands that fail.

A command's module is imported when the command is called, and nothing here imports numerics:
`--help` answers at once. Text is printed without control characters. Exit codes: see `usage`.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
import warnings
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from .. import __version__
from .._redaction import redact
from .._text import escape_unprintable, escaped_json
from ..errors import LawWarning, OutOfRangeWarning, SteerboError
from . import usage
from .usage import InvalidCommand, before_command, in_order, refusal, unknown_command

_JSON, _TYPED = "steerbo.json", "steerbo._parsing"
_TRACEBACK = "STEERBO_TRACEBACK"  # set in the environment: faults of ours are shown whole
COMMANDS = {
    "run": ("running", "Optimise the study's objective."),
    "check": (
        "running",
        "Check a study file, also against its log, and print the study that it describes.",
    ),
    "scopes": ("scopes", "Print the scopes of a causal graph that can be optimal."),
    "policy": ("scopes", "Print the learned policy's settings for given observations."),
    "predict": ("scopes", "Predict the objective at settings of your own."),
    "schema": ("running", "Print the JSON schema of study files, for editors."),
    "methods": ("running", "List the methods with their options and defaults."),
    "demo": ("demo", "Run a study of a published borehole simulator in seconds."),
    "new": ("rounds", "Create a study whose experiments are done by hand."),
    "extend": (
        "rounds",
        "Apply wider bounds, or another budget, rounds or stop, of the study file to its log.",
    ),
    "ask": ("rounds", "Print the next suggestion: settings, and observations to make first."),
    "attach": ("rounds", "Begin a round at settings of your own."),
    "decide": ("rounds", "Enter observations; print the settings that follow from them."),
    "tell": ("rounds", "Enter the outcome of a suggestion."),
    "fail": ("rounds", "Report a failed evaluation; its settings and cost count."),
    "remark": ("rounds", "Keep a remark on a round, such as a lot number or a photograph."),
    "abandon": ("rounds", "Give up a suggestion; its outcome can still be told later."),
    "amend": ("rounds", "Correct or void an outcome; the log keeps the old one."),
    "import": ("records", "Read outcomes from a table, line by line."),
    "show": ("looking", "Show the answer, why, what else can be held, and the latest rounds."),
    "recommend": (
        "looking",
        "Print the recommendation, what is expected of it, and its alternatives.",
    ),
    "explain": (
        "looking",
        "Explain a suggestion, the open or the last one if no token is given, and the method's choices.",
    ),
    "status": (
        "looking",
        "Print rounds, money, what is left, open rounds, and all that was noticed.",
    ),
    "export": (
        "records",
        "Write rounds as CSV or a workbook, events as JSON lines, or an Optuna study.",
    ),
    "files": ("records", "List the files beside remarks, or write them into a folder."),
    "report": ("records", "Write the study as one HTML page, readable offline."),
    "plot": ("records", "Draw every picture of the study into a folder, for papers and talks."),
    "serve": ("serving", "Serve studies as web pages and as JSON over HTTP."),
    "mcp": ("serving", "Serve studies to an assistant over the Model Context Protocol."),
    "key": ("serving", "Create, list or revoke keys to a served study."),
    "doctor": (
        "maintenance",
        "Verify the checksums of all studies in a log, and load them; repair it on request.",
    ),
    "studies": ("maintenance", "List, rename, archive or delete the studies of a log."),
    "backup": ("maintenance", "Copy all studies of a log into a new file, while others may write."),
    "restore": ("maintenance", "Write the studies of a backup into another file or database."),
}
"""By name: the module here that has it as one of its `commands`, and the first sentence of its help."""


def group() -> typer.Typer:
    """Make the typer group of a module's commands."""
    return typer.Typer(add_completion=False, rich_markup_mode=None)


def echo(message: str, err: bool = False, nl: bool = True) -> None:
    """Print a message, on standard error if so wished, with a new line unless told otherwise."""
    typer.echo(escape_unprintable(message), err=err, nl=nl)


def print_json(document: Any) -> None:
    """One JSON document on standard output."""
    sys.stdout.write(
        escaped_json(json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False)) + "\n"
    )


def answer(as_json: bool, document: Mapping[str, Any], text: str) -> None:
    """A command's answer: one JSON document, or words."""
    if as_json:
        print_json(document)
    else:
        echo(text)


def _say(message: Warning | str, *_: Any, **__: Any) -> None:
    echo(f"steerbo: {redact(str(message))}", err=True)


class _Program(TyperGroup):
    """Lists its commands before any module is imported; clear lines on standard error instead of a traceback."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, (_, does) in COMMANDS.items():
            self.add_command(TyperCommand(name, help=does))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command; only its name and help while a shell completes words."""
        return (
            self.commands.get(cmd_name)
            if ctx is not None and ctx.resilient_parsing
            else self.whole(cmd_name)
        )

    def whole(self, cmd_name: str) -> Any:
        """The command, with its module; None where there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f".{COMMANDS[cmd_name][0]}", __package__)
        made = typer.main.get_command(module.commands)
        return made.commands[cmd_name] if isinstance(made, TyperGroup) else made

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands with whole sentences."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, does) for name, (_, does) in COMMANDS.items()])

    def main(self, *given: Any, **how: Any) -> Any:
        """Run the program; a failure to print, as on a full disk, is reported in one line where possible.

        A reader that has read enough, as `head` does, is no failure.
        """
        try:
            try:
                return super().main(*given, **how)
            finally:
                if sys.stdout is not None:
                    sys.stdout.flush()
        except BrokenPipeError:
            sys.exit(_nobody_reads_on().exit_code)
        except OSError as error:
            if error.filename is not None:  # it is about another file
                raise
            with suppress(OSError):
                said = f"the answer could not be printed ({error.strerror}); what was done before stays done"
                echo(f"steerbo: {said}", err=True)
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115  or Python would try once more, at its end
            sys.exit(usage.FAILED)

    def make_context(
        self, info_name: Any, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Read the options before the command's name."""
        as_json = "--json" in args  # also where a command's options cannot be read
        try:
            if not extra.get("resilient_parsing"):  # as while a shell completes a word
                before_command(args)
            found = super().make_context(info_name, args, parent, **extra)
        except InvalidCommand as error:
            raise _ended(error, as_json) from None
        except BrokenPipeError:
            raise _nobody_reads_on() from None
        found.meta[_JSON] = as_json
        return found

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command, and check the words after it."""
        if ctx.resilient_parsing:
            return args[0], self.whole(args[0]), args[1:]
        if args[0] not in self.commands:
            raise unknown_command(list(self.commands), args[0])
        name, command, rest = super().resolve_command(ctx, args)
        ctx.meta[_TYPED] = [*rest]  # the parser takes words off its list
        return name, command, in_order(command, f"{ctx.command_path} {name}", rest)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _say  # one line, without a place in our code
                warnings.simplefilter("always", OutOfRangeWarning)
                warnings.simplefilter("always", LawWarning)
                return super().invoke(ctx)
        except SteerboError as error:
            raise _ended(error, ctx.meta[_JSON]) from None
        except BrokenPipeError:
            raise _nobody_reads_on() from None
        except KeyboardInterrupt:
            if ctx.meta[_JSON]:
                print_json(
                    usage.plain_document(usage.STOPPED, "Stopped", "stopped; run again to go on")
                )
            echo("steerbo: stopped", err=True)
            raise typer.Exit(usage.STOPPED) from None
        except Exception as error:
            if (refused := refusal(error, ctx.command_path, ctx.meta.get(_TYPED, ()))) is not None:
                raise _ended(refused, ctx.meta[_JSON]) from None
            if _is_an_end(error) or os.environ.get(_TRACEBACK):
                raise
            said = _fault(error)
            if ctx.meta[_JSON]:
                print_json(usage.plain_document(usage.FAILED, "Fault", said))
            echo(f"steerbo: {said}", err=True)
            raise typer.Exit(usage.FAILED) from None


def _nobody_reads_on() -> typer.Exit:
    """Exit quietly where the reader of standard output has gone, as `head` does; typer would exit with a failure."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115  or Python would try once more, at its end
    return typer.Exit(0)


def _is_an_end(error: Exception) -> bool:
    """Whether an exception is typer's way to end a command, or a failure to print, which `main` reports."""
    shows_help = hasattr(error, "format_message")
    return (
        shows_help
        or isinstance(error, typer.Exit | typer.Abort)
        or getattr(error, "filename", "") is None
    )


def _fault(error: Exception) -> str:
    """A fault of ours, in a line."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    said = redact(f"{type(error).__name__}: {' '.join(str(error).split())}")
    return (
        f"a fault of steerbo's own ({said}; {Path(last.filename).name}, line {last.lineno}). The log is safe. "
        f"Please report it, with what the same command prints when {_TRACEBACK}=1 stands before it."
    )


def _ended(error: SteerboError, as_json: bool) -> typer.Exit:
    """Print an error and end the command."""
    if as_json:
        print_json(usage.document(error))
    for line in usage.lines(error):
        echo(line, err=True)
    return typer.Exit(usage.exit_code(error))


main = typer.Typer(
    cls=_Program,
    name="steerbo",
    help="Bayesian optimisation of systems that one can only partly steer.",
    epilog=usage.table(),
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_show_locals=False,  # passwords may be among them
)


def _version(wanted: bool) -> None:
    if wanted:
        echo(f"steerbo {__version__}")
        raise typer.Exit


@main.callback()
def _steerbo(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Bayesian optimisation of systems that one can only partly steer."""
