"""Studies that wait for their turn."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from steerbo.storage.log import TURN, RetryingLog
from steerbo.study import EventLog
from steerbo.study.workers import FairQueue, Worker, name_at

ELSEWHERE = "another container|boot|pid:[1]|1|1|x"
NOW = 1000.0


def turns(log: EventLog, clock: Callable[[], float] = lambda: NOW) -> FairQueue:
    patient = RetryingLog(log, 0.0, print)
    return FairQueue(patient, Worker(patient, "", None, clock))


def nothing() -> None:
    pass


def line(log: EventLog) -> list[str]:
    """Who stands in it."""
    row = log.leases().get(TURN)
    return [name_at(place) for place in row.holder.split("\n")] if row else []


def take(log: EventLog, count: int) -> None:
    """`count` workers come one after the other while the turn is another's; they have theirs in this order."""
    order: list[int] = []

    def work(number: int) -> None:
        with turns(log).turn(nothing):
            order.append(number)
            assert len(line(log)) == count - number

    with turns(log).turn(nothing):
        threads = []
        for number in range(count):
            threads.append(threading.Thread(target=work, args=(number,)))
            threads[-1].start()
            while len(line(log)) < number + 2:
                time.sleep(0.001)
        assert order == []
    for thread in threads:
        thread.join()
    assert order == list(range(count))
    assert log.leases() == {}
