"""Many workers on one study, some of them killed: no round twice, none lost, none stuck."""

from __future__ import annotations

import os
import random
import signal
import time
from typing import Any

from steerbo.study import Study
from tests.rounds.stub import Nearest, Stub
from tests.rounds.test_optimizer import stub_case
from tests.torture.kills import in_child, world

LEASE = 5.0


def _work(place: str, name: str) -> None:
    with Study.open(place, Stub(), name=name, lease=LEASE) as study:
        study.run(world(stub_case()))


def crowd(place: str, name: str, workers: int, rounds: int, kills: int, seconds: float) -> dict[str, Any]:
    """`workers` processes play `rounds` rounds together; `kills` of them die on the way and are replaced."""
    Study.create(place, Stub(), Nearest, name=name, rounds=rounds).close()
    chance, killed, began = random.Random(3), 0, time.monotonic()
    crew = [in_child(lambda: _work(place, name)) for _ in range(workers)]
    with Study.open(place, Stub(), name=name) as watch:
        while crew:
            assert time.monotonic() - began < seconds, f"{watch.status} after {seconds} s"
            for child in list(crew):
                gone, code = os.waitpid(child, os.WNOHANG)
                if gone:
                    assert code == 0, f"a worker ended with {code}"
                    crew.remove(child)
            watch.refresh()
            if crew and killed < kills and watch.status.told > (killed + 1) * rounds / (kills + 2):
                victim = chance.choice(crew)
                os.kill(victim, signal.SIGKILL)
                os.waitpid(victim, 0)
                killed += 1
                crew[crew.index(victim)] = in_child(lambda: _work(place, name))
            time.sleep(0.01)
        took = time.monotonic() - began
        watch.refresh()
        asked = [e.round for e in watch.events if e.kind == "asked"]
        told = [e.token for e in watch.events if e.kind == "told"]
        status = watch.status
    found = {
        "workers": workers,
        "rounds": status.rounds,
        "killed": killed,
        "duplicates": len(asked) - len(set(asked)) + len(told) - len(set(told)),
        "lost": rounds - status.told,
        "stuck": len(status.pending),
        "seconds": round(took, 2),
    }
    assert (found["duplicates"], found["lost"], found["stuck"], found["rounds"]) == (0, 0, 0, rounds), found
    return found
