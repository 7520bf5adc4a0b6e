"""What is seen before choosing is a restriction of what is available, on sites and on boxes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo import Categorical, Decay, Float, Integer, Prior, TimeVarying
from steerbo.core import Suggestion
from steerbo.errors import InvalidRequest
from steerbo.testing import Case, SeenContract, TraitContract
from steerbo.timevarying import SquaredExponential
from tests.timevarying.cases import request


def priors(*others: float) -> list[Prior]:
    """Two opinions on x, the first variable; the others' lengthscales are known."""
    return [
        Prior(SquaredExponential([ell, *others]), 0.0, Decay(0.02), 0.1, name=f"wave of {ell}") for ell in (0.15, 0.5)
    ]


def sites() -> TimeVarying:
    load = Integer("load", 0, 2, seen=True)
    return TimeVarying([Float("x", 0, 1, step=0.1), load, Categorical("mode", ["a", "b"])], priors(1.0, 1.0))


def box() -> TimeVarying:
    return TimeVarying([Float("x", 0, 1), Float("weather", 0, 1, seen=True), Integer("n", 0, 2)], priors(0.4, 2.0))


def asked_with(number: int) -> dict[str, Any]:
    """The time, and the load or the weather."""
    return {**request(number), "context": {"load": number % 3}}


def asked_in_weather(number: int) -> dict[str, Any]:
    return {**request(number), "context": {"weather": round(number * 0.618 % 1, 3)}}


def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """Best where x is like what is seen."""
    x = {**suggestion.values, **suggestion.context}
    wanted = x["load"] / 2 if "load" in x else x["weather"]
    return {"value": 1 - 4 * (x["x"] - wanted) ** 2 + 0.1 * math.sin(suggestion.round) + 0.05 * random.normal()}


def case(problem: TimeVarying, method: str, **options: Any) -> Case:
    if "load" in problem.space:
        added, asks = {"x": 0.4, "mode": "b", "load": 1, "time": 1.5}, asked_with
    else:
        added, asks = {"x": 0.4, "n": 1, "weather": 0.2, "time": 1.5}, asked_in_weather
    return Case(problem, method, evaluate, request=asks, added=added, options=options, rounds=7)


class TestSites(SeenContract, TraitContract):
    @staticmethod
    def case() -> Case:
        return case(sites(), "tempered-elimination")


@pytest.mark.parametrize("method", ["prior-elimination", "switching-elimination", "fully-bayesian", "regret-balancing"])
class TestOthers(SeenContract):
    @pytest.fixture
    def world(self, method: str) -> Case:
        return case(sites(), method)


class TestBox(SeenContract):
    @staticmethod
    def case() -> Case:
        return case(box(), "tempered-elimination")


class TestWindowOnABox(SeenContract):
    @staticmethod
    def case() -> Case:
        return case(box(), "sw-gp-ucb", prior=0, window=5)


@pytest.mark.parametrize("problem", [sites(), box()], ids=["sites", "box"])
def test_what_is_best_follows_what_is_seen(problem: TimeVarying) -> None:
    world = case(problem, "tempered-elimination", confidence=1.0)
    optimizer = world.play(world.start(), 40)
    for number in (1, 2, 3):
        context = world.request(number)["context"]
        wanted = context["load"] / 2 if "load" in context else context["weather"]
        assert abs(optimizer.policy(context).values["x"] - wanted) < 0.2


def test_what_is_available_is_said_of_what_can_be_set() -> None:
    optimizer = sb.Optimizer(sites(), seed=0)
    for number in range(4):
        rows = [{"x": 0.1, "mode": "a"}, (0.9, "b")]
        suggestion = optimizer.ask(context={"load": number % 3}, available=rows)
        assert suggestion is not None
        assert tuple(suggestion.values.values()) in {(0.1, "a"), (0.9, "b")}
        optimizer.tell(suggestion, 1.0)
    mask = [False] * 21 + [True]
    suggestion = optimizer.ask(context={"load": 2}, available=mask)
    assert suggestion is not None
    assert suggestion.values == {"x": 1.0, "mode": "b"}
    with pytest.raises(InvalidRequest, match="22 truth values"):
        optimizer.ask(context={"load": 2}, available=[True] * 66)
    with pytest.raises(InvalidRequest, match="load"):
        optimizer.ask(context={"load": 2}, available=[{"x": 0.1, "mode": "a", "load": 1}])


def test_bounds_and_points_on_a_box_keep_what_is_seen() -> None:
    optimizer = sb.Optimizer(box(), seed=0)
    suggestion = optimizer.ask(context={"weather": 1.3}, available={"x": (0.2, 0.3)})
    assert suggestion is not None
    assert 0.2 <= suggestion.values["x"] <= 0.3
    assert suggestion.context == {"weather": 1.3}, "measured beyond its range, and kept"
    optimizer.tell(suggestion, 1.0)
    points = optimizer.ask(context={"weather": 0.5}, available=[{"x": 0.7, "n": 2}])
    assert points is not None
    assert points.values == {"x": 0.7, "n": 2}
    with pytest.raises(InvalidRequest, match="weather"):
        optimizer.ask(context={"weather": 0.5}, available={"weather": (0, 1)})


def test_a_load_between_sites_counts_as_the_nearest() -> None:
    problem = TimeVarying([Float("load", 0, 1, step=0.5, seen=True), Float("x", 0, 1, step=0.25)], priors(0.3))
    optimizer = sb.Optimizer(problem, seed=0)
    suggestion = optimizer.ask(context={"load": 0.6})
    assert suggestion is not None
    optimizer.tell(suggestion, 1.0)
    assert optimizer.history[suggestion.token].realised["load"] == 0.6
