"""`make torture`: kills, crowds, damage, backups, overhead, rubbish. Prints figures, writes docs/results/torture.json.

Every part is bounded in count and time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.torture.backups import backups
from tests.torture.crowd import crowd
from tests.torture.damage import damage
from tests.torture.forks import forks
from tests.torture.kills import WINGS, kill_often
from tests.torture.malformed import malformed
from tests.torture.outages import outages
from tests.torture.overhead import overhead
from tests.torture.reopening import reopening
from tests.torture.server import missing, postgres, server

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "torture.json"


def main() -> None:
    """Run what is asked for; a part that fails ends it."""
    parser = argparse.ArgumentParser(prog="make torture")
    parser.add_argument("--kills", type=int, default=500, help="on SQLite; two fifths of it on PostgreSQL")
    parser.add_argument("--seconds", type=float, default=900.0, help="limit of each part")
    parser.add_argument("--only", default="", help="parts whose names begin so")
    asked = parser.parse_args()
    results: dict[str, Any] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start",
        "python": platform.python_version(),
        "note": f"parts of several runs, the last with --only {asked.only}" if asked.only else "all parts of one run",
    }
    if asked.only and RESULTS.exists():
        results = {**json.loads(RESULTS.read_text()), **results}

    def part(name: str, work: Callable[[], Any]) -> None:
        if not name.startswith(asked.only):
            return
        start = time.monotonic()
        results[name] = work()
        print(f"{name} ({time.monotonic() - start:.0f} s): {json.dumps(results[name])}", flush=True)
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        RESULTS.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")

    each = -(-asked.kills // len(WINGS))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kills = dict.fromkeys(WINGS, f"{folder}/kills.db")
        part("kills on SQLite", lambda: [kill_often(p, w, folder, each, asked.seconds) for w, p in kills.items()])
        part("crowd on SQLite", lambda: crowd(f"{folder}/crowd.db", "crowd", 4, 400, 6, asked.seconds))
        part("forks on SQLite", lambda: forks(f"{folder}/forks.db", "forks", folder, 3, 120, 10))
        part("damage", lambda: damage(folder / "damage", 300))
        part("backups on SQLite", lambda: backups(f"{folder}/backups.db", folder, 200, 4, asked.seconds))
        part("malformed", lambda: malformed(12_000, folder))
        part("overhead", lambda: overhead(folder))
        part("reopening", lambda: reopening(folder))
        if reason := missing():
            print(f"PostgreSQL skipped: {reason}")
        else:
            with postgres() as url:
                fewer = -(-2 * each // 5)
                part(
                    "kills on PostgreSQL",
                    lambda: [kill_often(url, w, folder, fewer, asked.seconds) for w in WINGS],
                )
                part("backups on PostgreSQL", lambda: backups(url, folder, 400, 4, asked.seconds))
                part("crowd on PostgreSQL", lambda: crowd(url, "crowd", 4, 2000, 10, asked.seconds))
                part("forks on PostgreSQL", lambda: forks(url, "forks of a server's", folder, 3, 120, 10))
            with server() as running:
                many = {"workers": 4, "rounds": 400, "stops": 20, "kills": 10, "seconds": asked.seconds}
                part("restarts of PostgreSQL", lambda: outages(running, folder, **many))


if __name__ == "__main__":
    warnings.simplefilter("error", RuntimeWarning)
    main()
