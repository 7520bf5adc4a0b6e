"""Random causal graphs, and scopes in an order of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from steerbo.causal import CausalGraph, policy_scopes
from steerbo.causal.identification.enumeration import Mode
from tests.causal.exact import random_graph

Plain = list[list[tuple[str, tuple[str, ...]]]]


def plain(scopes: Any) -> Plain:
    """Scopes in an order of their own."""
    return sorted(sorted((x, tuple(sorted(seen))) for x, seen in scope.items()) for scope in scopes)


def found(graph: CausalGraph, mode: Mode = "pruned") -> Plain:
    return plain(dict(scope.actions) for scope in policy_scopes(graph, mode))


def random_graphs(count: int, start: int) -> list[tuple[np.random.Generator, CausalGraph]]:
    drawn = []
    for seed in range(start, start + count):
        random = np.random.default_rng(seed)
        nodes = int(random.integers(4, 7))
        actions = min(int(random.integers(1, 4)), nodes - 2)
        graph = random_graph(random, nodes, actions, random.choice([0.3, 0.5, 0.7]), random.choice([0.1, 0.2, 0.35]))
        if len(graph.contexts or ()) <= (3 if actions < 3 else 2) and len(graph.bidirected) <= 5:
            drawn.append((random, graph))
    return drawn
