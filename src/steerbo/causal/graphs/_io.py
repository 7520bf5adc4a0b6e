"""Reading and writing causal graphs: texts in GML, DOT, dagitty or lines, and networkx graphs (extra ``graphs``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import _files as files
from ...errors import InvalidProblem, MissingExtra
from ._dagitty import read_dagitty
from ._dot import read_dot
from ._lines import read_lines
from ._parsed import UNDIRECTED, ParsedGraph
from ._projection import Edge

if TYPE_CHECKING:
    import networkx

_LONGEST = 1_000_000
_SKIPPED = r"(?:\s|(?:\#|//)[^\n]*\n|/\*[\s\S]*?\*/)*+"
_NAME = r'(?:"(?:[^"\\]|\\.)*+"|[^\s"{}\[\];,<>-]+)'
_GML = re.compile(rf'{_SKIPPED}(?:(?:Creator|Version|comment)\s+(?:"[^"]*"|\S+)\s+)*+graph\s*\[', re.IGNORECASE)
_DOT = re.compile(rf"{_SKIPPED}(?:strict\s+)?(?:di)?graph\b\s*{_NAME}?\s*\{{", re.IGNORECASE)
_DAGITTY = re.compile(rf"{_SKIPPED}(?:dag|pdag|mag|pag)\b\s*{_NAME}?\s*\{{")


def read(text: str) -> ParsedGraph:
    """Parse a text in any of the forms.

    Raises:
        InvalidProblem: a syntax error, with its line.
        MissingExtra: DOT without pydot, or GML without networkx.

    >>> read("a -> b <-> c; target: b; intervenable: a").bidirected
    {('b', 'c'): None}
    >>> read('dag { x [exposure] y [outcome] x -> y }').roles
    {'intervenable': ('x',), 'target': ('y',)}
    """
    if not isinstance(text, str) or not text.strip():
        raise InvalidProblem("graph", text, "text with at least one edge, such as 'x -> y'")
    if len(text) > _LONGEST:
        raise InvalidProblem("graph", f"a text of {len(text)} characters", f"at most {_LONGEST} characters")
    for form, reader in ((_GML, read_gml), (_DOT, read_dot), (_DAGITTY, read_dagitty)):
        if form.match(text):
            return reader(text)
    return read_lines(text)


def read_file(path: Path) -> ParsedGraph:
    """Parse a file in any of the forms.

    Raises:
        InvalidProblem: it cannot be read.
    """
    return read(read_text(path))


def read_text(path: Path) -> str:
    """Read a text file in UTF-8, with or without a byte order mark.

    Raises:
        InvalidProblem: it cannot be read.
    """
    allowed = "a text file that can be read, in UTF-8"
    try:
        return files.read_file(path, "graph", InvalidProblem, allowed=allowed).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidProblem("graph", str(path), allowed, f"({error}.)") from None


def _networkx() -> Any:
    try:
        import networkx
    except ImportError:
        raise MissingExtra("networkx", "graphs") from None
    return networkx


def read_networkx(graph: Any) -> ParsedGraph:
    """Convert a `DiGraph` or `MultiDiGraph`; attributes of nodes are marks, edges may have ``dir="both"``.

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
    found = ParsedGraph()
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
    return found


def write_networkx(
    roles: Mapping[str, str], directed: Iterable[Edge], bidirected: Iterable[Edge]
) -> networkx.DiGraph[Any]:
    """Build the `DiGraph` that `read_networkx` converts back; a role is target, intervenable, context or none."""
    drawn: networkx.DiGraph[Any] = _networkx().DiGraph()
    for name, role in roles.items():
        drawn.add_node(name, latent=False, role=role)
    drawn.add_edges_from(directed)
    for a, b in bidirected:
        latent = f"{a} <-> {b}"
        while latent in drawn:
            latent += "'"
        drawn.add_node(latent, latent=True)
        drawn.add_edges_from([(latent, a), (latent, b)])
    return drawn


def read_gml(text: str) -> ParsedGraph:
    """Parse a directed graph in GML; nodes are named by their labels, or by their ids if they have none.

    Raises:
        InvalidProblem: no GML, with the parser's complaint.
        MissingExtra: networkx is not installed.
    """
    networkx = _networkx()
    label = "label" if re.search(r"\blabel\b", text) else "id"
    try:
        graph = networkx.parse_gml(text, label=label)
    except Exception as error:  # networkx documents no list of its parser's errors
        hint = f"({' '.join(str(error).split())}.)"
        raise InvalidProblem("graph", " ".join(text.split())[:80], "a graph in GML", hint) from None
    if not graph.is_directed():
        raise InvalidProblem("graph", "an undirected graph in GML", "the line 'directed 1'", UNDIRECTED)
    return read_networkx(graph)
