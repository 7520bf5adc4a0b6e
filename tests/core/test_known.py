"""What was seen, checked."""

from __future__ import annotations

from typing import Any

import pytest

from steerbo.core.request import read_context, read_looked_at, read_some
from steerbo.errors import InvalidContext
from steerbo.space import Categorical, Float, Space, Uniform

SPACE = Space(
    (Float("weather", 0, 30, seen=True), Categorical("sky", ["grey", "clear"], seen=True), Float("age", 0, 99))
)


def test_before_choosing_what_has_a_law_may_be_missing() -> None:
    assert read_context(SPACE, {"sky": "grey", "weather": 3}, ()) == {"weather": 3.0, "sky": "grey"}
    assert read_context(SPACE, {"sky": "grey"}, {"weather": Uniform()}) == {"sky": "grey"}
    assert list(read_context(SPACE, {"sky": "grey", "weather": 3}, ())) == ["weather", "sky"], (
        "in the order of the space"
    )


def test_in_the_course_of_a_round_all_that_was_asked_for_is_given() -> None:
    assert read_looked_at(SPACE, {"age": 61}, ["age"]) == {"age": 61.0}
    assert read_looked_at(SPACE, {}, []) == {}


@pytest.mark.parametrize(
    ("context", "said"),
    [
        (3, "values by name, for weather, sky"),
        ({"wether": 3}, r"context\.wether: 3 .*did you mean 'weather'"),
        ({"sky": "grey"}, r"context\.weather: .*0 to 30.*seen before choosing"),
        ({"weather": float("nan"), "sky": "grey"}, r"context\.weather: nan"),
        ({"weather": 3, "sky": "blue"}, r"context\.sky: 'blue'"),
    ],
)
def test_what_is_not_known_is_refused(context: Any, said: str) -> None:
    with pytest.raises(InvalidContext, match=said):
        read_context(SPACE, context, ())


@pytest.mark.parametrize(
    ("context", "said"), [({}, "a value for 'age'"), ({"age": 1, "sky": "grey"}, r"context\.sky"), ([1], "for age")]
)
def test_what_was_not_looked_at_is_refused(context: Any, said: str) -> None:
    with pytest.raises(InvalidContext, match=said):
        read_looked_at(SPACE, context, ["age"])


def test_some_of_what_may_be_given_is_enough() -> None:
    assert read_some(SPACE, {"age": 61, "sky": "grey"}, ["sky", "age"]) == {"sky": "grey", "age": 61.0}
    assert read_some(SPACE, {}, ["age"]) == {}
    with pytest.raises(InvalidContext, match=r"context\.weather"):
        read_some(SPACE, {"weather": 1}, ["age"])
