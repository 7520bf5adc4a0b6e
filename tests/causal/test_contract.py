"""Every method of the wing keeps the round protocol, on a graph with one look and on one with two."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.causal.problems import FIGURE_1
from steerbo.causal import Causal, CausalGraph
from steerbo.core import Suggestion
from steerbo.core.tolerance import Absolute
from steerbo.errors import OutOfRangeWarning
from steerbo.space import Categorical, Float
from steerbo.testing import Case, WingContract

STAGED = CausalGraph.from_text(
    "age -> dose -> pulse -> rest -> y; age -> y; pulse -> y",
    target="y",
    intervenable=["dose", "rest"],
)


def look(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """Contexts drawn by nature; the pulse follows the dose."""
    drawn: dict[str, Any] = {"age": str(random.choice(["young", "old"])), "c": random.uniform(-1, 1)}
    drawn["pulse"] = suggestion.values.get("dose", 0.5) + 0.1 * random.random()
    return {name: drawn[name] for name in suggestion.observe}


def evaluate(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
    """Something smooth in whatever was set and seen."""
    numbers = [v for v in (*suggestion.values.values(), *suggestion.context.values()) if isinstance(v, float)]
    return {"value": float(sum(np.cos(3 * (v - 0.3)) for v in numbers) + 0.05 * random.normal())}


def figure(method: str, **options: Any) -> Case:
    problem = Causal(FIGURE_1, (Float("x1", -1, 1), Float("x2", -1, 1), Float("c", -1, 1)))
    return Case(problem, method, evaluate, look, added={"x1": 0.1, "x2": 0.3, "c": -0.2}, options=options, rounds=7)


def staged(method: str, **options: Any) -> Case:
    variables = (Float("dose", 0, 1), Float("rest", 0, 1), Categorical("age", ["young", "old"]), Float("pulse", 0, 1))
    added = {"dose": 0.5, "rest": 0.3, "age": "old", "pulse": 0.5}
    return Case(
        Causal(STAGED, variables, minimize=True), method, evaluate, look, added=added, options=options, rounds=8
    )


class TestCoCaBO(WingContract):
    case = staticmethod(lambda: figure("coca-bo", initial=2))


class TestPaperRule(WingContract):
    case = staticmethod(lambda: figure("coca-bo", arm_rule="ucb-mean", warp=True, transform="yeo-johnson", initial=2))


class TestTwoLooks(WingContract):
    case = staticmethod(lambda: staged("coca-bo", arm_rule="reward-mean", initial=2))


def priced(
    graph: CausalGraph, names: tuple[str, ...], prices: dict[str, float], method: str = "cheap-first", **options: Any
) -> Case:
    """With contexts measured afterwards, whether they were looked at or not."""
    variables = [Categorical(n, ["young", "old"]) if n == "age" else Float(n, -1, 1) for n in names]

    def measured(suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        drawn: dict[str, Any] = {n: "old" if n == "age" else float(random.uniform(-1, 1)) for n in names}
        known = drawn | suggestion.context | suggestion.values
        return evaluate(suggestion, random) | {"realised": {name: known[name] for name in names}}

    problem = Causal(graph, variables, prices=prices, base=1, tolerance=Absolute(0.2))
    added: dict[str, Any] = {name: "old" if name == "age" else 0.4 for name in names}
    return Case(problem, method, measured, look, added=added, options=options, rounds=9)


class TestPrices(WingContract):
    case = staticmethod(lambda: priced(FIGURE_1, ("x1", "x2", "c"), {"x1": 1, "x2": 2, "c": 0.5}, initial=1))


class TestPricesInStages(WingContract):
    """What is set affects what is looked at, and different actions see different things."""

    case = staticmethod(lambda: priced(STAGED, ("dose", "rest", "age", "pulse"), {"dose": 1, "pulse": 0.5}, initial=1))


class TestPricesNotMeasured(WingContract):
    """Contexts that are not looked at are not measured either."""

    case = staticmethod(
        lambda: Case(
            Causal(FIGURE_1, [Float(n, -1, 1) for n in ("x1", "x2", "c")], prices={"x1": 1, "c": 2}, base=1),
            "cheap-first",
            evaluate,
            look,
            added={"x1": 0.1, "x2": 0.3, "c": -0.2},
            options={"initial": 1},
            rounds=8,
        )
    )


class TestPricesBlind(WingContract):
    case = staticmethod(lambda: priced(FIGURE_1, ("x1", "x2", "c"), {"x1": 1, "c": 0.5}, "coca-bo", initial=2))


class TestCaBO(WingContract):
    case = staticmethod(lambda: figure("cabo", initial=1))


class TestCoBO(WingContract):
    case = staticmethod(lambda: staged("cobo", kernel="matern-3/2", initial=2))


class TestWithoutContext(WingContract):
    case = staticmethod(lambda: staged("coca-bo-no-context", initial=2))


class TestRandom(WingContract):
    case = staticmethod(lambda: figure("random"))


def test_there_are_two_looks() -> None:
    case = staged("coca-bo")
    optimizer = case.start()
    suggestion = optimizer.ask()
    assert suggestion is not None
    assert (suggestion.observe, set(suggestion.values)) == (("age",), set())
    suggestion = optimizer.decide(suggestion, {"age": "old"})
    assert (suggestion.observe, set(suggestion.values)) == (("pulse",), {"dose"})
    with pytest.warns(OutOfRangeWarning, match="pulse = 7"):  # far outside its box: welcome, and said
        suggestion = optimizer.decide(suggestion, {"pulse": 7.0})
    assert (suggestion.observe, set(suggestion.values)) == ((), {"dose", "rest"})


@pytest.mark.parametrize("confidence", ["fixed", "theory"])
def test_theory_is_wider(confidence: str) -> None:
    case = figure("coca-bo", confidence=confidence, arm_rule="ucb-mean", initial=1)
    table = case.play(case.start(), 8).explain().tables[0]
    margins = [row[table.columns.index("margin")] for row in table.rows]
    assert (min(margins) > 5) == (confidence == "theory")
