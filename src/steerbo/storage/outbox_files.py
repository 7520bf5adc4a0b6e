"""Files of the outbox: one for each outcome that is not in the log yet, beside the log.

A file is written before the log is, so that no finished evaluation is in memory alone, and removed
once the log has the outcome. Where the log can be written it lasts for milliseconds; where it
cannot, or the process is killed, it stays, and the next worker that opens the study writes it to
the log. Files are readable JSON, for their owner only (mode 0600).

`study.db.unwritten.7-3fa2-tell-….json` lies beside `study.db`. Files for a database server lie in
the user's state folder, `$XDG_STATE_HOME/steerbo` (`~/.local/state/steerbo` where that is not set),
and so do files that find no room beside an SQLite file.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .._files import LARGEST_TABLE, read_file
from ..errors import InvalidStudy, SteerboError
from ..records import from_dict, record
from ._addresses import Address


@record
class OutboxEntry:
    """Report on a round, or external data, with the call that made it.

    Args:
        study: the study's name in its log; empty where the log could not be read.
        call: decide, tell, fail, amend or add.
        given: the call's arguments by name.
        token: of the round; empty for `add`.
        values: the suggestion's settings, which must still be so; None: the log could not be read.
        after: number of events known then.
        written: when, as ISO 8601.
        number: tells equal calls apart where both count.
        holder: the worker that is still at it, as in a lease; empty: none.
    """

    study: str
    call: str
    given: dict[str, Any]
    token: str = ""
    values: dict[str, Any] | None = None
    after: int = 0
    written: str = ""
    number: str = ""
    holder: str = ""


@dataclass(frozen=True)
class OutboxFiles:
    """Folder and prefix of the files of one study.

    Args:
        study: its name in its log; empty: whichever there is.
        places: folders, and how the files' names begin there; the first that can be written is
            taken. None of them: nothing is kept.
    """

    study: str = ""
    places: tuple[tuple[Path, str], ...] = ()

    @classmethod
    def of(cls, place: str, name: str) -> OutboxFiles:
        """Files of a study in the log at `place`, which need not be reachable; `name`: of the study, if it has one."""
        file, server = file_or_server(place)
        if file is not None:
            own = f"{file.name}.{_digest(str(file))}.unwritten."
            return cls(name, ((file.parent, f"{file.name}.unwritten."), (state_folder(), own)))
        if server is not None:
            shown = re.sub(r"[^\w.-]+", "_", server.rpartition("/")[2])[:40]
            return cls(name, ((state_folder(), f"{shown}.{_digest(server)}.unwritten."),))
        return cls()

    def entry(self, call: str, token: str, given: Mapping[str, Any], **about: Any) -> OutboxEntry:
        """Make an entry; a value without a JSON form is kept as its text."""
        plain = json.loads(json.dumps(given, default=_plain))
        number = uuid.uuid4().hex[:8] if call == "add" else ""
        now = datetime.now(UTC).isoformat()
        made: OutboxEntry = from_dict(
            OutboxEntry,
            {
                "study": self.study,
                "call": call,
                "given": plain,
                "token": token,
                "written": now,
                "number": number,
            }
            | about,
        )
        return made

    def store(self, entry: OutboxEntry) -> Path | None:
        """Write an entry, not yet flushed to the disk; None: no place can be written."""
        identity = json.dumps(
            [entry.study, entry.call, entry.token, entry.given, entry.number], sort_keys=True
        )
        token = re.sub(r"[^\w.-]+", "_", entry.token)[:40] or "data"
        text = json.dumps(vars(entry), indent=1) + "\n"  # in ASCII: whatever was said
        for folder, prefix in self.places:
            path = folder / f"{prefix}{token}-{entry.call}-{_digest(identity)}.json"
            # others read the file as a whole, or none, and may be storing the same entry
            part = path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}.part")
            try:
                if folder == state_folder():  # a study's own folder is there, or away
                    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                opened = os.open(
                    part,
                    os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0),
                    0o600,
                )
                with open(opened, "w", encoding="utf-8") as file:
                    file.write(text)
                part.replace(path)
            except OSError:
                with suppress(OSError):
                    part.unlink()  # half of it, on a full disk
                continue
            return path
        return None

    def waiting(self, named: bool = True) -> Iterator[tuple[Path, OutboxEntry | InvalidStudy]]:
        """Entries, oldest first, and the reasons why files cannot be read. Not `named`: entries of all studies."""
        found: list[tuple[str, Path, OutboxEntry | InvalidStudy]] = []
        for folder, prefix in self.places:
            with suppress(OSError):
                names = [
                    name
                    for name in os.listdir(folder)
                    if name.startswith(prefix) and name.endswith(".json")
                ]
                for path in (folder / name for name in names):
                    try:
                        entry: OutboxEntry = from_dict(
                            OutboxEntry, _read(path), path.name, InvalidStudy
                        )
                    except (SteerboError, ValueError, RecursionError) as error:
                        if not path.exists():  # written to the log this moment
                            continue
                        unread = InvalidStudy(
                            "file", str(path), "a file as steerbo wrote it", f"({error})"
                        )
                        found.append(("", path, unread))
                        continue
                    if entry.study == self.study or not (entry.study or named):
                        found.append((entry.written, path, entry))
        for _, path, content in sorted(found, key=lambda entry: entry[:2]):
            yield path, content


def _read(path: Path) -> Any:
    return json.loads(read_file(path, "file", InvalidStudy, LARGEST_TABLE))


def through_to_disk(path: Path) -> None:
    """Flush a file and its name to the disk."""
    for place in (path, path.parent):
        with suppress(OSError):  # folders cannot be opened everywhere
            opened = os.open(place, os.O_RDONLY)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)


def state_folder() -> Path:
    """State folder of the user."""
    named = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(named) if named else Path("~/.local/state").expanduser()) / "steerbo"


def file_or_server(place: str) -> tuple[Path | None, str | None]:
    """Identity of a log: its SQLite file, else its server and database without user and password; none of no log."""
    if "://" not in place:
        return Path(place).resolve(), None
    try:
        url = Address.of(place.partition("#")[0])
    except ValueError:
        return None, None
    if url.scheme.partition("+")[0] == "sqlite":
        return (Path(url.file).resolve() if url.file else None), None
    host, port, database, service = map(url.options.get, ("host", "port", "dbname", "service"))
    return None, f"{host} {port} {service}/{database}"


def _digest(text: str) -> str:
    # a file's name may be no text
    return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()[:10]


def _plain(value: Any) -> Any:
    """Convert numpy values to numbers and lists, and any other value to its text."""
    return value.tolist() if hasattr(value, "tolist") else repr(value)
