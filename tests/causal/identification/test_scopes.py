"""The graph of a scope, against networkx: its actions follow their contexts, and count as known where these are."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.causal import CausalGraph
from steerbo.causal.identification.scopes import MAX_STEPS, ScopedGraph, StepBudget, StepsEnded
from tests.causal.exact import Contexts, closure, random_graph, scope_graph
from tests.sizes import examples

FEW = settings(max_examples=examples(60), deadline=None, derandomize=True)


def a_scope(seed: int) -> tuple[np.random.Generator, CausalGraph, Contexts]:
    """Any actions with any contexts: some of these scopes have cycles."""
    random = np.random.default_rng(seed)
    graph = random_graph(random, 7, 3, density=random.choice([0.3, 0.5]))
    chosen = [x for x in graph.intervenable if random.random() < 0.8]
    return random, graph, {x: tuple(c for c in graph.contexts or () if random.random() < 0.5) for x in chosen}


@FEW
@given(st.integers(0, 10**6))
def test_causes_and_cycles_are_those_of_the_drawn_graph(seed: int) -> None:
    _, graph, scope = a_scope(seed)
    scoped, drawn = ScopedGraph.of(graph, scope.items()), scope_graph(graph, scope)
    assert scoped.acyclic == nx.is_directed_acyclic_graph(drawn)
    for name in graph.names:
        below = set(graph.named(scoped.graph.descendants(graph.mask([name]))))
        assert below == {name, *nx.descendants(drawn, name)} & set(graph.names)


@FEW
@given(st.integers(0, 10**6))
def test_separation_without_an_action_counts_what_follows_from_what_is_known(seed: int) -> None:
    random, graph, scope = a_scope(seed)
    scoped, drawn = ScopedGraph.of(graph, scope.items()), scope_graph(graph, scope)
    if not nx.is_directed_acyclic_graph(drawn):
        return
    for x in scope:
        alone, masks = drawn.copy(), scoped.without(graph.index(x))
        alone.remove_node(x)
        rest = {a: seen for a, seen in scope.items() if a != x}
        for c in graph.contexts or ():
            seen = {other for other in graph.contexts or () if other != c and random.random() < 0.5}
            known = closure(rest, seen) - {graph.target}
            apart = nx.is_d_separator(alone, {c}, {graph.target}, known)
            assert masks.separated(graph.index(c), graph.index(graph.target), graph.mask(seen)) == apart


@FEW
@given(st.integers(0, 10**6))
def test_an_action_may_look_at_what_it_does_not_affect(seed: int) -> None:
    _, graph, scope = a_scope(seed)
    scoped, drawn = ScopedGraph.of(graph, scope.items()), scope_graph(graph, scope)
    contexts = graph.contexts or ()
    for x in scope:
        found = scoped.admissible(graph.index(x), graph.mask(contexts))
        assert set(graph.named(found)) == set(contexts) - nx.descendants(drawn, x)


@pytest.mark.parametrize(("seen", "acyclic"), [(("c",), True), (("z",), False)])
def test_an_action_that_affects_what_it_looks_at_makes_a_cycle(seen: tuple[str, ...], acyclic: bool) -> None:
    graph = CausalGraph.from_text("c -> x -> z -> y; c -> y", target="y", intervenable=["x"])
    assert ScopedGraph.of(graph, [("x", seen)]).acyclic == acyclic


@pytest.mark.parametrize("left", [0, 1, 7])
def test_there_are_so_many_steps_and_not_one_more(left: int) -> None:
    effort = StepBudget(left)
    for _ in range(left):
        effort.step()
    for _ in range(2):
        with pytest.raises(StepsEnded):
            effort.step()


def test_every_enumeration_has_its_own() -> None:
    one, other = StepBudget(), StepBudget()
    one.step()
    assert (one.left, other.left) == (MAX_STEPS - 1, MAX_STEPS)
