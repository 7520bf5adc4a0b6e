"""Graphs in braces: dagitty (``dag { x [exposure] u [latent] u -> {x y} }``) and DOT, the language of Graphviz."""

from __future__ import annotations

import re
from typing import Any

from ...errors import InvalidProblem
from ._lexer import DEEPEST, Reader
from ._parsed import ParsedGraph

# An own grammar, as pydot reads fewer texts as Graphviz does (28 of 34 odd ones, this one 33), and
# keeps no lines.
_DOT_NAME = re.compile(r"[^\W\d]\w*|-?(?:\.\d+|\d+(?:\.\d*)?)")
# shorter marks that dagitty reads, too
_SHORT = {"e": "exposure", "source": "exposure", "o": "outcome", "target": "outcome"}
_SHORT |= {"a": "adjusted", "l": "latent", "u": "unobserved", "s": "selected"}
Attributes = dict[str, Any]


def read_braces(text: str) -> ParsedGraph:
    """Parse a graph in dagitty's syntax or in DOT.

    ``exposure``, ``outcome``, ``adjusted``, ``latent`` and ``unobserved`` mark variables, as their
    first letters do. In DOT
    subgraphs are read as their nodes and edges, ``dir=both`` is a latent common cause, and nodes
    are named by their identifiers, or by their labels where all of those are numbers.

    Raises:
        InvalidProblem: a syntax error, with its line.

    >>> list(read_braces('dag { "soil pH" [pos="0,1"] "soil pH" -> yield }').directed)
    [('soil pH', 'yield')]
    """
    reader = Reader(text, "{}[];,=:", "backslash")
    strict = reader.at_word("strict")
    reader.i += strict
    kind = reader.take().text.lower()
    if not reader.at("{"):
        reader.take()  # its name
    grammar = _Dot(reader, kind, strict) if kind in ("graph", "digraph") else _Dagitty(reader, kind)
    grammar.body({}, {}, 0)
    if reader.next.kind != "end":
        reader.refuse("nothing after the closing brace: one graph in a text")
    return grammar.found.named_by_labels()


class _Dagitty:
    """Grammar of dagitty; DOT's differs in its arrows, its names and the meaning of attributes."""

    def __init__(self, reader: Reader, kind: str) -> None:
        self.reader = reader
        self.found = ParsedGraph(ancestral=kind in ("mag", "pag"))

    def body(self, nodes: Attributes, edges: Attributes, depth: int) -> list[str]:
        """Parse statements in braces, with the defaults of nodes and edges around them; returns the variables."""
        if depth > DEEPEST:
            self.reader.refuse(f"at most {DEEPEST} levels of braces")
        nodes, edges = dict(nodes), dict(edges)
        inside: dict[str, None] = {}
        self.reader.take("{")
        while not self.reader.at("}"):
            if self.reader.next.kind == "end":
                self.reader.refuse("a closing brace for every opening one")
            if not self.reader.skip(";", ","):
                inside.update(dict.fromkeys(self.statement(nodes, edges, depth)))
        self.reader.take("}")
        return list(inside)

    def statement(self, nodes: Attributes, edges: Attributes, depth: int) -> list[str]:
        """Parse edges, a variable with its marks, or a setting such as bb="0,0,1,1"; returns the variables."""
        where = self.reader.where
        if self.reader.i + 1 < len(self.reader.tokens) and self.reader.tokens[self.reader.i + 1][
            :2
        ] == ("sign", "="):
            self.reader.i += 2
            self.reader.take(allowed="a value")
            return []
        groups, arrows = [self.group(nodes, edges, depth)], list[tuple[str, str]]()
        while self.reader.next.kind == "arrow":
            arrows.append((self.arrow(), where))
            where = self.reader.where
            groups.append(self.group(nodes, edges, depth))
        attributes = self.attributes()
        if not arrows:
            for name in groups[0]:
                self.found.mark(name, attributes, where)
        for before, (arrow, place), after in zip(groups, arrows, groups[1:], strict=False):
            for a in before:
                for b in after:
                    self.edge(a, arrow, b, {**edges, **attributes}, place)
        return [name for group in groups for name in group]

    def arrow(self) -> str:
        """Take an arrow of the form."""
        return self.reader.arrow()

    def edge(self, a: str, arrow: str, b: str, attributes: Attributes, where: str) -> None:
        """Add an edge."""
        for mark, value in attributes.items():
            if value is None:
                hint = "Give a variable its marks in a statement of its own."
                raise InvalidProblem(where, mark, "no mark after an edge", hint)
        self.found.link(a, arrow, b, where)

    def group(self, nodes: Attributes, edges: Attributes, depth: int) -> list[str]:
        """Parse a variable, or statements in braces."""
        return self.body(nodes, edges, depth + 1) if self.reader.at("{") else [self.variable(nodes)]

    def variable(self, nodes: Attributes) -> str:
        """Take the name of a variable."""
        where, token = self.reader.where, self.reader.next
        if token[:2] == ("word", "subgraph"):
            self.reader.refuse("the name of a variable, which stands in double quotes if it is one")
        name = self.reader.take().text.strip()
        if not name:
            raise InvalidProblem(where, token.text, "a name that is not empty")
        if name not in self.found.nodes:
            self.found.mark(name, nodes, where)
        return name

    def attributes(self) -> Attributes:
        """Parse attributes between brackets."""
        marks: Attributes = {}
        while self.reader.skip("["):
            while not self.reader.skip("]"):
                if not self.reader.skip(",", ";"):
                    mark = self.reader.take(allowed="an attribute").text
                    if self.reader.skip("="):
                        marks[mark] = self.reader.take(allowed="a value").text
                    else:
                        marks[_SHORT.get(mark, mark)] = None
        return marks


