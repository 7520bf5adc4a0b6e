"""Who has a round, and for how long."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from steerbo.study import BY_HAND, DatabaseLog, Lease, Memory, MemoryLog, Study
from tests.rounds.stub import Nearest, Stub


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


def test_a_round_that_another_has_told_meanwhile_is_let_go_of() -> None:
    memory = Memory()
    with Study.create(MemoryLog(memory), Stub(), Nearest, rounds=9) as study:
        token = study.ask().token
        late = Study.open(MemoryLog(memory), Stub())
        take_over = late.writer.worker.leases.take_over

        def slowly(rounds: Collection[str]) -> Iterator[tuple[str, int]]:
            study.fail(token)
            return take_over(rounds)

        object.__setattr__(late.writer.worker.leases, "take_over", slowly)
        assert late.ask().token != token
        assert token not in late.log.leases(), "or it would be held for ever"
