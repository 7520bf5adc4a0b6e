"""What is no causal graph is refused by its place: sizes, edges and roles."""

from __future__ import annotations

from typing import Any

import pytest

from steerbo.causal import CausalGraph
from steerbo.causal.checks import check_edges, check_roles, check_size
from steerbo.causal.projection import MOST_EDGES, MOST_NODES
from steerbo.errors import InvalidProblem

NAMES = ["age", "dose", "y"]


def test_a_graph_is_only_so_large() -> None:
    names = [str(i) for i in range(MOST_NODES + 1)]
    check_size(names[:-1], MOST_EDGES)
    with pytest.raises(InvalidProblem, match=f"variables: {MOST_NODES + 1} .*at most {MOST_NODES}"):
        check_size(names, 3)
    with pytest.raises(InvalidProblem, match=f"directed: {MOST_EDGES + 1} .*at most {MOST_EDGES}"):
        check_size(NAMES, MOST_EDGES + 1)


@pytest.mark.parametrize("field", ["directed", "bidirected"])
@pytest.mark.parametrize(
    ("edge", "said"),
    [
        (("a", "a"), "a -> a.*between two variables.*Remove the self-loop"),
        (("a", " "), "names that are not empty"),
        (("", "a"), "names that are not empty"),
        (("x", "a"), "every edge once"),
    ],
)
def test_edges_are_refused_by_their_place(field: str, edge: tuple[str, str], said: str) -> None:
    with pytest.raises(InvalidProblem, match=rf"{field}\.2: .*{said}"):
        check_edges(field, [("x", "a"), ("x", "b"), edge])


def test_an_edge_without_a_direction_is_the_same_either_way() -> None:
    both = [("a", "b"), ("b", "a")]
    check_edges("directed", both)  # a cycle, which is said elsewhere
    with pytest.raises(InvalidProblem, match=r"bidirected\.1: .*every edge once"):
        check_edges("bidirected", both)


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ({"target": "z"}, "target: 'z' .*one of age, dose, y"),
        ({"intervenable": ["dos"]}, "intervenable: 'dos' .*did you mean 'dose'"),
        ({"contexts": ["sex"]}, "contexts: 'sex' .*one of"),
        ({"intervenable": ["dose", "dose"]}, "intervenable: 'dose' .*every variable once"),
        ({"contexts": ["age", "age"]}, "contexts: 'age' .*every variable once"),
        ({"intervenable": ["y"]}, "intervenable: 'y' .*other than the target"),
        ({"contexts": ["y"]}, "contexts: 'y' .*other than the target"),
        ({"contexts": ["age", "dose"]}, "contexts: 'dose' .*but list it once"),
    ],
)
def test_roles_are_those_of_variables_and_one_each(roles: dict[str, Any], said: str) -> None:
    given: dict[str, Any] = {"target": "y", "intervenable": ["dose"], "contexts": ["age"]}
    check_roles(NAMES, **given)
    check_roles(NAMES, "y", [], [])
    with pytest.raises(InvalidProblem, match=said):
        check_roles(NAMES, **{**given, **roles})


def test_a_graph_that_is_declared_is_checked() -> None:
    with pytest.raises(InvalidProblem, match=r"directed\.1: .*every edge once"):
        CausalGraph([("a", "b"), ("a", "b")], target="b", intervenable=["a"])
    with pytest.raises(InvalidProblem, match=r"bidirected\.1: .*every edge once"):
        CausalGraph([], [("a", "b"), ("b", "a")], target="b", intervenable=["a"])
    with pytest.raises(InvalidProblem, match="other than the target"):
        CausalGraph.from_text("a -> b", target="b", intervenable=["b"])
