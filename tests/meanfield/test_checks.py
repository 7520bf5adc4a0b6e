"""What is no mean-field problem is refused, naming the field and what is allowed."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.errors import InvalidProblem
from steerbo.meanfield import MeanField
from steerbo.meanfield.checks import INSTEAD, MOST_ACTIONS, MOST_CONTEXTS, TAKEN
from steerbo.record import from_plain
from tests.meanfield.worlds import crowd


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
        *((sb.Float(name, 0, 1, seen=True), f"variables.{name}: .*mean something else") for name in TAKEN),
    ],
    ids=str,
)
def test_variables_are_seen_and_nothing_else(variable: Any, said: str) -> None:
    crowd(variables=[sb.Float("wind", 0, 1, seen=True)])
    with pytest.raises(InvalidProblem, match=said):
        crowd(variables=[variable])


@pytest.mark.parametrize("drift", ["learned", sb.Sliding(60)])
def test_a_drift_is_one_that_payoffs_can_have(drift: Any) -> None:
    with pytest.raises(InvalidProblem, match=r"drift: .*such as a decay"):
        crowd(drift=drift)
    with pytest.raises(InvalidProblem, match=r"variables\.time"):
        crowd(drift=sb.Decay(0.1), variables=[sb.Float("time", 0, 1, seen=True)])


@pytest.mark.parametrize("field", INSTEAD)
def test_fields_of_other_kinds_are_refused_with_what_there_is_instead(field: str) -> None:
    beginning = " ".join(INSTEAD[field].split()[:4])
    with pytest.raises(InvalidProblem, match=rf"{field}: 1 is not allowed.* {beginning}"):
        from_plain(MeanField, {"kind": "mean-field", "actions": ["a", "b"], "agents": 4, field: 1})
