"""Policy scopes that papers state, those on disk, and in which order one looks and sets."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.causal.plates import plates_graph
from benchmarks.causal.problems import FIGURE_1, PSA
from steerbo.causal import CausalGraph, policy_scopes
from steerbo.causal.enumeration import Mode
from steerbo.causal.scopes import stages
from steerbo.core import Scope
from steerbo.errors import InvalidProblem

from .exact import Contexts, random_graph

Plain = list[list[tuple[str, tuple[str, ...]]]]


def plain(scopes: Any) -> Plain:
    """Scopes in an order of their own."""
    return sorted(sorted((x, tuple(sorted(seen))) for x, seen in scope.items()) for scope in scopes)


def found(graph: CausalGraph, mode: Mode = "pruned") -> Plain:
    return plain(dict(scope.actions) for scope in policy_scopes(graph, mode))


FIELDS: dict[Mode, str] = {"published": "scopes_authors_code", "pruned": "scopes_pruned"}
BOTH = {"aspirin": ["age", "bmi"], "statin": ["age", "bmi"]}
HEART = [{"x1": ["c1", "c6"]}, {"x2": ["c1"]}]
IDLE = ("x1", "x2", "xt0", "xt1")

STATED = [
    ("figure 1", FIGURE_1, [{}, {"x1": ["c"]}, {"x2": ["c"]}], [{"x1": ["c"]}, {"x2": ["c"]}]),
    ("PSA", PSA, [{}, {"aspirin": ["age", "bmi"]}, {"statin": ["age", "bmi"]}, BOTH], [BOTH]),
    ("A.3, 7 contexts", plates_graph(0, 0, ("x1", "x2")), [{}, *HEART], HEART),
    ("A.3, 8 contexts", plates_graph(1, 1, ("x1", "x2")), [{}, *HEART], HEART),
    ("A.3, 57 contexts", plates_graph(50, 27, ("x1", "x2")), [{}, *HEART], HEART),
    (
        "A.3, c4 seen",
        plates_graph(2, 2, IDLE, ("c1", "c4", "c6", "ct0")),
        None,
        [*HEART, {"x1": ["c1", "c6"], "xt0": ["c1", "c4"], "xt1": ["c1", "c4"]}],
    ),
    (
        "A.3, both ct seen",
        plates_graph(2, 2, IDLE, ("c1", "c6", "ct0", "ct1")),
        None,
        [{"x2": ["c1"]}, {"x1": ["c1", "c6"], "xt0": ["c1"], "xt1": ["c1"]}],
    ),
    (
        "A.3 in full",
        plates_graph(),
        None,
        [{"x2": ["c1"]}, {"x1": ["c1", "c6"], **{f"xt{j}": ["c1", "c4"] for j in range(27)}}],
    ),
]


@pytest.mark.parametrize(
    ("graph", "published", "pruned"), [case[1:] for case in STATED], ids=[case[0] for case in STATED]
)
def test_stated_scopes(graph: CausalGraph, published: list[Contexts] | None, pruned: list[Contexts]) -> None:
    assert found(graph) == plain(pruned)
    if published is not None:
        assert found(graph, "published") == plain(published)


def test_the_cases_on_disk_where_there_are_any() -> None:
    file = Path(os.environ.get("STEERBO_DATA", "nowhere")).parent / "cases" / "policy_scopes.json"
    if not file.exists():
        pytest.skip("no cases beside STEERBO_DATA")
    for case in json.loads(file.read_text()):
        roles = {name: case[name] for name in ("target", "intervenable", "contexts")}
        graph = CausalGraph(case["directed"], case["bidirected"], variables=case["nodes"], **roles)
        for mode, field in FIELDS.items():
            if case.get(field) is not None:
                assert found(graph, mode) == plain(map(dict, case[field])), (case["name"], mode)


def random_graphs(count: int, start: int) -> list[tuple[np.random.Generator, CausalGraph]]:
    drawn = []
    for seed in range(start, start + count):
        random = np.random.default_rng(seed)
        nodes = int(random.integers(4, 7))
        actions = min(int(random.integers(1, 4)), nodes - 2)
        graph = random_graph(random, nodes, actions, random.choice([0.3, 0.5, 0.7]), random.choice([0.1, 0.2, 0.35]))
        if len(graph.contexts or ()) <= (3 if actions < 3 else 2) and len(graph.bidirected) <= 5:
            drawn.append((random, graph))
    return drawn


def test_a_policy_scope_knows_its_stages() -> None:
    graph = plates_graph(2, 2, IDLE, ("c1", "c6", "ct0", "ct1"))
    scope = Scope.of({"x1": ["c1", "c6"], "xt0": ["c1"], "xt1": ["c1"]})
    assert stages(scope, graph) == ((("c1",), ("xt0", "xt1")), (("c6",), ("x1",)))
    with pytest.raises(InvalidProblem, match="among the causes of its own contexts"):
        stages(Scope.of({"xt0": ["c6"]}), graph)
