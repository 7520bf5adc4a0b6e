"""A forked child is another worker."""

from __future__ import annotations

from pathlib import Path

from steerbo.study import BY_HAND, Study
from tests.rounds.stub import Nearest, Stub
from tests.study.test_forks import ended_well, posix, threads
from tests.torture.kills import in_child


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