class _Dot(_Dagitty):
    def __init__(self, reader: Reader, kind: str, strict: bool) -> None:
        super().__init__(reader, kind)
        self._arrow = "->" if kind == "digraph" else "--"
        self._drawn: set[tuple[str, str]] | None = set() if strict else None

    def statement(self, nodes: Attributes, edges: Attributes, depth: int) -> list[str]:
        """Parse defaults of nodes or edges, or a statement that dagitty has, too."""
        if self.reader.at_word("node", "edge", "graph"):
            defaults: dict[str, Attributes] = {"node": nodes, "edge": edges, "graph": {}}
            defaults[self.reader.take().text.lower()].update(self.attributes())
            return []
        return super().statement(nodes, edges, depth)

    def arrow(self) -> str:
        """Take the arrow of a directed graph, or that of an undirected one."""
        if self.reader.next.text != self._arrow:
            known = self.reader.next.text in ("<-", "<->")
            hint = "A latent common cause is a -> b [dir=both]; b <- a is a -> b." if known else ""
            self.reader.refuse(f"the arrows {self._arrow}", hint)
        return self.reader.arrow()

    def edge(self, a: str, arrow: str, b: str, attributes: Attributes, where: str) -> None:
        """Add an edge as it is drawn."""
        if self._drawn is not None and (a, b) in self._drawn:
            hint = "In a strict graph the second one replaces the first: leave out 'strict'."
            raise InvalidProblem(
                where, f"{a} {arrow} {b}, twice", "one edge between two nodes", hint
            )
        if self._drawn is not None:
            self._drawn.add((a, b))
        self.found.drawn(
            a, b, {"dir": "none", **attributes} if arrow == "--" else attributes, where
        )

    def group(self, nodes: Attributes, edges: Attributes, depth: int) -> list[str]:
        """Parse a node, or a subgraph."""
        if self.reader.at_word("subgraph"):
            self.reader.i += 1
            if not self.reader.at("{"):
                self.reader.take()  # its name
        return super().group(nodes, edges, depth)

    def variable(self, nodes: Attributes) -> str:
        """Take the name of a node, without its port."""
        token = self.reader.next
        if token.kind == "word" and not _DOT_NAME.fullmatch(token.text):
            self.reader.refuse(
                "the name of a node", "In DOT, names with other signs stand in double quotes."
            )
        name = super().variable(nodes)
        while self.reader.skip(":"):
            self.reader.take(allowed="a port")
        return name
