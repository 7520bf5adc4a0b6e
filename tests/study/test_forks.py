"""fork with an open study, threads on one memory, and leases of workers that nobody can see."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from steerbo.errors import InvalidStudy
from steerbo.rounds import Failed
from steerbo.study import BY_HAND, DatabaseLog, Lease, Memory, MemoryLog, Study
from steerbo.study.doctor import examine
from steerbo.study.log import is_gone, new_holder
from tests.rounds.stub import Nearest, Stub
from tests.study.test_workers import measure
from tests.torture.forks import forks
from tests.torture.kills import in_child
from tests.torture.server import postgres

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
threads = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


def ended_well(child: int) -> bool:
    return os.waitpid(child, 0)[1] == 0


def wait_for(file: Path) -> None:
    for _ in range(6000):
        if file.exists():
            return
        time.sleep(0.01)
    raise AssertionError(f"{file} never came")


@posix
@threads
def test_parent_and_children_play_on_after_a_fork(tmp_path: Path) -> None:
    found = forks(str(tmp_path / "study.db"), "forks", tmp_path, 2, 24)
    assert found["rounds"] == 24
    assert "every checksum is right" in str(examine(tmp_path / "study.db"))


@posix
@threads
@pytest.mark.slow
def test_parent_and_children_play_on_after_a_fork_on_postgresql(tmp_path: Path) -> None:
    with postgres() as url:
        assert forks(url, "forks", tmp_path, 2, 24)["rounds"] == 24


@posix
@threads
def test_no_connection_to_a_file_is_carried_into_a_child(tmp_path: Path) -> None:
    """Its locks would stay behind with the parent: what a child writes could be deleted with SQLite's second file."""
    with Study.create(tmp_path / "study.db", Stub(), Nearest, rounds=9) as study:
        study.ask()
        there, child_may, child_wrote = tmp_path / "there", tmp_path / "may", tmp_path / "wrote"

        def work() -> None:
            numbers = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
            handles = [os.readlink(number) for number in numbers if os.path.lexists(number)]
            assert not any(str(tmp_path) in handle for handle in handles), handles
            study.abandon(study.ask())
            there.touch()
            wait_for(child_may)
            study.abandon(study.ask())
            child_wrote.touch()

        child = in_child(work)
        wait_for(there)
    child_may.touch()  # the parent has closed its own, and SQLite tidied up after the last of them
    assert ended_well(child)
    with Study.open(tmp_path / "study.db", Stub()) as study:
        assert study.status.abandoned == 2


@posix
@threads
def test_a_child_is_another_worker(tmp_path: Path) -> None:
    with Study.create(tmp_path / "study.db", Stub(), Nearest, rounds=9) as study:
        mine = study.ask()

        def work() -> None:
            assert study.ask().token != mine.token
            study.close()

        assert ended_well(in_child(work))
        assert set(study.log.leases()) == {mine.token}, "a child that leaves takes nothing of its parent's with it"
    with Study.create(tmp_path / "hand.db", Stub(), Nearest, rounds=9, holder=BY_HAND) as study:

        def person() -> None:
            study.ask()
            assert study.writer.worker.leases.holder == BY_HAND

        assert ended_well(in_child(person))


def told_there(path: str) -> int:
    with Study.open(path, Stub()) as study:
        study.run(measure, rounds=3)
        return study.status.told


@posix
@threads
def test_pools_of_forked_processes(tmp_path: Path) -> None:
    fork = multiprocessing.get_context("fork")
    with Study.create(tmp_path / "study.db", Stub(), Nearest, rounds=12) as study:
        with ProcessPoolExecutor(2, mp_context=fork) as pool:
            study.run(measure, executor=pool, parallel=2, rounds=6)
            assert pool.submit(told_there, str(tmp_path / "study.db")).result(60) == 9
        study.refresh()
        assert study.status.told == 9


@posix
@threads
def test_a_log_in_memory_says_that_other_processes_do_not_see_it() -> None:
    for log in (MemoryLog(), DatabaseLog(":memory:")):
        study = Study.create(log, Stub(), Nearest, rounds=3)

        def work(study: Study = study) -> None:
            with pytest.raises(InvalidStudy, match="a log that processes can share"):
                study.ask()
            study.close()

        assert ended_well(in_child(work))
        assert study.ask() is not None
        study.close()


def test_a_memory_under_threads_takes_one_event_at_a_time() -> None:
    """Two threads that both see the last event and then both append would lose the order that `append` promises."""
    switching = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        memory = Memory()
        Study.create(MemoryLog(memory), Stub(), Nearest, rounds=60)

        def work() -> None:
            with Study.open(MemoryLog(memory), Stub()) as study:
                study.run(measure)

        crew = [threading.Thread(target=work) for _ in range(4)]
        for thread in crew:
            thread.start()
        for thread in crew:
            thread.join()
    finally:
        sys.setswitchinterval(switching)
    with Study.open(MemoryLog(memory), Stub()) as study:
        assert [r.number for r in study.history] == list(range(1, 61))
        assert (study.status.told, study.pending) == (60, ())


def test_two_threads_cannot_both_append_after_the_same_event() -> None:
    """There is no moment between the look and the append."""
    memory = Memory()

    alone = []

    class Watched(list[Any]):
        def __len__(self) -> int:
            alone.append(memory.lock.locked())
            return super().__len__()

        def append(self, event: Any) -> None:
            alone.append(memory.lock.locked())
            super().append(event)

    memory.events = Watched()
    MemoryLog(memory).append(Failed("1-x"))
    assert alone == [True, True]


# -- leases ---------------------------------------------------------------------------------------------------------


def test_every_worker_s_lease_has_an_end_and_is_renewed_while_it_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In another container nobody can see that its process has ended."""
    monkeypatch.setattr("steerbo.study.worker.LEASE", 0.3)
    with Study.create(tmp_path / "study.db", Stub(), Nearest, rounds=9) as study:
        token = study.ask().token
        ends = {study.log.leases()[token].until}
        while len(ends) < 3:
            ends.add(study.log.leases()[token].until)
        assert None not in ends
        foreign = "another container|boot|pid:[1]|1|1|x"
        held = study.log.leases()[token]
        study.writer.worker.heartbeat.stop()
        assert study.log.claim(token, Lease(foreign, 0.0), study.log.leases()[token]), held
        with Study.open(tmp_path / "study.db", Stub()) as other:
            assert other.ask().token == token


def test_people_keep_what_they_hold(tmp_path: Path) -> None:
    with Study.create(tmp_path / "study.db", Stub(), Nearest, rounds=9, holder=BY_HAND) as study:
        study.ask()
        assert [lease.until for lease in study.log.leases().values()] == [None]
    with closing(DatabaseLog(tmp_path / "study.db")) as log:
        assert [lease.holder for lease in log.leases().values()] == [BY_HAND]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only where processes can be seen")
def test_nobody_is_gone_whom_nobody_can_see(monkeypatch: pytest.MonkeyPatch) -> None:
    """/proc may show another name space of processes than ours, or hide the processes of other users."""
    mine = new_holder()
    monkeypatch.setattr("os.readlink", lambda path: "4242" if path == "/proc/self" else "pid:[1]")
    assert new_holder().split("|")[-2] == "", "what is there under our number is not us"
    monkeypatch.undo()
    monkeypatch.setattr("steerbo.study.log._started", lambda process: None)
    assert not is_gone(mine), "it is hidden, and lives"
