"""What was seen, checked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from steerbo import CostVarying
from steerbo.core.request import read_context
from steerbo.errors import InvalidContext
from steerbo.space import Categorical, Float, Uniform

SEEN = Float("weather", 0, 30, seen=True), Categorical("sky", ["grey", "clear"], seen=True)
PROBLEM = CostVarying([*SEEN, Float("age", 0, 99)], [["age"]])
SPACE = PROBLEM.space


def test_before_choosing_what_has_a_law_may_be_missing() -> None:
    assert PROBLEM.read_context({"sky": "grey", "weather": 3}) == {"weather": 3.0, "sky": "grey"}
    drawn = replace(PROBLEM, variables=(replace(SEEN[0], law=Uniform()), *PROBLEM.variables[1:]))
    assert drawn.read_context({"sky": "grey"}) == {"sky": "grey"}
    assert list(PROBLEM.read_context({"sky": "grey", "weather": 3})) == ["weather", "sky"], "in the order of the space"


def test_in_the_course_of_a_round_all_that_was_asked_for_is_given() -> None:
    assert read_context(SPACE, {"age": 61}, ["age"], ["age"]) == {"age": 61.0}
    assert read_context(SPACE, {}, []) == {}


@pytest.mark.parametrize(
    ("context", "said"),
    [
        (3, "values by name, for weather, sky"),
        ({"wether": 3}, r"context\.wether: 3 .*did you mean 'weather'"),
        ({"sky": "grey"}, r"context\.weather: .*0 to 30.*seen before choosing"),
        ({"weather": float("nan"), "sky": "grey"}, r"context\.weather: nan"),
        ({"weather": 3, "sky": "blue"}, r"context\.sky: 'blue'"),
        ({"weather": 3}, r"context\.sky: .*a value, one of [^.]*grey"),
    ],
)
def test_what_is_not_known_is_refused(context: Any, said: str) -> None:
    with pytest.raises(InvalidContext, match=said):
        PROBLEM.read_context(context)


@pytest.mark.parametrize(
    ("context", "said"),
    [({}, r"context\.age: None .*a value, 0 to 99"), ({"age": 1, "sky": "grey"}, r"context\.sky"), ([1], "for age")],
)
def test_what_was_not_looked_at_is_refused(context: Any, said: str) -> None:
    with pytest.raises(InvalidContext, match=said):
        read_context(SPACE, context, ["age"], ["age"])


def test_some_of_what_may_be_given_is_enough() -> None:
    assert read_context(SPACE, {"age": 61, "sky": "grey"}, ["sky", "age"]) == {"sky": "grey", "age": 61.0}
    assert read_context(SPACE, {}, ["age"]) == {}
    with pytest.raises(InvalidContext, match=r"context\.weather"):
        read_context(SPACE, {"weather": 1}, ["age"])
