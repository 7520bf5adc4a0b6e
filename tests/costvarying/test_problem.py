"""Variables, control sets and prices as users declare them; what makes no problem is refused by its place."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.errors import InvalidOutcome, InvalidProblem
from steerbo.record import from_plain, to_plain
from steerbo.rounds import Scope

LAW = sb.Uniform()
TWO = [sb.Float("a", 0, 1, law=LAW), sb.Float("b", 0, 1, law=LAW)]
PROBLEM = sb.CostVarying(TWO, [["b"], ["b", "a"]], costs=[1, 3], tolerance=sb.Absolute(0.5))
COUNTLESS = [sb.Float(f"x{i}", 0, 1, law=LAW) for i in range(2001)]

WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no variables": ({"variables": []}, "variables: .*at least one variable"),
    "too many variables": ({"variables": COUNTLESS}, "variables: 2001 .*at most"),
    "no sets": ({"control_sets": []}, "control_sets: .*at least one control set"),
    "a set of nothing": ({"control_sets": [["a"], []]}, r"control_sets\.1: .*controls nothing"),
    "a name that is none": ({"control_sets": [["a", "c"]]}, r"control_sets\.0: 'c'"),
    "a name twice": ({"control_sets": [["a", "a"]]}, r"control_sets\.0: .*each variable once"),
    "a set twice": (
        {"control_sets": [["a", "b"], ["a"], ["b", "a"]]},
        r"control_sets\.2: .*0 is the same",
    ),
    "no law": ({"variables": [TWO[0], sb.Float("b", 0, 1)], "control_sets": [["a"]]}, r"variables\.b\.law: .*\['a'\]"),
    "too few costs": ({"costs": [1]}, "costs: .*2 numbers, one for each"),
    "a set for nothing": ({"costs": [1, 0]}, r"costs\.1: 0.* above 0"),
    "a cost without end": ({"costs": [1, float("inf")]}, r"costs\.1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused(name: str) -> None:
    given, said = WRONG[name]
    with pytest.raises(InvalidProblem, match=said):
        sb.CostVarying(**{"variables": TWO, "control_sets": [["a"], ["a", "b"]], **given})


def test_it_survives_a_file() -> None:
    assert from_plain(sb.CostVarying, to_plain(PROBLEM)) == PROBLEM


def test_a_set_is_known_in_any_order_and_said_as_the_problem_says_it() -> None:
    assert PROBLEM.read_scope(["a", "b"]) == Scope(("b", "a"), price=3.0)
    assert PROBLEM.read_scope(["a", "b"]) is PROBLEM.scopes[1]
    assert PROBLEM.in_order(Scope(("a", "b"))).set == ("b", "a")
    assert PROBLEM.read_scope(None) is None, "there are two"
    assert sb.CostVarying(TWO, [["a"]]).read_scope(None) == Scope(("a",))
    for wrong in (["a"], "b", 3, ["a", "b", "b"]):
        with pytest.raises(InvalidOutcome, match=r"scope: .*a list of the variables of a control set"):
            PROBLEM.read_scope(wrong)


def test_what_is_not_held_has_to_be_measured() -> None:
    optimizer = sb.Optimizer(PROBLEM, "random", seed=0)
    for _ in range(6):
        suggestion = optimizer.ask()
        assert suggestion is not None
        assert set(PROBLEM.unmeasured(suggestion)) == {"a", "b"} - set(suggestion.values)
        assert PROBLEM.price(suggestion) == (1.0 if len(suggestion.values) == 1 else 3.0)


def test_it_says_what_a_play_costs_and_what_is_good_enough() -> None:
    assert PROBLEM.describe() == (
        ("control set", "b; 1 a play"),
        ("control set", "b + a; 3 a play"),
        ("good enough", "what comes within 0.5 of the best"),
    )
