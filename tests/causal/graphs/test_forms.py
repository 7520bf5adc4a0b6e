"""Graphs as other programs write them: read, or refused by the name of their form with what to do."""

from __future__ import annotations

from typing import Any

import networkx as nx
import pytest

from steerbo.causal import CausalGraph, graphs_of, policy_scopes
from steerbo.core import Scope
from steerbo.errors import InvalidProblem

Y: dict[str, Any] = {"target": "Y", "intervenable": ["X"]}
PLAIN = CausalGraph([("X", "Y")], **Y)
HIDDEN = CausalGraph([("X", "Y")], [("X", "Y")], **Y)


def drawn(**marks: Any) -> nx.DiGraph[Any]:
    """X with its effect, and the cause U of both."""
    graph = nx.DiGraph([("X", "Y"), ("U", "X"), ("U", "Y")])
    graph.nodes["U"].update(marks)
    return graph


@pytest.mark.parametrize("kind", ["type", "kind", "node_type"])
def test_a_node_whose_type_is_latent_is_hidden(kind: str) -> None:
    assert CausalGraph.from_networkx(drawn(**{kind: "latent"}), **Y) == HIDDEN
    assert "U" in CausalGraph.from_networkx(drawn(**{kind: "measured"}), **Y).names


@pytest.mark.parametrize("marks", [{"hidden": True}, {"latent": 1}, {"observed": "no"}, {"unobserved": "yes"}])
def test_marks_of_hidden_variables_are_kept(marks: dict[str, Any]) -> None:
    graph = CausalGraph.from_networkx(drawn(**marks), **Y)
    assert graph == HIDDEN
    assert set(policy_scopes(graph)) == {Scope(), Scope.of({"X": []})}
    (key, value), *_ = marks.items()
    nodes = (
        f'node [ id 0 label "X" ] node [ id 1 label "Y" ] node [ id 2 label "U" {key} {int(value in (True, "yes"))} ]'
    )
    edges = "edge [ source 0 target 1 ] edge [ source 2 target 0 ] edge [ source 2 target 1 ]"
    assert CausalGraph.from_text(f"graph [ directed 1 {nodes} {edges} ]", **Y) == HIDDEN


@pytest.mark.parametrize(
    "text",
    [
        'digraph { U [label="Unobserved Confounders"]; U -> X; U -> Y; X -> Y }',
        'graph[directed 1 node[id "U" label "Unobserved Confounders"] node[id "X" label "X"] node[id "Y" label "Y"]'
        'edge[source "U" target "X"] edge[source "U" target "Y"] edge[source "X" target "Y"]]',
    ],
)
def test_what_dowhy_says_is_unobserved_is_hidden(text: str) -> None:
    assert CausalGraph.from_text(text, **Y) == HIDDEN


def test_identifiers_are_names_where_one_is_no_number_or_has_no_label() -> None:
    for text in ("digraph { 1 [label=X]; X -> Y; 1 -> X }", "digraph { 1 [label=X]; 2; 1 -> X; 2 -> Y; X -> Y }"):
        assert "1" in CausalGraph.from_text(text, **Y).names


def test_a_set_of_latents_beside_a_graph_is_kept() -> None:
    graph = drawn()
    graph.latents = {"U"}  # as pgmpy's graphs have it
    assert CausalGraph.from_networkx(graph, **Y) == HIDDEN


def test_two_arrows_that_are_described_as_unobserved_are_one_common_cause() -> None:
    graph = nx.MultiDiGraph([("X", "Y")])
    graph.add_edge("X", "Y", description="U")
    graph.add_edge("Y", "X", description="U")
    assert CausalGraph.from_networkx(graph, **Y) == HIDDEN


@pytest.mark.parametrize(
    "text",
    [
        "X --> Y",
        "X → Y",
        "Y <-- X",
        "strict dag { X -> Y }",
        "DAG { X [exposure] Y [outcome] X -> Y }",
        'graph [ directed 1 node [ id 0 label "X " ] node [ id 1 label "Y" ] edge [ source 0 target 1 ] ]',
        "[X][Y|X]",
        "network unknown {\n}\nvariable X {\n type discrete [ 2 ] { a, b };\n}\nvariable Y {\n type discrete [ 2 ] "
        "{ a, b };\n}\nprobability ( X ) {\n table .5, .5;\n}\nprobability ( Y | X ) {\n (a) .5, .5;\n (b) 1, 0;\n}",
        "# Y -> X\nX -> Y",
        "# X -- Z\nX -> Y",
        "/* X -- Y */ X -> Y",
        "\ufeffdag { X -> Y }",
        "digraph { X [label=<<b>dose</b>>]; X -> Y }",
        "digraph {\n1 [label=X];\n2 [label=Y];\n1 -> 2 [dir=both, arrowtail=none, arrowhead=normal];\n}",
        'Creator "igraph"\ngraph\n[\ndirected 1\nnode\n[\nid 0\nname "X"\n]\nnode\n[\nid 1\nname "Y"\n]\n'
        "edge\n[\nsource 0\ntarget 1\n]\n]",
        "Graph Nodes:\nX;Y\n\nGraph Edges:\n1. X --> Y [no edge]:0.1000;[X --> Y]:0.9000;\n",
    ],
)
def test_what_says_the_same_is_read_alike(text: str) -> None:
    assert CausalGraph.from_text(text, **Y) == PLAIN
    assert graphs_of(text, **Y) == (PLAIN,)


