"""Small cost-varying worlds for tests."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

import steerbo as sb
from steerbo.core import Optimizer, Suggestion, keyed
from steerbo.extending import Choice, Explanation, Method, Recommendation
from steerbo.records import record
from steerbo.testing import Case
from tests.sizes import FULL

PROBLEM = sb.CostVarying(
    variables=(
        sb.Float("temperature", 10, 35, law=sb.TruncatedNormal(22, 3), unit="°C"),
        sb.Float("ph", 4, 8, law=sb.Uniform()),
        sb.Integer("plants", 1, 4, law=sb.Uniform()),
        sb.Categorical("line", ("a", "b"), law=sb.space.Discrete({"a": 0.3, "b": 0.7})),
    ),
    control_sets=(("temperature",), ("ph", "line"), ("temperature", "ph", "plants", "line")),
)


SEEN = sb.CostVarying(
    variables=(
        *PROBLEM.variables,
        sb.Float("weather", 0, 30, seen=True, unit="°C"),
        sb.Categorical("seed", ("old", "new"), law=sb.Uniform(), seen=True),
    ),
    control_sets=PROBLEM.control_sets,
)
"""The same where it is known how warm it is outside and, but not always, which seed is sown."""


def sizes(small: tuple[int, int], full: tuple[int, int]) -> list[tuple[int, int]]:
    """Sizes of a statistical test: trials, and how many must succeed; at full size if STEERBO_TEST_FULL is set."""
    return [small, full] if FULL else [small]


def growth(x: dict[str, Any]) -> float:
    """Best at 25 °C, pH 6, three plants on line b."""
    heat, acid = (x["temperature"] - 25) / 10, (x["ph"] - 6) / 2
    return float(2 - heat**2 - acid**2 - 0.2 * (x["plants"] - 3) ** 2 + 0.3 * (x["line"] == "b"))


def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """Nature draws what was not set."""
    realised = dict(suggestion.values)
    for variable in PROBLEM.variables:
        u = np.array([random.random()])
        if variable.name not in realised:
            realised[variable.name] = variable.decode(variable.encoded_ppf(u))[0]
    cost = len(suggestion.values) * (1 + 0.1 * random.random())
    return {"value": growth(realised) + 0.05 * random.normal(), "cost": cost, "realised": realised}


def asked_with(number: int) -> dict[str, Any]:
    """The weather of a round, and in two of three the seed."""
    weather = {"weather": 5.0 + 7.0 * (number * 0.618 % 1) * 3}
    return {"context": {**weather, **({"seed": ("old", "new")[number % 2]} if number % 3 else {})}}


def evaluate_seen(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """The warmer outside, the less heat; old seed wants another ground."""
    outcome = evaluate(suggestion, random)
    x = {"seed": ("old", "new")[int(random.integers(2))], **suggestion.context}
    shifted = {**outcome["realised"], "temperature": outcome["realised"]["temperature"] + (x["weather"] - 15) / 3}
    shifted["ph"] += 0.8 * (x["seed"] == "old")
    value = growth(shifted) + 0.05 * random.normal()
    return {**outcome, "value": value, "realised": {**outcome["realised"], **x}}


def seen_case(method: str, **options: Any) -> Case:
    """The world in which something is seen before each choice."""
    added = {"temperature": 20.0, "ph": 5.0, "plants": 2, "line": "a", "weather": 11.0, "seed": "old"}
    return Case(SEEN, method, evaluate_seen, request=asked_with, added=added, options=options)


_HEAT = np.random.default_rng(7).normal(22, 3, 300).clip(10, 35)
ROWS = sb.CostVarying(
    variables=[dataclasses.replace(v, law=None) if v.name in ("temperature", "line") else v for v in PROBLEM.variables],
    control_sets=PROBLEM.control_sets,
    nature=sb.space.JointRows([[float(heat), "b" if heat > 23 else "a"] for heat in _HEAT], ["temperature", "line"]),
)
"""The same where line b runs when it is warm, as a log of three hundred days says."""


def evaluate_rows(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """Nature draws a day for what was not set."""
    outcome = evaluate(suggestion, random)
    heat, line = ROWS.nature.rows[int(random.integers(300))] if ROWS.nature else (22.0, "a")
    realised = {**outcome["realised"], "temperature": heat, "line": line, **suggestion.values}
    return {**outcome, "value": growth(realised) + 0.05 * random.normal(), "realised": realised}


def rows_case(method: str, **options: Any) -> Case:
    """The world in which nature draws two variables together."""
    added = {"temperature": 20.0, "ph": 5.0, "plants": 2, "line": "a"}
    return Case(ROWS, method, evaluate_rows, added=added, options=options)


DRIFTING = dataclasses.replace(PROBLEM, drift=sb.gp.MaternInTime(12.0))
LEARNED = dataclasses.replace(PROBLEM, drift="learned")
"""The same where the best temperature moves."""


def evaluate_drifting(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """Every round the plants want it a tenth of a degree warmer."""
    outcome = evaluate(suggestion, random)
    moved = {**outcome["realised"], "temperature": outcome["realised"]["temperature"] - 0.1 * suggestion.round}
    return {**outcome, "value": growth(moved) + 0.05 * random.normal()}


def clock(number: int) -> dict[str, Any]:
    """Now and then a week is left out, and two rounds are of one day."""
    return {"time": float(number + 7 * (number // 5) - (number % 4 == 1))}


def drifting_case(method: str, problem: sb.CostVarying = DRIFTING, rounds: int = 9, **options: Any) -> Case:
    """The world in which the optimum moves."""
    added = {"temperature": 20.0, "ph": 5.0, "plants": 2, "line": "a", "time": -3.5}
    return Case(problem, method, evaluate_drifting, request=clock, added=added, options=options, rounds=rounds)


GIVEN = sb.CostVarying(
    variables=[*ROWS.variables, *SEEN.variables[-2:]],
    control_sets=PROBLEM.control_sets,
    nature=sb.space.JointRows(
        [[float(heat), "b" if heat > 23 else "a", float(heat - 8)] for heat in _HEAT],
        ["temperature", "line", "weather"],
    ),
)
"""The same where the log has the weather outside, too, and that is seen before choosing."""


def evaluate_given(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """What is not set follows the weather."""
    outcome = evaluate_seen(suggestion, random)
    weather = suggestion.context.get("weather", 14.0)
    heat = float(np.clip(weather + 8 + random.normal(), 10, 35))
    realised = {**outcome["realised"], "temperature": heat, "line": "b" if heat > 23 else "a", **suggestion.values}
    told = {**realised, "weather": weather}
    return {**outcome, "value": growth(realised) + 0.05 * random.normal(), "realised": told}


def given_case(method: str, **options: Any) -> Case:
    """The world in which a log says what follows from what is seen."""
    added = {"temperature": 20.0, "ph": 5.0, "plants": 2, "line": "a", "weather": 11.0, "seed": "old"}
    return Case(GIVEN, method, evaluate_given, request=asked_with, added=added, options=options)


_LAWS: dict[str, Any] = {"temperature": sb.space.Learned(sb.Uniform(10, 20)), "ph": "learned", "line": "learned"}
LEARNED_LAWS = sb.CostVarying(
    variables=[dataclasses.replace(v, law=_LAWS[v.name]) if v.name in _LAWS else v for v in SEEN.variables],
    control_sets=PROBLEM.control_sets,
)
"""The same where nobody knows how the weather and the seed bring about what nature does, or is wrong about it."""


def learned_laws_case(method: str, **options: Any) -> Case:
    """The world in which nature's laws are learned."""
    added = {"temperature": 20.0, "ph": 5.0, "plants": 2, "line": "a", "weather": 11.0, "seed": "old"}
    return Case(LEARNED_LAWS, method, evaluate_seen, request=asked_with, added=added, options=options)


