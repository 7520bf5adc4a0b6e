"""A study is told by the same words as an optimizer, and keeps the same events."""

from __future__ import annotations

from inspect import signature
from typing import Any

import pytest

import steerbo as sb
from steerbo.core import BaseStudy, Event, Optimizer, Refitted
from steerbo.errors import InvalidRequest
from steerbo.gp import GPRegression, Hyperparameters
from steerbo.records import to_dict
from steerbo.study import MemoryLog, Study
from tests.core.kinds import PROBLEMS

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
    return [{**to_dict(event, Event), "when": None} for event in told.events]  # two run at other times


def test_both_keep_the_same_events() -> None:
    settings: dict[str, Any] = {"budget": 20, "seed": 3}
    with Study.create(MemoryLog(), PROBLEM, "random", **settings) as study:
        assert played(study) == played(Optimizer(PROBLEM, "random", **settings))


def test_what_neither_takes_is_kept_nowhere() -> None:
    with Study.create(MemoryLog(), PROBLEM, "random", rounds=3) as study:
        before = study.events
        with pytest.raises(InvalidRequest, match=r"colour.*expected one of suggestion, value, cost, realised, sem"):
            study.tell("1-ab", 1.0, colour="red")  # type: ignore[call-arg]
        assert study.events == before


def measured(optimizer: Optimizer, realised: dict[str, Any], rounds: int) -> None:
    for number in range(rounds):
        while (suggestion := optimizer.ask()).observe:
            suggestion = optimizer.decide(suggestion, {name: realised[name] for name in suggestion.observe})
        known = {**realised, **suggestion.values, **suggestion.context}
        optimizer.tell(suggestion, 10.0 + 0.5 * number % 3, realised=known)


@pytest.mark.parametrize("kind", ["cost-varying", "causal"])
def test_asks_at_random_fit_nothing_and_answers_do(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem, realised = PROBLEMS[kind]
    fits: list[int] = []
    fit = GPRegression.fit

    def counted(self: GPRegression[Any]) -> Hyperparameters:
        fits.append(len(self))
        return fit(self)

    monkeypatch.setattr(GPRegression, "fit", counted)
    optimizer = Optimizer(problem, "random", seed=1)
    measured(optimizer, realised, 6)
    assert not fits
    assert not any(isinstance(event, Refitted) for event in optimizer.events)
    advice, events = optimizer.recommend(), optimizer.events
    assert fits
    assert 9.0 < (advice.mean or 0.0) < 12.0
    assert optimizer.events == events
    assert Optimizer.replay(problem, events).recommend() == advice
    assert optimizer.ask() == Optimizer.replay(problem, events).ask()


def test_a_study_at_random_that_bounds_may_stop_fits_when_it_is_asked() -> None:
    problem, realised = PROBLEMS["cost-varying"]
    optimizer = Optimizer(problem, "random", seed=1, stop=1e-3)
    measured(optimizer, realised, 6)
    assert any(isinstance(event, Refitted) for event in optimizer.events)
