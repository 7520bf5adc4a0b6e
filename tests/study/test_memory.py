"""Logs in memory."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from steerbo.errors import InvalidStudy
from steerbo.study import DatabaseLog, Memory, MemoryLog, Study
from tests.core.stub import Nearest, Stub
from tests.study.processes import ended_well, measure, posix, threads
from tests.torture.kills import in_child


@posix
@threads
def test_a_log_in_memory_says_that_other_processes_do_not_see_it() -> None:
    study = Study.create(MemoryLog(), Stub(), Nearest, rounds=3)

    def work() -> None:
        with pytest.raises(InvalidStudy, match="a log that processes can share"):
            study.ask()
        study.close()

    assert ended_well(in_child(work))
    assert study.ask() is not None
    study.close()


@pytest.mark.parametrize("place", [":memory:", "sqlite://", "sqlite:///", "sqlite:///:memory:"])
def test_sqlite_keeps_no_study_in_memory(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidStudy, match=r"a file or on a server.*MemoryLog\(\)"):
        DatabaseLog(place)
    assert list(tmp_path.iterdir()) == []


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
