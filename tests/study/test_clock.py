"""Leases hang on the log's clock, never on the clocks of machines."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import pytest

from steerbo.errors import LogUnavailable
from steerbo.storage.connections import AGAIN, SharedClock
from steerbo.study import DatabaseLog


class Machine:
    """A clock that can be set, and a server that can be away."""

    def __init__(self) -> None:
        self.wrong, self.asked, self.away = 0.0, 0, False

    def here(self) -> float:
        return time.monotonic() + self.wrong

    def server(self) -> float:
        self.asked += 1
        if self.away:
            raise LogUnavailable("server", "away")
        return time.monotonic() + 1e6


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time stands still: between two looks at a clock a busy machine may take seconds."""
    monkeypatch.setattr(time, "monotonic", lambda: 5000.0)


def test_a_machine_whose_clock_is_wrong_knows_the_time() -> None:
    machine = Machine()
    clock = SharedClock(machine.server, machine.here)
    for wrong in (0.0, 3600.0, -7200.0):
        machine.wrong = wrong
        assert clock() == time.monotonic() + 1e6
    assert machine.asked == 3
    clock()
    assert machine.asked == 3, "not at each call"


def test_a_server_is_asked_again_after_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine()
    clock = SharedClock(machine.server, machine.here)
    clock()
    later = time.monotonic() + AGAIN
    monkeypatch.setattr(time, "monotonic", lambda: later)
    clock()
    assert machine.asked == 2


def test_what_a_server_said_holds_while_it_is_away() -> None:
    machine = Machine()
    clock = SharedClock(machine.server, machine.here)
    machine.away = True
    assert clock() == machine.here(), "nothing is known yet"
    machine.away = False
    clock()
    machine.away, machine.wrong = True, 100.0
    assert clock() == time.monotonic() + 100 + 1e6


def test_a_file_is_of_this_machine(tmp_path: Path) -> None:
    with closing(DatabaseLog(tmp_path / "study.db")) as log:
        before, now, after = time.time(), log.now(), time.time()
        assert before <= now <= after
