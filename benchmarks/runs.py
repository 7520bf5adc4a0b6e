"""Runs that are kept, one JSON line each: an experiment can be stopped, taken up again, and given more seeds later."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
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
