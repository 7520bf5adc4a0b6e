"""Graphs of networkx and GML files."""

from __future__ import annotations

import networkx as nx
import pytest

from steerbo.causal import CausalGraph
from steerbo.errors import InvalidProblem
from tests.causal.graph_texts import CONFOUNDED, Y, refuse

REFUSED = {
    "half a character in GML": (
        'graph [ directed 1 node [ id 0 label "&#55296;" ] ]',
        "half a character|a graph in GML",
    ),
    "undirected GML": ('graph [ node [ id 0 label "x" ] ]', "directed 1"),
    "bad GML": ("graph [ directed 1 node [ id ] ]", r"a graph in GML.*at \(2, 1\)"),
    "twice in GML": (
        'graph [ directed 1 node [ id 0 label "x" ] node [ id 1 label "x" ] ]',
        "a graph in GML.*duplicated",
    ),
    "deep GML": ("graph [ " + "a [ " * 5000, "a graph in GML"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_by_name(text: str, message: str) -> None:
    refuse(text, message)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (nx.Graph([("x", "y")]), "'Graph'.*build a DiGraph"),
        (nx.MultiGraph([("x", "y")]), "'MultiGraph'.*build a DiGraph"),
        (nx.MultiDiGraph([("x", "y"), ("x", "y")]), 'x -> y, twice.*dir="both"'),
        (nx.DiGraph([(1, "y"), ("x", "1")]), "differ as texts"),
        (nx.DiGraph([("x", "y"), ("y", "x")]), "without cycles"),
        (nx.DiGraph([("x", "y"), ("x", "x")]), "self-loop"),
        ("x -> y", "a networkx DiGraph"),
    ],
)
def test_networkx_graphs_that_cannot_be_read(graph: object, message: str) -> None:
    with pytest.raises(InvalidProblem, match=message):
        CausalGraph.from_networkx(graph, **Y)


def test_networkx_multigraphs() -> None:
    drawn = nx.MultiDiGraph([("x", "y"), ("c", "x")])
    drawn.add_edge("x", "y", dir="both")
    drawn.add_node("c", pos=(0, 1), label="", weight=None)
    assert CausalGraph.from_networkx(drawn, **Y) == CONFOUNDED
    with pytest.raises(InvalidProblem, match=r"bidirected\.0: 'xy'.*a pair"):
        CausalGraph.from_networkx(nx.DiGraph([("x", "y")]), ["xy"], **Y)  # type: ignore[list-item]


def test_large_graphs_are_read() -> None:
    edges = [(f"v{i}", f"v{j}") for i in range(1000) for j in range(i + 1, min(i + 9, 1000))]
    text = "\n".join(f"{a} -> {b}" for a, b in edges)
    read = CausalGraph.from_text(text, target="v999", intervenable=["v0"])
    assert len(read.directed) == len(edges)
    assert CausalGraph.from_text(read.to_gml()) == read
