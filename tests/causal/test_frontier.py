"""How much a scope gives for how much money."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal.frontier import Offer, cheapest, edge, offer
from steerbo.causal.worth import Worth

GRAPH = sb.CausalGraph.from_text("blood -> y; dose -> y", target="y", intervenable=["dose"])


def worths(price: Any) -> list[Worth]:
    """After thirty plays of which dose helps how much: what helps best is the blood's own value."""
    problem = sb.Causal(
        GRAPH, [sb.Float("dose", 0, 1), sb.Float("blood", 0, 1)], prices={"dose": price, "blood": 1}, base=1
    )
    optimizer, random = sb.Optimizer(problem, seed=0, initial=15), np.random.default_rng(0)
    for _ in range(30):
        suggestion, blood = optimizer.ask(), float(random.random())
        assert suggestion is not None
        if suggestion.observe:
            suggestion = optimizer.decide(suggestion, {"blood": blood})
        value = -((suggestion.values.get("dose", 0.0) - blood) ** 2)
        optimizer.tell(suggestion, value, realised={"blood": blood})
    method: Any = optimizer._state.method
    found = list(method.worths(optimizer.history, range(len(method.arms)), {}))
    return [worth for worth in found if worth.arm.actions]


def reaches(least: float, found: Offer) -> bool:
    return found.bound >= least


def test_the_dearer_a_unit_of_money_the_cheaper_and_the_less() -> None:
    for worth in worths("4 * dose"):
        offers = [offer(worth, 0.0, 50, rate) for rate in (0.0, 0.02, 0.1, 0.5, 10.0)]
        prices, bounds = [each.price for each in offers], [each.bound for each in offers]
        assert prices == sorted(prices, reverse=True)
        assert bounds == sorted(bounds, reverse=True)
        assert prices[-1] == worth.fixed, "nothing is set at last"


def test_the_cheapest_that_is_enough() -> None:
    """Where blood is looked at, a loss of .02 is best had where the dose is highest: brute force over what is tried."""
    for worth in worths("4 * dose"):
        best = offer(worth, 0.0, 50)
        wanted = partial(reaches, best.bound - 0.02)
        found = cheapest(worth, 0.0, 50, wanted)
        assert best.bound - 0.02 <= found.bound < best.bound - 0.005
        assert found.price < best.price - 0.3
        last, after = edge(worth, 0.0, 50, wanted)
        assert after is not None
        assert after.bound < best.bound - 0.02 <= last.bound
        assert after.price == pytest.approx(last.price, abs=0.2)


def test_where_nothing_is_enough_or_nothing_varies_it_is_the_first() -> None:
    for worth in worths("4 * dose"):
        first = offer(worth, 0.0, 50)
        assert cheapest(worth, 0.0, 50, lambda each: False) == first
        assert edge(worth, 0.0, 50, lambda each: True)[1] is None
    for worth in worths(2.0):
        assert cheapest(worth, 0.0, 50, lambda each: True) == offer(worth, 0.0, 50)
        assert offer(worth, 0.0, 50).price == worth.fixed


def test_what_is_recommended_is_what_is_set() -> None:
    """Also where at the rate that money has another hill, cheaper and not good enough, is as good."""

    def value(dose: float) -> float:
        return float(0.6 * np.exp(-(((dose - 0.2) / 0.1) ** 2)) + np.exp(-(((dose - 1.0) / 0.12) ** 2)))

    graph = sb.CausalGraph.from_text("dose -> y", target="y", intervenable=["dose"])
    problem = sb.Causal(
        graph, [sb.Float("dose", 0, 1)], prices={"dose": "4 * dose"}, base=1, tolerance=sb.Absolute(0.1)
    )
    optimizer = sb.Optimizer(problem, seed=0, initial=1)
    for dose in np.linspace(0, 1, 21):
        optimizer.add(value(dose), realised={"dose": dose})
    for _ in range(4):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, value(suggestion.values.get("dose", 0.0)))
    advice = optimizer.recommend()
    assert value(advice.values["dose"]) >= 0.89
    assert advice.cost == pytest.approx(1 + 4 * advice.values["dose"], abs=0.1)
    assert advice.mean == pytest.approx(value(advice.values["dose"]), abs=0.03)
