"""Graphviz' DOT, as pydot reads it."""

from __future__ import annotations

import pytest

from steerbo.causal import CausalGraph
from steerbo.errors import InvalidProblem, MissingExtra
from tests.causal.graph_texts import CONFOUNDED, Y, refuse

REFUSED = {
    "undirected DOT": ("graph { x -- y }", "line 1: 'graph'.*digraph"),
    "undirected edge DOT": ("digraph {\nx -> y\na -- b }", "line 3: '--'.*Say which way"),
    "circle o DOT": ("digraph {\nx o-> y }", "line 2: 'o->'.*Circles"),
    "open DOT": ("digraph { x -> y", "closing brace"),
    "deep DOT": ("digraph " + "{" * 100 + "}" * 100, "every further level of braces"),
    "long DOT": ("digraph {" + "a -> b;" * 5000 + "}", "words and signs.*GML"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_by_name(text: str, message: str) -> None:
    refuse(text, message)


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


@pytest.mark.parametrize(("body", "message"), PARSED.values(), ids=PARSED)
def test_dot_refused_by_name(body: str, message: str) -> None:
    pytest.importorskip("pydot")
    with pytest.raises(InvalidProblem, match=f"(?s){message}"):
        CausalGraph.from_text(f"digraph {{ {body} }}", **Y)


def test_dot_without_pydot_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pydot.dot_parser", None)
    with pytest.raises(MissingExtra, match=r"pydot.*steerbo\[graphs\]"):
        CausalGraph.from_text("digraph { x -> y }", target="y", intervenable=["x"])


def test_a_strict_graph_keeps_one_of_two_edges() -> None:
    pytest.importorskip("pydot")
    with pytest.raises(InvalidProblem, match=r"x -> y, twice.*leave out 'strict'"):
        CausalGraph.from_text("strict digraph { x -> y; x -> y [dir=both] }", **Y)


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
