"""Every method of the wing keeps the contract."""

from __future__ import annotations

from steerbo.testing import Case, WingContract
from tests.costvarying.worlds import case


class TestExploreThenCommit(WingContract):
    @staticmethod
    def case() -> Case:
        return case("explore-then-commit", explore_cycles=2)


class TestRandom(WingContract):
    @staticmethod
    def case() -> Case:
        return case("random")


class TestUcbPsq(WingContract):
    @staticmethod
    def case() -> Case:
        return case("ucb-psq")


class TestUcbCvs(WingContract):
    @staticmethod
    def case() -> Case:
        return case("ucb-cvs")


class TestEtcGroups(WingContract):
    @staticmethod
    def case() -> Case:
        return case("etc-groups", plays=2)


class TestTsPsq(WingContract):
    @staticmethod
    def case() -> Case:
        return case("ts-psq")


class TestCheapFirst(WingContract):
    @staticmethod
    def case() -> Case:
        return case("cheap-first")
