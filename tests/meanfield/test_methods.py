"""Every method of the wing keeps the contract; what agents tell is a trait of the problem."""

from __future__ import annotations

from steerbo.testing import Case, TraitContract, WingContract
from tests.meanfield.worlds import case, crowd


class TestMFGPUCB(WingContract):
    @staticmethod
    def case() -> Case:
        return case("mf-gp-ucb", starting_points=3)


class TestRepresentative(TraitContract):
    @staticmethod
    def case() -> Case:
        return case("mf-gp-ucb", crowd(feedback="representative"), starting_points=3, kernel="additive")


class TestAllAgents(TraitContract):
    @staticmethod
    def case() -> Case:
        return case("mf-gp-ucb", crowd(feedback="agents"), starting_points=3)


class TestRandom(WingContract):
    @staticmethod
    def case() -> Case:
        return case("random")


class TestGPUCB(WingContract):
    @staticmethod
    def case() -> Case:
        return case("gp-ucb", starting_points=3)


class TestTurbo(WingContract):
    @staticmethod
    def case() -> Case:
        return case("turbo", starting_points=3)
