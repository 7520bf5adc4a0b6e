"""Payoffs that change with time in a known way: one more factor of the kernel, and answers as of now."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Event, Optimizer, Suggestion
from steerbo.errors import InvalidOutcome, InvalidProblem, InvalidRequest
from steerbo.meanfield import MeanField
from steerbo.records import from_dict, to_dict
from steerbo.testing import Case, TraitContract
from steerbo.testing.case import bits
from tests.meanfield.worlds import WEATHER, crowd


def fading(drift: Any, **changes: Any) -> MeanField:
    return crowd(contexts=("everyone",), weights=None, drift=drift, **changes)


def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """Demand moves from place a to place c in thirty rounds."""
    shares = list(suggestion.values["distribution"]["everyone"].values())
    late = min(suggestion.round / 30, 1.0)
    reward = np.array([1 - late, 0.3, late, 0.2])
    return {"value": float(np.sum(shares * (reward - 0.4 * np.array(shares)))) + 0.01 * random.normal()}


def clock(number: int) -> dict[str, Any]:
    return {"time": 10.0 + 2 * number}


def case(method: str, drift: Any, **options: Any) -> Case:
    added = {"distribution": {"everyone": {"a": 0.5, "b": 0.5}}, "time": 4}
    return Case(fading(drift), method, evaluate, request=clock, added=added, options=options, rounds=8)


class TestMFGPUCB(TraitContract):
    case = staticmethod(lambda: case("mf-gp-ucb", sb.gp.MaternInTime(20.0), starts=4))


@pytest.mark.parametrize("method", ["random", "turbo"])
def test_every_method_plays_and_is_replayed(method: str) -> None:
    world = case(method, sb.Decay(0.1))
    optimizer = world.play(world.start(), 6)
    optimizer.add(0.2, world.added or {})
    again = Optimizer.replay(world.problem, [from_dict(Event, json.loads(bits(event))) for event in optimizer.events])
    assert bits(again.ask(time=90)) == bits(optimizer.ask(time=90))
    assert optimizer.recommend().why.startswith("as of time 90;")


def test_demand_that_moves_is_followed() -> None:
    def last(drift: Any) -> dict[str, float]:
        problem = fading(drift)
        optimizer = sb.Optimizer(problem, seed=1, notice_changes=False, starts=4)
        random = np.random.default_rng(1)
        for _ in range(30):
            suggestion = optimizer.ask()
            assert suggestion is not None
            optimizer.tell(suggestion, **evaluate(suggestion, random))
        found: dict[str, float] = optimizer.recommend().values["distribution"]["everyone"]
        return found

    followed = last(sb.gp.MaternInTime(20.0, 2.5))
    assert followed["c"] > 0.8


def test_with_what_is_seen_and_the_present_distribution() -> None:
    problem = fading(sb.Decay(0.05), variables=WEATHER, largest_move=0.4)
    optimizer = sb.Optimizer(problem, seed=1, starts=4)
    here = {"everyone": {"a": 0.25, "b": 0.25, "c": 0.25, "d": 0.25}}
    for t in range(8):
        seen = {"weather": 0.1 * t, "fair": "no"}
        suggestion = optimizer.ask(time=t, context=seen, current=here)
        assert suggestion is not None
        assert suggestion.context == seen
        optimizer.tell(suggestion, 0.1 * t)
    assert optimizer.recommend().why.count("as of time 7;") == 1
    step = optimizer.policy({"weather": 0.5, "fair": "no"}, time=12, current=here)
    assert set(step.context) == {"weather", "fair"}
    again = Optimizer.replay(problem, optimizer.events)
    assert bits(to_dict(again.recommend())) == bits(to_dict(optimizer.recommend()))


def test_what_is_wrong_is_refused_by_name() -> None:
    with pytest.raises(InvalidProblem, match=r"drift: 'learned' is not allowed.*noticed without it"):
        fading("learned")
    with pytest.raises(InvalidProblem, match=r"drift: .*sliding.* is not allowed"):
        fading(sb.gp.Sliding(9))
    with pytest.raises(InvalidProblem, match=r"variables\.time"):
        fading(sb.Decay(0.1), variables=(sb.Float("time", 0, 1, seen=True),))
    optimizer = sb.Optimizer(fading(sb.Decay(0.1)), "random")
    optimizer.ask(time=3)
    for time in (2, float("nan"), "late"):
        with pytest.raises(InvalidRequest, match="time"):
            optimizer.ask(time=time)  # type: ignore[arg-type]
    with pytest.raises(InvalidOutcome, match=r"realised\.time"):
        optimizer.add(0.2, {"distribution": {"everyone": {"a": 1.0}}, "time": float("inf")})
    with pytest.raises(InvalidRequest, match="time"):
        sb.Optimizer(fading(None)).ask(time=3)
    assert ("drift", "decay (epsilon 0.1)") in optimizer.describe()
