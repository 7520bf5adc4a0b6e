"""A stream that never ends: does a round always cost the same? `python -m benchmarks.timevarying.stream`.

Twelve generic priors on a line of 50 points; a wave that wanders, noise .1; every seventh round fails in the last case.
"""

from __future__ import annotations

import math
import pickle
import time
from pathlib import Path
from typing import Any

import numpy as np

from steerbo.core import Optimizer

from ..runs import command, finished
from .drifting import problem
from .rows import table

KEPT = "runs/timevarying-stream.jsonl"
MARKS = (300, 1000, 3000, 10_000, 30_000, 100_000)
_RECENT = 200  # rounds that a median is of
_FAILS = 7

Job = tuple[str, int, int]


def jobs() -> list[Job]:
    """Method, rounds, and after how many rounds one fails (0: none)."""
    return [
        ("tempered-elimination", 10_000, _FAILS),
        ("switching-elimination", 10_000, 0),
        ("et-gp-ucb", 10_000, 0),
        ("tempered-elimination", 100_000, 0),
    ]


def run(job: Job) -> dict[str, Any]:
    """One stream: at each mark the median processor time of an `ask`, and the size of the method's state."""
    method, rounds, fails = job
    options: dict[str, Any] = {"prior": "0.2, 0.01", "confidence": 1.5} if method == "et-gp-ucb" else {}
    optimizer, random = Optimizer(problem("switch"), method, seed=0, **options), np.random.default_rng(0)
    spent, marks = [], []
    for t in range(1, rounds + 1):
        begun = time.process_time()
        suggestion = optimizer.ask()
        spent.append(time.process_time() - begun)
        assert suggestion is not None
        if fails and t % fails == 0:
            optimizer.fail(suggestion, "no reading")
        else:
            wave = math.sin(6 * suggestion.values["x"] + 0.01 * t)
            optimizer.tell(suggestion, wave + 0.1 * random.standard_normal())
        if t in MARKS:
            marks.append([t, round(1e3 * float(np.median(spent[-_RECENT:])), 3), *_written(optimizer._state.method)])
    return {"key": "/".join(map(str, job)), "marks": marks}


def _written(method: Any) -> tuple[int, float]:
    """Kilobytes of a method's state, and processor milliseconds to read it."""
    text = pickle.dumps(method, protocol=5)
    begun = time.process_time()
    pickle.loads(text)
    return len(text) // 1024, round(1e3 * (time.process_time() - begun), 1)


def section(place: Path) -> str:
    """A table for the page."""
    done, lines = finished(place), []
    for job in jobs():
        if (row := done.get("/".join(map(str, job)))) is None:
            continue
        found = {t: (ms, size, read) for t, ms, size, read in row["marks"]}
        name = job[0] + (", every seventh round fails" if job[2] else "")
        cells = [f"{found[t][0]:.2f}" if t in found else "–" for t in MARKS]
        sizes = [found[t][1] for t in MARKS if t in found]
        lines.append((name, *cells, f"{sizes[1]} / {sizes[-1]}", f"{found[max(found)][2]:.0f}"))
    columns = ("method", *(f"n = {t}" for t in MARKS), "state at n = 1000 and at the end, kB", "to read it, ms")
    return table(columns, lines) if lines else ""


def main() -> None:
    """Run what is missing, then print the table."""
    command(__doc__, KEPT, jobs(), run, section)


if __name__ == "__main__":
    main()
