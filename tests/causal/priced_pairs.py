"""Whether a price-aware pruning leaves out too much: ``python -m tests.causal.priced_pairs [pairs]``.

Graphs, prices and exact binary models are drawn. For every scope there is, in every model, a scope that is kept must be
as good and no dearer.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from steerbo.causal import CausalGraph
from steerbo.causal.identification._dominance import worth_their_price
from tests.causal.exact import BinaryModel, Contexts, all_scopes, random_graph

_ROUNDING = 1e-9


class Judged(NamedTuple):
    """A graph with prices, and what was found in one model of it."""

    graph: CausalGraph
    prices: dict[str, float]
    pairs: int
    kept: int
    missed: list[Contexts]
    needed: bool
    """Whether the cheapest scope is not the best."""


def price(scope: Contexts, prices: Mapping[str, float]) -> float:
    """Of a scope: each action and each context once."""
    return math.fsum(prices[name] for name in {*scope, *(c for seen in scope.values() for c in seen)})


def judged(random: np.random.Generator, models: int = 4) -> Iterator[Judged]:
    """One graph at random with its prices, in some models."""
    actions = int(random.integers(1, 3))
    graph = random_graph(random, int(random.integers(actions + 2, 7)), actions, 0.5, 0.25)
    if len(graph.contexts or ()) > 3 or len(graph.bidirected) > 4:
        return
    names = (*graph.intervenable, *(graph.contexts or ()))
    prices = {name: float(random.choice([0.0, 1.0, 2.0, random.random()])) for name in names}
    kept = [{x: tuple(seen) for x, seen in scope.actions} for scope in worth_their_price(graph, prices).scopes]
    every = list(all_scopes(graph))
    for _ in range(models):
        model = BinaryModel.draw(graph, random)
        answers = [(model.value(scope), price(scope, prices)) for scope in kept]
        missed, best = [], -math.inf
        for scope in every:
            value, cost = model.value(scope), price(scope, prices)
            best = max(best, value)
            if not any(v >= value - _ROUNDING and p <= cost + _ROUNDING for v, p in answers):
                missed.append(scope)
        needed = best > max(v for v, p in answers if p <= min(p for _, p in answers)) + 1e-6
        yield Judged(graph, prices, len(every), len(kept), missed, needed)


def missed_where_prices_vary(random: np.random.Generator) -> tuple[int, list[tuple[CausalGraph, Contexts, Any]]]:
    """The same where some prices hang on the value that is set: how many pairs, and the scopes that were missed.

    At any worth of money no scope gives more, less what it costs, than all that are kept.
    """
    actions = int(random.integers(1, 3))
    graph = random_graph(random, int(random.integers(actions + 2, 6)), actions, 0.5, 0.25)
    if len(graph.contexts or ()) > 3 or len(graph.bidirected) > 4:
        return 0, []
    names = (*graph.intervenable, *(graph.contexts or ()))
    numbers = {name: float(random.choice([0.0, 1.0, random.random()])) for name in names}
    varying = [x for x in graph.intervenable if random.random() < 0.7]
    prices: dict[str, Any] = {**numbers, **dict.fromkeys(varying, "learned")}
    kept = [{x: tuple(seen) for x, seen in scope.actions} for scope in worth_their_price(graph, prices).scopes]
    pairs, missed = 0, []
    for _ in range(3):
        model, worth = BinaryModel.draw(graph, random), float(random.choice([0.03, 0.1, 0.3, 1.0]))
        money = {x: worth * random.choice([0.0, 1.0, random.random()], size=2) for x in varying}
        fixed = {name: 0.0 if name in varying else worth * number for name, number in numbers.items()}
        most = max(model.value(scope, money) - price(scope, fixed) for scope in kept)
        for scope in all_scopes(graph):
            pairs += 1
            if model.value(scope, money) - price(scope, fixed) > most + _ROUNDING:
                missed.append((graph, scope, prices))
    return pairs, missed


def main() -> None:
    """Print how many pairs were judged, and every one that was missed."""
    wanted, random = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, np.random.default_rng(0)
    pairs = models = missed = 0
    kept, every = [], []
    while pairs < wanted:
        for found in judged(random):
            pairs, models, missed = pairs + found.pairs, models + 1, missed + len(found.missed)
            kept.append(found.kept)
            every.append(found.pairs)
            for scope in found.missed:
                print(f"missed {scope} of {found.graph.to_text()} at {found.prices}")
    print(f"{pairs} pairs of a scope and a model, {models} models: {missed} without a kept scope as good and no dearer")
    print(f"kept {np.mean(kept):.1f} of {np.mean(every):.1f} scopes on average, at most {max(kept)}")


if __name__ == "__main__":
    main()
