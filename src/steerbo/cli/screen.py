"""The one way to the terminal: what is printed is text, and never a command to whoever prints it."""

from __future__ import annotations

import typer

from ..text import visible


def echo(message: str, err: bool = False, nl: bool = True) -> None:
    """Print a message, on standard error if so wished, with a new line unless told otherwise."""
    typer.echo(visible(message), err=err, nl=nl)
