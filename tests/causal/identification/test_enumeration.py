"""Enumerations that are large, too long, or of no known mode."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import get_args

import pytest

from steerbo.causal import CausalGraph, policy_scopes
from steerbo.causal.identification.enumeration import Mode, published
from steerbo.causal.identification.reasons import violated_rule
from steerbo.causal.identification.scopes import StepBudget, stages
from steerbo.core import Scope
from steerbo.errors import InvalidOption, InvalidProblem, ScopesWarning
from tests.causal.exact import Contexts, all_scopes, keeps_rules
from tests.causal.identification.enumeration import brute_force, sparse
from tests.causal.published import FIGURE_1, PSA, plates_graph
from tests.causal.random_graphs import found, plain, random_graphs


def test_sparse_graphs_of_sixty_variables_and_a_dozen_actions() -> None:
    """Where nine or ten actions can matter. What is kept keeps the published rules."""
    for seed, count in ((0, 3), (4, 6), (14, 5)):
        graph = sparse(seed)
        scopes = policy_scopes(graph)
        assert len(scopes) == count
        assert not any(violated_rule(graph, scope) for scope in scopes)


@pytest.mark.parametrize("mode", get_args(Mode))
def test_a_search_that_takes_too_long_ends_with_what_it_has_met(mode: Mode) -> None:
    graph = sparse(14)
    for limit in (50, 1000):
        with pytest.warns(ScopesWarning, match=rf"after {limit} steps.*List fewer .* or raise .limit"):
            some = policy_scopes(graph, mode, limit=limit)
        assert some
        assert not any(violated_rule(graph, scope) for scope in some)
    with pytest.raises(InvalidOption, match="limit"):
        policy_scopes(FIGURE_1, mode, limit=0)


def test_unknown_mode() -> None:
    with pytest.raises(InvalidOption, match="did you mean 'pruned'"):
        policy_scopes(FIGURE_1, "prune")  # type: ignore[arg-type]


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
        scopes = published(graph).scopes
        sizes = [len(scope.set) for scope in scopes]
        assert sizes == sorted(sizes)
        assert len(set(scopes)) == len(scopes)
        assert scopes[0] == Scope(), "nature alone keeps all rules"
        assert not any(violated_rule(graph, scope) for scope in scopes)


def test_what_affects_nothing_is_never_set() -> None:
    graph = CausalGraph.from_text("c -> x -> y; c -> y; y -> late", target="y", intervenable=["x", "late"])
    assert published(graph) == ((Scope(), Scope.of({"x": ["c"]})), True)


def test_its_steps_are_counted() -> None:
    graph = CausalGraph.from_text("c -> x -> y; c -> y", target="y", intervenable=["x"])
    effort = StepBudget()
    published(graph, effort)
    used = StepBudget().left - effort.left
    assert used == 2, "one for each set of actions, where nothing is left to choose"
    assert published(graph, StepBudget(used - 1)) == ((Scope(),), False)


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


def test_a_policy_scope_knows_its_stages() -> None:
    graph = plates_graph(2, 2, IDLE, ("c1", "c6", "ct0", "ct1"))
    scope = Scope.of({"x1": ["c1", "c6"], "xt0": ["c1"], "xt1": ["c1"]})
    assert stages(scope, graph) == ((("c1",), ("xt0", "xt1")), (("c6",), ("x1",)))
    with pytest.raises(InvalidProblem, match="among the causes of its own contexts"):
        stages(Scope.of({"xt0": ["c6"]}), graph)
