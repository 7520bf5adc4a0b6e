"""The problem as data, its shares and rooms, and where agents are now."""

from __future__ import annotations

import json

import numpy as np
import pytest

from steerbo.errors import InvalidProblem, InvalidRequest
from steerbo.meanfield import MeanField
from steerbo.record import from_plain, to_plain
from steerbo.rounds import Optimizer
from tests.meanfield.worlds import crowd


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
