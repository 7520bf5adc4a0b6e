"""The best scope is never dropped."""

from __future__ import annotations

from typing import get_args

import pytest

from steerbo.causal import CausalGraph, policy_scopes
from steerbo.causal.enumeration import Mode
from steerbo.causal.reasons import why_dropped
from steerbo.rounds import Scope
from tests.causal.test_scopes import found, plain, random_graphs

from .exact import BinaryModel, all_scopes


def test_the_best_scope_is_always_kept() -> None:
    """In every random binary model, the best policy over all scopes is matched within each mode's scopes."""
    strictly = 0
    for random, graph in random_graphs(120, 20_000):
        every = list(all_scopes(graph))
        largest = [
            s
            for s in every
            if not any(t is not s and s.keys() == t.keys() and all(set(s[x]) <= set(t[x]) for x in s) for t in every)
        ]
        model = BinaryModel.draw(graph, random)
        best = max(map(model.value, largest))
        strictly += best > model.value({}) + 1e-6
        for mode in get_args(Mode):
            kept = [{x: tuple(seen) for x, seen in scope.actions} for scope in policy_scopes(graph, mode)]
            assert max(map(model.value, kept)) == pytest.approx(best, abs=1e-9), (mode, graph.to_text())
    assert strictly > 60, "the judge must have something to judge"


def test_two_interventions_at_once() -> None:
    """Variables that nature coordinates: setting one of them loses, setting both does not."""
    graph = CausalGraph.from_text(
        "v0 -> y; v2 -> y; v1 -> y; v1 -> v2; v0 <-> v2", target="y", intervenable=["v0", "v2"]
    )
    both = {"v0": ["v1"], "v2": ["v1"]}
    assert found(graph) == plain([{}, both])
    assert found(graph, "joint") == plain([both])
    why = why_dropped(graph, Scope(), "joint")
    assert why is not None
    assert why.reason.startswith("setting v0 and v2 as well, after looking at v1, loses nothing")
    assert "v0 -> y" in why.reason
    assert "v2 -> y" in why.reason
    assert why_dropped(graph, Scope()) is None
