"""Workers that meet take turns: none computes in vain, and none waits for one that is gone."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from steerbo.core import Choice
from steerbo.errors import LogUnavailable
from steerbo.storage.log import TURN, new_holder
from steerbo.study import DatabaseLog, EventLog, Lease, Memory, MemoryLog, Study
from steerbo.study.workers import CHEAP, LASTS, PRIORITY_TELL, QUIET
from tests.core.stub import Nearest, Stub
from tests.study.waiting import ELSEWHERE, NOW, line, nothing, take, turns


def stood(log: EventLog, *line: str, until: float = NOW + LASTS) -> None:
    assert log.claim(TURN, Lease("\n".join(line), until), log.leases().get(TURN))


def leave(log: EventLog) -> None:
    """Whoever stands first has done."""
    row = log.leases()[TURN]
    assert log.claim(TURN, Lease(row.holder.partition("\n")[2], row.until), row)


def test_first_come_first_served(tmp_path: Path) -> None:
    take(MemoryLog(), 4)
    with closing(DatabaseLog(tmp_path / "study.db")) as log:
        take(log, 4)


def test_what_is_logged_meanwhile_is_taken_in_meanwhile() -> None:
    log = MemoryLog()
    other = turns(log)
    first = new_holder()
    stood(log, first)
    moved: list[int] = []

    def meanwhile() -> None:
        moved.append(1)
        leave(log)

    with other.turn(meanwhile):
        assert moved == [1]


def test_who_tells_is_let_in_behind_whoever_has_the_turn() -> None:
    log, order = MemoryLog(), list[str]()

    def work(key: str, name: str) -> None:
        with turns(log).turn(nothing, key):
            order.append(name)

    threads = []
    with turns(log).turn(nothing):
        for key, name in (("", "asks"), (PRIORITY_TELL, "tells"), ("", "asks, too"), (PRIORITY_TELL, "tells, too")):
            threads.append(threading.Thread(target=work, args=(key, name)))
            threads[-1].start()
            while len(line(log)) < len(threads) + 1:
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert sorted(order[:2]) == ["tells", "tells, too"]
    assert order[2:] == ["asks", "asks, too"]


def test_who_tells_does_not_wait_for_others_who_tell() -> None:
    log = MemoryLog()
    stood(log, f"{ELSEWHERE}\t1\t{PRIORITY_TELL}", f"{ELSEWHERE}2\t1\t{PRIORITY_TELL}")
    with turns(log).turn(nothing, PRIORITY_TELL):
        assert len(line(log)) == 3


def test_who_hears_of_nobody_looks_at_the_line(tmp_path: Path) -> None:
    place = tmp_path / "study.db"
    Study.create(place, Stub(), Nearest, rounds=3).close()
    with closing(DatabaseLog(place)) as other, Study.open(place, Stub()) as study:
        contention = study.session.contention
        contention.quiet, contention.cost = QUIET, 2 * CHEAP
        stood(other, ELSEWHERE, until=other.now() + LASTS)
        waited: list[list[str]] = []

        def pause(seconds: float) -> None:
            waited.append(line(other))
            leave(other)

        study.session.log.pause = pause
        assert study.ask() is not None
    assert waited == [[ELSEWHERE, waited[0][1]]], "once, until the other has done"


def test_who_was_given_a_round_leaves_the_line() -> None:
    log = MemoryLog()
    mine = turns(log)
    stood(log, ELSEWHERE)
    assert log.claim("7-ab", Lease(mine.worker.name), None)
    with mine.turn(nothing, "something") as given:
        assert given == "7-ab"
        assert not mine.held
    assert line(log) == [ELSEWHERE]


def test_whoever_has_ended_is_passed_over(tmp_path: Path) -> None:
    with closing(DatabaseLog(tmp_path / "study.db")) as log:
        hear, say = os.pipe()
        child = os.fork()
        if child == 0:
            with closing(DatabaseLog(tmp_path / "study.db")) as own, turns(own).turn(nothing):
                os.write(say, b"x")
                time.sleep(60)
            os._exit(1)
        os.read(hear, 1)
        (held,) = line(log)
        stood(log, held, held.replace("|", "!", 1), until=NOW + 9)  # and one of whom nobody knows waits behind it
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        stood(log, held, until=NOW + 9)
        with turns(log).turn(nothing):
            assert len(line(log)) == 1
        assert log.leases() == {}


def test_a_turn_whose_lease_has_run_out_is_over() -> None:
    log = MemoryLog()
    stood(log, ELSEWHERE, until=NOW - 0.1)
    mine = turns(log)
    with mine.turn(nothing):
        assert line(log) == [mine.worker.name]
        stood(log, ELSEWHERE, log.leases()[TURN].holder)  # it went on after all, or its clock is wrong
    assert line(log) == [ELSEWHERE], "others keep their places"


def test_a_turn_is_renewed_while_it_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steerbo.study.workers.LASTS", 0.03)
    log, ends = MemoryLog(), set[float | None]()
    with turns(log, time.time).turn(nothing):
        while len(ends) < 3:
            ends.add(log.leases()[TURN].until)
    mine = turns(log)
    stood(log, ELSEWHERE, mine.worker.name)
    mine.renew()
    assert log.leases()[TURN].until == NOW + LASTS, "another's turn is left alone"


def test_a_log_that_is_away_keeps_nobody_waiting() -> None:
    class Away(MemoryLog):
        def leases(self) -> dict[str, Lease]:
            raise LogUnavailable("memory", "away")

    mine = turns(Away())
    with mine.turn(nothing):
        assert not mine.taken


class Counting(Nearest):
    """Says how often it has chosen."""

    chosen = 0

    def choose(self, request: Mapping[str, Any]) -> Choice:
        type(self).chosen += 1
        time.sleep(0.005)
        return super().choose(request)


@pytest.mark.parametrize("place", ["file", "memory"])
def test_nobody_computes_in_vain(tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steerbo.study.workers.QUIET", 10_000)  # who is alone, and does not know, need not be polite
    monkeypatch.setattr(Counting, "chosen", 0)
    memory, rounds = Memory(), 12
    logs = [DatabaseLog(tmp_path / "study.db") if place == "file" else MemoryLog(memory) for _ in range(5)]
    Study.create(logs.pop(), Stub(), Counting, rounds=rounds).close()
    played: list[list[str]] = [[] for _ in logs]

    def work(number: int) -> None:
        with Study.open(logs[number], Stub()) as study:
            study.session.contention.quiet, study.session.contention.cost = 0, 1e9
            while (suggestion := study.ask()) is not None:
                played[number].append(suggestion.token)
                study.fail(suggestion)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len([token for each in played for token in each]) == rounds
    assert len({token for each in played for token in each}) == rounds
    assert Counting.chosen == rounds
