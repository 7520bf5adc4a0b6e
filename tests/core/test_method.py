"""What every method has without doing anything for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pytest

from steerbo.core import Decision, Explanation, History, Method, Optimizer, Recommendation, Round, reason
from steerbo.errors import InvalidRequest, SteerboError
from steerbo.testing import Case
from tests.core.stub import EVERYTHING, Nearest, Stub, evaluate, look


class Counting(Nearest):
    """Counts how often it searches for what to recommend."""

    name: ClassVar[str] = "counting"
    searches = 0

    def recommend_at(self, context: Any) -> Recommendation:
        self.searches += 1
        return super().recommend_at(context)


class Recalling(Nearest):
    """Remembers by which of a round's looks its history has it decide."""

    name: ClassVar[str] = "recalling"
    looks: ClassVar[list[dict[str, Any]]] = []

    def decide(self, pending: Round, context: Mapping[str, Any]) -> Decision:
        self.looks.append(dict(self.history[pending.suggestion.token].suggestion.context))
        return super().decide(pending, context)


class Plain(Method[Stub, Any]):
    """Only what must be."""

    name: ClassVar[str] = "plain"
    solves = Stub

    def choose(self, request: Any) -> Any:
        raise AssertionError

    def recommend_at(self, context: Any) -> Recommendation:
        return Recommendation(EVERYTHING, {"dose": 0.25, "rest": 0.0}, reasons=(reason("said", text="as always"),))

    def explain(self) -> Explanation:
        return Explanation("it is plain")


def plain(history: History) -> Plain:
    return Plain(Stub(), Plain.Options(), lambda *_: None, history)  # type: ignore[arg-type]


def test_an_answer_is_searched_for_once_between_two_events() -> None:
    world = Case(Stub(), Counting, evaluate, look)
    optimizer = world.play(world.start(), 2)
    for _ in range(2):
        method: Any = optimizer._method  # as it is after the refit that is due
        before = method.searches
        first = optimizer.recommend()
        assert optimizer.recommend() == first
        assert method.searches == before + 1
        world.play(optimizer, 1)


def test_a_corrected_look_is_decided_by_a_method_of_the_history_before_it() -> None:
    optimizer = Optimizer(Stub(), Recalling)
    Recalling.looks.clear()
    asked = optimizer.ask()
    assert asked is not None
    optimizer.decide(asked, {"age": 0.25})
    optimizer.decide(asked, {"age": 0.5}, again=True)
    assert Recalling.looks == [{}, {}]
    assert optimizer.history[asked.token].suggestion.context == {"age": 0.5}


def test_a_method_says_and_learns_nothing_by_default() -> None:
    method = plain(Optimizer(Stub(), Nearest).history)
    assert method.describe() == ()
    assert method.refit() is None
    assert method.finished() == ""
    with pytest.raises(SteerboError, match="plain observes nothing"):
        method.decide(None, {})  # type: ignore[arg-type]


def test_its_policy_is_what_it_recommends_once_there_is_an_outcome() -> None:
    world = Case(Stub(), Nearest, evaluate, look)
    optimizer = world.start()
    with pytest.raises(InvalidRequest, match="Tell one first"):
        plain(optimizer.history).policy({}, {})
    step = plain(world.play(optimizer, 1).history).policy({}, {})
    assert (step.scope, step.values, step.why) == (EVERYTHING, {"dose": 0.25, "rest": 0.0}, "as always")
