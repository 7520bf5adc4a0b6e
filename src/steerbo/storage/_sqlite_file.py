"""File of an SQLite log: checks that it is one before anything is written, and reads it without leaving a trace."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

from ..errors import InvalidStudy

MAGIC = b"SQLite format 3\0"
MARK = "steerbo_study"
"""The table that every log has."""
_WAL = 2
"""The header's version of files that SQLite writes through a second one, ``-wal``."""
_HEAD = 100
"""Bytes of a header."""
_LONGEST = 2**33
"""Bytes of a file that is copied to be read."""
_BLOCK = 2**24
"""Bytes of it in memory at once."""
_NEW = "Is the name right? ‹new› makes one."


def check(file: Path, make: bool) -> None:
    """Refuse a file that is no log of steerbo, without changing it.

    With `make` it may be missing or empty; then it is there afterwards, and its owner's only.

    Raises:
        InvalidStudy: it is missing, a folder, no SQLite file, or another program's.
    """

    def refused(what: str, hint: str, allowed: str = "a study's log") -> InvalidStudy:
        return InvalidStudy("log", str(file), allowed, f"({what}.) {hint}")

    if "\0" in str(file):
        raise refused("A name has no NUL", "Name another file.", "a file's name")
    try:
        if not file.parent.is_dir():
            raise refused(
                f"There is no folder {file.parent}",
                "Make it first.",
                "a file in a folder that is there",
            )
        if file.is_dir():
            raise refused("It is a folder", "Name a file in it.")
        if not file.exists():
            if not make:
                raise refused("There is no such file", meant(file))
            create_private(file)
        if not file.is_file():
            raise refused("It is a pipe or a device", "Name a file.")
        head = _head(file)
    except OSError as error:
        allowed = "a file that can be read and written"
        raise InvalidStudy("log", str(file), allowed, f"({error.strerror or error}.)") from None
    if not head:
        if make:
            return
        raise refused("The file is empty", meant(file))
    if not head.startswith(MAGIC):
        raise refused(
            "It is not a database", meant(file, "Name another file, and see `steerbo doctor`.")
        )
    tables = _tables(file)
    if MARK not in tables and (tables or not make):
        raise refused(
            f"It is a database with {_listed(tables)}, and no study is in it", meant(file)
        )


def meant(file: Path, otherwise: str = _NEW) -> str:
    """Hint for a file that is no log."""
    if file.name.endswith(".part"):
        return "A backup that was cut short leaves such a file: make the backup again."
    whole = file.with_name(file.name.rpartition("#")[0]) if file.name.rpartition("#")[0] else file
    if whole != file and whole.is_file():
        return f"To name one study of {whole}, write sqlite:///{file}."
    return otherwise


def create_private(file: Path) -> None:
    """Make an empty file that only its owner may read, whatever the umask. One that is there is left alone."""
    with suppress(FileExistsError):
        number = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            if hasattr(os, "fchmod"):  # an umask may have taken our own rights
                os.fchmod(number, 0o600)
        finally:
            os.close(number)


def read_only(file: Path, timeout: float) -> sqlite3.Connection:
    """Open a connection that cannot write, and makes no file beside this one.

    SQLite would make the files ``-wal`` and ``-shm``. Without a ``-wal`` no process has the file
    open; where only ``-shm`` is missing, both are copies of files, and are copied once more. So is
    a file that was cut off, of which SQLite reads nothing until it has its old length again. Text
    that is no UTF-8 comes as surrogates.
    """
    log, index = (file.with_name(file.name + ending) for ending in ("-wal", "-shm"))
    head, waiting = _head(file), log.exists()
    missing = _length(head) - file.stat().st_size
    if missing > 0 or (waiting and not index.exists() and head[18:19] == bytes([_WAL])):
        with tempfile.TemporaryDirectory() as folder:  # open files outlive it
            copy = Path(folder) / "copy"
            _copy(file, copy)
            os.truncate(copy, max(_length(head), copy.stat().st_size))
            if waiting:
                shutil.copyfile(log, copy.with_name("copy-wal"))
            return _connect(copy, "mode=ro", timeout)
    if head[18:19] != bytes([_WAL]):
        return _connect(file, "mode=ro", timeout)
    return _connect(file, "mode=ro&readonly_shm=1" if waiting else "mode=ro&immutable=1", timeout)


def _length(head: bytes) -> int:
    """Length in bytes that a header states; 0 where it states none, or none that a log has."""
    size, pages = int.from_bytes(head[16:18], "big"), int.from_bytes(head[28:32], "big")
    size = 65536 if size == 1 else size
    return size * pages if len(head) == _HEAD and size * pages < _LONGEST else 0


def _connect(file: Path, options: str, timeout: float) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{quote(str(file.absolute()))}?{options}",
        uri=True,
        timeout=timeout,
        check_same_thread=False,
    )
    connection.isolation_level = None
    connection.text_factory = lambda raw: raw.decode(errors="surrogateescape")
    with suppress(sqlite3.Error, UnicodeError):  # the reader reports the fault
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return connection


def _head(file: Path) -> bytes:
    return _read(file, _HEAD)


def _copy(file: Path, copy: Path) -> None:
    with copy.open("wb") as opened:
        while opened.tell() < _LONGEST and (block := _read(file, _BLOCK, opened.tell())):
            opened.write(block)


def _read(file: Path, count: int, start: int = 0) -> bytes:
    """Read so many bytes from a place.

    On POSIX closing a file gives up all locks that the process has on it, those of SQLite's
    connections as well. Then another process takes itself for the last one, and removes a file that
    is being written to. So a file that is open in this process already is read through the
    connection that opened it.
    """
    number = _open_here(file.stat()) if hasattr(os, "pread") else None
    if number is not None:
        with suppress(OSError):  # it was closed this moment, or can only be written
            found = os.pread(number, count, start)
            if _same(os.fstat(number), file.stat()):
                return found
    with file.open("rb") as opened:
        opened.seek(start)
        return opened.read(count)


def _open_here(about: os.stat_result) -> int | None:
    """The number of a descriptor of this process by which the same file is open; None: there is none to be seen."""
    with suppress(OSError):
        for name in os.listdir("/dev/fd"):
            with suppress(OSError, ValueError):
                if _same(os.fstat(int(name)), about):
                    return int(name)
    return None


def _same(one: os.stat_result, other: os.stat_result) -> bool:
    return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)


def _tables(file: Path) -> set[str]:
    """Names of the tables; where they cannot be read, a log's own: opening the file then reports the fault."""
    try:
        with closing(read_only(file, 1.0)) as connection:
            return {
                name
                for (name,) in connection.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'table'"
                )
            }
    # damaged, or being made or closed this moment
    except (sqlite3.Error, UnicodeError, FileNotFoundError):
        return {MARK}


def _listed(tables: set[str]) -> str:
    some = ", ".join(sorted(tables)[:3])
    return f"the tables {some}{', …' if len(tables) > 3 else ''}" if tables else "no tables"
