"""Limits on where agents may be: what they say, what they are in whole agents, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import steerbo as sb
from steerbo.errors import InvalidProblem
from steerbo.record import from_plain, to_plain
from steerbo.space import Crowd


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        (sb.Share("a", at_most=0.25), "at most 25 % of all agents in a"),
        (sb.Share("a", 0.5, 0.1, "day"), "at least 10 % and at most 50 % of the agents of day in a"),
        (sb.Headcount("a", at_least=3), "at least 3 agents in a"),
        (sb.Headcount("a", at_most=1, context="day"), "at most 1 agent of day in a"),
    ],
)
def test_they_say_what_they_are_and_go_through_files(limit: Any, text: str) -> None:
    assert str(limit) == text
    assert from_plain(type(limit), to_plain(limit)) == limit


@given(st.integers(1, 10**6), st.integers(0, 100), st.integers(0, 100))
def test_whole_agents_are_those_within_the_shares(agents: int, least: int, more: int) -> None:
    """Against whole numbers: ⌈least · n / 100⌉ and ⌊most · n / 100⌋."""
    most = min(100, least + more)
    ends = sb.Share("a", most / 100, least / 100).ends(agents)
    assert ends == (-(-least * agents // 100), most * agents // 100)


def test_room_is_counted_in_agents_of_the_contexts_that_count() -> None:
    agents = {"day": 20, "night": 10}
    values = {"distribution": {"day": {"a": 0.5, "b": 0.5}, "night": {"b": 1.0}}}
    assert Crowd.of(sb.Share("a", at_most=0.5), agents).room(values) == 5
    assert Crowd.of(sb.Headcount("a", at_most=12, at_least=9), agents).room(values) == 1
    tight = Crowd.of(sb.Headcount("a", at_most=9, context="day"), agents)
    assert tight.breaks(values)
    assert tight.room(values) == -1
    assert not Crowd.of(sb.Headcount("a", at_most=0, context="night"), agents).breaks(values)


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: sb.Share("a"), "at_most"),
        (lambda: sb.Share("a", 0.1, 0.2), "at_least"),
        (lambda: sb.Share("a", 2), "at_most"),
        (lambda: sb.Share("a", at_least=-0.1), "at_least"),
        (lambda: sb.Headcount("a"), "at_most"),
        (lambda: sb.Headcount("a", 1, 2), "at_least"),
        (lambda: sb.Headcount("a", 1.5), "at_most"),  # type: ignore[arg-type]
        (lambda: sb.Headcount("a", -1), "at_most"),
    ],
)
def test_what_is_no_limit_is_refused(make: Any, field: str) -> None:
    with pytest.raises(InvalidProblem) as caught:
        make()
    assert field in caught.value.field
