"""Edges line by line: what cannot be read is refused by its line."""

from __future__ import annotations

import pytest

from steerbo.causal import CausalGraph
from steerbo.errors import InvalidProblem
from tests.causal.graph_texts import refuse

REFUSED = {
    "undirected lines": ("x -> y\na -- b", "line 2: 'a -- b'.*Say which way"),
    "one dash": ("x -> y; a - b", "line 1: 'a - b'.*edges such as"),
    "circle lines": ("x -> y\na o-> b", "line 2: 'a o-> b'.*Circles"),
    "circle other end": ("x -> y\na <-o b", "line 2: 'b o-> a'.*Circles"),
    "two circles": ("x -> y\na o-o b", "line 2: 'a o-o b'.*Circles"),
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
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_by_name(text: str, message: str) -> None:
    refuse(text, message)


@pytest.mark.parametrize(("text", "missing"), [("x -> y", "target"), ("x -> y; target: y", "intervenable")])
def test_missing_roles_are_asked_for(text: str, missing: str) -> None:
    with pytest.raises(InvalidProblem, match=f"^{missing}: missing;.*{missing}: "):
        CausalGraph.from_text(text)


def test_names_are_whole_characters() -> None:
    with pytest.raises(InvalidProblem, match="half a character"):
        CausalGraph.from_text("\ud800 -> x; x -> y", target="y", intervenable=["x"])