@pytest.mark.parametrize(
    "text",
    [
        "X -- Z; X -> Y; Z -> Y",
        "pdag { X -- Z X -> Y Z -> Y }",
        "digraph {\nX -> Z [dir=none];\nX -> Y;\nZ -> Y\n}",
        "digraph {\nX -> Z [dir=none];\nX -> Y;\n}",
        "Graph Nodes:\nX,Z,Y\n\nGraph Edges:\n1. X --- Z\n2. X --> Y\n3. Z --> Y\n\nGraph Attributes:\nBIC: -12.5\n",
    ],
)
def test_patterns_are_read_in_every_form(text: str) -> None:
    found = graphs_of(text, **Y)
    assert [set(graph.directed) - {("X", "Y"), ("Z", "Y")} for graph in found] == [{("X", "Z")}, {("Z", "X")}]
    with pytest.raises(InvalidProblem, match=r"'X -- Z'.*`graphs_of` takes both ways"):
        CausalGraph.from_text(text, **Y)


@pytest.mark.parametrize("form", ["dag", "DAG", "strict dag"])
def test_roles_are_read_however_the_form_is_written(form: str) -> None:
    graph = CausalGraph.from_text(f"{form} {{ x [exposure] y [outcome] x -> y }}")
    assert (graph.directed, graph.target, graph.intervenable) == ((("x", "y"),), "y", ("x",))


def test_a_model_string_of_bnlearn_may_name_several_causes() -> None:
    graph = CausalGraph.from_text("[X][Z|X][Y|X:Z]", **Y)
    assert graph == CausalGraph([("X", "Z"), ("X", "Y"), ("Z", "Y")], **Y)


def test_an_undirected_graph_in_dot_is_a_pattern() -> None:
    assert [graph.directed for graph in graphs_of("graph { X -- Y }", **Y)] == [(("X", "Y"),), (("Y", "X"),)]


def test_tags_of_tetrad_say_what_hides_no_common_cause() -> None:
    listed = "Graph Nodes:\nX;Y\n\nGraph Edges:\n1. X --> Y dd {}\n\nGraph Node Attributes:\nScore: [X: 1; Y: 2]"
    assert graphs_of(listed.format("nl"), **Y) == (PLAIN,)
    assert graphs_of(listed.format("pl"), **Y) == (HIDDEN,)


def test_names_in_quotes_hold_arrows_and_ends_of_statements() -> None:
    (first, second) = graphs_of('"a -- b" -- "c;d"; "c;d" -> Y', target="Y", intervenable=["c;d"])
    assert first.names == second.names == ("a -- b", "c;d", "Y")
    assert ("a -- b", "c;d") in first.directed
    assert ("c;d", "a -- b") in second.directed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0 1\n0 0", "matrix.*from_numpy_array"),
        ("-1,0.5\n0,0", "matrix.*from_numpy_array"),
        ("Y ~ X + Z", "lavaan.*lavaanToGraph"),
        ("U =~ X\nU ~~ Y", "lavaan.*lavaanToGraph"),
        ('<?xml version="1.0"?>\n<graphml></graphml>', "XML.*read_graphml.*from_networkx"),
        ("X -+ Y, Z -+ X", "igraph's formula.*<->"),
        ("X-+Y, Z-+X", "igraph's formula.*<->"),
        ("# model\nY ~ X", "lavaan.*lavaanToGraph"),
        ("[('X', 'Y')]", "a list of pairs.*CausalGraph\\(directed="),
        ("DiGraph with 2 nodes and 1 edges", "printed name of a graph object.*from_networkx"),
        ("DiscreteBayesianNetwork named 'a' with 2 nodes and 1 edges", "printed name of a graph object.*from_networkx"),
        ('{"nodes": [{"id": "X"}], "links": []}', "JSON.*node_link_graph"),
        ("@startuml\nX --> Y\n@enduml", "PlantUML.*Leave out"),
        ("net { }\nnode X { }", "Hugin.*write.bif"),
        ('belief network "unknown"\nnode X { }', "Microsoft.*write.bif"),
        ("X E @0,0\nY O @1,0\n\nX Y", "dagitty's former text.*dagitty.net"),
        ("flowchart LR\n  X --> Y", "Mermaid.*first line out"),
        ("X => Y", "'X => Y'.*Read as lines"),
        ("dag { 'a b' -> Y }", "in double quotes.*Read as dagitty"),
        ("Graph Edges:\n1. X --> Y\nAmbiguous triples:\n<X, Y, Z>", "line 4.*leave out the rest.*Tetrad"),
    ],
)
def test_what_is_not_read_is_refused_by_its_form(text: str, said: str) -> None:
    with pytest.raises(InvalidProblem, match=f"(?s){said}"):
        CausalGraph.from_text(text, **Y)


def test_arrows_both_ways_are_no_cycle_to_be_cut() -> None:
    with pytest.raises(InvalidProblem, match=r"'X -> Z -> X'.*point at each other.*`graphs_of` takes X -- Z"):
        CausalGraph.from_networkx(nx.DiGraph([("X", "Y"), ("X", "Z"), ("Z", "X")]), **Y)


def test_large_networks_are_read() -> None:
    edges = [(f"v{i}", f"v{i + 1}") for i in range(1040)]
    text = "".join(f"variable v{i} {{\n}}\n" for i in range(1041))
    text += "".join(f"probability ( {b} | {a} ) {{\n table {'.5, ' * 100} .5;\n}}\n" for a, b in edges)
    assert len(CausalGraph.from_text(text, target="v1040", intervenable=["v3"]).names) == 1041
