"""Scopes that keep the published rules: those that brute force finds, in order, within the effort there is."""

from __future__ import annotations

import pytest

from benchmarks.causal.enumeration import brute_force
from steerbo.causal import CausalGraph
from steerbo.causal.published import published
from steerbo.causal.rules import fault
from steerbo.causal.step_limit import Effort
from steerbo.core import Scope
from steerbo.errors import InvalidProblem
from tests.causal.test_scopes import found, plain, random_graphs

from .exact import all_scopes, keeps_rules


def test_published_scopes_are_those_that_brute_force_finds() -> None:
    for _, graph in random_graphs(120, 0):
        every = [scope for scope in all_scopes(graph) if keeps_rules(graph, scope)]
        assert found(graph, "published") == plain(every), graph.to_text()
    for _, graph in random_graphs(400, 10_000):
        names = graph.names
        quick = [{names[x]: graph.named(seen) for x, seen in scope.items()} for scope in brute_force(graph)]
        assert found(graph, "published") == plain(quick), graph.to_text()


def test_the_smallest_come_first_and_each_comes_once() -> None:
    for _, graph in random_graphs(60, 60_000):
        scopes = published(graph)
        sizes = [len(scope.set) for scope in scopes]
        assert sizes == sorted(sizes)
        assert len(set(scopes)) == len(scopes)
        assert scopes[0] == Scope(), "nature alone keeps all rules"
        assert not any(fault(graph, scope) for scope in scopes)


def test_what_affects_nothing_is_never_set() -> None:
    graph = CausalGraph.from_text("c -> x -> y; c -> y; y -> late", target="y", intervenable=["x", "late"])
    assert published(graph) == (Scope(), Scope.of({"x": ["c"]}))


def test_its_steps_are_counted() -> None:
    graph = CausalGraph.from_text("c -> x -> y; c -> y", target="y", intervenable=["x"])
    effort = Effort()
    published(graph, effort)
    used = Effort().left - effort.left
    assert used == 2, "one for each set of actions, where nothing is left to choose"
    with pytest.raises(InvalidProblem, match="limit"):
        published(graph, Effort(used - 1))
