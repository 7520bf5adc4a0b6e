"""Those who have company take turns."""

from __future__ import annotations

from steerbo.study import Memory, MemoryLog, Study
from steerbo.study.log import Lease
from steerbo.study.turns import TOKEN
from steerbo.study.writing import QUIET
from tests.rounds.stub import Nearest, Stub


class Watched(MemoryLog):
    """Counts the turns that were taken."""

    turns = 0

    def claim(self, token: str, lease: Lease | None, instead_of: Lease | None) -> bool:
        self.turns += token == TOKEN and instead_of is None
        return super().claim(token, lease, instead_of)


def test_turns_are_for_those_who_have_company() -> None:
    memory = Memory()
    one, two = Watched(memory), Watched(memory)
    with Study.create(one, Stub(), Nearest, rounds=20) as first, Study.open(two, Stub()) as second:
        first.ask()
        assert one.turns == 1, "others may have come at the same time"
        first.ask()
        assert one.turns == 1, "nobody else writes"
        second.ask()
        first.ask()
        assert (one.turns, two.turns) == (1, 1), "it has not heard of the other yet"
        for _ in range(QUIET + 3):
            first.ask()
        assert one.turns == QUIET + 1, "who is gone by now"
