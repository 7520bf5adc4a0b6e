"""A run is what an entrant did in a world, and what that lost."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from partial_control_bench import Look, Outcome, Values
from partial_control_bench.errors import BenchError
from partial_control_bench.playing import curve, play, run
from partial_control_bench.problem import Budget
from partial_control_bench.registry import contender, problem
from tests.timevarying.play import play as played_by_us
from tests.timevarying.toy_problem import Toy


class Line:
    """Wanted is 1; a look at z costs nothing."""

    known: Mapping[str, Any] = {"wing": "causal"}

    def before(self) -> Iterable[tuple[Values, Outcome]]:
        yield {"x": 0.0}, Outcome(0.0, 0.0)

    def now(self, number: int) -> dict[str, Any]:
        return {"time": 10.0 * number}

    def look(self, number: int, look: Look) -> dict[str, Any]:
        return dict.fromkeys(look.names, float(number))

    def play(self, number: int, values: Values, seen: Values) -> Outcome:
        return Outcome(values["x"], 2.0, seen)

    def regret(self, number: int, values: Values, seen: Values) -> float:
        return 1.0 - values["x"]


class Climber:
    """Looks, then sets what it likes."""

    def __init__(self, answers: list[Any]) -> None:
        self.answers, self.heard = answers, list[Any]()

    def ask(self, now: Mapping[str, Any]) -> Any:
        self.heard.append(dict(now))
        return Look(["z"])

    def decide(self, seen: Values) -> Any:
        self.heard.append(dict(seen))
        return self.answers.pop(0)

    def tell(self, values: Values, outcome: Outcome) -> None:
        self.heard.append((dict(values), outcome.value))


def test_one_round_after_the_other() -> None:
    entrant = Climber([{"x": 0.25}, {"x": 0.0}, {"x": 1.0}])
    found = play(Line(), entrant, Budget(9, money=5.0, marks=(1, 2, 4, 5)))
    assert found.regret.tolist() == [0.75, 1.0], "the third would cost more than is left"
    assert entrant.heard[:4] == [({"x": 0.0}, 0.0), {"round": 1, "time": 10.0}, {"z": 1.0}, ({"x": 0.25}, 0.25)]
    assert entrant.heard[-1] == {"z": 3.0}, "what was not paid is not told"
    kept = curve(found, Budget(9, money=5.0, marks=(1, 2, 4, 5)))
    assert kept.simple == [None, 0.75, 0.75, 0.75]
    assert kept.cumulative == [None, 0.75, 1.75, 1.75]


@pytest.mark.parametrize("answer", [3, Look(["z"])])
def test_no_answer(answer: Any) -> None:
    with pytest.raises(BenchError, match="round 1: ask returned"):
        play(Line(), Climber([answer] * 100), Budget(1))


def test_who_stops_early_keeps_what_it_had() -> None:
    entrant = Climber([{"x": 0.5}, {"x": 0.5}])
    entrant.ask = lambda now: Look(["z"]) if now["round"] < 2 else None  # type: ignore[method-assign]
    found = play(Line(), entrant, Budget(4, marks=(1, 4)))
    assert curve(found, Budget(4, marks=(1, 4))).cumulative == [0.5, 0.5]


@pytest.mark.parametrize("method", ["tempered-elimination", "mle"])
def test_ours_is_steerbo_round_for_round(method: str) -> None:
    """The same truth, noise and choices as where it is played through steerbo's own protocol."""
    toy, who = Toy(), contender(method, {"confidence": 2.0})
    found = run(problem("toy-drift"), who.name, who.load(), 1000, who.options)
    toy = Toy(epsilon=0.02)
    same = played_by_us(toy.problem, toy.truth(1000, 150), toy.noise, method, 1000, toy.available, confidence=2.0)
    summed = [found.at("cumulative", mark) or 0.0 for mark in found.curve.at]
    np.testing.assert_allclose(summed, np.cumsum(same.regret)[14::15], rtol=1e-6)


def test_a_tolerance_can_be_told_where_the_problem_says_none() -> None:
    world = problem("hartmann-moderate-0.02").make(0)
    known = {**world.known, "budget": {"rounds": 3, "money": None}}
    said: Any = contender("cheap-first").load()
    assert said(known, 0).problem.tolerance is None
    assert said(known, 0, tolerance=0).problem.tolerance == sb.Absolute(0)


def test_ties_can_be_the_first() -> None:
    who = contender("mle", {"confidence": 2.0, "ties": "first"})
    found = run(problem("toy-empty-start"), who.name, who.load(), 1000, who.options)
    assert json.loads(found.line())["options"] == {"confidence": 2.0, "ties": "first"}
    drawn = contender("mle", {"confidence": 2.0})
    assert run(problem("toy-empty-start"), "mle", drawn.load(), 1000, drawn.options).curve != found.curve


def test_a_stream_says_what_it_does_not_take() -> None:
    world = problem("toy-h5-l0.5").make(1000)
    with pytest.raises(BenchError, match="x: must be set"):
        world.play(1, {}, {})
    with pytest.raises(BenchError, match="none of its 200 levels"):
        world.play(1, {"x": 0.5001}, {})
    with pytest.raises(BenchError, match="not available"):
        world.play(2, {"x": world.known["variables"][0]["levels"][22]}, {})
    with pytest.raises(BenchError, match="nothing to look at"):
        world.look(1, Look(["z"]))
