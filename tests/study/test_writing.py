"""Those who have company take turns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from steerbo.study import Memory, MemoryLog, Study
from tests.rounds.stub import Nearest, Stub


class Polite(MemoryLog):
    """Counts the turns that were taken."""

    turns = 0

    @contextmanager
    def turn(self) -> Iterator[None]:
        self.turns += 1
        yield


def test_turns_are_for_those_who_have_company() -> None:
    memory = Memory()
    one, two = Polite(memory), Polite(memory)
    with Study.create(one, Stub(), Nearest, rounds=9) as first, Study.open(two, Stub()) as second:
        for _ in range(2):
            first.abandon(first.ask())
        assert one.turns == 0, "nobody else writes"
        second.abandon(second.ask())
        first.abandon(first.ask())
        assert one.turns == 1, "the second call has heard of the other worker"
        first.abandon(first.ask())
        assert one.turns == 1, "who has gone quiet again"
