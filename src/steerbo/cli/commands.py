"""Which commands there are. A command's module is imported when the command is called for: `--help` answers at once."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

COMMANDS = {
    "run": ("running", "Optimise the study's objective."),
    "check": ("running", "Check a study file and print the study that it describes."),
    "scopes": (
        "scopes",
        "Print the scopes of a causal graph that can be optimal.",
    ),
    "policy": ("scopes", "Print the learned policy's settings for given observations."),
    "methods": ("running", "List the methods with their options and defaults."),
    "demo": ("demo", "Run a study of a published borehole simulator in seconds."),
    "new": ("rounds", "Create a study whose experiments are done by hand."),
    "extend": ("rounds", "Apply wider bounds and changed limits of the study file to its log."),
    "ask": ("rounds", "Print the next suggestion: settings, and observations to make first."),
    "decide": ("rounds", "Enter observations; print the settings that follow from them."),
    "tell": ("rounds", "Enter the outcome of a suggestion."),
    "fail": ("rounds", "Report a failed evaluation; its settings and cost count."),
    "abandon": ("rounds", "Give up a suggestion; its outcome can still be told later."),
    "amend": ("rounds", "Correct or void an outcome; the log keeps the old one."),
    "import": ("records", "Read outcomes from a table, line by line."),
    "show": ("records", "Show the rounds, the recommendation, and why."),
    "export": ("records", "Write rounds as CSV, events as JSON lines, or an Optuna study."),
    "report": ("records", "Write the study as one HTML page, readable offline."),
    "serve": ("serving", "Serve studies as web pages and as JSON over HTTP."),
    "mcp": ("serving", "Serve studies to an assistant over the Model Context Protocol."),
    "key": ("serving", "Create, list or revoke keys to a served study."),
    "doctor": ("maintenance", "Verify the checksums of all studies in a log; repair it on request."),
    "studies": ("maintenance", "List, rename, archive or delete the studies of a log."),
    "backup": ("maintenance", "Copy all studies of a log into a new file, while others may write."),
    "restore": ("maintenance", "Write the studies of a backup into another file or database."),
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
