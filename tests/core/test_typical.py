"""Typical contexts: real ones, few, spread, and the same whoever asks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Optimizer, Recommendation, Scope, Typical, average_recommendation, reason, typical
from steerbo.core._context import RECENT, average_over
from steerbo.costvarying.cheap_first import CheapFirst
from steerbo.space import Space

SPACE = (sb.Float("x", 0, 1), sb.Float("weather", 0, 30, seen=True), sb.Categorical("seed", ["old", "new"], seen=True))
PROBLEM = sb.CostVarying(SPACE, [["x"]])


def played(contexts: list[tuple[float, str]]) -> Optimizer:
    optimizer = Optimizer(PROBLEM, "random", seed=0)
    for weather, seed in contexts:
        optimizer.tell(optimizer.ask(context={"weather": weather, "seed": seed}), 1.0)
    return optimizer


def test_few_contexts_are_all_there_the_commonest_first() -> None:
    optimizer = played([(3, "old"), (20, "new"), (20, "new"), (3, "new")])
    found = typical(PROBLEM.space, optimizer.history)
    assert found[0] == Typical({"weather": 20.0, "seed": "new"}, 0.5)
    assert {(each.context["weather"], each.context["seed"]) for each in found} == {
        (3.0, "old"),
        (20.0, "new"),
        (3.0, "new"),
    }


def test_many_contexts_are_told_by_five_of_them() -> None:
    draw = np.random.default_rng(0)
    given = [(float(mean + draw.normal()), "old") for mean in (5, 15, 25) for _ in range(20)]
    found = typical(PROBLEM.space, played(given).history, most=3)
    assert sorted(round(each.context["weather"] / 5) * 5 for each in found) == [5, 15, 25]
    assert [each.share for each in found] == pytest.approx([1 / 3] * 3)
    assert all((each.context["weather"], "old") in given for each in found), "contexts that were really seen"
    assert len(typical(PROBLEM.space, played(given).history)) == 5


def test_what_is_seen_of_more_categories_than_five_is_told_of_each() -> None:
    kinds = [f"kind {k}" for k in range(8)]
    weather = [sb.Float(name, 0, 30, seen=True) for name in ("weather", "sun", "wind")]
    space = Space([*weather, sb.Categorical("kind", kinds, seen=True)])
    optimizer = Optimizer(sb.CostVarying([sb.Float("x", 0, 1), *space], [["x"]]), "random", seed=0)
    for k in range(32):
        far = dict.fromkeys(("weather", "sun", "wind"), 30 * (k % 3 // 2))
        optimizer.add(1.0, {"x": 0.5, "kind": kinds[k % 8], **far})
    found = typical(space, optimizer.history)
    assert {each.context["kind"]: each.share for each in found} == dict.fromkeys(kinds, 1 / 8)
    assert average_over(found, lambda context: kinds.index(context["kind"])) == pytest.approx(3.5)


def test_data_from_elsewhere_counts_and_nothing_seen_is_the_middle() -> None:
    optimizer = played([])
    assert typical(PROBLEM.space, optimizer.history) == [Typical({"weather": 15.0, "seed": "old"}, 1.0)]
    optimizer.add(1.0, {"x": 0.5, "weather": 7, "seed": "new"})
    assert typical(PROBLEM.space, optimizer.history) == [Typical({"weather": 7.0, "seed": "new"}, 1.0)]


def test_of_much_data_the_latest_counts() -> None:
    optimizer = played([])
    for k in range(2 * RECENT):
        optimizer.add(1.0, {"x": 0.5, "weather": 3 if k <= RECENT else 20, "seed": "old"})
    old, new = ({"weather": weather, "seed": "old"} for weather in (3, 20))
    assert typical(PROBLEM.space, optimizer.history) == [Typical(new, 1 - 1 / RECENT), Typical(old, 1 / RECENT)]


def test_answers_in_typical_contexts_are_one_answer() -> None:
    contexts = [Typical({"weather": 1.0}, 0.75), Typical({"weather": 9.0}, 0.25)]
    advice = average_recommendation(
        contexts,
        [
            Recommendation(Scope(["x"]), {"x": 0.1}, mean=seen, cost=2 * seen, reasons=(reason("said", text="so"),))
            for seen in (1.0, 9.0)
        ],
    )
    assert [row.context["weather"] for row in (advice, *advice.alternatives)] == [1.0, 9.0]
    assert (
        advice.why == "75 % of recent contexts are like this; so; over all recent contexts: expect 3, a round costs 6"
    )
    assert str(advice).startswith("having seen weather = 1: hold x: set x = 0.1; expected value 1")
    assert "\n  having seen weather = 9: hold x" in str(advice)


def test_a_policy_expects_in_a_context_what_the_answer_for_it_does() -> None:
    optimizer = Optimizer(PROBLEM, seed=0)
    for k in range(12):
        suggestion = optimizer.ask(context={"weather": float(k), "seed": "old"})
        optimizer.tell(suggestion, -((suggestion.values["x"] - k / 30) ** 2))
    advice = optimizer.recommend()
    for row in (advice, *advice.alternatives):
        step = optimizer.policy(row.context)
        assert (step.values, step.mean, step.lower, step.upper) == (row.values, row.mean, row.lower, row.upper)
        assert step.lower is not None
    note = optimizer.policy({"weather": 20, "seed": "new"}).why
    assert note.endswith("no outcome has weather above 11: this is a guess; no outcome has seed = new: this is a guess")
    assert "guess" not in optimizer.policy({"weather": 13, "seed": "old"}).why


class OfOneContext(CheapFirst):
    """A method of somebody who knows of one context only, and answers by a mixin."""

    name = "of-one-context"

    def recommend_at(self, context: Mapping[str, Any]) -> Recommendation:
        return replace(super().recommend_at(context), mean=-1.0)


class Halved:
    def recommend_at(self, context: Mapping[str, Any]) -> Recommendation:
        found: Recommendation = super().recommend_at(context)  # type: ignore[misc]
        return replace(found, mean=-1.0)


class WithAMixin(Halved, CheapFirst):
    name = "with-a-mixin"


@pytest.mark.parametrize("method", [OfOneContext, WithAMixin])
def test_a_method_that_says_how_it_answers_in_one_context_answers_so_in_several(method: type[CheapFirst]) -> None:
    variables: list[sb.space.Variable] = [sb.Float("x", 0, 1), sb.Categorical("who", ["a", "b"], seen=True)]
    study = sb.Optimizer(sb.CostVarying(variables, [["x"]], costs=[1]), method, seed=0)
    for k in range(8):
        study.tell(study.ask(context={"who": "ab"[k % 2]}), 0.1 * k)
    advice = study.recommend()
    assert [row.mean for row in (advice, *advice.alternatives)] == [-1.0, -1.0]
