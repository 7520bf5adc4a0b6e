"""Backups while workers write, each put back elsewhere: whatever was acknowledged before it began is in it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from steerbo.storage.doctor import examine
from steerbo.study import Study, backup, restore
from tests.core.stub import Nearest, Stub, stub_case
from tests.torture.kills import in_child, world


def _work(place: str, acknowledged: Path) -> None:
    measure = world(stub_case())
    file = os.open(acknowledged, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with Study.open(place, Stub(), name="backups", lease=30.0) as study:
        while (suggestion := study.ask()) is not None:
            while suggestion.observe:
                suggestion = study.decide(suggestion, measure(suggestion)["context"])
            study.tell(suggestion, **measure(suggestion))
            os.write(file, f"{suggestion.token}\n".encode())


def backups(place: str, folder: Path, rounds: int, workers: int, seconds: float) -> dict[str, Any]:
    """As many backups as can be made while `workers` processes play `rounds` rounds.

    Raises:
        AssertionError: an acknowledged outcome is missing in one, or one is not whole.
    """
    Study.create(place, Stub(), Nearest, name="backups", rounds=rounds).close()
    acknowledged = folder / "acknowledged"
    acknowledged.touch()
    crew = [in_child(lambda: _work(place, acknowledged)) for _ in range(workers)]
    source = f"{place}#backups" if "://" in place else place
    made = missing = largest = 0
    end = time.monotonic() + seconds
    try:
        while crew:
            assert time.monotonic() < end, f"{made} backups after {seconds} s"
            told = set(acknowledged.read_text().split())
            copy, again = folder / f"backup{made}.db", folder / f"restored{made}.db"
            backup(source, copy)
            restore(copy, again)
            assert not examine(again).damaged
            with Study.open(again, Stub(), name="backups") as study:
                found = {r.suggestion.token for r in study.history if r.state == "told"}
            missing += len(told - found)
            largest = max(largest, len(told))
            made += 1
            for child in list(crew):
                gone, code = os.waitpid(child, os.WNOHANG)
                if gone:
                    crew.remove(child)
                    assert code == 0, f"a worker ended with {code}"
            copy.unlink()
            again.unlink()
    finally:
        for child in crew:
            os.kill(child, 9)
            os.waitpid(child, 0)
    assert missing == 0, missing
    return {
        "workers": workers,
        "rounds": rounds,
        "backups": made,
        "outcomes before the last": largest,
        "missing": missing,
    }
