"""Reading of files named by users: regular files only, of limited size."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from .errors import InvalidInput

LARGEST = 10_000_000
"""Largest size of a file written by hand (a study file, a graph), in bytes."""
LARGEST_TABLE = 50_000_000
"""Largest size of a table, in bytes: hundreds of thousands of lines."""


def read_file(
    path: Path | str,
    field: str,
    error: type[InvalidInput],
    most: int = LARGEST,
    *,
    allowed: str = "a file that can be read",
    shown: str = "",
) -> bytes:
    """Read the content of a file.

    A folder, a pipe or a device is not opened: that could block, or never end. The size is checked
    first.

    Args:
        path: path of the file.
        field: name of the file's role in errors.
        error: class of the error.
        most: largest size, in bytes.
        allowed: clause of the error for a file that is accepted.
        shown: name of the file in the error; empty: its path.

    Raises:
        InvalidInput: of class `error`: the file is missing, not regular, too large, or cannot be
            read.
    """
    try:
        with open_file(path, field, error, most, allowed=allowed, shown=shown) as file:
            found = file.read(most + 1)
    except OSError as fault:
        raise error(field, shown or str(path), allowed, f"({fault.strerror or fault}.)") from None
    if len(found) > most:  # it has grown meanwhile
        raise error(field, shown or str(path), *_too_large(most))
    return found


def open_file(
    path: Path | str,
    field: str,
    error: type[InvalidInput],
    most: int | None = None,
    *,
    allowed: str = "a file that can be read",
    shown: str = "",
) -> BinaryIO:
    """Open a file to be read, after the checks of `read_file`; `most`: None for any size."""

    def refused(hint: str, instead: str = allowed) -> InvalidInput:
        return error(field, shown or str(path), instead, hint)

    try:
        about = os.stat(path)
        if stat.S_ISREG(about.st_mode):
            file = open(path, "rb", opener=_at_once)  # noqa: SIM115  the caller closes it
            about = os.fstat(file.fileno())  # it may be another one by now
            if stat.S_ISREG(about.st_mode) and (most is None or about.st_size <= most):
                return file
            file.close()
    except OSError as fault:
        raise refused(f"({fault.strerror or fault}.)") from None
    except ValueError:
        raise refused("", "a file's name without NUL characters") from None
    if not stat.S_ISREG(about.st_mode):
        raise refused("(It is a folder, a pipe or a device.)")
    raise error(field, shown or str(path), *_too_large(most or 0))


def _too_large(most: int) -> tuple[str, str]:
    """Allowed values and hint for a file of more bytes."""
    allowed = f"a file of at most {most / 1e6:g} MB"
    return allowed, "Leave out what is not needed, or thin it out."


def _at_once(path: str, flags: int) -> int:
    """Open a file without blocking, should it have become a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
