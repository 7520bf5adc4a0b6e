"""The page on the command line: what every command says of itself."""

from __future__ import annotations

import typer

from steerbo.cli import main


def body() -> str:
    """What every command says of itself, as blocks that are run when the site is built."""
    group = typer.main.get_command(main)
    names = group.list_commands(None)  # type: ignore[attr-defined]
    return "".join(f"## {name}\n\n```console\n$ steerbo {name} --help\n```\n\n" for name in names)
