"""What is seen before choosing, in every method of the wing."""

from __future__ import annotations

import numpy as np
import pytest

import steerbo as sb
from steerbo.errors import InvalidProblem, OutOfRangeWarning
from steerbo.plots import costvarying
from steerbo.testing import Case, SeenContract, TraitContract
from tests.costvarying.worlds import SEEN, seen_case

pytestmark = pytest.mark.few_draws


class TestCheapFirst(SeenContract, TraitContract):
    @staticmethod
    def case() -> Case:
        return seen_case("cheap-first")


class TestRandom(SeenContract):
    @staticmethod
    def case() -> Case:
        return seen_case("random")


class TestUcbPsq(SeenContract):
    @staticmethod
    def case() -> Case:
        return seen_case("ucb-psq")


class TestUcbCvs(SeenContract):
    @staticmethod
    def case() -> Case:
        return seen_case("ucb-cvs")


class TestEtcGroups(SeenContract):
    @staticmethod
    def case() -> Case:
        return seen_case("etc-groups", plays=2)


class TestTsPsq(SeenContract):
    @staticmethod
    def case() -> Case:
        return seen_case("ts-psq")


class TestExploreThenCommit(SeenContract):
    @staticmethod
    def case() -> Case:
        return seen_case("explore-then-commit", explore_cycles=2)


def test_what_is_seen_cannot_be_controlled() -> None:
    with pytest.raises(InvalidProblem, match=r"control_sets\.0: 'weather' .* It is seen before choosing"):
        sb.CostVarying(SEEN.variables, [["weather"]])


def test_the_knob_that_the_day_wants_is_held() -> None:
    """On dull days light is worth its price, on bright ones it is not; what was learned says so for any day."""
    problem = sb.CostVarying(
        [
            sb.Float("light", 0, 1, law=sb.TruncatedNormal(0.2, 0.1)),
            sb.Float("water", 0, 1, law=sb.Uniform()),
            sb.Float("sun", 0, 1, seen=True),
        ],
        [["water"], ["water", "light"]],
        costs=[0.1, 1.0],
        tolerance=sb.Absolute(0.25),
    )
    optimizer = sb.Optimizer(problem, seed=1)
    draw = np.random.default_rng(1)
    for _ in range(40):
        suggestion = optimizer.ask(context={"sun": draw.random()})
        assert suggestion is not None
        light = draw.normal(0.2, 0.1)
        x = {"light": min(max(light, 0.0), 1.0), **suggestion.values, **suggestion.context}
        value = 1 - (x["water"] - 0.6) ** 2 - (1 - x["sun"]) * (x["light"] - 0.9) ** 2 * 2
        optimizer.tell(suggestion, value + 0.01 * draw.normal(), realised={"light": x["light"]})
    dull, bright = optimizer.policy({"sun": 0.05}), optimizer.policy({"sun": 0.97})
    assert (set(dull.scope.set), set(bright.scope.set)) == ({"water", "light"}, {"water"})
    assert abs(dull.values["light"] - 0.9) < 0.3


def test_a_context_that_can_hardly_be_meant_is_kept_and_said() -> None:
    optimizer = sb.Optimizer(SEEN, "random", seed=0)
    with pytest.warns(OutOfRangeWarning, match="weather = 1200 is far outside its range"):
        suggestion = optimizer.ask(context={"weather": 1200.0, "seed": "old"})
    assert suggestion is not None
    assert suggestion.context["weather"] == 1200.0


def test_the_picture_has_typical_contexts() -> None:
    pytest.importorskip("matplotlib")
    world = seen_case("random")
    optimizer = world.play(world.start(), 6)
    shown = costvarying.figure(optimizer)
    assert shown.axes[0].get_title() == "Recommended in typical contexts"
    ticks = [label.get_text().replace("\n", " ") for label in shown.axes[0].get_xticklabels()]
    assert len(ticks) == 1 + len(optimizer.recommend().alternatives)
    assert all("weather = " in tick for tick in ticks)
