"""Variables, control sets and prices as users declare them."""

from __future__ import annotations

from dataclasses import replace

import pytest

import steerbo as sb
from steerbo.core import Scope
from steerbo.errors import InvalidOutcome
from steerbo.records import from_dict, to_dict

LAW = sb.Uniform()
TWO = [sb.Float("a", 0, 1, law=LAW), sb.Float("b", 0, 1, law=LAW)]
PROBLEM = sb.CostVarying(TWO, [["b"], ["b", "a"]], costs=[1, 3], tolerance=sb.Absolute(0.5))


def test_it_survives_a_file() -> None:
    assert from_dict(sb.CostVarying, to_dict(PROBLEM)) == PROBLEM


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
        ("control set", "b; 1 a round"),
        ("control set", "b + a; 3 a round"),
        ("good enough", "within 0.5 of the best"),
    )


def test_it_says_what_is_good_enough_where_nobody_stated_it() -> None:
    unstated = "what gives up at most 5 % of the way from the worst expected value to the best"
    assert ("good enough", unstated) in replace(PROBLEM, tolerance=None).describe()
    assert "good enough" not in dict(replace(PROBLEM, tolerance=None, value_of_one=2.0).describe())
    assert str(sb.costvarying.Fraction(0.1, worst=2)) == "what gives up at most 10 % of the way from 2 to the best"
