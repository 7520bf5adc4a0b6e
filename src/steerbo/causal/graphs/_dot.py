"""Graphs in DOT, the language of Graphviz, parsed with pydot (extra ``graphs``)."""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import InvalidProblem, MissingExtra
from ._parsed import CIRCLE, CIRCLES, UNDIRECTED, ParsedGraph

_MOST = 6_000
"""Most tokens of a text in DOT, counted double with every level of braces: parsing takes time in proportion."""
_TOKEN = re.compile(
    r"(?P<skip>\s+|(?:\#|//)[^\n]*|/\*[\s\S]*?(?:\*/|\Z))"
    rf'|(?P<circle>{CIRCLE})|"(?:[^"\\]|\\.)*"|->|--|[{{}}]|<|[\w.]+|[^\w\s]',
    re.DOTALL,
)
_ANGLE = re.compile("[<>]")
_NAME = re.compile(r'"((?:[^"\\]|\\.)*)"|([^":<]+)', re.DOTALL)
_PARSER = threading.Lock()  # pyparsing is for one thread at a time

Attributes = dict[str, Any]


def read_dot(text: str) -> ParsedGraph:
    """Parse DOT: subgraphs are read as their nodes and edges, ``dir=both`` is a latent common cause.

    Attributes of nodes are marks, as in `ParsedGraph.mark`; nodes are named by their identifiers, not their labels.

    Raises:
        InvalidProblem: no DOT, an undirected graph, edges with circles, too large a text.
        MissingExtra: pydot is not installed.
    """
    _check(text)
    graphs = _parse(text)
    if len(graphs) != 1:
        raise InvalidProblem("graph", f"{len(graphs)} graphs", "one graph in a text")
    walk = _Walk(text)
    walk.scope(graphs[0].obj_dict, {}, {})
    both = [edge for edge in walk.found.directed if {edge, edge[::-1]} & set(walk.found.bidirected)]
    if both and graphs[0].obj_dict["strict"]:
        hint = "In a strict graph the second one replaces the first: leave out 'strict'."
        raise InvalidProblem("graph", f"{' -> '.join(both[0])}, twice", "one edge between two nodes", hint)
    return walk.found


def _parse(text: str) -> list[Any]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pydot calls pyparsing by deprecated names
            from pydot.dot_parser import graphparser
    except ImportError:
        raise MissingExtra("pydot", "graphs") from None
    try:
        with _PARSER, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return list(graphparser.parse_string(text, parse_all=True))
    except Exception as error:  # pyparsing's own, and those of pydot's parse actions
        line = getattr(error, "lineno", None)
        place = f"graph line {line}" if line else "graph"
        said = text.split("\n")[line - 1].strip() if line else text.strip()[:80]
        hint = f"({' '.join(str(error).split())}.) A latent common cause is a -> b [dir=both]."
        raise InvalidProblem(place, said, "DOT as Graphviz reads it", hint) from None


def _check(text: str) -> None:
    """Refuse texts that take the parser too long, and edges that it confuses."""
    line, depth, work, before = 1, 0, 0, ""
    for kind, token in _tokens(text):
        if kind == "circle":
            raise InvalidProblem(f"graph line {line}", token, "the arrows ->", CIRCLES)
        if token.startswith("<") and before != "=":
            hint = "A latent common cause is a -> b [dir=both]; b <- a is a -> b."
            raise InvalidProblem(f"graph line {line}", token, "the arrows ->", hint)
        before = before if kind == "skip" else token
        if token == "--" or (not depth and token.lower() == "graph"):
            raise InvalidProblem(f"graph line {line}", token, "a digraph with the arrows ->", UNDIRECTED)
        depth += (token == "{") - (token == "}")
        if kind != "skip":
            work += 2 ** max(depth - 1, 0)
        if work > _MOST:
            hint = "Write it as GML or as lines of edges, which may be larger."
            allowed = f"at most {_MOST} words and signs, counted double with every further level of braces"
            raise InvalidProblem(f"graph line {line}", "a longer text in DOT", allowed, hint)
        line += token.count("\n")
    if depth:
        raise InvalidProblem(f"graph line {line}", text.strip()[-40:], "a closing brace for every opening one")


def _tokens(text: str) -> Iterator[tuple[str | None, str]]:
    """Split a text into tokens with their kinds; an HTML label <…> is one token."""
    at = 0
    while match := _TOKEN.match(text, at):
        at, token = match.end(), match.group()
        if token == "<":
            opened, end = 1, len(text)
            for sign in _ANGLE.finditer(text, at):
                opened += 1 if sign.group() == "<" else -1
                if not opened:
                    end = sign.end()
                    break
            token, at = token + text[at:end], end
        yield match.lastgroup, token


class _Walk:
    """Walk through pydot's records of a graph in the order of its statements."""

    def __init__(self, text: str) -> None:
        self.found = ParsedGraph()
        self._lines = text.split("\n")

    def _at(self, *words: str) -> str:
        """Name the line of a statement with these words in order, if it is unique: pydot keeps no line numbers."""
        wanted = re.compile(".*".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in words))
        lines = [n for n, line in enumerate(self._lines, 1) if wanted.search(line)]
        return f"graph line {lines[0]}" if len(lines) == 1 else "graph"

    def scope(self, graph: Mapping[str, Any], nodes: Attributes, edges: Attributes) -> list[str]:
        """Read a graph or subgraph with the surrounding defaults of nodes and edges; returns the names of its nodes."""
        nodes, edges = dict(nodes), dict(edges)
        inside: dict[str, None] = {}
        for kind, part in _statements(graph):
            attributes = dict(part["attributes"])
            if kind == "nodes" and part["name"] in ("node", "edge", "graph"):
                {"node": nodes, "edge": edges, "graph": {}}[part["name"]].update(attributes)
            elif kind == "nodes":
                inside[self.node(part["name"], nodes, attributes)] = None
            elif kind == "subgraphs":
                inside.update(dict.fromkeys(self.scope(part, nodes, edges)))
            else:
                ends = [self.end(point, nodes, edges) for point in part["points"]]
                inside.update(dict.fromkeys([*ends[0], *ends[1]]))
                for a in ends[0]:
                    for b in ends[1]:
                        self.found.drawn(a, b, {**edges, **attributes}, self._at(a, b, *attributes))
        return list(inside)

    def end(self, point: Any, nodes: Attributes, edges: Attributes) -> list[str]:
        """Read the nodes at one end of an edge."""
        return self.scope(point, nodes, edges) if isinstance(point, Mapping) else [self.node(str(point), nodes, {})]

    def node(self, said: str, defaults: Attributes, attributes: Attributes) -> str:
        """Add a node, named without its port; at its first mention it takes the defaults."""
        match = _NAME.match(said)
        name = "" if match is None else match[2] if match[1] is None else match[1].replace('\\"', '"')
        if not name.strip():
            raise InvalidProblem("graph", said, "a node with a name")
        marks = {**({} if name in self.found.nodes else defaults), **attributes}
        self.found.mark(name, marks, self._at(name, *attributes))
        return name


def _statements(graph: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    found = [
        (kind, part) for kind in ("nodes", "edges", "subgraphs") for parts in graph[kind].values() for part in parts
    ]
    return sorted(found, key=lambda statement: statement[1]["sequence"])
