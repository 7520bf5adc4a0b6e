"""Text forms of graphs: read as they are meant, written and read back."""

from __future__ import annotations

import json
from random import Random

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.causal import CausalGraph
from steerbo.errors import InvalidProblem
from steerbo.records import from_dict, to_dict
from tests.causal.graph_texts import CONFOUNDED, EASY, FEW, Y, graphs, refuse
from tests.sizes import examples


def gml(graph: CausalGraph) -> str:
    """The graph in GML, as networkx writes it."""
    return "\n".join(nx.generate_gml(graph.to_networkx()))


@FEW
@given(graphs())
def test_every_form_that_is_written_is_read_back(graph: CausalGraph) -> None:
    again = CausalGraph.from_text(graph.to_text())
    assert again == graph
    assert (again.names, again.intervenable, again.contexts) == (graph.names, graph.intervenable, graph.contexts)
    assert again.directed == graph.directed
    other = CausalGraph.from_networkx(graph.to_networkx())
    assert other == graph
    assert other.names == graph.names
    assert CausalGraph.from_text(gml(graph)) == graph
    assert CausalGraph.from_text(CausalGraph.from_text(gml(graph)).to_text()) == graph
    assert from_dict(CausalGraph, to_dict(graph)) == graph


@settings(max_examples=examples(20), deadline=None, derandomize=True)
@given(graphs(EASY), st.randoms(use_true_random=False))
def test_dot_and_dagitty_say_the_same(graph: CausalGraph, random: Random) -> None:
    pytest.importorskip("pydot")
    quoted = {name: json.dumps(name) for name in graph.names}
    edges = [f"{quoted[a]} -> {quoted[b]}" for a, b in graph.directed]
    hidden = [f"{quoted[a]} -> {quoted[b]} [dir=both, style=dashed]" for a, b in graph.bidirected]
    nodes = [f"{quoted[n]} [role={part}]" for n, part in graph.to_networkx().nodes(data="role") if n in quoted]
    statements = edges + hidden + nodes
    random.shuffle(statements)
    assert CausalGraph.from_text(f"digraph {{ {'; '.join(statements)} }}") == graph
    drawn = nx.nx_pydot.to_pydot(nx.relabel_nodes(graph.to_networkx(), json.dumps)).to_string()
    assert CausalGraph.from_text(drawn) == graph
    two = [f"{quoted[a]} <-> {quoted[b]}" for a, b in graph.bidirected]
    assert CausalGraph.from_text(f"dag {{ {' '.join([*nodes, *edges, *two])} }}") == graph


@pytest.mark.parametrize(
    "text",
    [
        "c -> x -> y; x <-> y; target: y; intervenable: x",
        "c -> x -> y\nu -> x; u -> y\nlatent: u\ntarget: y\nintervenable: x",
        "dag { x [exposure] y [outcome] u [latent] u -> {x y} c -> x -> y }",
        'dag { bb="0,0,1,1" x [exposure,pos="0,1"] y [outcome] v [unobserved] u [latent] '
        "v -> u -> x u -> y c -> x x -> y}",
        'graph [ directed 1 node [ id 0 label "x" role "intervenable" ] node [ id 1 label "y" role "target" ]\n'
        'node [ id 2 label "c" ] node [ id 3 label "u" observed "no" ] edge [ source 3 target 0 ]\n'
        "edge [ source 3 target 1 ] edge [ source 0 target 1 ] edge [ source 2 target 0 ] ]",
    ],
)
def test_the_same_graph_in_every_form(text: str) -> None:
    assert CausalGraph.from_text(text) == CONFOUNDED


def test_equal_graphs_say_the_same() -> None:
    one = CausalGraph([("x", "y"), ("c", "x")], [("x", "y")], target="y", intervenable=["x"])
    two = CausalGraph([("c", "x"), ("x", "y")], [("y", "x")], target="y", intervenable=["x"], contexts=["c"])
    assert one == two
    assert hash(one) == hash(two)
    assert one != CausalGraph([("c", "x"), ("x", "y")], target="y", intervenable=["x"])
    assert one != CausalGraph([("x", "y"), ("c", "x")], [("x", "y")], target="y", intervenable=["c"])
    assert one != "x -> y"


REFUSED = {
    "half a character in GML": (
        'graph [ directed 1 node [ id 0 label "&#55296;" ] ]',
        "target: 'y'",
    ),
    "undirected GML": (
        'graph [ node [ id 0 label "x" ] node [ id 1 label "y" ] edge [ source 0 target 1 ] ]',
        "'x -- y'.*Say which way",
    ),
    "bad GML": ("graph [ directed 1 node [ id ] ]", "line 1: ']'.*a graph in GML: the value of 'id'"),
    "twice in GML": (
        'graph [ directed 1 node [ id 0 label "x" ] node [ id 1 label "x" ] ]',
        "differ as texts.*GML",
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
        (nx.DiGraph([("x", "y"), ("y", "x")]), "point at each other.*takes x -- y"),
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


def test_large_graphs_are_read() -> None:
    edges = [(f"v{i}", f"v{j}") for i in range(1000) for j in range(i + 1, min(i + 9, 1000))]
    text = "\n".join(f"{a} -> {b}" for a, b in edges)
    read = CausalGraph.from_text(text, target="v999", intervenable=["v0"])
    assert len(read.directed) == len(edges)
    assert CausalGraph.from_text(gml(read)) == read
