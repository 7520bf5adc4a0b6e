"""Scopes with prices: who shares a model, what a scope is worth that does not look, and the cheapest that is enough."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from benchmarks.traits.priced_worlds import World, world


def play(
    of: World, optimizer: sb.Optimizer, rounds: int = 10_000, measured: bool = True, seed: int = 900
) -> sb.Optimizer:
    """So many rounds more, or as many as the money lasts."""
    for _ in range(rounds):
        number = len(optimizer.history) + 1
        suggestion = optimizer.ask()
        if suggestion is None:
            break
        unit, noise = of.unit(seed, number)
        natural = of.nature(unit, {})
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, {name: float(natural[name][0]) for name in suggestion.observe})
        happened = of.nature(unit, {name: np.array([value]) for name, value in suggestion.values.items()})
        realised = {name: float(happened[name][0]) for name in of.problem.graph.contexts or ()} if measured else {}
        optimizer.tell(suggestion, float(happened["y"][0]) + noise, realised=realised)
    return optimizer


def _floats(names: str) -> list[sb.Float]:
    return [sb.Float(name, 0, 1) for name in names.split()]


# -- what is found -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "price"), [("looks", 2.0), ("chain", 2.0)])
def test_the_cheapest_scope_that_is_good_enough(name: str, price: float) -> None:
    """A cheap look in the place of a dear one, an early cause in the place of a dear late one."""
    of = world(name)
    optimizer = play(of, sb.Optimizer(of.problem, budget=75, seed=1))
    advice: Any = optimizer.recommend()
    assert advice.cost == price
    assert advice.mean is not None
    assert advice.table is None or len(advice.table.rows) > 5
    assert of.worth(advice.scope, advice.act, 32) > -of.tolerance
    assert {other.cost for other in advice.alternatives} > {1.0}
    shares = [played.suggestion.scope.price or 0 for played in optimizer.history]
    assert np.mean(shares[20:]) < 3.0  # of up to 7


def test_what_does_not_look_reads_nothing_of_it() -> None:
    looks = world("looks")
    optimizer = play(looks, sb.Optimizer(looks.problem, seed=0), 30)
    method: Any = optimizer._state.method
    for i, arm in enumerate(method.arms):
        act = method.greedy(optimizer.history, i, {})
        seen: Mapping[str, Any] = {"lab": 0.5, "quick": 0.4}
        others = {name: -0.9 for name in seen if name not in arm.contexts}
        assert act(seen) == act({**seen, **others})


def test_pending_rounds_count_though_their_contexts_are_not_measured() -> None:
    looks = world("looks")
    optimizer = play(looks, sb.Optimizer(looks.problem, seed=0, initial=3), 14)
    batch = optimizer.ask(batch=4)
    assert isinstance(batch, list)
    set_to = [s.values["x"] for s in batch if s.values]
    assert len(set(set_to)) == len(set_to)
    again = sb.Optimizer.replay(optimizer.problem, optimizer.events)
    assert again.ask() == optimizer.ask()


def test_a_restart_between_looking_and_acting() -> None:
    looks = world("looks")
    optimizer = play(looks, sb.Optimizer(looks.problem, seed=0), 40)
    while not (suggestion := optimizer.ask()).observe:
        optimizer.abandon(suggestion)
    again = sb.Optimizer.replay(optimizer.problem, optimizer.events)
    seen = dict.fromkeys(suggestion.observe, 0.25)
    assert again.decide(suggestion.token, seen) == optimizer.decide(suggestion, seen)


def test_smaller_may_be_better_and_a_threshold_out_of_reach() -> None:
    chain = world("chain")
    problem = sb.Causal(
        chain.problem.graph,
        chain.problem.variables,
        minimize=True,
        prices=chain.problem.prices,
        base=1,
        tolerance=sb.Threshold(-1e6),
    )
    optimizer = play(chain, sb.Optimizer(problem, seed=0, budget=60))
    best = optimizer.recommend()
    means = [row.mean for row in (best, *best.alternatives) if row.mean is not None]
    assert best.mean == min(means)
    assert "good enough is at most" in best.note


def test_prices_where_something_is_seen_before_choosing() -> None:
    graph = sb.CausalGraph.from_text("wind -> flap -> y; wind -> y; lab -> y", target="y", intervenable=["flap"])
    variables = [sb.Float("flap", 0, 1), sb.Float("lab", 0, 1), sb.Float("wind", 0, 1, seen=True)]
    problem = sb.Causal(graph, variables, prices={"flap": 1.0, "lab": 3.0}, base=1, tolerance=sb.Absolute(0.05))
    optimizer, random = sb.Optimizer(problem, seed=0), np.random.default_rng(0)
    for _ in range(30):
        wind, lab = random.random(2)
        suggestion = optimizer.ask(context={"wind": wind})
        assert suggestion is not None
        if suggestion.observe:
            suggestion = optimizer.decide(suggestion, {"lab": lab})
        flap = suggestion.values.get("flap", wind)
        value = -((flap - 1.5 * wind + 0.2) ** 2) + 0.02 * random.normal()
        optimizer.tell(suggestion, value, realised={"lab": lab})
    assert optimizer.policy({"wind": 0.4}).scope.price in (1.0, 2.0), "0.4 without setting, which is as good there"
    rows = (optimizer.recommend(), *optimizer.recommend().alternatives)
    assert all(row.cost in (1.0, 2.0) and set(row.context) == {"wind"} for row in rows)


def test_without_prices_a_round_is_what_is_paid() -> None:
    chain = world("chain")
    problem = sb.Causal(chain.problem.graph, chain.problem.variables)
    optimizer = play(chain, sb.Optimizer(problem, "cheap-first", seed=0), 15)
    assert optimizer.recommend().cost is None
    assert sb.Optimizer(problem).events[0].method == "coca-bo"  # type: ignore[union-attr]
    assert sb.Optimizer(chain.problem).events[0].method == "cheap-first"  # type: ignore[union-attr]


def test_it_says_prices_in_words() -> None:
    chain = world("chain")
    optimizer = play(chain, sb.Optimizer(chain.problem, seed=0), 25)
    table = optimizer.explain().tables[0]
    assert table.columns == ("scope", "plays", "price", "at best")
    assert dict(zip(table.columns, table.rows[0], strict=True))["price"] == 1.0
    assert ("prices", "1 a round, 1 to set x, 5 to set z, 1 to look at c") in chain.problem.describe()
    method: Any = optimizer._state.method
    assert ("scope", "set x after looking at c; 3 a play") in method.describe()


def test_several_graphs_with_prices() -> None:
    """What is left out by no graph is kept; a context that some graph calls affected is no column of others."""
    one = sb.CausalGraph.from_text("c -> x -> y; c -> y", target="y", intervenable=["x"])
    other = sb.CausalGraph.from_text("x -> c; x -> y; c -> y", target="y", intervenable=["x"])
    problem = sb.Causal(variables=_floats("x c"), graphs=[one, other], prices={"x": 1.0, "c": 1.0}, base=1)
    optimizer = sb.Optimizer(problem, seed=0, budget=30)
    method: Any = optimizer._state.method
    assert {str(arm.scope) for arm in method.arms} >= {"nothing", "x", "x after looking at c"}
    assert all(not arm.beside for arm in method.arms if arm.actions)
    while (suggestion := optimizer.ask()) is not None:
        if suggestion.observe:
            suggestion = optimizer.decide(suggestion, {"c": 0.5})
        optimizer.tell(suggestion, suggestion.values.get("x", 0.0), realised={"c": 0.5})
    assert optimizer.recommend().scope.set == ("x",)
