"""dagitty's text: what is in it and cannot be meant is refused by its line."""

from __future__ import annotations

import pytest

from steerbo.causal import CausalGraph
from tests.causal.graph_texts import refuse

REFUSED = {
    "undirected dagitty": ("dag { x -> y\n a -- b }", "line 2: 'a -- b'.*Say which way"),
    "circle dagitty": ("dag { x -> y\n\n a @-> b }", "line 3: 'a o-> b'.*Circles"),
    "circle o dagitty": ("dag { x -> y; a o-> b }", "'a o-> b'.*Circles"),
    "mag": ("mag { x -> y }", "'a mag or pag'.*latent common cause as well"),
    "no brace": ("dag { x -> y", "the end of the text"),
    "more after it": ("dag { x -> y } z", "'z'.*nothing after"),
    "no end": ("dag { x -> \n }", "line 2: '}'.*name of a variable"),
    "half an attribute": ("dag { x -> y u [latent }", "'}'"),
    "mark after an edge": ("dag { x -> y [outcome] }", "'outcome'.*no mark after an edge"),
    "subgraph dagitty": ("dag { subgraph { x -> y } }", "'subgraph'"),
    "single quotes": ("dag { 'a b' -> y  x -> y }", 'line 1: "\'".*in double quotes.*dagitty'),
    "colon dagitty": ("dag { x:n -> y }", "':'"),
    "deep dagitty": ("dag {" + "{" * 50_000, "at most 50 levels of braces"),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_by_name(text: str, message: str) -> None:
    refuse(text, message)


def test_roles_beside_a_text_win() -> None:
    text = "dag { x [exposure] y [outcome] z [outcome] w x -> {y z} }"
    read = CausalGraph.from_text(text, target="z")
    assert (read.target, read.intervenable, read.contexts) == ("z", ("x",), ("w",))


def test_short_marks_and_statements_in_braces_are_read() -> None:
    """As dagitty reads them, and its manual and the help of its package write them."""
    short = CausalGraph.from_text("dag { x[e] y[o] z[u] x <- z -> y <- x }")
    assert (short.target, short.intervenable, short.bidirected) == ("y", ("x",), (("x", "y"),))
    inside = CausalGraph.from_text("dag { {x[source]} -> m -> {y[target]; v[l]} <- w }")
    assert inside.directed == (("x", "m"), ("m", "y"), ("w", "y"))
    edges = CausalGraph.from_text("dag { {X <-> Y} -> {a b} a -> t t[o] X[e] }")
    assert edges.bidirected == (("X", "Y"),)
    assert edges.directed == (("X", "a"), ("X", "b"), ("Y", "a"), ("Y", "b"), ("a", "t"))
