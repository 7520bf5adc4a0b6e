"""Reading a file that somebody named: a regular one, of a size that is allowed, and never more than that."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from .errors import InvalidInput

LARGEST = 10_000_000
"""Bytes of a file in which people write: a study file, a graph."""
LARGEST_TABLE = 50_000_000
"""Bytes of a table: hundreds of thousands of lines."""


def read_file(
    path: Path | str,
    field: str,
    error: type[InvalidInput],
    most: int = LARGEST,
    *,
    allowed: str = "a file that can be read",
    shown: str = "",
) -> bytes:
    """The content of a file.

    A folder, a pipe or a device is not opened, which may wait for ever or never end; the size is looked at first.

    Args:
        path: of the file.
        field: what it is for, as the error names it.
        error: its class.
        most: bytes that are allowed.
        allowed: the words for it.
        shown: how the error names the file; empty: by its path.

    Raises:
        InvalidInput: of the class `error`: it is missing, no regular file, too large, or cannot be read.
    """

    def refused(hint: str, instead: str = allowed) -> InvalidInput:
        return error(field, shown or str(path), instead, hint)

    try:
        about = os.stat(path)
        if stat.S_ISREG(about.st_mode):
            with open(path, "rb", opener=_at_once) as file:
                about = os.fstat(file.fileno())  # it may be another one by now
                if stat.S_ISREG(about.st_mode) and about.st_size <= most:
                    found = file.read(most + 1)
                    if len(found) <= most:
                        return found
    except OSError as fault:
        raise refused(f"({fault.strerror or fault}.)") from None
    except ValueError:
        raise refused("", "a file's name without NUL characters") from None
    if not stat.S_ISREG(about.st_mode):
        raise refused("(It is a folder, a pipe or a device.)")
    raise refused("Leave out what is not needed, or thin it out.", f"a file of at most {most / 1e6:g} MB")


def _at_once(path: str, flags: int) -> int:
    """Open a file without waiting, should it have become a pipe."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
