"""The studies of a log, put in order."""

from __future__ import annotations

from typing import Annotated

import typer

from ..core import Table
from ..errors import InvalidOption
from ..redaction import to_type
from ..storage.catalogue import archive, delete, rename, shelved
from ..wording import counted
from .arguments import AsJson
from .commands import group
from .output import answer, echo, print_json
from .report import console
from .tables import rich_table
from .usage import word

commands = group()

_DOES = ("list", "rename", "archive", "delete")


@commands.command()
def studies(
    what: Annotated[
        str,
        typer.Argument(
            metavar="|".join(_DOES),
            parser=word("WHAT", _DOES),
            help="What to do.",
            show_default=False,
        ),
    ],
    log: Annotated[str, typer.Argument(metavar="LOG", help="A log: a file or a database URL.", show_default=False)],
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Of a study there.", show_default=False)] = None,
    to: Annotated[
        str | None, typer.Argument(metavar="TO", help="Its new name, or the file it goes to.", show_default=False)
    ] = None,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Delete it for ever.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the studies of a log; rename, archive or delete one. `restore` brings back what was archived."""
    if what == "list":
        found = shelved(log)
        if as_json:
            print_json({"studies": [each.to_dict() for each in found]})
            return
        rows = tuple((each.name, each.kind, each.status, each.events) for each in found)
        console().print(rich_table(Table("Studies", ("name", "kind", "status", "events"), rows)))
        return
    if name is None:
        raise InvalidOption("NAME", None, f"which study to {what}", "`steerbo studies list` has their names.")
    if what == "delete":
        if not yes:
            hint = "Nothing brings it back; `archive` keeps it in a file."
            raise InvalidOption("--yes", None, f"said, to delete {name} for ever", hint)
        delete(log, name)
        answer(as_json, {"deleted": name}, f"{name} is deleted")
        return
    if to is None:
        wanted = "its new name" if what == "rename" else "the file it goes to"
        raise InvalidOption("TO", None, wanted)
    if what == "rename":
        rename(log, name, to)
        answer(as_json, {"renamed": name, "to": to}, f"{name} is called {to} now")
    else:
        events = archive(log, name, to)
        answer(as_json, {"archived": name, "file": to, "events": events}, f"{to}: {counted(events, 'event')} of {name}")
        if not as_json:
            echo(f"Put it back: steerbo restore {to_type(to)} {to_type(log)}", err=True)
