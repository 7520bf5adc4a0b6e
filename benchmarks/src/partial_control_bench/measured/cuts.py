"""How public files become the tables of these problems: columns picked, names shortened, numbers rounded."""

from __future__ import annotations

import ast
import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from .places import STATIONS

CELLS = 2500
"""How many of the 7466 cells are kept, so that a play takes milliseconds."""


def _rows(text: str, separator: str = ",") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), delimiter=separator))


def _table(names: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    return "\n".join([",".join(names), *(",".join(map(str, row)) for row in rows)]) + "\n"


def arylations(texts: Mapping[str, str]) -> str:
    """Yields of 1728 direct arylations, as they were published."""
    names = ("base", "ligand", "solvent", "concentration", "temperature", "yield")
    return _table(names, ([row[name] for name in names] for row in _rows(texts["bms"])))


def couplings(texts: Mapping[str, str]) -> str:
    """Yields of couplings by codes, such as A2 and H1; rows without a halide are left out."""
    rows = [
        (
            row["base"],
            row["ligand"],
            f"A{float(row['additive_number'] or 0):g}",
            f"H{float(row['aryl_halide_number']):g}",
            round(float(row["yield"]), 3),
        )
        for row in _rows(texts["aryl"])
        if row["aryl_halide_number"] and row["additive_number"]
    ]
    return _table(("base", "ligand", "additive", "halide", "yield"), rows)


def barrels(texts: Mapping[str, str]) -> str:
    """Printed barrels with their toughness, to four digits."""
    names = ("n", "theta", "r", "t")
    rows = (
        [
            row["n"],
            row["theta"],
            float(row["r"]),
            float(row["t"]),
            round(float(row["toughness"]), 4),
        ]
        for row in _rows(texts["barrel"])
    )
    return _table((*names, "toughness"), rows)


def blends(texts: Mapping[str, str]) -> str:
    """Compositions of four polymers, and how far they degrade in light."""
    rows = (
        [*line.split(",")[:4], round(float(line.split(",")[4]), 5)] for line in texts["opv"].split()
    )
    return _table(("wf3", "p3ht", "pcbm", "oidtbr", "degradation"), rows)


def office(texts: Mapping[str, str]) -> str:
    """Temperatures by the hour since the first reading."""
    rows = _rows(texts["ambient"])
    times = [datetime.fromisoformat(row["timestamp"]) for row in rows]
    hours = [(time - times[0]).total_seconds() / 3600 for time in times]
    read = (round(float(row["value"]), 2) for row in rows)
    return _table(("hour", "fahrenheit"), zip(hours, read, strict=True))


def taxis(texts: Mapping[str, str]) -> str:
    """Passengers of two hours, of which a row of the file has half of one."""
    rows = _rows(texts["taxi"])
    summed = (
        (rows[i]["timestamp"][:16], sum(int(row["value"]) for row in rows[i : i + 4]))
        for i in range(0, len(rows) - 3, 4)
    )
    return _table(("start", "passengers"), summed)


def cells(texts: Mapping[str, str]) -> str:
    """Decimal logarithms of what single cells hold of eleven proteins, in cells drawn at random."""
    names, *lines = texts["sachs"].splitlines()
    held = np.log10([[float(each) for each in line.split()] for line in lines])
    kept = np.random.RandomState(1).choice(len(held), CELLS, replace=False)
    return _table(names.split(), held[kept].round(3).tolist())


def roads(texts: Mapping[str, str]) -> str:
    """Shortest driving times from twenty stations to every call, in seconds.

    Stations are the first call's place, and then always the place that is farthest from all so far.
    """
    seconds: dict[tuple[int, int], float] = {}
    for line in texts["edges"].splitlines():
        start, end, told = line.split(maxsplit=2)
        road = min(int(start), int(end)), max(int(start), int(end))
        took = float(ast.literal_eval(told)["travel_time"])
        seconds[road] = min(took, seconds.get(road, took))  # of two roads the quicker
    starts, stops = zip(*seconds, strict=True)
    calls = [int(line) for line in texts["arrivals"].split()]
    size = max(*starts, *stops) + 1
    times = dijkstra(
        csr_array(([*seconds.values()], (starts, stops)), (size, size)), directed=False
    )
    stations = [calls[0]]
    reached = np.where(np.isfinite(times[calls[0]]), times[calls[0]], -1.0)
    while len(stations) < STATIONS:
        stations.append(int(reached.argmax()))
        reached = np.minimum(reached, times[stations[-1]])
    names = [f"call{k}" for k in range(len(calls))]
    rows = ([*times[at, calls].round(1).tolist(), f"n{at}"] for at in stations)
    return _table((*names, "station"), rows)


CUTS: Mapping[str, Callable[[Mapping[str, str]], str]] = {
    "bms": arylations,
    "aryl": couplings,
    "barrel": barrels,
    "opv": blends,
    "ambient": office,
    "taxi": taxis,
    "sachs": cells,
    "ithaca": roads,
}
