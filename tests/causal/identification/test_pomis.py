"""Intervention sets without contexts."""

from __future__ import annotations

from collections.abc import Sequence

from steerbo.causal import CausalGraph, intervention_sets
from tests.causal.published import PSA
from tests.causal.random_graphs import random_graphs


def test_intervention_sets_are_borders_after_every_set_of_interventions() -> None:
    """POMIS by their definition: for every set of actions, the border of the confounded territory that is left."""
    assert intervention_sets(PSA) == ((), ("aspirin",), ("statin",), ("aspirin", "statin"))
    for _, graph in random_graphs(150, 40_000):
        small = graph.projected((*graph.intervenable, graph.target))
        borders = {_border(small, chosen) for chosen in _subsets(graph.intervenable)}
        assert {frozenset(names) for names in intervention_sets(graph)} == borders, graph.to_text()


def _subsets(names: Sequence[str]) -> list[set[str]]:
    return [{x for i, x in enumerate(names) if k >> i & 1} for k in range(2 ** len(names))]


def _border(graph: CausalGraph, cut: set[str]) -> frozenset[str]:
    directed = [(a, b) for a, b in graph.directed if b not in cut]
    bidirected = [(a, b) for a, b in graph.bidirected if a not in cut and b not in cut]
    left = CausalGraph(directed, bidirected, target=graph.target, intervenable=(), variables=graph.names)
    causes = set(left.ancestors([graph.target]))
    directed = [e for e in directed if set(e) <= causes]
    bidirected = [e for e in bidirected if set(e) <= causes]
    within = CausalGraph(
        directed, bidirected, target=graph.target, intervenable=(), variables=[n for n in graph.names if n in causes]
    )
    territory, before = {graph.target}, set[str]()
    while territory != before:
        before = set(territory)
        for pair in within.bidirected:
            if territory & set(pair):
                territory |= set(pair)
        territory |= set(within.descendants(territory))
    return frozenset(a for a, b in directed if b in territory) - territory
