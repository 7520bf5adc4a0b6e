"""Graphs drawn at random, one graph that every form can say, and how a text is refused."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from steerbo._text import unsafe
from steerbo.causal import CausalGraph
from steerbo.errors import InvalidProblem
from tests.sizes import examples

FEW = settings(max_examples=examples(150), deadline=None, derandomize=True)
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
) | st.text(min_size=1, max_size=6).map(str.strip).filter(lambda name: bool(name) and not unsafe(name))
EASY = st.from_regex(r"[A-Za-z_][A-Za-z0-9_ .,:;>-]{0,6}[a-z]", fullmatch=True)
Y: dict[str, Any] = {"target": "y", "intervenable": ["x"]}
CONFOUNDED = CausalGraph([("x", "y"), ("c", "x")], [("x", "y")], target="y", intervenable=["x"])


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


def refuse(text: str, message: str) -> None:
    """A text is refused; its roles are given beside it where it names none."""
    roles: dict[str, Any] = {} if any(word in text for word in ("outcome]", "target:", "outcome,")) else Y
    with pytest.raises(InvalidProblem, match=f"(?s){message}"):
        CausalGraph.from_text(text, **roles)
