"""Real data, checked by its sum: from the folder that `STEERBO_DATA` names, else from its public home."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from .errors import BenchError

VARIABLE = "STEERBO_DATA"
SUMS = {
    "airfoil.csv": "a61cf3c6c9e1d33fe76f835fc05837630cede13674b9b08fe49c20d33e3cd58d",
    "plant_gp.json": "804a9873620428b15d95d5457c11e15bf8db74bc5bd29d580e86101b7aa26adb",
    "intel_lab_temperature.csv.gz": "1d7bb7a87958ffb9dfea816ee90045dd08b9340bdcadb27973d55d3b2a262061",
    "bike_station_demand.csv": "cb79a4b76cab6e96cff5b40afe0d8945e0e545b7130aecbb13895ffacf784082",
    "nyc_uber_demand_12x20.csv": "5ca4591ca6a0b5673e88642a28f280d446907101c928d151f5e542a29f938163",
    "nyc_uber_demand_15x26.csv": "e37366d3eb567fd204e60f4968eeaacc4654c2bc6b5eec694db02b0a9b61c1e2",
    "nyc_uber_demand_20x36.csv": "4ae33c647f43239aaa4b1f4fefd05222d10ef32a9c7c8b328d3a1ca0ed4328c4",
    "ports.csv": "6f5cb265ba41ce414a833a8175405295a2318a1ef9e2d5f32520f9c73c8a2633",
    "real/open/bms.csv": "7ee384307653052e6cf7df3a27e06c65867d96e6439b9196be5e2ca03d42b785",
    "real/open/aryl.csv": "52d3b0c7e4108ab49e8e98772419cf296f0bae245eb981af1555bf4b898f3b92",
    "real/open/barrel.csv": "2a4fd809f03b260a9c14891a44d80e9f7f8912c3e258dddad7b6afc61c8bc3e6",
    "real/open/opv.csv": "65134f5e1b8892de60eff3935df8b0f8d574d5e67e5038fe7e650d3b856a79d1",
    "real/open/ambient.csv": "8bbd16b7397383f23d317542098ffc26a26e54aace7575739fc264909dc17ef8",
    "real/open/taxi.csv": "7dfd7df58c3d09c4cdd90080ded33bd7977680d3fd2caf66784cca805d9648b1",
    "real/open/sachs.csv": "a48f00271038c0d3d1bfa88ea4821a54feb549cba8066337a770353803ee5ced",
    "real/open/ithaca.csv": "d160a45bc4815f8472ea725ddf2ede83828ab381d1b0982cfdfe90cb3a0e2241",
}
"""SHA-256 of every file, as it was when the problems were frozen."""


class DataMissing(BenchError):  # noqa: N818
    """A file is not at hand."""


class DataChanged(BenchError):  # noqa: N818
    """A file is not the one that the problem was frozen with."""


def folder() -> Path | None:
    """The folder that `STEERBO_DATA` names; None where it is not set.

    Raises:
        DataMissing: it is set, and is no folder.
    """
    name = os.environ.get(VARIABLE)
    if not name:
        return None
    if not (path := Path(name)).is_dir():
        raise DataMissing(
            f"{VARIABLE} {name!r}: there is no such folder; name one that exists, or leave it unset"
        )
    return path


def there(names: tuple[str, ...]) -> bool:
    """Whether all these files are in the folder."""
    place = folder()
    return not names or (place is not None and all((place / name).is_file() for name in names))


def path_of(name: str) -> Path | None:
    """Where a data file is, None where it is not at hand.

    Raises:
        DataChanged: it has another checksum.
    """
    place = folder()
    if place is None or not (path := place / name).is_file():
        return None
    if name in SUMS and (found := hashlib.sha256(path.read_bytes()).hexdigest()) != SUMS[name]:
        raise DataChanged(
            f"{path}: its SHA-256 is {found}, and must be {SUMS[name]}; take the original file"
        )
    return path


def text(name: str) -> str | None:
    """The content of a data file, None where it is not at hand."""
    path = path_of(name)
    return path.read_text(encoding="utf-8") if path else None


def required(name: str) -> Path:
    """Where a data file is that has no public home.

    Raises:
        DataMissing: it is not at hand.
    """
    path = path_of(name)
    if path is None:
        place = os.environ.get(VARIABLE)
        found = f"is {place!r}, where {name} is not" if place else "is not set"
        raise DataMissing(
            f"{VARIABLE} {found}: it must name a folder that holds {name} (`pcb data` lists the files)"
        )
    return path


def measured(name: str) -> str:
    """The file of a table that other people measured; `pcb data --fetch` makes it.

    >>> measured("bms")
    'real/open/bms.csv'
    """
    return f"real/open/{name}.csv"


def required_json(name: str) -> Any:
    """The content of a JSON data file."""
    return json.loads(required(name).read_text(encoding="utf-8"))


def download(url: str, member: str, digest: str, header: str) -> str:
    """A table of tab-separated numbers inside a public zip archive, as comma-separated text.

    Args:
        url: where the archive is.
        member: the file in it.
        digest: SHA-256 of the comma-separated text with its header, whatever line ends the archive
            has.
        header: names of the columns.

    Raises:
        DataMissing: it cannot be fetched, or pooch is not installed.
        DataChanged: what was downloaded is not what was published.
    """
    try:
        import pooch  # optional: only downloads need it
    except ImportError:
        raise DataMissing(
            f"{url}: to fetch it, pip install pooch; or set {VARIABLE} to a folder with it"
        ) from None
    try:
        found = pooch.retrieve(url, known_hash=None, processor=pooch.Unzip(members=[member]))
    # what pooch and requests raise for networks and archives
    except (OSError, ValueError) as error:
        hint = f"put the file into a folder and set {VARIABLE}"
        raise DataMissing(
            f"{url}: no archive can be fetched from there ({error}); {hint}"
        ) from None
    rows = Path(found[0]).read_text().splitlines()
    table = "\n".join([header, *(",".join(row.split()) for row in rows if row.strip())]) + "\n"
    if (seen := hashlib.sha256(table.encode()).hexdigest()) != digest:
        raise DataChanged(
            f"{url}: its checksum is {seen}, and must be {digest}; put the original into a folder and set {VARIABLE}"
        )
    return table
