"""Graphs: what is refused, what is read, and d-separation against networkx."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.causal import Causal, CausalGraph
from steerbo.errors import InvalidProblem
from steerbo.records import from_dict, to_dict
from steerbo.space import Float
from steerbo.study import Study

from .exact import random_graph

SEEDS = st.integers(0, 10**6)
FEW = settings(max_examples=60, deadline=None, derandomize=True)


@pytest.mark.parametrize(
    ("text", "roles", "message"),
    [
        ("a -> b -> c -> a", {"target": "c"}, r"a -> b -> c -> a.*without cycles"),
        ("a - b", {"target": "b"}, "graph line 1.*edges such as"),
        ("a -> b\nfoo: x", {}, "graph line 2.*roles"),
        ("", {"target": "b"}, "at least one edge"),
        ("digraph { a -> ", {"target": "a"}, "closing brace"),
        ("graph { a -- b }", {"target": "a"}, "arrows ->"),
    ],
)
def test_refused(text: str, roles: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidProblem, match=message):
        CausalGraph.from_text(text, **{"intervenable": [], **roles})


OURS = CausalGraph.from_text("age -> dose -> y; age -> y; dose <-> y", target="y", intervenable=["dose"])


@pytest.mark.parametrize(
    "text",
    [
        "age -> dose -> y <- age\ndose <-> y  # confounded\ntarget: y\nintervenable: dose",
        'dag { bb="0,0,1,1" age [pos="0,1"] dose [exposure] y [outcome] age -> {dose y} dose -> y dose <-> y }',
    ],
)
def test_text_forms(text: str) -> None:
    read = CausalGraph.from_text(text)
    assert (set(read.directed), set(read.bidirected)) == (set(OURS.directed), set(OURS.bidirected))
    assert (read.target, read.intervenable, read.contexts) == ("y", ("dose",), ("age",))


def test_dagitty_latent_variables_are_neither_seen_nor_set() -> None:
    read = CausalGraph.from_text("dag { u [latent] x [exposure] y [outcome] w u -> x u -> y x -> y w -> x }")
    assert read.contexts == ("w",)


def test_round_trips() -> None:
    random = np.random.default_rng(1)
    for _ in range(20):
        graph = random_graph(random, 7, 2)
        assert from_dict(CausalGraph, to_dict(graph)) == graph
        again = CausalGraph.from_text(graph.to_text())
        assert set(again.names) == set(graph.names)
        assert (set(again.directed), again.bidirected) == (set(graph.directed), graph.bidirected)
        drawn = nx.DiGraph(graph.directed)
        drawn.add_nodes_from(graph.names)
        other = CausalGraph.from_networkx(drawn, graph.bidirected, target=graph.target, intervenable=graph.intervenable)
        assert set(other.directed) == set(graph.directed)


@FEW
@given(SEEDS)
def test_separation_is_that_of_networkx(seed: int) -> None:
    random = np.random.default_rng(seed)
    graph = random_graph(random, 7, 2, density=random.choice([0.2, 0.4]))
    drawn = graph.to_networkx()
    for a, b in combinations(graph.names, 2):
        rest = [n for n in graph.names if n not in (a, b)]
        given_ = {n for n in rest if random.random() < 0.4}
        apart = nx.is_d_separator(drawn, {a}, {b}, given_)
        assert graph.separated(a, b, given_) == apart
        path = graph.active_path(a, b, given_)
        assert bool(path) != apart
        if path:
            assert (path[0], path[-1]) == (a, b)


@FEW
@given(SEEDS)
def test_projection_keeps_separation(seed: int) -> None:
    random = np.random.default_rng(seed)
    graph = random_graph(random, 7, 2)
    keep = {graph.target, *(n for n in graph.names if random.random() < 0.6)}
    small = graph.projected(keep)
    assert set(small.names) == keep
    for a, b in combinations(sorted(keep), 2):
        given_ = [n for n in keep if n not in (a, b) and random.random() < 0.5]
        assert small.separated(a, b, given_) == graph.separated(a, b, given_)
        assert (a in graph.ancestors([b])) == (a in small.ancestors([b]))


def test_given_must_not_hold_what_is_compared() -> None:
    with pytest.raises(InvalidProblem, match="given"):
        OURS.separated("age", "y", ["age"])


def test_logs_with_halves_of_characters_still_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Earlier versions began such studies; now they are refused where they would begin."""
    name = "caf\udce9"
    graph = CausalGraph([(name, "dose"), ("dose", "y"), (name, "y")], target="y", intervenable=["dose"])
    problem = Causal(graph, [Float("dose", 0, 1), Float(name, 0, 1)])
    with pytest.raises(InvalidProblem, match="half a character"):
        Study.create(tmp_path / "study.db", problem, rounds=3)
    with monkeypatch.context() as before:
        before.setattr("steerbo.core.creation.unsafe", lambda text: "")
        Study.create(tmp_path / "study.db", problem, rounds=3).close()
    with Study.open(tmp_path / "study.db") as study:
        assert study.problem == problem
        assert study.ask().observe == (name,)
