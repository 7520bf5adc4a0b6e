"""`make torture`: kills, crowds, turns, forks, outages, damage, order, overhead, rubbish, pages, servers, long lives.

Prints figures and writes evidence/torture.json. Every part is bounded in count and time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import secrets
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from steerbo.study import Study
from tests.serve.players import OVEN, oven
from tests.torture.backups import backups
from tests.torture.clocks import clocks
from tests.torture.crowd import crowd
from tests.torture.damage import damage
from tests.torture.endless import endless
from tests.torture.first_connection import first_connection
from tests.torture.forks import forks
from tests.torture.kills import WINGS, kill_often
from tests.torture.lifetime import KINDS, QUICK, long_sessions
from tests.torture.malformed import malformed
from tests.torture.order import order
from tests.torture.outages import outages
from tests.torture.outside_limits import outside_limits
from tests.torture.overhead import overhead
from tests.torture.pages import pages, without_browser
from tests.torture.picture import draw_asks
from tests.torture.reopening import reopening
from tests.torture.reporting import reporting
from tests.torture.served import (
    beside_a_bare_route,
    connections_held,
    forged,
    hostile_requests,
    mistyped,
    reserved_names,
    rounds_served,
)
from tests.torture.server import missing, postgres, server
from tests.torture.threads import threads
from tests.torture.turns import turns
from tests.torture.unpickled import unpickled

RESULTS = Path(__file__).parents[2] / "evidence" / "torture.json"


def main() -> None:
    """Run what is asked for; a part that fails ends it."""
    parser = argparse.ArgumentParser(prog="make torture")
    parser.add_argument("--kills", type=int, default=500, help="on SQLite; two fifths of it on PostgreSQL")
    parser.add_argument("--rounds", type=int, default=2000, help="of the crowd on PostgreSQL; other crowds play fewer")
    parser.add_argument("--long", type=int, default=200, help="rounds of each study of the long session")
    parser.add_argument("--quick", type=int, default=200, help="the same where choices cost next to nothing")
    parser.add_argument("--every", type=float, default=60.0, help="seconds between two kills in the long session")
    parser.add_argument("--seconds", type=float, default=900.0, help="limit of each part")
    parser.add_argument("--only", default="", help="parts whose names begin so")
    asked = parser.parse_args()
    results: dict[str, Any] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores; load: at the start of each part",
        "python": platform.python_version(),
        "note": f"parts of several runs, the last with --only {asked.only}" if asked.only else "all parts of one run",
    }
    if asked.only and RESULTS.exists():
        results = {**json.loads(RESULTS.read_text()), **results}

    def part(name: str, work: Callable[[], Any]) -> None:
        if not name.startswith(asked.only):
            return
        start = time.monotonic()
        load = round(os.getloadavg()[0], 1)
        results[name] = work()
        results.setdefault("load", {})[name] = load
        print(f"{name} ({time.monotonic() - start:.0f} s): {json.dumps(results[name])}", flush=True)
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")

    each, many = -(-asked.kills // len(WINGS)), asked.rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def report(place: str, workers: int) -> dict[str, Any]:
            fresh = secrets.randbelow(10**6)
            return reporting(place, folder, workers=workers, kills=each, seconds=asked.seconds, seed=fresh)

        def killed(place: str, wing: str, kills: int) -> dict[str, Any]:
            return kill_often(place, wing, folder, kills, asked.seconds, seed=secrets.randbelow(10**6))

        part("kills on SQLite", lambda: [killed(f"{folder}/kills.db", wing, each) for wing in WINGS])
        part("reports on SQLite", lambda: [report(f"{folder}/reports.db", n) for n in (1, 2, 4)])
        part("crowd on SQLite", lambda: crowd(f"{folder}/crowd.db", "crowd", 4, many // 5, 6, asked.seconds))
        eight: dict[str, Any] = {"workers": 8, "rounds": many // 20, "kills": 3, "seconds": asked.seconds}
        part("turns on SQLite", lambda: [turns(f"{folder}/turns.db", folder, evaluation=e, **eight) for e in (0, 1)])
        part(
            "threads on SQLite",
            lambda: [threads(f"{folder}/threads.db", f"{n} threads", n, many // 10) for n in (2, 8)],
        )
        part("clocks apart", lambda: clocks(f"{folder}/clocks.db", folder, many // 20))
        part("order of values", lambda: order(folder, 12, asked.seconds))
        part("forks on SQLite", lambda: forks(f"{folder}/forks.db", "forks", folder, 3, 120, 10))
        part("damage", lambda: damage(folder / "damage", 300))
        part("backups on SQLite", lambda: backups(f"{folder}/backups.db", folder, many // 10, 4, asked.seconds))
        part("malformed", lambda: malformed(12_000, folder))
        part("files without end", lambda: endless(folder / "endless"))
        part("no pickle on a disk", lambda: unpickled(folder / "unpickled"))
        part("limits of a kind from outside", lambda: outside_limits(folder / "ward", 400))
        if reason := without_browser():
            print(f"pages skipped: {reason}")
        else:
            part("two people at a page", lambda: pages(folder / "pages", 30))
        part("overhead", lambda: overhead(folder))
        part("reopening", lambda: reopening(folder))
        part("served on SQLite", lambda: rounds_served(oven(folder, budget=1e6), "oven", 8, 10.0))
        (folder / "beside").mkdir()
        part("GET beside a bare route", lambda: beside_a_bare_route(oven(folder / "beside"), "oven"))
        (folder / "hostile").mkdir()
        part("hostile requests", lambda: hostile_requests(folder / "hostile", 10_000))
        (folder / "held").mkdir()
        part("connections held", lambda: connections_held(oven(folder / "held"), 300))
        for name, row in (
            ("mistyped", partial(mistyped, count=100)),
            ("forged addresses", partial(forged, count=200)),
            ("reserved names", reserved_names),
        ):
            (folder / name).mkdir()
            part(name, partial(row, folder / name))
        if reason := missing():
            print(f"PostgreSQL skipped: {reason}")
        else:
            with postgres() as url:
                fewer = -(-2 * each // 5)
                part("kills on PostgreSQL", lambda: [killed(url, wing, fewer) for wing in WINGS])
                part("reports on PostgreSQL", lambda: [report(url, n) for n in (1, 2, 4)])
                part("crashes in a first connection", lambda: first_connection(url))
                part("threads on PostgreSQL", lambda: [threads(url, f"{n} threads", n, many // 10) for n in (2, 8)])
                part("backups on PostgreSQL", lambda: backups(url, folder, many // 5, 4, asked.seconds))
                part("crowd on PostgreSQL", lambda: crowd(url, "crowd", 4, many, 10, asked.seconds))
                part("turns on PostgreSQL", lambda: turns(url, folder, **eight))
                Study.create(f"{url}#oven", OVEN, "random", budget=1e6, seed=1).close()
                part("served on PostgreSQL", lambda: rounds_served(f"{url}#oven", "oven", 8, 10.0))
                part("forks on PostgreSQL", lambda: forks(url, "forks of a server's", folder, 3, 120, 10))
            with server() as running:
                size = {"workers": 4, "rounds": many // 5, "stops": 20, "kills": 10, "seconds": asked.seconds}
                part("restarts of PostgreSQL", lambda: outages(running, folder, **size))
        life: dict[str, Any] = {"workers": 4, "every": asked.every, "seconds": asked.seconds}
        for name, kinds, rounds in (("long session", KINDS, asked.long), ("quick long session", QUICK, asked.quick)):
            if name.startswith(asked.only):
                with server() if not missing() else nullcontext() as other:
                    part(name, partial(long_sessions, folder / name, other, kinds=kinds, rounds=rounds, **life))
                draw_asks(results[name], RESULTS.with_name(f"{name.replace(' ', '-')}.png"))


if __name__ == "__main__":
    warnings.simplefilter("error", RuntimeWarning)
    main()
