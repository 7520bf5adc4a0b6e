"""Text forms of graphs: read as they are meant, written and read back, or refused by name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.causal import CausalGraph
from steerbo.causal.projection import MOST_EDGES, latent_projection
from steerbo.errors import InvalidProblem, MissingExtra
from steerbo.record import from_plain, to_plain
from steerbo.text import unsafe

FEW = settings(max_examples=150, deadline=None, derandomize=True)
ODD = st.sampled_from(
    [
        "soil pH",
        "a",
        "o",
        "x-1",
        "a -> b",
        'say "x"',
        "back\\slash",
        "a:b",
        "a=b",
        "a;b",
        "#1",
        "// no",
        "Ü b",
        "target",
    ]
) | st.text(min_size=1, max_size=6).filter(lambda name: bool(name.strip()) and not unsafe(name))
EASY = st.from_regex(r"[A-Za-z_][A-Za-z0-9_ .,:;>-]{0,6}[a-z]", fullmatch=True)


@st.composite
def graphs(draw: st.DrawFn, names: st.SearchStrategy[str] = ODD) -> CausalGraph:
    """Graphs on a few variables, in any order, with any names."""
    listed = draw(st.lists(names, min_size=2, max_size=6, unique=True))
    order = draw(st.permutations(listed))
    pairs = list(combinations(order, 2))
    directed = draw(st.lists(st.sampled_from(pairs), unique=True))
    bidirected = draw(st.lists(st.sampled_from(pairs), unique=True))
    target, *others = draw(st.permutations(listed))
    parts = draw(st.lists(st.sampled_from("sln"), min_size=len(others), max_size=len(others)))
    role = {part: [n for n, p in zip(others, parts, strict=True) if p == part] for part in "sln"}
    return CausalGraph(
        directed, bidirected, target=target, intervenable=role["s"], contexts=role["l"], variables=listed
    )


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
    assert CausalGraph.from_text(graph.to_gml()) == graph
    assert CausalGraph.from_text(CausalGraph.from_text(graph.to_gml()).to_text()) == graph
    assert from_plain(CausalGraph, to_plain(graph)) == graph


@settings(max_examples=20, deadline=None, derandomize=True)
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


# -- latent variables --------------------------------------------------------------------------------------------------


def paths(edges: set[tuple[str, str]], start: str, end: str, through: set[str]) -> Iterator[list[str]]:
    """Directed paths whose inner nodes are all of `through`, one after the other."""
    if (start, end) in edges:
        yield [start, end]
    for middle in through:
        if (start, middle) in edges:
            for rest in paths(edges, middle, end, through - {middle}):
                yield [start, *rest]


@settings(max_examples=150, deadline=None, derandomize=True)
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
        assert small.separated(a, b, given_) == nx.is_d_separator(whole, {a}, {b}, set(given_))
    text = "; ".join(
        [*seen, *(f"{a} -> {b}" for a, b in graph.directed), *(f"{a} <-> {b}" for a, b in graph.bidirected)]
    )
    said = f"{text}; latent: {', '.join(hidden)}; contexts: "
    assert CausalGraph.from_text(said, target=graph.target, intervenable=[]) == small
    marked = nx.DiGraph(graph.directed)
    marked.add_nodes_from(seen)
    marked.add_nodes_from(hidden, observed="no")
    assert CausalGraph.from_networkx(marked, graph.bidirected, **roles) == small


CONFOUNDED = CausalGraph([("x", "y"), ("c", "x")], [("x", "y")], target="y", intervenable=["x"])


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


@pytest.mark.parametrize(
    "body",
    [
        "c -> x -> y; x -> y [dir=both]",
        "x -> y [dir=both]; c -> x; x -> y",
        'c -> x -> y; u [label="Unobserved Confounders", observed="no"]; u -> x; u -> y',
        "node [shape=circle]; rankdir=LR; edge [style=dashed] c -> x -> y; { edge [dir=both] x -> y }",
        'subgraph cluster_a { label="field # 1"; c; x } c -> x; subgraph { x } -> { y }; { node [latent] u } -> {x y}',
        "c -> x:n -> y:s /* -- */; y -> x [dir=both, arrowhead=normal, arrowtail=normal] // o-> \n x -> c [dir=back]",
        "x -> y [dir=both, arrowtail=none]; y -> x [dir=both]; c -> x; c [observed=yes]; z [latent=True]",
        'c [label=<a -- <b>b</b>>]; c -> x -> y; y -> x [dir="both"]',
    ],
)
def test_dot(body: str) -> None:
    pytest.importorskip("pydot")
    read = CausalGraph.from_text(f"digraph G {{ {body} }}", target="y", intervenable=["x"])
    assert read == CONFOUNDED


def test_dot_without_pydot_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pydot.dot_parser", None)
    with pytest.raises(MissingExtra, match=r"pydot.*steerbo\[graphs\]"):
        CausalGraph.from_text("digraph { x -> y }", target="y", intervenable=["x"])


def test_roles_beside_a_text_win() -> None:
    text = "dag { x [exposure] y [outcome] z [outcome] w x -> {y z} }"
    read = CausalGraph.from_text(text, target="z")
    assert (read.target, read.intervenable, read.contexts) == ("z", ("x",), ("w",))


# -- what cannot be read -----------------------------------------------------------------------------------------------

Y: dict[str, Any] = {"target": "y", "intervenable": ["x"]}
REFUSED = {
    "two outcomes": ("dag { x [exposure] y [outcome] z [outcome] x -> {y z} }", "target: .*'y', 'z'.*one variable"),
    "latent target": ("dag { x [exposure] y [outcome,latent] x -> y }", "target: 'y' .* latent"),
    "latent action": ("x -> y; latent: x; target: y; intervenable: x", "intervenable: 'x' .* latent"),
    "both": ("dag { x -> y u [latent, observed] }", "line 1, node u.*either observed or latent"),
    "unsure": ("dag {\n x -> y\n u [latent=maybe] }", "line 3, node u.*'latent=maybe'.*latent=yes or latent=no"),
    "mistyped mark": ("dag { x -> y u [latnet] }", "node u.*'latnet'.*did you mean 'latent'"),
    "nearly a mark": ("dag { x -> y u [observd=no] }", "node u.*'observd'.*did you mean 'observed'"),
    "selected": ("dag { x -> y s [selected] }", "node s.*'selected'.*leave it out"),
    "wrong role": ("dag { x -> y s [role=action] }", "node s.*'role=action'.*intervenable"),
    "undirected dagitty": ("dag { x -> y\n a -- b }", "line 2: '--'.*Say which way"),
    "circle dagitty": ("dag { x -> y\n\n a @-> b }", "line 3: '@->'.*Circles"),
    "circle o dagitty": ("dag { x -> y; a o-> b }", "'o->'.*Circles"),
    "mag": ("mag { x -> y }", "line 1: 'mag'.*latent common cause as well"),
    "no brace": ("dag { x -> y", "the end of the text"),
    "more after it": ("dag { x -> y } z", "'z'.*nothing after"),
    "no end": ("dag { x -> \n }", "line 2: '}'.*name of a variable"),
    "half an attribute": ("dag { x -> y u [latent }", "'}'"),
    "mark after an edge": ("dag { x -> y [outcome] }", "'outcome'.*no mark after an edge"),
    "subgraph dagitty": ("dag { subgraph { x -> y } }", "'subgraph'"),
    "colon dagitty": ("dag { x:n -> y }", "':'"),
    "undirected lines": ("x -> y\na -- b", "line 2: 'a -- b'.*Say which way"),
    "one dash": ("x -> y; a - b", "line 1: 'a - b'.*edges such as"),
    "circle lines": ("x -> y\na o-> b", "line 2: 'a o-> b'.*Circles"),
    "circle other end": ("x -> y\na <-o b", "line 2: 'a <-o b'.*Circles"),
    "two circles": ("x -> y\na o-o b", "line 2: 'a o-o b'.*Circles"),
    "long arrow": ("x --> y", "line 1: 'x --> y'"),
    "double arrow": ("x ->> y", "line 1: 'x ->> y'"),
    "fat arrow": ("x => y", "line 1: 'x => y'"),
    "no end of a line": ("x -> y ->", "line 1: 'x -> y ->'"),
    "list on a side": ("x, z -> y", "line 1: 'x, z -> y'.*its own statement"),
    "no separator": ("x -> y x -> z", "line 1: 'y x'.*put ';'"),
    "quote left open": ('"x -> y', "line 1: '\"x -> y'"),
    "quoted and not": ('"soil" pH -> y', "either in double quotes or without"),
    "wrong escape": (r'"\q" -> y', "as JSON writes it"),
    "empty name": ('"  " -> y', "names that are not empty"),
    "no such role": ("x -> y\naction: x", "line 2: 'action: x'.*one of the roles"),
    "arrow in a role": ("x -> y\ntarget: x -> y", "line 2: .*commas"),
    "colon in a name": ("a:b -> y", "line 1: 'a:b -> y'.*double quotes"),
    "steers the terminal": ("x -> y; z\x1b[31m -> y", "line 1"),
    "steers it in quotes": ('x -> y; "z\x1b[31m" -> y', r"'z\\x1b\[31m'.*control character"),
    "half a character": (r'x -> y; "\ud800" -> y', r"'\\ud800'.*half a character"),
    "half a character in GML": (
        'graph [ directed 1 node [ id 0 label "&#55296;" ] ]',
        "half a character|a graph in GML",
    ),
    "self-loop": ("x -> y\ny <-> y", "line 2: 'y <-> y'.*self-loop"),
    "cycle through a latent": ("x -> y -> u -> x; latent: u", "u -> x -> y -> u.*without cycles"),
    "undirected GML": ('graph [ node [ id 0 label "x" ] ]', "directed 1"),
    "bad GML": ("graph [ directed 1 node [ id ] ]", r"a graph in GML.*at \(2, 1\)"),
    "twice in GML": (
        'graph [ directed 1 node [ id 0 label "x" ] node [ id 1 label "x" ] ]',
        "a graph in GML.*duplicated",
    ),
    "undirected DOT": ("graph { x -- y }", "line 1: 'graph'.*digraph"),
    "undirected edge DOT": ("digraph {\nx -> y\na -- b }", "line 3: '--'.*Say which way"),
    "circle o DOT": ("digraph {\nx o-> y }", "line 2: 'o->'.*Circles"),
    "open DOT": ("digraph { x -> y", "closing brace"),
    "deep DOT": ("digraph " + "{" * 100 + "}" * 100, "every further level of braces"),
    "long DOT": ("digraph {" + "a -> b;" * 5000 + "}", "words and signs.*GML"),
    "much": ("x" * 1_000_001, "at most 1000000 characters"),
    "many edges": ("\n".join(f"a{i} -> y" for i in range(20_000)), f"at most {MOST_EDGES} edges"),
    "many edges in groups": (
        "dag { {" + " ".join(f"a{i}" for i in range(9999)) + "} -> {" + " ".join(f"b{i}" for i in range(9999)) + "} }",
        f"at most {MOST_EDGES} edges",
    ),
    "many confounded": ("\n".join(f"u -> a{i}" for i in range(500)) + "\nlatent: u\nx -> y", "at most 10000 edges"),
    "many cyclic": ("\n".join(f"a{i} -> a{(i + 1) % 9000}" for i in range(9000)), "without cycles"),
    "deep GML": ("graph [ " + "a [ " * 5000, "a graph in GML"),
    "deep dagitty": ("dag {" + "{" * 50_000, "the name of a variable"),
}
PARSED = {
    "circle DOT": ("x -> y [dir=both, arrowtail=odot]", "edge x -> y.*'arrowtail=odot'.*Circles"),
    "no arrow DOT": ("x -> y [dir=none]", "edge x -> y.*Say which way"),
    "no head DOT": ("x -> y [arrowhead=none]", "edge x -> y.*Say which way"),
    "unknown dir": ("x -> y [dir=bth]", "edge x -> y.*'dir=bth'"),
    "rubbish": ("x -> y } rubbish {", "line 1.*DOT as Graphviz reads it"),
    "dagitty's arrow": ("x <-> y", r"line 1: '<->'.*dir=both"),
    "second graph": ("x -> y } digraph { x -> z", "2 graphs.*one graph"),
    "backwards": ("y <- x", "line 1.*b <- a is a -> b"),
    "mistyped": ("x -> y; u [latnt]", "node u.*'latnt'.*did you mean"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_by_name(text: str, message: str) -> None:
    roles: dict[str, Any] = {} if any(word in text for word in ("outcome]", "target:", "outcome,")) else Y
    with pytest.raises(InvalidProblem, match=f"(?s){message}"):
        CausalGraph.from_text(text, **roles)


@pytest.mark.parametrize(("body", "message"), PARSED.values(), ids=PARSED)
def test_dot_refused_by_name(body: str, message: str) -> None:
    pytest.importorskip("pydot")
    with pytest.raises(InvalidProblem, match=f"(?s){message}"):
        CausalGraph.from_text(f"digraph {{ {body} }}", **Y)


def test_a_strict_graph_keeps_one_of_two_edges() -> None:
    pytest.importorskip("pydot")
    with pytest.raises(InvalidProblem, match=r"x -> y, twice.*leave out 'strict'"):
        CausalGraph.from_text("strict digraph { x -> y; x -> y [dir=both] }", **Y)


@pytest.mark.parametrize(("text", "missing"), [("x -> y", "target"), ("x -> y; target: y", "intervenable")])
def test_missing_roles_are_asked_for(text: str, missing: str) -> None:
    with pytest.raises(InvalidProblem, match=f"^{missing}: missing;.*{missing}: "):
        CausalGraph.from_text(text)


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


def test_equal_graphs_say_the_same() -> None:
    one = CausalGraph([("x", "y"), ("c", "x")], [("x", "y")], target="y", intervenable=["x"])
    two = CausalGraph([("c", "x"), ("x", "y")], [("y", "x")], target="y", intervenable=["x"], contexts=["c"])
    assert one == two
    assert hash(one) == hash(two)
    assert one != CausalGraph([("c", "x"), ("x", "y")], target="y", intervenable=["x"])
    assert one != CausalGraph([("x", "y"), ("c", "x")], [("x", "y")], target="y", intervenable=["c"])
    assert one != "x -> y"


def test_names_are_whole_characters() -> None:
    with pytest.raises(InvalidProblem, match="half a character"):
        CausalGraph.from_text("\ud800 -> x; x -> y", target="y", intervenable=["x"])


def test_large_graphs_are_read() -> None:
    edges = [(f"v{i}", f"v{j}") for i in range(1000) for j in range(i + 1, min(i + 9, 1000))]
    text = "\n".join(f"{a} -> {b}" for a, b in edges)
    read = CausalGraph.from_text(text, target="v999", intervenable=["v0"])
    assert len(read.directed) == len(edges)
    assert CausalGraph.from_text(read.to_gml()) == read


def test_dot_errors_name_the_line_where_there_is_but_one() -> None:
    pytest.importorskip("pydot")
    for body, message in (
        ("a -> b;\nb [observed=maybe];", "^graph line 3, node b: 'observed=maybe'"),
        ("a -> b;\n\nb -> y [dir=none]", "^graph line 4, edge b -> y"),
        ("a -> b;\nb -> b", "^graph line 3: 'b -> b'"),
        ("a -> b [dir=none]; a -> c\na -> b [dir=none]", "^graph, edge a -> b"),
    ):
        with pytest.raises(InvalidProblem, match=message):
            CausalGraph.from_text(f"digraph {{\n{body}\n}}", target="b", intervenable=["a"])
