"""Which commands there are. A command's module is imported when the command is called for: `--help` answers at once."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

COMMANDS = {
    "run": ("running", "Optimise the study's objective."),
    "check": ("running", "Check a study file and describe its study in words."),
    "scopes": (
        "scopes",
        "Print the scopes among which the best always is; with prices, one that is worth it.",
    ),
    "policy": ("scopes", "Apply the learned policy: the settings for this context."),
    "methods": ("running", "List the methods, their purposes, and their options with defaults."),
    "demo": ("demo", "Which controls of a borehole are worth holding?"),
    "new": ("rounds", "Begin a study that is played by hand."),
    "extend": ("rounds", "Go on with the wider bounds and other limits that the study file now has."),
    "ask": ("rounds", "Suggest the next settings, and the variables to look at first."),
    "decide": ("rounds", "Give the values looked at; says the next settings, and the next variables to look at."),
    "tell": ("rounds", "Give the outcome of a suggestion."),
    "fail": ("rounds", "The evaluation broke: its point and cost count, a value there is none."),
    "abandon": ("rounds", "Give a round up: it is not evaluated any more; an outcome that comes all the same is used."),
    "amend": ("rounds", "Correct or void an outcome; the log keeps the old one."),
    "import": ("records", "Take outcomes from a table, line by line; each is taken, or refused and why."),
    "show": ("records", "Show the rounds, the recommendation, and why."),
    "export": ("records", "Write the rounds as CSV, or every event as JSON lines, or all of it as an Optuna study."),
    "report": ("records", "Write the study as one HTML page that needs no network."),
    "serve": ("serving", "Play studies on a page, and by JSON over HTTP."),
    "mcp": ("serving", "Play studies from an assistant that speaks the Model Context Protocol."),
    "key": ("serving", "Make a key that opens a study through a server, list them, or revoke one."),
    "doctor": ("maintenance", "Verify every checksum of every study in a log, and repair it on request."),
    "studies": ("maintenance", "List the studies of a log; rename, archive or delete one."),
    "backup": ("maintenance", "Copy all studies of a log into a new file, also while others write."),
    "restore": ("maintenance", "Write the studies of a backup into a file or a database where they are not yet."),
}
"""By name: the module here that has it as one of its `commands`, and the first sentence of its help."""


def group() -> typer.Typer:
    """Make the typer group of a module's commands."""
    return typer.Typer(add_completion=False, rich_markup_mode=None)


class Commands(TyperGroup):
    """Group that lists its commands and their help before any module is imported."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, (_, does) in COMMANDS.items():
            self.add_command(TyperCommand(name, help=does))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a command; only its name and help while a shell completes words."""
        return self.commands.get(cmd_name) if ctx is not None and ctx.resilient_parsing else self.whole(cmd_name)

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
