"""Graphviz' DOT: graphs that pydot writes, and what cannot be read."""

from __future__ import annotations

import pytest

from steerbo.causal import CausalGraph
from steerbo.errors import InvalidProblem
from tests.causal.graph_texts import CONFOUNDED, Y, refuse

REFUSED = {
    "undirected DOT": ("graph { x -- y }", "line 1: 'x -- y'.*Say which way"),
    "undirected edge DOT": ("digraph {\nx -> y\na -- b }", "line 3: '--'.*Say which way"),
    "circle o DOT": ("digraph {\nx o-> y }", "line 2: 'o->'.*Circles"),
    "open DOT": ("digraph { x -> y", "closing brace"),
    "deep DOT": ("digraph " + "{" * 100 + "}" * 100, "at most 50 levels of braces"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_by_name(text: str, message: str) -> None:
    refuse(text, message)


PARSED = {
    "circle DOT": ("x -> y [dir=both, arrowtail=odot]", "line 1: 'x o-> y'.*Circles"),
    "no arrow DOT": ("x -> y [dir=none]", "line 1: 'x -- y'.*Say which way"),
    "no head DOT": ("x -> y [arrowhead=none]", "line 1: 'x -- y'.*Say which way"),
    "unknown dir": ("x -> y [dir=bth]", "edge x -> y.*'dir=bth'"),
    "rubbish": ("x -> y } rubbish {", "'rubbish'.*nothing after.*Read as DOT"),
    "dagitty's arrow": ("x <-> y", r"line 1: '<->'.*dir=both"),
    "second graph": ("x -> y } digraph { x -> z", "'digraph'.*one graph in a text"),
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
    read = CausalGraph.from_text(f"digraph G {{ {body} }}", target="y", intervenable=["x"])
    assert read == CONFOUNDED


@pytest.mark.parametrize(("body", "message"), PARSED.values(), ids=PARSED)
def test_dot_refused_by_name(body: str, message: str) -> None:
    with pytest.raises(InvalidProblem, match=f"(?s){message}"):
        CausalGraph.from_text(f"digraph {{ {body} }}", **Y)


def test_long_texts_are_read() -> None:
    text = "digraph {" + "".join(f"x -> a{i}; a{i} -> y;" for i in range(2000)) + "}"
    assert len(CausalGraph.from_text(text, **Y).directed) == 4000


def test_a_strict_graph_keeps_one_of_two_edges() -> None:
    with pytest.raises(InvalidProblem, match=r"x -> y, twice.*leave out 'strict'"):
        CausalGraph.from_text("strict digraph { x -> y; x -> y [dir=both] }", **Y)


def test_dot_errors_name_the_line() -> None:
    for body, message in (
        ("a -> b;\nb [observed=maybe];", "^graph line 3, node b: 'observed=maybe'"),
        ("a -> b;\n\nb -> y [dir=none]", "^graph line 4: 'b -- y'"),
        ("a -> b;\nb -> b", "^graph line 3: 'b -> b'"),
        ("a -> b [dir=none]; a -> c\na -> b [dir=none]", "^graph line 2: 'a -- b'"),
    ):
        with pytest.raises(InvalidProblem, match=message):
            CausalGraph.from_text(f"digraph {{\n{body}\n}}", target="b", intervenable=["a"])
