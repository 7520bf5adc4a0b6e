"""Real data: from the folder that `STEERBO_DATA` names, else from its public home."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from steerbo.errors import InvalidOption, MissingExtra

VARIABLE = "STEERBO_DATA"


def folder() -> Path | None:
    """The folder that `STEERBO_DATA` names; None where it is not set.

    Raises:
        InvalidOption: it is set, and is no folder.
    """
    name = os.environ.get(VARIABLE)
    if not name:
        return None
    if not (path := Path(name)).is_dir():
        raise InvalidOption(VARIABLE, name, "a folder that exists, or not to be set")
    return path


def text(name: str) -> str | None:
    """The content of a data file, None where it is not at hand."""
    place = folder()
    return (place / name).read_text() if place and (place / name).is_file() else None


def required(name: str) -> Any:
    """The content of a JSON data file that has no public home.

    Raises:
        InvalidOption: it is not at hand.
    """
    content = text(name)
    if content is None:
        raise InvalidOption(VARIABLE, os.environ.get(VARIABLE), f"a folder that holds {name}")
    return json.loads(content)


def download(url: str, member: str, digest: str, header: str) -> str:
    """A table of tab-separated numbers inside a public zip archive, as comma-separated text.

    Args:
        url: where the archive is.
        member: the file in it.
        digest: SHA-256 of the comma-separated text with its header, whatever line ends the archive has.
        header: names of the columns.

    Raises:
        MissingExtra: pooch is not installed.
        InvalidOption: what was downloaded is not what was published.
    """
    try:
        import pooch
    except ImportError:
        raise MissingExtra("pooch", "data") from None
    try:
        found = pooch.retrieve(url, known_hash=None, processor=pooch.Unzip(members=[member]))
    except (OSError, ValueError) as error:  # what pooch and requests raise for networks and archives
        hint = f"Put the file into a folder and set {VARIABLE}."
        raise InvalidOption(url, str(error), "an archive that can be fetched", hint) from None
    rows = Path(found[0]).read_text().splitlines()
    table = "\n".join([header, *(",".join(row.split()) for row in rows if row.strip())]) + "\n"
    if (seen := hashlib.sha256(table.encode()).hexdigest()) != digest:
        raise InvalidOption(
            url, seen, f"content with checksum {digest}", f"Put the file into a folder and set {VARIABLE}."
        )
    return table
