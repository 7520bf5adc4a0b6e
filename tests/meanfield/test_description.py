"""A mean-field problem in words: what is said, what is left out, and long lists."""

from __future__ import annotations

import pytest

import steerbo as sb
from steerbo.meanfield import MeanField
from steerbo.meanfield.description import description
from tests.meanfield.worlds import crowd


def test_one_crowd_without_limits() -> None:
    assert description(MeanField(("a", "b"), agents=4)) == (
        ("agents", "4, all alike"),
        ("actions", "a, b"),
        ("told back", "the average payoff of all agents"),
    )


def test_contexts_with_their_agents_and_every_limit() -> None:
    problem = crowd(
        allowed={"night": ("b", "c")}, capacity={"a": 1, "b": 12}, largest_move=0.25, moving_cost=3, feedback="agents"
    )
    lines = description(problem)
    assert lines[:2] == (
        ("agents", "40, alike within their context"),
        ("contexts", "day (30 agents), night (10 agents)"),
    )
    assert [text for heading, text in lines if heading == "limit"] == [
        "night: only b, c",
        "at most 1 agent in a",
        "at most 12 agents in b",
        "at most 0.25 of a context's agents move in a round",
        "moving all agents costs 3, paid by the share that moves",
    ]
    assert ("told back", "the mean payoff of every context and action that was played") in lines


@pytest.mark.parametrize(("count", "end"), [(20, "n19"), (21, "n19 and 1 more"), (500, "n19 and 480 more")])
def test_long_lists_are_cut(count: int, end: str) -> None:
    actions = dict(description(MeanField(tuple(f"n{i}" for i in range(count)), agents=4)))["actions"]
    assert actions.startswith("n0, n1, ")
    assert actions.endswith(end)


def test_how_payoffs_change_is_said() -> None:
    assert "drift" not in dict(description(crowd()))
    assert "decay" in dict(description(crowd(drift=sb.Decay(0.1))))["drift"]
