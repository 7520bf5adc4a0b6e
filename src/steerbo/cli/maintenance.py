"""Maintenance of logs: doctor, backup, restore, and the list of studies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .._redaction import to_type
from .._wording import counted
from ..core import Table
from ..errors import InvalidOption
from ..records import to_dict
from ..storage import doctor as medicine
from ..storage.catalogue import archive, delete, rename, shelved
from ..study import backup as copy
from ..study import restore as put_back
from .arguments import AsJson, Place, explain_credentials
from .commands import group
from .output import answer, echo, print_json
from .report import console
from .tables import rich_table
from .usage import word

Copy = Annotated[Path, typer.Argument(metavar="FILE", help="The backup.", show_default=False)]


commands = group()


@commands.command()
def doctor(
    study: Place,
    repair: Annotated[
        bool, typer.Option("--repair", help="Keep the events that are whole; the damaged ones stay beside.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Verify every checksum of every study in a log, and repair it on request. Of URL#NAME only that study.

    Exit code 0: all is whole, or was repaired; 1: something is damaged; 2: there is no log. Without --repair nothing is
    written.
    """
    found = medicine.repair(_log(study)) if repair else medicine.examine(_log(study))
    if as_json:
        print_json(to_dict(found))
    else:
        echo(str(found))
    if found.damaged and not found.repaired:
        echo(f"Keep what is whole: steerbo doctor {to_type(study)} --repair", err=True)
        explain_credentials(study)
        raise typer.Exit(1)


@commands.command()
def backup(study: Place, file: Copy, as_json: AsJson = False) -> None:
    """Copy all studies of a log into a new file, also while others write. Of URL#NAME only that study."""
    _say(copy(_log(study), file), as_json, f"{file}: ")
    if not as_json:
        echo(f"Put them back: steerbo restore {to_type(str(file))} PLACE", err=True)


@commands.command()
def restore(
    file: Copy,
    place: Annotated[
        str,
        typer.Argument(metavar="PLACE", help="A file or a database URL, or the study file beside which to put it."),
    ],
    as_json: AsJson = False,
) -> None:
    """Write the studies of a backup into a file or a database where they are not yet. Nothing is overwritten.

    After URL#NAME, and beside a study file, an only study gets the name that it is looked for by.
    """
    _say(put_back(file, _log(place), "study" if place.endswith(".toml") else ""), as_json, "restored: ")
    if not as_json:
        echo(f"Look at it: steerbo show {to_type(place)}", err=True)
        explain_credentials(place)


def _log(study: str) -> str:
    """The log of a study file; a log itself is one."""
    return str(Path(study).with_suffix(".db")) if study.endswith(".toml") else study


def _say(events: dict[str, int], as_json: bool, before: str) -> None:
    if as_json:
        print_json({"studies": events})
    else:
        echo(before + ", ".join(f"{name} ({counted(number, 'event')})" for name, number in events.items()))


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
    """List the studies of a log; rename, archive or delete one. `restore` brings back an archived one."""
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
