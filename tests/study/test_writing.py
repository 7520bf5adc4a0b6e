"""Workers that meet at a log take turns."""

from __future__ import annotations

import pytest

from steerbo.core import Event
from steerbo.storage.log import TURN, Lease
from steerbo.storage.outbox_files import OutboxEntry
from steerbo.study import Memory, MemoryLog, Study
from steerbo.study.workers import PRIORITY_TELL, QUIET, TRIES
from tests.core.stub import Nearest, Stub


class Watched(MemoryLog):
    """Counts the turns that were taken."""

    turns = 0

    def claim(self, token: str, lease: Lease | None, instead_of: Lease | None) -> bool:
        self.turns += token == TURN and instead_of is None
        return super().claim(token, lease, instead_of)


def test_turns_are_for_those_who_have_company() -> None:
    memory = Memory()
    one, two = Watched(memory), Watched(memory)
    with Study.create(one, Stub(), Nearest, rounds=20) as first, Study.open(two, Stub()) as second:
        first.ask()
        assert one.turns == 1, "others may have come at the same time"
        first.ask()
        assert one.turns == 1, "nobody else writes"
        first.session.contention.cost = 60.0
        second.ask()
        first.ask()
        assert (one.turns, two.turns) == (1, 1), "it has not heard of the other yet"
        for _ in range(QUIET + 3):
            first.ask()
        assert one.turns == QUIET + 1, "who is gone by now"


def test_nobody_waits_for_what_is_sooner_computed_again() -> None:
    memory = Memory()
    one, two = Watched(memory), Watched(memory)
    with Study.create(one, Stub(), Nearest, rounds=20) as first, Study.open(two, Stub()) as second:
        first.ask()
        first.session.contention.cost = 0.0
        for _ in range(3):
            second.ask()
            first.ask()
        assert one.turns == 1
        first.session.contention.cost = 60.0
        second.ask()
        first.ask()
        first.ask()
        assert one.turns > 1, "choices have become dear"


def test_who_is_refused_again_and_again_waits_for_a_turn() -> None:
    memory = Memory()
    one, two = Watched(memory), Watched(memory)
    with Study.create(one, Stub(), Nearest, rounds=20) as first, Study.open(two, Stub()) as second:
        first.ask()
        first.session.contention.cost, left = 0.0, [TRIES]
        append = one.append

        def late(event: Event, lease: Lease | None = None) -> None:
            if left and left[0]:
                left[0] -= 1
                second.ask()  # always a little earlier
            append(event, lease)

        one.append = late  # type: ignore[method-assign]
        first.ask()
        assert one.turns == 2
        assert len(first.history) == 2 + TRIES


def test_what_waited_in_a_file_is_let_in_like_what_is_told_now(monkeypatch: pytest.MonkeyPatch) -> None:
    keys: list[str] = []
    with Study.create(MemoryLog(), Stub(), Nearest, rounds=3) as study:
        monkeypatch.setattr(study.session, "logged", lambda call, key="": keys.append(key))
        for call in ("tell", "fail", "amend", "add", "decide"):
            study.session._report_entry(OutboxEntry("study", call, {}))
    assert keys == [PRIORITY_TELL] * 4 + [""]
