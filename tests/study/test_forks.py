"""fork with an open study, threads on one memory, and leases of workers that nobody can see."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from steerbo.core import Failed
from steerbo.storage.doctor import examine
from steerbo.study import Memory, MemoryLog, Study
from steerbo.study._run import Interruptible
from tests.core.stub import Nearest, Stub
from tests.study.processes import ended_well, measure, posix, threads
from tests.torture.forks import forks
from tests.torture.kills import in_child
from tests.torture.server import Server


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
def test_parent_and_children_play_on_after_a_fork_on_postgresql(running: Server, tmp_path: Path) -> None:
    assert forks(running.database().url, "forks", tmp_path, 2, 24)["rounds"] == 24


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
def test_a_forked_worker_ends_by_a_signal_without_a_traceback(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The pool ends its other workers so where one was killed."""
    there = tmp_path / "there"

    def work() -> None:
        there.touch()  # Python forgets a signal that comes during the fork
        time.sleep(60)

    with Interruptible():
        child = in_child(work)
        wait_for(there)
        os.kill(child, signal.SIGTERM)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGTERM
    assert capfd.readouterr().err == ""


def test_two_threads_cannot_both_append_after_the_same_event() -> None:
    """There is no moment between the look and the append."""
    memory = Memory()

    alone = []

    class Watched(list[Any]):
        def __len__(self) -> int:
            alone.append(memory.lock.locked())
            return super().__len__()

        def extend(self, events: Iterable[Any]) -> None:
            alone.append(memory.lock.locked())
            super().extend(events)

    memory.events = Watched()
    MemoryLog(memory).append(Failed("1-x"))
    assert alone == [True, True]


# -- leases ---------------------------------------------------------------------------------------------------------
