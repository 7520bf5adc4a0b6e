"""A database server is stopped again and again under a crowd of workers, and some of them are killed meanwhile."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from steerbo.core import Suggestion
from steerbo.study import Study
from tests.core.stub import Nearest, Stub, stub_case
from tests.torture.forks import noted
from tests.torture.kills import in_child, world
from tests.torture.server import Server


@contextmanager
def state_in(folder: Path) -> Iterator[None]:
    """What has to wait is kept in this folder."""
    before = os.environ.get("XDG_STATE_HOME")
    os.environ["XDG_STATE_HOME"] = str(folder)
    try:
        yield
    finally:
        os.environ.pop("XDG_STATE_HOME")
        if before is not None:
            os.environ["XDG_STATE_HOME"] = before


def _work(place: str, evaluated: Path) -> None:
    measure = world(stub_case())

    def slowly(suggestion: Suggestion) -> Any:
        answer = measure(suggestion)
        if not suggestion.observe:
            time.sleep(0.02)
            noted(evaluated, suggestion)
        return answer

    with Study.open(place, Stub(), name="outages") as study:
        study.run(slowly)


def outages(
    server: Server, folder: Path, *, workers: int, rounds: int, stops: int, kills: int, seconds: float
) -> dict[str, Any]:
    """`stops` of the server while `workers` play `rounds` rounds; in `kills` of them a worker dies and is replaced.

    Raises:
        AssertionError: a run ended, an outcome was lost, or was measured again although it had been noted down.
    """
    Study.create(server.url, Stub(), Nearest, name="outages", rounds=rounds).close()
    chance, evaluated, began = random.Random(5), folder / "outages.evaluated", time.monotonic()
    evaluated.touch()
    with state_in(folder / "state"):
        crew = [in_child(lambda: _work(server.url, evaluated)) for _ in range(workers)]
        for stop in range(stops):
            _until(lambda stop=stop: _lines(evaluated) > (stop + 1) * rounds / (stops + 2), began, seconds)
            server.stop("fast" if stop % 2 else "immediate")
            _until_quiet(evaluated)  # every worker waits for the log now
            if stop < kills:
                victim = crew.pop(chance.randrange(len(crew)))
                os.kill(victim, signal.SIGKILL)
                os.waitpid(victim, 0)
            server.start()
            if stop < kills:
                crew.append(in_child(lambda: _work(server.url, evaluated)))
        for child in crew:
            _, code = os.waitpid(child, 0)
            assert code == 0, f"a run ended with {code}"
        with Study.open(server.url, Stub(), name="outages") as study:
            tokens = evaluated.read_text().split()
            told = [e.token for e in study.events if e.kind == "told"]
            left = list((folder / "state" / "steerbo").glob("*")) if (folder / "state").exists() else []
            found = {
                "workers": workers,
                "rounds": study.status.rounds,
                "stops": stops,
                "killed meanwhile": kills,
                "evaluated twice": len(tokens) - len(set(tokens)),
                "duplicates": len(told) - len(set(told)),
                "lost": rounds - study.status.told + len(set(tokens) - set(told)),
                "left in files": len(left),
                "seconds": round(time.monotonic() - began, 1),
            }
    assert all(found[name] == 0 for name in ("evaluated twice", "duplicates", "lost", "left in files")), found
    return found


def _lines(file: Path) -> int:
    return len(file.read_text().splitlines())


def _until(reached: Any, began: float, seconds: float) -> None:
    while not reached():
        assert time.monotonic() - began < seconds, "it stands still"
        time.sleep(0.01)


def _until_quiet(evaluated: Path) -> None:
    before = -1
    while before != (before := _lines(evaluated)):
        time.sleep(0.4)
