"""Is a log whole, and what can be saved of one that is not."""

from __future__ import annotations

from contextlib import closing, suppress
from os.path import isfile  # False, not an error, where a folder is closed to us
from pathlib import Path

from ..errors import InvalidStudy
from ..record import record
from .database import DatabaseLog, checksum


@record
class Health:
    """What was found in a log.

    Args:
        place: the log.
        events: so many events follow from one another, from the first.
        complaint: what is wrong after them; empty where nothing is.
        repaired: what was done about it; empty where nothing was.
    """

    place: str
    events: int
    complaint: str = ""
    repaired: str = ""

    def __str__(self) -> str:
        found = self.complaint or "every checksum is right"
        return "\n".join(line for line in (f"{self.place}: {self.events} events; {found}", self.repaired) if line)


def examine(place: Path | str) -> Health:
    """Read every event of a log and compare the checksums.

    Raises:
        InvalidStudy: there is no such log.
    """
    if "://" not in str(place) and not isfile(place):
        raise InvalidStudy("log", str(place), "a study's log", "‹new› makes one.")
    try:
        with closing(DatabaseLog(place)) as log:
            return Health(log.place, len(log.read()))
    except InvalidStudy as error:
        return Health(str(place).partition("#")[0], len(_whole(place)), str(error))


def repair(place: Path | str) -> Health:
    """Put a log with the events that are whole into the place of a damaged SQLite file, which is kept beside it.

    Leases are forgotten: rounds that are out are offered again. A log that is whole is left alone.

    Raises:
        InvalidStudy: there is no such log, it is not an SQLite file, or nothing in it can be read.
    """
    found = examine(place)
    if not found.complaint:
        return found
    if "://" in str(place):
        raise InvalidStudy("log", found.place, "an SQLite file", "A database server's own backups repair its logs.")
    file, bodies = Path(place), _whole(place)
    if not bodies:
        raise InvalidStudy("log", str(place), "a log with an event that can be read", f"({found.complaint})")
    fresh, old = file.with_name(file.name + ".repaired"), _free_name(file)
    fresh.unlink(missing_ok=True)
    with closing(DatabaseLog(fresh)) as log:
        for body in bodies:
            log.append(log.event(log.seen + 1, body))
    for ending in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            file.with_name(file.name + ending).rename(old.with_name(old.name + ending))
    fresh.rename(file)
    done = f"{file.name} now holds these {len(bodies)} events and nothing after them; the damaged file is {old.name}"
    return Health(found.place, found.events, found.complaint, done)


def _whole(place: Path | str) -> list[str]:
    """The bodies of the events that follow from one another, from the first."""
    bodies: list[str] = []
    tip = ""
    with suppress(InvalidStudy), closing(DatabaseLog(place)) as log:
        for position, body, stands in log.rows():
            if position != len(bodies) + 1 or stands != checksum(tip, position, str(body)):
                break
            bodies.append(body)
            tip = stands
    return bodies


def _free_name(file: Path) -> Path:
    number = 1
    while (name := file.with_name(f"{file.name}.damaged{number}")).exists():
        number += 1
    return name
