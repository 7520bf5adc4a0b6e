"""The program: its options, and how its commands end that fail.

Exit codes stand in `exits`.
"""

from __future__ import annotations

import warnings
from typing import Annotated, Any

import typer

from .. import __version__
from ..errors import OutOfRangeWarning, SteerboError
from ..masking import masked
from . import exits
from .commands import Commands
from .screen import echo, print_json

_JSON = "steerbo.json"


def _say(message: Warning | str, *_: Any, **__: Any) -> None:
    echo(f"steerbo: {masked(str(message))}", err=True)


class _Program(Commands):
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
    if ctx.meta[_JSON]:
        print_json(document)


main = typer.Typer(
    cls=_Program,
    name="steerbo",
    help="Bayesian optimisation of systems that one can only partly steer.",
    epilog=exits.table(),
    no_args_is_help=True,
    add_completion=False,
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
