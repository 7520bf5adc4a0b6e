"""Runs that are kept, one JSON line each: an experiment can be stopped, taken up again, and given more seeds later."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, TypeVar

Job = TypeVar("Job")


def finished(file: Path) -> dict[str, dict[str, Any]]:
    """Runs that are done, by their `key`."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return {run["key"]: run for run in map(json.loads, lines)}


def keep(file: Path, run: Mapping[str, Any]) -> None:
    """Add a run at the end."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as out:
        out.write(json.dumps(run) + "\n")


def play_missing(
    jobs: Mapping[str, Job], play: Callable[[Job], dict[str, Any]], file: Path, processes: int
) -> Iterator[dict[str, Any]]:
    """Play what is not done yet, in order, and yield each run once it is kept.

    Args:
        jobs: by key.
        play: from a job to its run, a dictionary with the job's key under "key".
        file: where runs are kept.
        processes: how many play at once.
    """
    known = finished(file)
    missing = [job for key, job in jobs.items() if key not in known]
    with ProcessPoolExecutor(processes) as pool:
        for done in as_completed([pool.submit(play, job) for job in missing]):
            keep(file, run := done.result())
            yield run


def command(
    what: str | None,
    kept: str,
    jobs: Iterable[Sequence[Any]],
    play: Callable[[Any], dict[str, Any]],
    section: Callable[[Path], str],
) -> None:
    """A program that plays what is missing and prints its tables.

    Args:
        what: it does, for `--help`.
        kept: the file's name in `docs/results`.
        jobs: each a few words and numbers, which with strokes between them are its key.
        play: as for `play_missing`.
        section: the tables of what is kept in a file.
    """
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--runs", type=Path, default=Path("docs/results") / kept)
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    for _ in play_missing({"/".join(map(str, job)): job for job in jobs}, play, given.runs, given.processes):
        pass
    print(section(given.runs))
