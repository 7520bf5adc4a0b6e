"""Whether a price-aware pruning leaves out too much: ``python -m tests.causal.priced_pairs [pairs]``.

Graphs, prices and exact binary models are drawn. For every scope there is, in every model, a scope that is kept must be
as good and no dearer.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from steerbo.causal import CausalGraph
from steerbo.causal.priced_dominance import worth_their_price

from .exact import BinaryModel, Contexts, all_scopes, random_graph

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
    kept = [{x: tuple(seen) for x, seen in scope.actions} for scope in worth_their_price(graph, prices)]
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
