"""Who has a round, and for how long."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from steerbo.storage.log import new_holder
from steerbo.study import BY_HAND, DatabaseLog, Lease, Memory, MemoryLog, Study
from steerbo.study.workers import Leases, Taken
from tests.core.stub import Nearest, Stub


def test_every_worker_s_lease_has_an_end_and_is_renewed_while_it_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In another container nobody can see that its process has ended."""
    monkeypatch.setattr("steerbo.study.workers.LEASE", 0.3)
    with Study.create(tmp_path / "study.db", Stub(), Nearest, rounds=9) as study:
        token = study.ask().token
        ends = {study.log.leases()[token].until}
        while len(ends) < 3:
            ends.add(study.log.leases()[token].until)
        assert None not in ends
        foreign = "another container|boot|pid:[1]|1|1|x"
        held = study.log.leases()[token]
        study.session.worker.heartbeat.stop()
        assert study.log.claim(token, Lease(foreign, 0.0), study.log.leases()[token]), held
        with Study.open(tmp_path / "study.db", Stub()) as other:
            assert other.ask().token == token


def test_people_keep_what_they_hold(tmp_path: Path) -> None:
    with Study.create(tmp_path / "study.db", Stub(), Nearest, rounds=9, holder=BY_HAND) as study:
        study.ask()
        assert [lease.until for lease in study.log.leases().values()] == [None]
    with closing(DatabaseLog(tmp_path / "study.db")) as log:
        assert [lease.holder for lease in log.leases().values()] == [BY_HAND]


def test_a_round_that_another_has_told_meanwhile_is_let_go_of() -> None:
    memory = Memory()
    with Study.create(MemoryLog(memory), Stub(), Nearest, rounds=9) as study:
        token = study.ask().token
        late = Study.open(MemoryLog(memory), Stub())
        take_over = late.session.worker.leases.take_over

        def slowly(rounds: Collection[str]) -> Iterator[Taken]:
            study.fail(token)
            return take_over(rounds)

        object.__setattr__(late.session.worker.leases, "take_over", slowly)
        assert late.ask().token != token
        assert token not in late.log.leases(), "or it would be held for ever"


def test_a_lease_that_is_renewed_this_moment_is_let_go_of_all_the_same() -> None:
    class Renewed(MemoryLog):
        """A heart beats between a look at the leases and the next step."""

        def leases(self) -> dict[str, Lease]:
            found = super().leases()
            if found == {"1-ab": Lease("me", 5.0)}:
                self.renew("me", 6.0)
            return found

    log = Renewed()
    assert log.claim("1-ab", Lease("me", 5.0), None)
    Leases(log, "me", 5.0, lambda: 1.0).drop("1-ab")
    assert log.leases() == {}


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="nobody can see here who lives")
def test_a_clock_that_is_ahead_takes_nothing_from_a_worker_that_lives_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = list[str]()
    now = [0.0]
    monkeypatch.setattr("steerbo.study.workers.time.monotonic", lambda: now[0])
    with Study.create(tmp_path / "study.db", Stub(), Nearest, rounds=9) as study:
        first = study.ask().token
        ahead: dict[str, Any] = {"clock": lambda: time.time() + 120.0, "say": said.append}
        with Study.open(tmp_path / "study.db", **ahead) as other:
            assert other.ask().token != first
            left = other.session.worker.leases.next_lapse([first])
            assert left == 60.0
            now[0] = 59.0
            study.session.worker.leases.renew()
            assert other.ask().token != first
            now[0] = 118.0
            assert other.ask().token != first, "it was heard of since"
            assert not said
            now[0] = 119.0
            assert other.ask().token == first, "it lives, and nobody has the study any more"


def test_a_round_taken_from_where_nobody_sees_is_spoken_of(tmp_path: Path) -> None:
    said = list[str]()
    with Study.create(tmp_path / "study.db", Stub(), Nearest, rounds=9) as study:
        token = study.ask().token
        study.session.worker.heartbeat.stop()
        foreign = Lease("greenhouse|boot|pid:[1]|1|1|x", time.time() + 60)
        assert study.log.claim(token, foreign, study.log.leases()[token])
        with Study.open(tmp_path / "study.db", clock=lambda: time.time() + 120.0, say=said.append) as other:
            assert other.ask().token == token
    assert "greenhouse" in said[0]
    assert "clocks" in said[0]


def test_a_lease_that_was_given_an_end_ends_whoever_lives() -> None:
    memory = Memory()
    log = MemoryLog(memory)
    assert log.claim("1-ab", Lease(new_holder(timed=True), 5.0), None)
    leases = Leases(MemoryLog(memory), "another", 5.0, lambda: 6.0)
    assert [taken.token for taken in leases.take_over(["1-ab"])] == ["1-ab"]
