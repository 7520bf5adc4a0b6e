"""Latent variables are projected out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.causal import CausalGraph
from steerbo.causal.graphs._projection import latent_projection
from tests.causal.exact import drawn, separated
from tests.causal.graph_texts import graphs, refuse
from tests.sizes import examples

REFUSED = {
    "latent target": ("dag { x [exposure] y [outcome,latent] x -> y }", "target: 'y' .* latent"),
    "latent action": ("x -> y; latent: x; target: y; intervenable: x", "intervenable: 'x' .* latent"),
    "cycle through a latent": ("x -> y -> u -> x; latent: u", "x -> y -> u -> x.*without cycles"),
    "many confounded": ("\n".join(f"u -> a{i}" for i in range(500)) + "\nlatent: u\nx -> y", "at most 10000 edges"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_by_name(text: str, message: str) -> None:
    refuse(text, message)


def paths(edges: set[tuple[str, str]], start: str, end: str, through: set[str]) -> Iterator[list[str]]:
    """Directed paths whose inner nodes are all of `through`, one after the other."""
    if (start, end) in edges:
        yield [start, end]
    for middle in through:
        if (start, middle) in edges:
            for rest in paths(edges, middle, end, through - {middle}):
                yield [start, *rest]


@settings(max_examples=examples(150), deadline=None, derandomize=True)
@given(graphs(st.sampled_from("abcdefg")), st.data())
def test_latent_variables_are_projected_out(graph: CausalGraph, data: st.DataObject) -> None:
    """Judged by listing all paths, and by d-separation of networkx in the whole graph."""
    others = [name for name in graph.names if name != graph.target]
    hidden = set(data.draw(st.lists(st.sampled_from(others), unique=True)))
    arrows, common = latent_projection(graph.names, graph.directed, graph.bidirected, hidden)
    seen = [name for name in graph.names if name not in hidden]
    whole = nx.DiGraph(graph.directed)
    whole.add_nodes_from(graph.names)
    for i, (a, b) in enumerate(graph.bidirected):
        whole.add_edges_from([(f"latent{i}", a), (f"latent{i}", b)])
    latent, edges = hidden | {n for n in whole if n.startswith("latent")}, set(whole.edges)
    assert set(arrows) == {(a, b) for a in seen for b in seen if any(paths(edges, a, b, latent))}
    forked = {
        frozenset((a, b))
        for a, b in combinations(seen, 2)
        for u in latent
        if any(paths(edges, u, a, latent - {u})) and any(paths(edges, u, b, latent - {u}))
    }
    assert set(map(frozenset, common)) == forked
    assert len(common) == len(forked)
    roles: dict[str, Any] = {"target": graph.target, "intervenable": [], "contexts": []}
    small = CausalGraph(arrows, common, variables=seen, **roles)
    for a, b in combinations(seen, 2):
        given_ = [n for n in seen if n not in (a, b) and data.draw(st.booleans())]
        assert separated(small, a, b, given_) == nx.is_d_separator(whole, {a}, {b}, set(given_))
    text = "; ".join(
        [*seen, *(f"{a} -> {b}" for a, b in graph.directed), *(f"{a} <-> {b}" for a, b in graph.bidirected)]
    )
    said = f"{text}; latent: {', '.join(hidden)}; contexts: "
    assert CausalGraph.from_text(said, target=graph.target, intervenable=[]) == small
    marked = drawn(graph.directed, graph.bidirected)
    marked.add_nodes_from(seen)
    marked.add_nodes_from(hidden, observed="no")
    assert CausalGraph.from_networkx(marked, **roles) == small
