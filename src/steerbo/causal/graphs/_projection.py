"""Topological order of a graph, and its latent projection when variables are hidden."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from graphlib import CycleError, TopologicalSorter

from ...errors import InvalidProblem

Edge = tuple[str, str]
MOST_EDGES, MOST_NODES = 10_000, 10_000
"""Most edges and variables of a graph, also after its latent variables are projected out."""


def check_edge_count(edges: int) -> None:
    """Refuse more edges than a graph may have."""
    if edges > MOST_EDGES:
        raise InvalidProblem("graph", f"{edges} edges", f"at most {MOST_EDGES} edges")


def causal_order(names: Iterable[str], directed: Iterable[Edge]) -> list[str]:
    """Sort the variables topologically, causes before effects.

    Raises:
        InvalidProblem: there is a cycle, which is shown.

    >>> causal_order("abc", [("c", "b"), ("b", "a")])
    ['c', 'b', 'a']
    """
    sorter = TopologicalSorter(dict.fromkeys(names, ()))
    edges = dict.fromkeys(directed)
    for a, b in edges:
        if (b, a) in edges:
            hint = (
                "They point at each other, as some programs write an edge whose direction is not known: "
                f"‹graphs_of› takes {a} -- {b}. A latent common cause is {a} <-> {b}."
            )
            raise InvalidProblem("directed", f"{a} -> {b} -> {a}", "a graph without cycles", hint)
        sorter.add(b, a)
    try:
        return list(sorter.static_order())
    except CycleError as error:
        path = " -> ".join(error.args[1])
        raise InvalidProblem(
            "directed", path, "a graph without cycles", "Remove one of these edges."
        ) from None


def latent_projection(
    names: Iterable[str],
    directed: Iterable[Edge],
    bidirected: Iterable[Edge],
    hidden: Collection[str],
) -> tuple[tuple[Edge, ...], tuple[Edge, ...]]:
    """Project hidden variables out: directed and bidirected edges among the others (Verma & Pearl 1990).

    There is an edge a → b where a directed path leads from a to b through hidden variables alone,
    and a ↔ b where such paths lead to both from one hidden variable, or from the two ends of a
    bidirected edge.

    Raises:
        InvalidProblem: a cycle, or more than `MOST_EDGES` edges.

    >>> latent_projection("uab", [("u", "a"), ("u", "b"), ("a", "b")], [], {"u"})
    ((('a', 'b'),), (('a', 'b'),))
    """
    listed, edges, pairs = tuple(names), tuple(directed), tuple(bidirected)
    order = causal_order(listed, edges)
    children: dict[str, list[str]] = {name: [] for name in hidden}
    for a, b in edges:
        if a in children:
            children[a].append(b)
    # of a hidden variable: the others that it affects through hidden ones alone
    reach: dict[str, dict[str, None]] = {}

    def reached(name: str) -> dict[str, None]:
        return reach[name] if name in children else {name: None}

    def reached_by_all(starts: Iterable[str]) -> dict[str, None]:
        return {end: None for start in starts for end in reached(start)}

    for name in reversed(order):
        if name in children:
            reach[name] = reached_by_all(children[name])
    arrows: dict[Edge, None] = {}
    for a, b in edges:
        if a not in children:
            arrows.update({(a, end): None for end in reached(b)})
            check_edge_count(len(arrows))
    common: dict[Edge, None] = {}
    for a, b in pairs:
        for s in reached(a):
            _confound(common, s, reached(b))
    for latent in (name for name in listed if name in children):
        for s in reach[latent]:
            _confound(common, s, reach[latent])
    return tuple(arrows), tuple(common)


def _confound(common: dict[Edge, None], name: str, others: Iterable[str]) -> None:
    for other in others:
        if other != name and (other, name) not in common:
            common[name, other] = None
    check_edge_count(len(common))


def projected(
    names: Sequence[str], directed: Iterable[Edge], bidirected: Iterable[Edge], kept: Sequence[str]
) -> tuple[tuple[Edge, ...], tuple[Edge, ...]]:
    """Project on the variables `kept`; edges are sorted in their order."""
    place = {name: i for i, name in enumerate(kept)}

    def where(edge: Edge) -> tuple[int, int]:
        return place[edge[0]], place[edge[1]]

    hidden = [name for name in names if name not in place]
    arrows, common = latent_projection(names, directed, bidirected, hidden)
    pairs = ((a, b) if place[a] < place[b] else (b, a) for a, b in common)
    return tuple(sorted(arrows, key=where)), tuple(sorted(pairs, key=where))
