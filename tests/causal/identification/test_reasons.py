"""Every scope that is dropped has a reason."""

from __future__ import annotations

from typing import get_args

import pytest

from steerbo.causal import CausalGraph, policy_scopes
from steerbo.causal.identification.enumeration import Mode
from steerbo.causal.identification.reasons import arrows, candidates, violated_rule, why_dropped
from steerbo.causal.identification.scopes import ScopedGraph
from steerbo.core import Scope
from tests.causal.exact import Contexts, all_scopes, keeps_rules
from tests.causal.published import FIGURE_1
from tests.causal.random_graphs import random_graphs


def test_every_dropped_scope_has_a_reason() -> None:
    for _, graph in random_graphs(60, 30_000):
        for mode in get_args(Mode):
            kept = policy_scopes(graph, mode)
            for scope in candidates(graph):
                why = why_dropped(graph, scope, mode)
                if why is None:  # kept, or one of a group of equals
                    assert mode != "published" or scope in kept, (graph.to_text(), scope)
                else:
                    assert scope not in kept, (mode, graph.to_text(), scope)
                    assert graph.target in why.reason or why.rule in {"cycle", "observe", "B"}


@pytest.mark.parametrize(
    ("scope", "rule", "witness"),
    [
        ({}, "intervene", "x1 -> x2 -> y"),
        ({"x1": []}, "C", "c -> "),
        ({"x1": ["c"], "x2": ["c"]}, "A", "x1 does not affect y"),
    ],
)
def test_reasons_in_figure_1(scope: Contexts, rule: str, witness: str) -> None:
    why = why_dropped(FIGURE_1, Scope.of(scope))
    assert why is not None
    assert why.rule == rule
    assert witness in why.reason


def test_several_contexts_close_every_back_door() -> None:
    several = CausalGraph.from_text("a -> x; b -> x; x -> y; a -> y; b -> y", target="y", intervenable=["x"])
    why = why_dropped(several, Scope())
    assert why is not None
    assert "a, b close every back door" in why.reason


def test_a_scope_has_no_fault_where_it_keeps_the_rules_word_for_word() -> None:
    found: dict[str | None, int] = {}
    for _, graph in random_graphs(25, 30_000):
        for scope in all_scopes(graph):
            wrong = violated_rule(graph, Scope.of(scope))
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
        ({"x": ["c"], "x2": []}, "A", "x2 does not affect y when the rest of the scope is set"),
        ({"x": ["c", "w"]}, "B", "x looks at w, which tells nothing about y beyond c"),
        ({"x": ["w"]}, "B", "x looks at w, which tells nothing about y beyond nothing"),
        ({"x": []}, "C", "x does not look at c, which tells about y: c -> y"),
    ],
)
def test_the_first_rule_that_is_broken_is_said_with_its_witness(
    scope: dict[str, list[str]], rule: str, reason: str
) -> None:
    found = violated_rule(CHAIN, Scope.of(scope))
    assert found is not None
    assert (found.rule, found.reason, found.better) == (rule, reason, None)


def test_paths_are_written_with_the_direction_of_every_edge() -> None:
    graph = CausalGraph.from_text("u -> a; u -> y; a -> b", target="y", intervenable=["a"])
    masks = ScopedGraph.of(graph, ()).graph
    path = [graph.index(name) for name in ("b", "a", "u", "y")]
    assert arrows(graph, masks, path) == "b <- a <- u -> y"
    assert arrows(graph, masks, path[:1]) == "b"
