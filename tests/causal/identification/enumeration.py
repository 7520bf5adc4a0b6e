"""What the enumeration of scopes is measured on and against: brute force by the rules, and random sparse graphs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np

from steerbo.causal import CausalGraph
from steerbo.causal.graphs.dag import bits, mask_of
from steerbo.causal.identification.scopes import ScopedGraph


def brute_force(graph: CausalGraph) -> Iterator[dict[int, int]]:
    """Every scope tried against rules A, B and C, on the same bit masks as ours."""
    base, target = graph.masks, graph.index(graph.target)
    seen = [graph.index(name) for name in graph.contexts or ()]
    every = mask_of(seen)
    subsets = [mask_of(chosen) for k in range(len(seen) + 1) for chosen in combinations(seen, k)]
    actions = [graph.index(name) for name in graph.intervenable]
    for choice in product([None, *subsets], repeat=len(actions)):
        scope = {x: looked for x, looked in zip(actions, choice, strict=True) if looked is not None}
        scoped = ScopedGraph.by_nodes(base, scope)
        if not scoped.acyclic or mask_of(scope) & ~scoped.graph.ancestors(1 << target):
            continue
        for x, looked in scope.items():
            alone = scoped.without(x)
            if any(alone.separated(c, target, looked & ~(1 << c)) for c in bits(looked)):
                break
            if alone.reached(1 << target, looked) & scoped.admissible(x, every) & ~looked:
                break
        else:
            yield scope


def sparse(seed: int, nodes: int = 60, actions: int = 12, degree: float = 2.0) -> CausalGraph:
    """A random sparse graph: each variable has `degree` neighbours on average, and half as many confounders as that."""
    random = np.random.default_rng(seed)
    names = [f"v{i}" for i in range(nodes)]
    pairs = list(combinations(names, 2))
    directed = [pair for pair in pairs if random.random() < degree / nodes]
    bidirected = [pair for pair in pairs if random.random() < degree / (4 * nodes)]
    chosen = [str(x) for x in random.choice(names[:-1], actions, replace=False)]
    return CausalGraph(directed, bidirected, target=names[-1], intervenable=chosen, variables=names)
