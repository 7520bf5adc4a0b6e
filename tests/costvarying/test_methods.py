"""Every method of the wing keeps the contract."""

from __future__ import annotations

from tests.contract import Case, WingContract
from tests.costvarying.worlds import case


class TestExploreThenCommit(WingContract):
    @staticmethod
    def case() -> Case:
        return case("explore-then-commit", explore_cycles=2, starting_points=3)


class TestRandom(WingContract):
    @staticmethod
    def case() -> Case:
        return case("random")
