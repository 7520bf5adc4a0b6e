"""A crew of worker processes on one study, some of whom are killed and replaced."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Iterable


def work_through(
    workers: Iterable[int],
    hire: Callable[[], int],
    *,
    strikes: Callable[[int], bool],
    seconds: float,
) -> list[int]:
    """Wait until all workers have ended; on the way kill some, and hire others for them.

    Args:
        workers: their process ids.
        hire: starts another one.
        strikes: whether one is killed now, where so many were; it is asked some fifty times a second.
        seconds: limit of the whole.

    Returns:
        The process ids of those that were killed.

    Raises:
        AssertionError: a worker ended with an error, or it took too long.
    """
    chance, began = random.Random(3), time.monotonic()
    crew, killed = list(workers), list[int]()
    while crew:
        assert time.monotonic() - began < seconds, f"{len(crew)} still work after {seconds} s"
        for child in list(crew):
            gone, code = os.waitpid(child, os.WNOHANG)
            if gone:
                assert code == 0, f"a worker ended with {code}"
                crew.remove(child)
        if strikes(len(killed)) and crew:
            victim = chance.choice(crew)
            os.kill(victim, signal.SIGKILL)
            os.waitpid(victim, 0)
            killed.append(victim)
            crew[crew.index(victim)] = hire()
        time.sleep(0.02)
    return killed


def spread(told: Callable[[], int], rounds: int, kills: int) -> Callable[[int], bool]:
    """So many kills, spread over the rounds of a study, of which so many were told by now."""
    return lambda killed: told() > (killed + 1) * rounds / (kills + 2) and killed < kills
