"""Names in messages: a few are listed, and the one that was meant is guessed."""

from __future__ import annotations

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steerbo as sb
from steerbo.errors import InvalidProblem, did_you_mean, one_of


def test_many_names_are_not_all_listed() -> None:
    clause = one_of([f"x{i}" for i in range(500)], "x499")
    assert clause.endswith("x29 and 470 more (did you mean 'x4'?)") or "and 470 more" in clause
    assert len(clause) < 250


def test_no_names() -> None:
    assert one_of([], "ph") == "one of nothing"


def test_what_is_one_of_them_is_no_guess() -> None:
    assert did_you_mean(["temperature", "ph"], "ph") == ""
    assert did_you_mean(["temperature", "ph"], "PH2") in ("", "ph")
    assert did_you_mean(["temperature"], "temprature") == "temperature"


@given(st.one_of(st.none(), st.integers(), st.lists(st.text()), st.text(max_size=400), st.just("x" * 10**6)))
def test_anything_may_have_been_given(given: object) -> None:
    """A very long text is not compared with every name: that takes minutes."""
    assert did_you_mean(["temperature", "ph"], given) in ("", "temperature", "ph")
    assert one_of(["temperature"], given).startswith("one of temperature")


def test_names_may_come_from_an_iterator() -> None:
    assert one_of(iter(["temperature", "ph"]), "phh") == "one of temperature, ph (did you mean 'ph'?)"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("log", 'A logarithmic scale is written scale = "log".'),
        ("min", "It is called low."),
        ("max", "It is called high."),
    ],
)
def test_words_of_other_programs(name: str, hint: str) -> None:
    number, problem = cast(Any, sb.Float), cast(Any, sb.TimeVarying)
    variable = {"kind": "float", "name": "x", "low": 0, "high": 1, name: True}
    for make, fields in ((number, {**variable}), (problem, {"variables": [variable]})):
        with pytest.raises(InvalidProblem) as caught:
            make(**fields)
        assert hint in str(caught.value)
        assert "did you mean" not in str(caught.value)
