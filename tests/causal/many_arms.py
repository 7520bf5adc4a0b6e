"""Random graphs that want many first plays, with random mechanisms: sines and products of causes, hidden causes."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from partial_control_bench.causal.scm import Mechanism, StructuralCausalModel, Values
from steerbo.causal import CausalGraph, policy_scopes

MOST_ARMS, WANTED = 45, 150  # arms at most, and first plays at least


def graph_of(seed: int, nodes: int = 20, actions: int = 5) -> CausalGraph:
    """The first random graph, drawn from this seed on, with enough scopes to choose among."""
    random = np.random.default_rng(seed)
    names = [f"v{i}" for i in range(nodes)]
    while True:
        directed = [pair for pair in combinations(names, 2) if random.random() < 0.25]
        hidden = [pair for pair in combinations(names, 2) if random.random() < 0.1]
        chosen = [str(name) for name in random.choice(names[:-1], actions, replace=False)]
        graph = CausalGraph(directed, hidden, target=names[-1], intervenable=chosen, variables=names)
        scopes = policy_scopes(graph)
        if len(scopes) <= MOST_ARMS and sum(1 + len(s.set) + len(s.contexts) for s in scopes) >= WANTED:
            return graph


def model_of(graph: CausalGraph, seed: int) -> StructuralCausalModel:
    """Every variable lies within (−1, 1): a squashed sum of sines of its causes, products of two, and noise."""
    random = np.random.default_rng((seed, 1))
    mechanisms: dict[str, Mechanism] = {}
    for a, b in graph.bidirected:
        mechanisms[f"{a} <-> {b}"] = lambda v, r, n: r.uniform(-1, 1, n)
    for name in graph.names:
        above = [*graph.parents(name), *(edge for edge in mechanisms if name in edge.split(" <-> "))]
        sines = [(p, *random.uniform(-2, 2, 2)) for p in above]
        products = [(a, b, random.uniform(-2, 2)) for a, b in combinations(above, 2) if random.random() < 0.5]

        def mechanism(
            v: Values, r: np.random.Generator, n: int, sines: Any = sines, products: Any = products
        ) -> np.ndarray:
            total = r.normal(0, 0.3, n)
            for p, rate, phase in sines:
                total = total + np.sin(2 * rate * v[p] + phase)
            for a, b, weight in products:
                total = total + weight * v[a] * v[b]
            return np.asarray(np.tanh(total / np.sqrt(1 + len(sines) + len(products))))

        mechanisms[name] = mechanism
    return StructuralCausalModel(graph, mechanisms)
