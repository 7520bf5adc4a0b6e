"""Causal graphs as networkx graphs, and in GML, which networkx reads and writes (extra ``graphs``)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..errors import InvalidProblem, MissingExtra
from .diagram import UNDIRECTED, Diagram
from .projection import Edge

if TYPE_CHECKING:
    import networkx

    from .graph import CausalGraph


def _networkx() -> Any:
    try:
        import networkx
    except ImportError:
        raise MissingExtra("networkx", "graphs") from None
    return networkx


def read_networkx(graph: Any, bidirected: Iterable[Edge] = ()) -> Diagram:
    """The diagram of a `DiGraph` or `MultiDiGraph`; attributes of nodes are marks, edges may have ``dir="both"``.

    Raises:
        InvalidProblem: a graph without directions, names that are equal as texts, parallel edges that say the same.
        MissingExtra: networkx is not installed.
    """
    networkx = _networkx()
    if not isinstance(graph, networkx.Graph):
        raise InvalidProblem("graph", graph, "a networkx DiGraph")
    if not graph.is_directed():
        hint = "Its edges have no direction: build a DiGraph in which they do."
        raise InvalidProblem("graph", type(graph).__name__, "a networkx DiGraph", hint)
    found = Diagram()
    names: dict[Any, str] = {node: str(node) for node in graph.nodes}
    for node, attributes in graph.nodes(data=True):
        if names[node] in found.nodes or not names[node].strip():
            raise InvalidProblem("graph", node, "names that are not empty, and differ as texts")
        found.mark(names[node], {key: value for key, value in attributes.items() if value is not None})
    for a, b, attributes in graph.edges(data=True):
        before = len(found.directed) + len(found.bidirected)
        found.drawn(names[a], names[b], attributes)
        if len(found.directed) + len(found.bidirected) == before:
            hint = 'If one of them is a latent common cause, give it the attribute dir="both"; else leave one out.'
            raise InvalidProblem("graph", f"{names[a]} -> {names[b]}, twice", "every edge once", hint)
    for i, pair in enumerate(bidirected):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise InvalidProblem(f"bidirected.{i}", pair, "a pair of variables")
        found.link(str(pair[0]), "<->", str(pair[1]), f"bidirected.{i}")
    return found


def write_networkx(graph: CausalGraph) -> networkx.DiGraph[Any]:
    """The `DiGraph` of a causal graph that `read_networkx` reads back."""
    drawn: networkx.DiGraph[Any] = _networkx().DiGraph()
    parts = dict.fromkeys(graph.names, "none")
    parts.update(dict.fromkeys(graph.contexts or (), "context"))
    parts.update(dict.fromkeys(graph.intervenable, "intervenable"))
    parts[graph.target] = "target"
    for name, part in parts.items():
        drawn.add_node(name, latent=False, role=part)
    drawn.add_edges_from(graph.directed)
    for a, b in graph.bidirected:
        latent = f"{a} <-> {b}"
        while latent in drawn:
            latent += "'"
        drawn.add_node(latent, latent=True)
        drawn.add_edges_from([(latent, a), (latent, b)])
    return drawn


def read_gml(text: str) -> Diagram:
    """The diagram of a directed graph in GML; nodes are named by their labels, or by their ids where they have none.

    Raises:
        InvalidProblem: no GML, with the parser's complaint.
        MissingExtra: networkx is not installed.
    """
    networkx = _networkx()
    label = "label" if re.search(r"\blabel\b", text) else "id"
    try:
        graph = networkx.parse_gml(text, label=label)
    except Exception as error:  # networkx's own, and what its parser stumbles over: there is no list of them
        hint = f"({' '.join(str(error).split())}.)"
        raise InvalidProblem("graph", " ".join(text.split())[:80], "a graph in GML", hint) from None
    if not graph.is_directed():
        raise InvalidProblem("graph", "an undirected graph in GML", "the line 'directed 1'", UNDIRECTED)
    return read_networkx(graph)


def write_gml(graph: CausalGraph) -> str:
    """A causal graph in GML, with the attributes of `write_networkx`."""
    return "\n".join(_networkx().generate_gml(write_networkx(graph))) + "\n"