def case(method: str, **options: Any) -> Case:
    """The world with one method."""
    added = {"temperature": 20.0, "ph": 5.0, "plants": 2, "line": "a"}
    return Case(PROBLEM, method, evaluate, added=added, options=options)


OVEN = sb.CostVarying(
    [
        sb.Float("oven", 100, 200, law=sb.Uniform(), change=sb.SwitchingCost(fixed=5, per_unit=0.1)),
        sb.Float("speed", 0, 1, law=sb.Uniform()),
        sb.Float("feed", 0, 1, law=sb.Uniform()),
    ],
    [["speed", "feed"], ["oven", "speed"], ["oven", "speed", "feed"]],
    costs=[1, 2, 3],
)
"""Three control sets, of which two heat an oven at a price."""


def value_of(x: Mapping[str, float]) -> float:
    """Best at 150 °C, speed 0.3, feed 0.6."""
    return -(((x["oven"] - 150) / 50) ** 2) - (x["speed"] - 0.3) ** 2 - (x["feed"] - 0.6) ** 2


def prices_of(optimizer: sb.Optimizer) -> list[float]:
    """What each round costs, counted anew."""
    prices: list[float] = []
    before: Mapping[str, float] | None = None
    for played in optimizer.history:
        values = played.suggestion.values
        price = {"speed feed": 1.0, "oven speed": 2.0, "oven speed feed": 3.0}[" ".join(values)]
        if "oven" in values and before is not None and before.get("oven") != values["oven"]:
            price += 5 + (0.1 * abs(before["oven"] - values["oven"]) if "oven" in before else 0)
        prices.append(price)
        before = values
    return prices


@record
class Plays:
    """The values of each round."""

    plays: tuple[dict[str, Any], ...] = ()


class Scripted(Method[sb.CostVarying, Any]):
    """Plays what it is given."""

    name: ClassVar[str] = "scripted"
    solves: ClassVar[type] = sb.CostVarying
    Options: ClassVar[type[Any]] = Plays

    def choose(self, request: Mapping[str, Any]) -> Choice:
        values = self.options.plays[len(self.history)]
        scope = next(scope for scope in self.problem.scopes if set(scope.set) == set(values))
        return Choice(scope, values, expected_cost=scope.price)

    def recommend_at(self, context: Mapping[str, Any]) -> Recommendation:
        raise NotImplementedError

    def explain(self) -> Explanation:
        raise NotImplementedError


def play_on(optimizer: Optimizer, rounds: int, cost: float | None = None, shift: float = 0.0) -> Optimizer:
    """Play on; `cost` replaces the drawn one, `shift` is added to every value."""
    for _ in range(rounds):
        suggestion = optimizer.ask()
        assert suggestion is not None
        told = evaluate(suggestion, keyed(1, suggestion.round, "nature"))
        told["value"] += shift
        optimizer.tell(suggestion, **(told if cost is None else {**told, "cost": cost}))
    return optimizer


def notes(optimizer: Optimizer) -> list[dict[str, Any]]:
    """The note of every round, with the number of its control set."""
    return [{"set": PROBLEM.numbers[played.suggestion.scope], **played.suggestion.note} for played in optimizer.history]
