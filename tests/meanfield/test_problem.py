"""The problem refuses what cannot be, naming the row, and reads what really happened."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from steerbo.errors import InvalidOutcome, InvalidProblem, InvalidRequest
from steerbo.meanfield import MeanField
from steerbo.record import from_plain, to_plain
from steerbo.rounds import Optimizer, Outcome, Suggestion
from tests.meanfield.worlds import crowd


def asked(problem: MeanField) -> tuple[Optimizer, Suggestion]:
    optimizer = Optimizer(problem, seed=0)
    suggestion = optimizer.ask()
    assert suggestion is not None
    return optimizer, suggestion


def outcome_of(optimizer: Optimizer, suggestion: Suggestion) -> Outcome:
    outcome = optimizer.history[suggestion.token].outcome
    assert outcome is not None
    return outcome


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
        ({"moving_cost": -1.0}, "moving_cost"),
        ({"feedback": "gossip"}, "feedback"),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidProblem) as caught:
        crowd(**changes)
    assert field in caught.value.field


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
    assert from_plain(MeanField, json.loads(json.dumps(to_plain(problem)))) == problem


def test_shares_are_those_of_whole_agents() -> None:
    problem = crowd(agents=10, weights=(1.0, 2.0))
    assert problem.agents_in.tolist() == [3, 7]
    assert problem.shares.tolist() == [0.3, 0.7]


# -- outcomes ----------------------------------------------------------------------------------------------------------

GOOD = {"day": {"a": 1.0}, "night": {"b": 0.5, "c": 0.5}}


@pytest.mark.parametrize(
    ("realised", "row"),
    [
        ({"distribution": {**GOOD, "night": {"b": 0.5, "c": 0.4}}}, "realised.distribution.night"),
        ({"distribution": {**GOOD, "day": {"a": float("nan")}}}, "realised.distribution.day"),
        ({"distribution": {**GOOD, "day": {"z": 1.0}}}, "realised.distribution.day.z"),
        ({"distribution": {"day": {"a": 1.0}}}, "realised.distribution.night"),
        ({"distribution": {"day": {"a": 1.0}, "dawn": {"a": 1.0}}}, "realised.distribution.dawn"),
        ({"distribution": [[1.0, 0, 0, 0]]}, "realised.distribution"),
        ({"distribution": {**GOOD, "day": {"d": 1.0}}}, "realised.day.d"),
        ({"counts": {"day": {"a": 29}, "night": {"b": 10}}}, "realised.counts.day"),
        ({"counts": {"day": {"a": 30.0}, "night": {"b": 10}}}, "realised.counts.day.a"),
        ({"counts": {"day": {"a": 30}, "night": {"b": -1, "a": 11}}}, "realised.counts.night.b"),
        ({"counts": {"day": {"a": 30}, "dawn": {"b": 10}}}, "realised.counts.dawn"),
        ({"counts": 7}, "realised.counts"),
        ({"weather": "fine"}, "realised.weather"),
    ],
)
def test_bad_outcomes_name_the_row(realised: dict[str, Any], row: str) -> None:
    optimizer, suggestion = asked(crowd(allowed={"day": ("a", "b", "c")}))
    with pytest.raises(InvalidOutcome) as caught:
        optimizer.tell(suggestion, 1.0, realised=realised)
    assert caught.value.field == row


@pytest.mark.parametrize(
    "realised",
    [
        {"counts": {"day": {"a": 15, "b": 15}, "night": [0, 0, 0, 10]}},
        {"distribution": [[0.5, 0.5, 0, 0], [0, 0, 0, 1]]},
    ],
)
def test_counts_are_as_good_as_shares(realised: dict[str, Any]) -> None:
    optimizer, suggestion = asked(crowd())
    optimizer.tell(suggestion, 1.0, realised=realised)
    played = outcome_of(optimizer, suggestion).realised["distribution"]
    assert played == {
        "day": {"a": 0.5, "b": 0.5, "c": 0.0, "d": 0.0},
        "night": {"a": 0.0, "b": 0.0, "c": 0.0, "d": 1.0},
    }


def test_the_default_is_what_was_suggested_and_amending_goes_before_it() -> None:
    optimizer, suggestion = asked(crowd(counts=True))
    optimizer.tell(suggestion, 1.0)
    played = outcome_of(optimizer, suggestion).realised["distribution"]
    assert played["night"] == pytest.approx(suggestion.values["distribution"]["night"])
    optimizer.amend(suggestion, realised={"distribution": GOOD})
    problem = crowd()
    assert outcome_of(optimizer, suggestion).realised["distribution"] == problem.named(problem.table(GOOD))


def test_counts_on_request_add_up() -> None:
    _, suggestion = asked(crowd(counts=True))
    counts = suggestion.values["counts"]
    assert [sum(row.values()) for row in counts.values()] == [30, 10]
    for context, row in suggestion.values["distribution"].items():
        agents = sum(counts[context].values())
        assert all(share * agents == pytest.approx(counts[context][action]) for action, share in row.items())


def test_a_representative_agent_must_be_named() -> None:
    optimizer, suggestion = asked(crowd(feedback="representative"))
    with pytest.raises(InvalidOutcome, match="context of the representative"):
        optimizer.tell(suggestion, 1.0)
    with pytest.raises(InvalidOutcome, match="dawn"):
        optimizer.tell(suggestion, 1.0, realised={"context": "dawn", "action": "a"})
    with pytest.raises(InvalidOutcome, match="an action that agents of 'day' took"):
        optimizer.tell(suggestion, 1.0, realised={"distribution": GOOD, "context": "day", "action": "d"})
    optimizer.tell(suggestion, 1.0, realised={"context": "day", "action": "a"})


@pytest.mark.parametrize(
    ("value", "row"),
    [
        ({"day": {"a": 1.0}, "night": {"b": 1.0}}, "value.night.c"),
        ({"day": {"a": 1.0, "b": 1.0}, "night": {"b": 1.0, "c": 0.0}}, "value.day.b"),
        ({"day": {"a": float("nan")}, "night": {"b": 1.0, "c": 0.0}}, "value.day.a"),
        ({"day": {"z": 1.0}}, "value.day.z"),
        (1.0, "value"),
    ],
)
def test_with_all_agents_every_played_cell_has_a_payoff(value: Any, row: str) -> None:
    optimizer, suggestion = asked(crowd(feedback="agents"))
    with pytest.raises(InvalidOutcome) as caught:
        optimizer.tell(suggestion, value, realised={"distribution": GOOD})
    assert caught.value.field == row


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
