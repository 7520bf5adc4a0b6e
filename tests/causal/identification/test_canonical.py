"""Canonical scopes by exact values in random models: moving to them loses nothing, and the best is among them."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from steerbo.causal import CausalGraph
from steerbo.causal.graphs.dag import bits, mask_of
from steerbo.causal.identification._canonical import CanonicalScopes, Seen, _last_group
from steerbo.causal.identification.scopes import ScopedGraph, StepBudget, StepsEnded
from tests.causal.exact import BinaryModel, Contexts, all_scopes
from tests.causal.random_graphs import random_graphs


def actions(graph: CausalGraph, chosen: int, effort: StepBudget | None = None) -> CanonicalScopes:
    contexts = graph.mask(graph.contexts or ())
    return CanonicalScopes(graph.essence, graph.index(graph.target), contexts, chosen, effort or StepBudget())


def named(graph: CausalGraph, seen: Seen) -> Contexts:
    return {graph.names[x]: graph.named(looked) for x, looked in seen.items()}


def test_what_a_scope_is_moved_to_is_as_good_and_can_be_played() -> None:
    judged = gained = 0
    for random, graph in random_graphs(40, 40_000):
        model = BinaryModel.draw(graph, random)
        scopes = [scope for scope in all_scopes(graph) if len(scope) > 1] or list(all_scopes(graph))
        for k in random.choice(len(scopes), min(3, len(scopes)), replace=False):
            scope = scopes[int(k)]
            scoped = ScopedGraph.of(graph, scope.items())
            precedes = {x: scoped.graph.descendants(1 << x) for x in scoped.seen}
            forms = actions(graph, mask_of(scoped.seen)).canonical(precedes)
            assert all(ScopedGraph.by_nodes(graph.masks, form).acyclic for form in forms)
            assert all(form.keys() == scoped.seen.keys() for form in forms)
            value, best = model.value(scope), max(model.value(named(graph, form)) for form in forms)
            assert best >= value - 1e-9, (scope, graph.to_text())
            judged, gained = judged + 1, gained + (best > value + 1e-9)
    assert judged > 40
    assert gained > 10, "seeing more must be worth something now and then"


def test_the_best_of_all_scopes_is_essential_for_some_set_of_actions() -> None:
    for random, graph in random_graphs(40, 50_000):
        model = BinaryModel.draw(graph, random)
        able = [graph.index(name) for name in graph.intervenable]
        sets = [mask_of(some) for size in range(len(able) + 1) for some in combinations(able, size)]
        forms = [form for chosen in sets for form in actions(graph, chosen).essential()]
        best = max(map(model.value, all_scopes(graph)))
        assert max(model.value(named(graph, form)) for form in forms) == pytest.approx(best), graph.to_text()


def test_an_action_that_never_matters_makes_no_set_essential() -> None:
    graph = CausalGraph.from_text("c -> x -> y; c -> y; x2 -> a", target="y", intervenable=["x", "x2"])
    x, x2 = graph.index("x"), graph.index("x2")
    assert [named(graph, form) for form in actions(graph, 1 << x).essential()] == [{"x": ("c",)}]
    assert actions(graph, 1 << x | 1 << x2).essential() == []


def test_each_order_that_lets_somebody_see_more_has_its_scope() -> None:
    """Each action hides what the other one could use: whoever acts first sees it."""
    graph = CausalGraph.from_text(
        "x1 -> a; x2 -> b; a <-> y; b <-> y; x1 -> y; x2 -> y", target="y", intervenable=["x1", "x2"]
    )
    both = mask_of([graph.index("x1"), graph.index("x2")])
    found = {frozenset(named(graph, form).items()) for form in actions(graph, both).essential()}
    seen = [dict(form) for form in found]
    assert any("b" in form["x1"] for form in seen)
    assert any("a" in form["x2"] for form in seen)


def test_the_group_that_is_placed_last_is_the_smallest_that_nobody_else_must_come_after() -> None:
    """Against the strongly connected components of networkx."""
    for seed in range(60):
        random = np.random.default_rng(seed)
        nodes = [int(node) for node in random.permutation(9)[: random.integers(1, 7)]]
        after = {x: mask_of(y for y in nodes if y != x and random.random() < 0.25) for x in nodes}
        drawn = nx.DiGraph([(y, x) for x, wanted in after.items() for y in bits(wanted)])
        drawn.add_nodes_from(nodes)
        ends = [c for c in nx.strongly_connected_components(drawn) if not set(nx.node_boundary(drawn, c))]
        found = _last_group(after)
        assert set(found) in ends
        assert len(found) == min(map(len, ends))


def test_its_steps_are_counted() -> None:
    graph = CausalGraph.from_text("c -> x1 -> y; c -> x2 -> y; c -> y", target="y", intervenable=["x1", "x2"])
    both, effort = mask_of([graph.index("x1"), graph.index("x2")]), StepBudget()
    actions(graph, both, effort).essential()
    used = StepBudget().left - effort.left
    assert used >= 2
    actions(graph, both, StepBudget(used)).essential()
    with pytest.raises(StepsEnded):
        actions(graph, both, StepBudget(used - 1)).essential()
