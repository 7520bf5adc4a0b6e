"""Every method of the wing keeps the contract."""

from __future__ import annotations

from tests.contract import Case, WingContract
from tests.meanfield.worlds import case, crowd


class TestMFGPUCB(WingContract):
    @staticmethod
    def case() -> Case:
        return case("mf-gp-ucb", starting_points=3)


class TestRepresentative(WingContract):
    @staticmethod
    def case() -> Case:
        return case("mf-gp-ucb", crowd(feedback="representative"), starting_points=3, kernel="additive")


class TestAllAgents(WingContract):
    @staticmethod
    def case() -> Case:
        return case("mf-gp-ucb", crowd(feedback="agents"), starting_points=3)


class TestRandom(WingContract):
    @staticmethod
    def case() -> Case:
        return case("random")
