"""A study is told by the same words as an optimizer, and keeps the same events."""

from __future__ import annotations

from inspect import signature
from typing import Any

import pytest

import steerbo as sb
from steerbo.core import BaseStudy, Event, Optimizer
from steerbo.records import to_dict
from steerbo.study import MemoryLog, Study

PROBLEM = sb.CostVarying([sb.Float("ph", 4, 8, law=sb.Uniform())], [["ph"]])
WORDS = ("tell", "fail", "abandon", "amend", "add")


@pytest.mark.parametrize("word", WORDS)
def test_both_take_the_same(word: str) -> None:
    assert signature(getattr(Study, word)) == signature(getattr(Optimizer, word)) == signature(getattr(BaseStudy, word))
    assert getattr(Study, word).__doc__


def played(told: Any) -> list[Any]:
    first, second, third, fourth = (told.ask() for _ in range(4))
    told.tell(first, 1.5, cost=2.0)
    told.fail(second.token, "a leak", charge=1.0)
    told.abandon(third, "nobody is there")
    told.tell(third, 0.5, cost=0.25)
    told.tell(fourth, 3.0, cost=1.0, realised={"ph": 5.0})
    told.amend(first, 1.25, reason="misread")
    told.amend(fourth, void=True)
    told.add(2.0, {"ph": 6.0}, cost=0.5, scope=["ph"], charge=True)
    told.amend("added-1", charge=False)
    return [to_dict(event, Event) for event in told.events]


def test_both_keep_the_same_events() -> None:
    settings: dict[str, Any] = {"budget": 20, "seed": 3}
    with Study.create(MemoryLog(), PROBLEM, "random", **settings) as study:
        assert played(study) == played(Optimizer(PROBLEM, "random", **settings))


def test_what_neither_takes_is_kept_nowhere() -> None:
    with Study.create(MemoryLog(), PROBLEM, "random", rounds=3) as study:
        before = study.events
        with pytest.raises(TypeError, match="colour"):
            study.tell("1-ab", 1.0, colour="red")  # type: ignore[call-arg]
        assert study.events == before
