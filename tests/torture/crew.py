"""A crew of worker processes on one study, some of whom are killed and replaced."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Iterable

from steerbo.study import Study


def work_through(
    watch: Study, workers: Iterable[int], hire: Callable[[], int], *, rounds: int, kills: int, seconds: float
) -> list[int]:
    """Wait until all workers have ended; on the way kill some, spread over the rounds, and hire others for them.

    Args:
        watch: the study that they work on; it is up to date afterwards.
        workers: their process ids.
        hire: starts another one.
        rounds: of the study.
        kills: so many.
        seconds: limit of the whole.

    Returns:
        The process ids of those that were killed.

    Raises:
        AssertionError: a worker ended with an error, or it took too long.
    """
    chance, began = random.Random(3), time.monotonic()
    crew, killed = list(workers), list[int]()
    while crew:
        assert time.monotonic() - began < seconds, f"{watch.status} after {seconds} s"
        for child in list(crew):
            gone, code = os.waitpid(child, os.WNOHANG)
            if gone:
                assert code == 0, f"a worker ended with {code}"
                crew.remove(child)
        watch.refresh()
        if crew and len(killed) < kills and watch.status.told > (len(killed) + 1) * rounds / (kills + 2):
            victim = chance.choice(crew)
            os.kill(victim, signal.SIGKILL)
            os.waitpid(victim, 0)
            killed.append(victim)
            crew[crew.index(victim)] = hire()
        time.sleep(0.02)
    watch.refresh()
    return killed
