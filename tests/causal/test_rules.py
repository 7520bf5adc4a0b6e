"""Rules A, B and C by brute force, and the witness that each is said with."""

from __future__ import annotations

import pytest

from steerbo.causal import CausalGraph
from steerbo.causal.rules import arrows, fault
from steerbo.causal.scope_graph import Scoped
from steerbo.core import Scope
from tests.causal.test_scopes import random_graphs

from .exact import all_scopes, keeps_rules


def test_a_scope_has_no_fault_where_it_keeps_the_rules_word_for_word() -> None:
    found: dict[str | None, int] = {}
    for _, graph in random_graphs(25, 30_000):
        for scope in all_scopes(graph):
            wrong = fault(graph, Scope.of(scope))
            assert (wrong is None) == keeps_rules(graph, scope), (scope, graph.to_text())
            rule = None if wrong is None else wrong.rule
            found[rule] = found.get(rule, 0) + 1
    assert min(found.get(rule, 0) for rule in (None, "A", "B", "C")) > 10, "each has something to judge"
    assert set(found) == {None, "A", "B", "C"}, "acyclic scopes have no cycle"


CHAIN = CausalGraph.from_text("c -> x -> z -> y; c -> y; w -> x; x2 -> a", target="y", intervenable=["x", "x2"])


@pytest.mark.parametrize(
    ("scope", "rule", "reason"),
    [
        ({"x": ["z"]}, "cycle", "x affects z, which it looks at"),
        ({"x": ["c"], "x2": []}, "A", "x2 does not affect y when the rest of the scope is played"),
        ({"x": ["c", "w"]}, "B", "x looks at w, which tells nothing about y beyond c"),
        ({"x": ["w"]}, "B", "x looks at w, which tells nothing about y beyond nothing"),
        ({"x": []}, "C", "x does not look at c, which tells about y: c -> y"),
    ],
)
def test_the_first_rule_that_is_broken_is_said_with_its_witness(
    scope: dict[str, list[str]], rule: str, reason: str
) -> None:
    found = fault(CHAIN, Scope.of(scope))
    assert found is not None
    assert (found.rule, found.reason, found.better) == (rule, reason, None)


def test_paths_are_written_with_the_direction_of_every_edge() -> None:
    graph = CausalGraph.from_text("u -> a; u -> y; a -> b", target="y", intervenable=["a"])
    masks = Scoped.of(graph, ()).graph
    path = [graph.index(name) for name in ("b", "a", "u", "y")]
    assert arrows(graph, masks, path) == "b <- a <- u -> y"
    assert arrows(graph, masks, path[:1]) == "b"
