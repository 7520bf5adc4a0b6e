"""The results page: what is missing is run, then it is written.

    python -m benchmarks.timevarying.results [--out DIR] [--seeds N]

Finished runs are kept as JSON lines and never run again; the Intel days need `STEERBO_DATA`.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from .experiments import jobs, key, read, run
from .page import write


def main() -> None:
    """Run what is missing, then write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/timevarying"))
    parser.add_argument("--page", type=Path, default=Path("docs/results/timevarying.md"))
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    place = given.out / "runs.jsonl"
    done = read(place)
    missing = [job for job in jobs(given.seeds) if key(job) not in done]
    print(f"{len(done)} runs are done, {len(missing)} to go")
    with place.open("a") as file, ProcessPoolExecutor(given.processes) as pool:
        for i, row in enumerate(pool.map(run, missing, chunksize=8), start=1):
            file.write(json.dumps(row) + "\n")
            file.flush()
            done[key(row)] = row
            if i % 500 == 0:
                print(f"{i} of {len(missing)}", flush=True)
    write(given.page, list(done.values()))
    print(f"wrote {given.page}")


if __name__ == "__main__":
    main()
