"""The problem: refused declarations, its description, requests, moves, and values of suggestions."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Optimizer
from steerbo.errors import InvalidProblem, InvalidRequest
from steerbo.meanfield import MeanField
from steerbo.meanfield.problem import MOST_ACTIONS, MOST_CONTEXTS, RESERVED
from steerbo.records import from_dict, to_dict
from tests.meanfield.worlds import GOOD, crowd


def test_a_crowded_context_is_named() -> None:
    with pytest.raises(InvalidProblem, match=r"hold the 10 agents of night.*room for 8"):
        crowd(allowed={"night": ("a", "b")}, capacity={"a": 3, "b": 5})
    crowd(allowed={"night": ("a", "b")}, capacity={"a": 5, "b": 5})


def test_a_number_of_actions_is_that_many_names() -> None:
    assert crowd(actions=3).actions == ("1", "2", "3")


def test_problems_are_plain_data() -> None:
    problem = crowd(
        capacity={"a": 20}, allowed={"day": ("a", "b", "c")}, largest_move=0.5, moving_cost=1.0, counts=True
    )
    assert from_dict(MeanField, json.loads(json.dumps(to_dict(problem)))) == problem


def test_shares_are_those_of_whole_agents() -> None:
    problem = crowd(agents=10, weights=(1.0, 2.0))
    assert problem.agents_in.tolist() == [3, 7]
    assert problem.shares.tolist() == [0.3, 0.7]


# -- where agents are now ----------------------------------------------------------------------------------------------


def test_current_is_refused_where_moving_is_free() -> None:
    with pytest.raises(InvalidRequest, match="largest_move or moving_cost"):
        Optimizer(crowd()).ask(current=GOOD)
    with pytest.raises(InvalidRequest, match=r"current\.night"):
        Optimizer(crowd(moving_cost=1.0)).ask(current={"day": {"a": 1.0}, "night": {"b": 0.4}})


def test_moves_are_limited_from_the_present_or_the_last_distribution() -> None:
    problem = crowd(largest_move=0.2)
    optimizer = Optimizer(problem, seed=0, starting_points=3)
    here = problem.table(GOOD)
    for number in range(8):
        suggestion = optimizer.ask(current=GOOD) if number == 0 else optimizer.ask()
        assert suggestion is not None
        table = problem.table(suggestion.values["distribution"])
        assert 0.5 * np.abs(table - here).sum(axis=1).max() <= 0.2 + 1e-9
        optimizer.tell(suggestion, float(table[0, 1] - table[1, 0]))
        here = table


def test_moving_dear_keeps_agents_where_they_are() -> None:
    found = {}
    for price in (0.001, 100.0):
        problem = crowd(moving_cost=price)
        optimizer = Optimizer(problem, seed=0, starting_points=3)
        for _ in range(10):
            suggestion = optimizer.ask(current=GOOD)
            assert suggestion is not None
            table = problem.table(suggestion.values["distribution"])
            optimizer.tell(suggestion, float(-((table - 0.25) ** 2).sum()))
        found[price] = float(0.5 * np.abs(table - problem.table(GOOD)).sum(axis=1) @ problem.shares)
    assert found[100.0] < 0.1 < found[0.001]


def test_a_limit_that_cannot_be_met_from_here_is_named() -> None:
    problem = crowd(largest_move=0.1, capacity={"a": 10})
    with pytest.raises(InvalidRequest, match="capacity of 'a'"):
        Optimizer(problem).ask(current=GOOD)


def test_a_word_is_not_true_or_false() -> None:
    with pytest.raises(InvalidProblem, match="counts"):
        MeanField(["a", "b"], agents=4, counts="yes")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"actions": ("a", "a")}, "actions"),
        ({"actions": ()}, "actions"),
        ({"contexts": ("day", "day")}, "contexts"),
        ({"agents": 0}, "agents"),
        ({"agents": 1.5}, "agents"),
        ({"weights": (1.0,)}, "weights"),
        ({"weights": (1.0, 0.0)}, "weights"),
        ({"weights": (1.0, float("nan"))}, "weights"),
        ({"weights": (1e6, 1.0)}, "weights.night"),
        ({"action_features": ((1.0,),)}, "action_features"),
        ({"action_features": ((1.0,), (2.0,), (3.0,), (4.0, 5.0))}, "action_features"),
        ({"allowed": {"dawn": ("a",)}}, "allowed"),
        ({"allowed": {"day": ()}}, "allowed.day"),
        ({"allowed": {"day": ("z",)}}, "allowed.day"),
        ({"capacity": {"z": 3}}, "capacity"),
        ({"capacity": {"a": -1}}, "capacity.a"),
        ({"capacity": {"a": 9, "b": 9, "c": 9, "d": 9}}, "capacity"),
        ({"largest_move": 0.0}, "largest_move"),
        ({"largest_move": 2}, "largest_move"),  # a number of agents
        ({"largest_move": 0.01}, "largest_move"),  # less than one agent of either context
        ({"moving_cost": -1.0}, "moving_cost"),
        ({"feedback": "gossip"}, "feedback"),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidProblem) as caught:
        crowd(**changes)
    assert field in caught.value.field


def names(count: int) -> list[str]:
    return [f"n{i}" for i in range(count)]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"actions": names(MOST_ACTIONS + 1)}, f"actions: .*more than {MOST_ACTIONS}.*that are alike together"),
        ({"contexts": names(MOST_CONTEXTS + 1)}, f"contexts: .*more than {MOST_CONTEXTS}"),
        ({"actions": names(400), "contexts": names(300)}, "actions: 120000 .*pairs of a context and an action"),
    ],
)
def test_more_than_anybody_could_play(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidProblem, match=said):
        MeanField(**{"actions": ["a"], "agents": 10**6, **changes})


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        (sb.Float("wind", 0, 1), r"variables\.wind\.seen: .*agents are all that is steered"),
        (sb.Float("wind", 0, 1, seen=True, law=sb.Uniform()), r"variables\.wind\.law: .*given in every round"),
        *((sb.Float(name, 0, 1, seen=True), f"variables.{name}: .*have another meaning") for name in RESERVED),
    ],
    ids=str,
)
def test_variables_are_seen_and_nothing_else(variable: Any, said: str) -> None:
    crowd(variables=[sb.Float("wind", 0, 1, seen=True)])
    with pytest.raises(InvalidProblem, match=said):
        crowd(variables=[variable])


@pytest.mark.parametrize("drift", ["learned", sb.gp.Sliding(60)])
def test_a_drift_is_one_that_payoffs_can_have(drift: Any) -> None:
    with pytest.raises(InvalidProblem, match=r"drift: .*such as a decay"):
        crowd(drift=drift)
    with pytest.raises(InvalidProblem, match=r"variables\.time"):
        crowd(drift=sb.Decay(0.1), variables=[sb.Float("time", 0, 1, seen=True)])


@pytest.mark.parametrize("field", MeanField.instead)
def test_fields_of_other_kinds_are_refused_with_what_there_is_instead(field: str) -> None:
    beginning = " ".join(MeanField.instead[field].split()[:4])
    with pytest.raises(InvalidProblem, match=rf"{field}: 1 is not allowed.* {beginning}"):
        from_dict(MeanField, {"kind": "mean-field", "actions": ["a", "b"], "agents": 4, field: 1})


def test_one_crowd_without_limits() -> None:
    assert MeanField(("a", "b"), agents=4).describe() == (
        ("agents", "4, all alike"),
        ("actions", "a, b"),
        ("told back", "the average payoff of all agents"),
    )


def test_contexts_with_their_agents_and_every_limit() -> None:
    problem = crowd(
        allowed={"night": ("b", "c")}, capacity={"a": 1, "b": 12}, largest_move=0.25, moving_cost=3, feedback="agents"
    )
    lines = problem.describe()
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
    assert ("told back", "the mean payoff of every context and action that was tried") in lines


@pytest.mark.parametrize(("count", "end"), [(20, "n19"), (21, "n19 and 1 more"), (500, "n19 and 480 more")])
def test_long_lists_are_cut(count: int, end: str) -> None:
    actions = dict(MeanField(tuple(f"n{i}" for i in range(count)), agents=4).describe())["actions"]
    assert actions.startswith("n0, n1, ")
    assert actions.endswith(end)


def test_how_payoffs_change_is_said() -> None:
    assert "drift" not in dict(crowd().describe())
    assert "decay" in dict(crowd(drift=sb.Decay(0.1)).describe())["drift"]


TWO = {"everyone": {"a": 0.5, "b": 0.5}}


def pair(**changes: float) -> MeanField:
    return MeanField(("a", "b"), agents=10, **changes)  # type: ignore[arg-type]


def test_where_moving_is_free_nobody_needs_to_know() -> None:
    optimizer = Optimizer(pair(), seed=0)
    assert optimizer.problem.read_request({}, optimizer.history) == {}
    with pytest.raises(InvalidRequest, match="largest_move or moving_cost"):
        pair().read_request({"current": TWO}, optimizer.history)


def test_left_out_it_is_what_was_played_last() -> None:
    problem = pair(moving_cost=1.0)
    optimizer = Optimizer(problem, seed=0)
    assert problem.read_request({}, optimizer.history) == {}
    for shares in ([0.2, 0.8], [0.9, 0.1]):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, 1.0, realised={"distribution": [shares]})
    assert problem.read_request({}, optimizer.history) == {"current": {"everyone": {"a": 0.9, "b": 0.1}}}
    assert problem.read_request({"current": TWO}, optimizer.history) == {"current": TWO}


def test_agents_are_whole_and_all_there() -> None:
    problem = sb.MeanField(("a", "b", "c"), agents=10, contexts=("day", "night"), counts=True)
    table = np.array([[0.1, 0.55, 0.35], [1 / 3, 1 / 3, 1 / 3]])
    counts = problem.settings(table)["counts"]
    assert all(sum(row.values()) == 5 for row in counts.values())


@pytest.mark.parametrize("method", ["mf-gp-ucb", "random"])
def test_a_recommendation_says_them_as_a_suggestion_does(method: str) -> None:
    """It said shares alone."""
    for counts in (True, False):
        optimizer = sb.Optimizer(sb.MeanField(("a", "b"), agents=10, counts=counts), method, seed=1)
        for _ in range(4):
            advice = optimizer.recommend()
            assert ("counts" in advice.values) == counts
            if counts:
                (row,), (shares,) = advice.values["counts"].values(), advice.values["distribution"].values()
                assert sum(row.values()) == 10
                assert all(abs(row[a] / 10 - shares[a]) <= 0.1 for a in row)
            suggestion = optimizer.ask()
            assert suggestion is not None
            optimizer.tell(suggestion, suggestion.values["distribution"]["everyone"]["a"])
