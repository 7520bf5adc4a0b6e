"""Policy scopes: the paper's; brute force judges "published", exact values in random models judge "pruned"."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from benchmarks.causal.enumeration import brute_force, sparse
from benchmarks.causal.plates import plates_graph
from benchmarks.causal.problems import FIGURE_1, PSA
from steerbo.causal import CausalGraph, intervention_sets, policy_scopes
from steerbo.causal.enumeration import Mode
from steerbo.causal.reasons import candidates, why_dropped
from steerbo.causal.rules import fault
from steerbo.causal.scopes import stages
from steerbo.errors import InvalidOption, InvalidProblem
from steerbo.rounds import Scope

from .exact import BinaryModel, Contexts, all_scopes, keeps_rules, random_graph

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


def _random_graphs(count: int, start: int) -> list[tuple[np.random.Generator, CausalGraph]]:
    drawn = []
    for seed in range(start, start + count):
        random = np.random.default_rng(seed)
        nodes = int(random.integers(4, 7))
        actions = min(int(random.integers(1, 4)), nodes - 2)
        graph = random_graph(random, nodes, actions, random.choice([0.3, 0.5, 0.7]), random.choice([0.1, 0.2, 0.35]))
        if len(graph.contexts or ()) <= (3 if actions < 3 else 2) and len(graph.bidirected) <= 5:
            drawn.append((random, graph))
    return drawn


def test_published_scopes_are_those_that_brute_force_finds() -> None:
    for _, graph in _random_graphs(120, 0):
        every = [scope for scope in all_scopes(graph) if keeps_rules(graph, scope)]
        assert found(graph, "published") == plain(every), graph.to_text()
    for _, graph in _random_graphs(400, 10_000):
        names = graph.names
        quick = [{names[x]: graph.named(seen) for x, seen in scope.items()} for scope in brute_force(graph)]
        assert found(graph, "published") == plain(quick), graph.to_text()


def test_the_best_scope_is_always_kept() -> None:
    """In every random binary model, the best policy over all scopes is matched within each mode's scopes."""
    strictly = 0
    for random, graph in _random_graphs(120, 20_000):
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


def test_a_policy_scope_knows_its_stages() -> None:
    graph = plates_graph(2, 2, IDLE, ("c1", "c6", "ct0", "ct1"))
    scope = Scope.of({"x1": ["c1", "c6"], "xt0": ["c1"], "xt1": ["c1"]})
    assert stages(scope, graph) == ((("c1",), ("xt0", "xt1")), (("c6",), ("x1",)))
    with pytest.raises(InvalidProblem, match="among the causes of its own contexts"):
        stages(Scope.of({"xt0": ["c6"]}), graph)


def test_every_dropped_scope_has_a_reason() -> None:
    for _, graph in _random_graphs(60, 30_000):
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


def test_intervention_sets_are_borders_after_every_set_of_interventions() -> None:
    """POMIS by their definition: for every set of actions, the border of the confounded territory that is left."""
    assert intervention_sets(PSA) == ((), ("aspirin",), ("statin",), ("aspirin", "statin"))
    for _, graph in _random_graphs(150, 40_000):
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
        for part in within.districts():
            if territory & set(part):
                territory |= set(part)
        territory |= set(within.descendants(territory))
    return frozenset(a for a, b in directed if b in territory) - territory


def test_sparse_graphs_of_sixty_variables_and_a_dozen_actions() -> None:
    """Where nine or ten actions can matter. What is kept keeps the published rules."""
    for seed, count in ((0, 3), (4, 6), (14, 5)):
        graph = sparse(seed)
        scopes = policy_scopes(graph)
        assert len(scopes) == count
        assert not any(fault(graph, scope) for scope in scopes)


@pytest.mark.parametrize("mode", get_args(Mode))
def test_an_enumeration_that_takes_too_long_is_given_up(mode: Mode) -> None:
    with pytest.raises(InvalidProblem, match=r"List fewer .* or raise the limit"):
        policy_scopes(sparse(14), mode, limit=50)
    with pytest.raises(InvalidOption, match="limit"):
        policy_scopes(FIGURE_1, mode, limit=0)


def test_unknown_mode() -> None:
    with pytest.raises(InvalidOption, match="did you mean 'pruned'"):
        policy_scopes(FIGURE_1, "prune")  # type: ignore[arg-type]
