"""Many workers on one study, some of them killed: no round twice, none lost, none stuck."""

from __future__ import annotations

import time
from typing import Any

from steerbo.study import Study
from tests.core.stub import Nearest, Stub, stub_case
from tests.torture.crew import spread, work_through
from tests.torture.kills import in_child, world

LEASE = 5.0


def _work(place: str, name: str) -> None:
    with Study.open(place, Stub(), name=name, lease=LEASE) as study:
        study.run(world(stub_case()))


def crowd(place: str, name: str, workers: int, rounds: int, kills: int, seconds: float) -> dict[str, Any]:
    """`workers` processes play `rounds` rounds together; `kills` of them die on the way and are replaced."""
    Study.create(place, Stub(), Nearest, name=name, rounds=rounds).close()
    began = time.monotonic()

    def hire() -> int:
        return in_child(lambda: _work(place, name))

    crew = [hire() for _ in range(workers)]
    with Study.open(place, Stub(), name=name) as watch:

        def so_far() -> int:
            watch.refresh()
            return watch.status.told

        killed = work_through(crew, hire, strikes=spread(so_far, rounds, kills), seconds=seconds)
        watch.refresh()
        took = time.monotonic() - began
        asked = [e.round for e in watch.events if e.kind == "asked"]
        told = [e.token for e in watch.events if e.kind == "told"]
        status = watch.status
    found = {
        "workers": workers,
        "rounds": status.rounds,
        "killed": len(killed),
        "duplicates": len(asked) - len(set(asked)) + len(told) - len(set(told)),
        "lost": rounds - status.told,
        "stuck": len(status.pending),
        "seconds": round(took, 2),
    }
    assert (found["duplicates"], found["lost"], found["stuck"], found["rounds"]) == (0, 0, 0, rounds), found
    return found
