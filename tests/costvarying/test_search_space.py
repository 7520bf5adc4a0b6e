"""A control set is a set: in which order its variables are named means nothing."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.core import BatchPosition
from steerbo.space import Variable
from steerbo.testing.case import bits
from tests.costvarying import worlds

VARIABLES: list[Variable] = [
    sb.Float("a", 0, 1, law=sb.Uniform()),
    sb.Categorical("line", ["x", "y"], law=sb.space.Discrete({"x": 0.5, "y": 0.5})),
    sb.Float("b", 0, 1, law=sb.Uniform()),
]


def played(control_sets: list[list[str]], method: str) -> list[dict[str, Any]]:
    optimizer = sb.Optimizer(sb.CostVarying(VARIABLES, control_sets, costs=[1.0, 0.5]), method, seed=0)
    for _ in range(12):
        suggestion = optimizer.ask()
        assert suggestion is not None
        real: dict[str, Any] = {"a": 0.5, "line": "x", "b": 0.5} | dict(suggestion.values)
        value = -((real["a"] - 0.1) ** 2) - (real["b"] - 0.9) ** 2 + 0.1 * (real["line"] == "y")
        optimizer.tell(suggestion, value=value, realised=real)
    return [*(dict(played.suggestion.values) for played in optimizer.history), dict(optimizer.recommend().values)]


@pytest.mark.few_draws
@pytest.mark.parametrize("method", ["cheap-first", "explore-then-commit", "ts-psq"])
def test_the_order_in_which_a_set_names_its_variables_means_nothing(method: str) -> None:
    assert played([["b", "a"], ["line"]], method) == played([["a", "b"], ["line"]], method)
    mixed = played([["b", "line", "a"], ["b"]], method)
    assert mixed == played([["a", "line", "b"], ["b"]], method)
    assert abs(mixed[-1]["b"] - 0.9) < 0.15


def test_only_what_follows_hangs_on_what_was_searched_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steerbo.gp._learning.DRAWN_UP_TO", 0)  # else each choice has a draw of its own
    optimizer = worlds.case("cheap-first").play(sb.Optimizer(worlds.PROBLEM, seed=3), 8)
    first = optimizer.ask()
    with monkeypatch.context() as patch:
        patch.delattr("steerbo.costvarying.search_space.maximise_bounds")
        assert optimizer.ask_at(BatchPosition(follows=True), {}) is not None, "it does not look everywhere again"
    again = sb.Optimizer.replay(worlds.PROBLEM, optimizer.events)
    assert bits(again.ask()) == bits(optimizer.ask())
    assert first is not None
    optimizer.fail(first)
    with monkeypatch.context() as patch:
        patch.delattr("steerbo.costvarying.search_space.maximise_bounds")
        with pytest.raises(NameError):
            optimizer.ask_at(BatchPosition(follows=True), {})  # something was learned
    again = sb.Optimizer.replay(worlds.PROBLEM, optimizer.events)
    assert bits(again.ask_at(BatchPosition(follows=True), {})) == bits(
        optimizer.ask_at(BatchPosition(follows=True), {})
    )
