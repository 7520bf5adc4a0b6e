"""Speed against plain rivals: `python -m benchmarks.speed WING`, or `make bench-WING`, prints and writes a table.

Both sides run by turns in one process on one BLAS thread; CPU time, median over repeats. What is timed stands in each
wing's `speed.py`: its `TABLES` name tables (`rows`, and what else is measured), in them cases, and for each case a
function that gives rows. Rows are kept in docs/results/bench-WING.json as

    {"machine": …, "rows": [{"name", "ours_ms", "rival_ms", "ratio", "bar", "value_gap"}]}

where `bar` is the ratio that is wanted, and `value_gap` by how much our answer is worse than the rival's, as a share of
the range of what both maximise. A rival that is not installed leaves its fields empty.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from steerbo.core.determinism import fingerprint, one_blas_thread

T = TypeVar("T")
Row = dict[str, Any]
Cases = Mapping[str, Callable[[], Iterable[Row]]]
"""By the name of a case, which `--only` takes: a function that gives rows of a table."""

WINGS = ("causal", "costvarying", "meanfield", "timevarying")


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """What a call gives, and its CPU milliseconds.

    >>> timed(lambda: sum(range(10)))[0]
    45
    """
    start = time.process_time()
    given = work()
    return given, 1e3 * (time.process_time() - start)


def cpu_ms(work: Callable[[], Any]) -> float:
    """CPU milliseconds of a call."""
    return timed(work)[1]


def medians(*sides: Callable[[int], Any], repeats: int) -> list[float]:
    """Median CPU milliseconds of each side, run by turns; each is given the number of the repeat.

    >>> calls = []
    >>> _ = medians(lambda k: calls.append(("ours", k)), lambda k: calls.append(("rival", k)), repeats=2)
    >>> calls
    [('ours', 0), ('rival', 0), ('ours', 1), ('rival', 1)]
    """
    times = [[cpu_ms(lambda: side(k)) for side in sides] for k in range(repeats)]  # noqa: B023  called at once
    found: list[float] = np.median(times, axis=0).tolist()
    return found


def row(
    name: str,
    ours_ms: float,
    rival_ms: float | None = None,
    *,
    bar: float | None = None,
    gap: float | None = None,
    **more: Any,
) -> Row:
    """One line of a table; `more` is kept beside the fields that all rows have.

    >>> row("a round", 2.0, 100.0, bar=30.0)["ratio"]
    50.0
    """
    ratio = None if rival_ms is None else rival_ms / ours_ms
    fields = {"name": name, "ours_ms": ours_ms, "rival_ms": rival_ms, "ratio": ratio, "bar": bar, "value_gap": gap}
    return {**fields, **more}


def line(found: Row) -> str:
    """A row for people.

    >>> line(row("a round", 2.0, 100.0, bar=30.0))
    'a round: ours_ms 2, rival_ms 100, ratio 50, bar 30'
    """
    parts = (f"{name} {value:.4g}" for name, value in found.items() if isinstance(value, float | int))
    return f"{found['name']}: {', '.join(parts)}"


def measure(tables: Mapping[str, Cases], only: Iterable[str] = ()) -> Iterator[dict[str, list[Row]]]:
    """All tables as they stand, after each case.

    Args:
        tables: what is timed.
        only: beginnings of the names of cases; none: all of them.
    """
    found: dict[str, list[Row]] = {table: [] for table in tables}
    wanted = tuple(only) or ("",)
    for table, cases in tables.items():
        for case, work in cases.items():
            if case.startswith(wanted):
                with one_blas_thread():
                    found[table].extend(work())
                yield found


def main(arguments: list[str] | None = None) -> None:
    """Measure a wing, print each row as it comes, and write after each case: the whole takes minutes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("wing", choices=WINGS)
    parser.add_argument("--only", nargs="+", default=[], metavar="CASE", help="beginnings of the names of cases")
    parser.add_argument("--out", type=Path, help="default: docs/results/bench-WING.json, with --only none")
    given = parser.parse_args(arguments)
    tables: Mapping[str, Cases] = import_module(f".{given.wing}.speed", __package__).TABLES
    cases = [case for table in tables.values() for case in table]
    if given.only and not any(case.startswith(tuple(given.only)) for case in cases):
        parser.error(f"--only: no case begins like this; there are: {', '.join(cases)}")
    out = given.out or (None if given.only else Path("docs/results") / f"bench-{given.wing}.json")
    machine = {**fingerprint(), "processor": platform.processor() or platform.machine()}
    printed = 0
    for found in measure(tables, given.only):
        rows = [each for table in found.values() for each in table]
        print("\n".join(map(line, rows[printed:])), flush=True)
        printed = len(rows)
        if out is not None:
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_text(json.dumps({"machine": machine, **found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
