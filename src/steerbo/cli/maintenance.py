"""Maintenance of logs: doctor, backup, restore, and the list of studies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .._redaction import to_type
from .._wording import counted
from ..core import Table
from ..errors import InvalidOption
from ..storage import doctor as medicine
from ..storage.backup import archive, delete, rename, shelved
from ..study import backup as copy
from ..study import restore as put_back
from .app import answer, echo, group, print_json
from .arguments import AsJson, Place, explain_credentials
from .report import console
from .tables import ScreenTable
from .usage import word

Copy = Annotated[Path, typer.Argument(metavar="FILE", help="The backup.", show_default=False)]


commands = group()


@commands.command()
def doctor(
    study: Place,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Keep the intact events; damaged ones are moved to a table of their own.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Verify the checksums of all studies in a log, and load them; repair it on request. URL#NAME is one study.

    Files beside remarks are verified, too. Exit code 0: all is intact, or was repaired; 1: damage was found, or a
    file is missing or changed; 2: there is no log. Without --repair nothing is written.
    """
    found = medicine.repair(_log(study)) if repair else medicine.diagnose(_log(study))
    if as_json:
        fields = ("name", "events", "complaint", "note")
        studies = [{name: getattr(study, name) for name in fields} for study in found.studies]
        about = {"place": found.place, "studies": studies}
        about |= {"files": [each.to_dict() for each in found.files], "unnamed": [*found.unnamed]}
        print_json({**about, "complaint": found.complaint, "repaired": found.repaired})
    else:
        echo(str(found))
    if found.damaged and not found.repaired:
        echo(f"Keep what is whole: steerbo doctor {to_type(study)} --repair", err=True)
        explain_credentials(study)
        raise typer.Exit(1)
    if found.files:
        echo("Put these files back from a backup; the studies go on without them", err=True)
        raise typer.Exit(1)


@commands.command()
def backup(study: Place, file: Copy, as_json: AsJson = False) -> None:
    """Copy all studies of a log into a new file, while others may write. URL#NAME is one study."""
    _say(copy(_log(study), file), as_json, f"{file}: ")
    if not as_json:
        echo(f"Put them back: steerbo restore {to_type(str(file))} PLACE", err=True)


@commands.command()
def restore(
    file: Copy,
    place: Annotated[
        str,
        typer.Argument(
            metavar="PLACE", help="A file or a database URL, or a study file, whose log it becomes."
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Write the studies of a backup into another file or database. Nothing is overwritten.

    A single study is renamed to NAME of URL#NAME, or to the name in the study file.
    """
    _say(
        put_back(file, _log(place), "study" if place.endswith(".toml") else ""),
        as_json,
        "restored: ",
    )
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
        echo(
            before
            + ", ".join(f"{name} ({counted(number, 'event')})" for name, number in events.items())
        )


_DOES = ("list", "rename", "archive", "delete")


@commands.command()
def studies(
    what: Annotated[
        str,
        typer.Argument(
            metavar="|".join(_DOES),
            parser=word("WHAT", _DOES),
            help="The action.",
            show_default=False,
        ),
    ],
    log: Annotated[
        str,
        typer.Argument(metavar="LOG", help="A log: a file or a database URL.", show_default=False),
    ],
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The name of a study.", show_default=False)
    ] = None,
    to: Annotated[
        str | None,
        typer.Argument(
            metavar="TO", help="The new name, or the file to archive to.", show_default=False
        ),
    ] = None,
    *,
    yes: Annotated[
        bool, typer.Option("--yes", help="Confirm that it is deleted for ever.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List, rename, archive or delete the studies of a log. `restore` brings back what was archived."""
    if what == "list":
        found = shelved(log)
        if as_json:
            print_json({"studies": [each.to_dict() for each in found]})
            return
        rows = tuple((each.name, each.kind, each.status, each.events) for each in found)
        console().print(ScreenTable(Table("Studies", ("name", "kind", "status", "events"), rows)))
        return
    if name is None:
        raise InvalidOption(
            "NAME", None, f"which study to {what}", "`steerbo studies list` has their names."
        )
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
        answer(
            as_json,
            {"archived": name, "file": to, "events": events},
            f"{to}: {counted(events, 'event')} of {name}",
        )
        if not as_json:
            echo(f"Put it back: steerbo restore {to_type(to)} {to_type(log)}", err=True)
