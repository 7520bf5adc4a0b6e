"""Every method of the wing keeps the contract."""

from __future__ import annotations

from steerbo.testing import Case, TraitContract, WingContract
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


class TestTsPsqFeatures(TraitContract):
    """Another way to draw a function: with all outcomes that try its arithmetic."""

    test_hostile_outcomes = WingContract.test_hostile_outcomes  # type: ignore[assignment]

    @staticmethod
    def case() -> Case:
        return case("ts-psq", sampling="features")


class TestCheapFirst(WingContract):
    @staticmethod
    def case() -> Case:
        return case("cheap-first")
