"""Every scope that is dropped has a reason."""

from __future__ import annotations

from typing import get_args

import pytest

from benchmarks.causal.problems import FIGURE_1
from steerbo.causal import policy_scopes
from steerbo.causal.enumeration import Mode
from steerbo.causal.reasons import candidates, why_dropped
from steerbo.core import Scope
from tests.causal.test_scopes import random_graphs

from .exact import Contexts


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
