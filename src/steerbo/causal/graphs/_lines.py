"""Text form of causal graphs: edges and roles, one a line or separated by semicolons; and lists of edges as printed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from ..._text import unsafe
from ...errors import InvalidProblem
from ._lexer import Reader, tokens
from ._parsed import ARROWS, CIRCLES, UNDIRECTED, ParsedGraph
from ._projection import Edge

ROLES = ("target", "intervenable", "contexts", "latent")
_PLAIN = re.compile(r"\w+(?:[-.]\w+)*")
_EDGES = "edges such as 'a -> b' or 'a <-> b'"
_EDGE = re.compile(r"\d+\.\s+(.*?\S)\s+(\S*-\S*)\s+(.*?\S)((?:\s+(?:dd|pd|nl|pl))*)(?:\s+\[.*)?")
"""Numbered edge of Tetrad: dd and pd say whether it is direct, nl that it hides no common cause, pl that it may.

The share of samples that had it follows in brackets.
"""


def read_lines(text: str) -> ParsedGraph:
    """Parse lines such as ``soil pH -> yield; target: yield``.

    Names may hold spaces; those with other signs, or with words that are names themselves, stand in
    double quotes.

    Raises:
        InvalidProblem: a statement that is no edge, no name and no role, with its line.

    >>> list(read_lines('"a -> b" <-> c').bidirected)
    [('a -> b', 'c')]
    """
    lines = _Lines(text)
    while lines.reader.next.kind != "end":
        if lines.reader.next.kind == "line" or lines.reader.at(";"):
            lines.reader.i += 1
        else:
            lines.statement()
    for name, where in lines.spaced.items():
        if known := [word for word in name.split() if word in lines.found.nodes]:
            hint = f"{known[0]!r} is a variable: put ';' between two edges, or double quotes around a name."
            raise InvalidProblem(where, name, "a name that can be told from two names", hint)
    return lines.found


class _Lines:
    def __init__(self, text: str) -> None:
        self.reader = Reader(text, ";,:=[]{}", lines=True)
        self.found = ParsedGraph()
        self.spaced: dict[str, str] = {}  # names of several words without quotes, with their places

    def statement(self) -> None:
        """Parse one role with its names, or a chain of edges."""
        reader, found, where = self.reader, self.found, self.reader.where
        name = self._name()
        if reader.skip(":"):
            if name not in ROLES:
                hint = "A name with a colon stands in double quotes."
                self._refuse(f"one of the roles {', '.join(ROLES)} before ':'", hint)
            self._give(name)
            return
        found.nodes[name] = None
        while not self._ended:
            arrow = reader.next.text
            if arrow not in ARROWS:
                unsure = CIRCLES if "o" in arrow else UNDIRECTED if arrow == "-" else ""
                self._refuse(
                    f"{_EDGES}, not {arrow!r}", unsure or "Give every edge its own statement."
                )
            reader.i += 1
            other = self._name()
            found.link(name, arrow, other, where)
            name = other

    def _give(self, role: str) -> None:
        """Give a role to the names after it."""
        names = [] if self._ended else [self._name()]
        while not self._ended:
            if not self.reader.skip(","):
                self._refuse(f"names with commas between them after '{role}:'")
            names.append(self._name())
        if role == "latent":
            self.found.nodes.update(dict.fromkeys(names))
            self.found.hidden.update(dict.fromkeys(names))
        else:
            self.found.roles[role] = (*self.found.roles.get(role, ()), *names)

    def _name(self) -> str:
        """Parse a name: one in double quotes, or words with single spaces between them."""
        reader, where, begin = self.reader, self.reader.where, self.reader.i
        while reader.next.kind in ("name", "word"):
            word = reader.next.text
            if reader.next.kind == "word" and not re.search(r"\w", word) and not unsafe(word):
                self._refuse(f"{_EDGES}, not {word!r}", "Other names stand in double quotes.")
            reader.i += 1
        parts = reader.tokens[begin : reader.i]
        if not parts:
            hint = (
                "Names with other signs stand in double quotes."
                if reader.next.kind in ("odd", "sign")
                else ""
            )
            self._refuse(_EDGES, hint)
        if len(parts) == 1 and parts[0].kind == "name":
            if not parts[0].text.strip():
                self._refuse("names that are not empty")
            return parts[0].text
        if any(part.kind == "name" for part in parts):
            self._refuse("a name either in double quotes or without any")
        name = " ".join(part.text for part in parts)
        if len(parts) > 1:
            self.spaced[name] = where
        return name

    @property
    def _ended(self) -> bool:
        return self.reader.next.kind in ("line", "end") or self.reader.at(";")

    def _refuse(self, allowed: str, hint: str = "") -> None:
        """Refuse the statement that is read.

        Raises:
            InvalidProblem: always, with its line.
        """
        reader = self.reader
        last = min(reader.i, len(reader.tokens) - 1)
        first = last

        def ends(i: int) -> bool:
            return reader.tokens[i].kind == "line" or reader.tokens[i][:2] == ("sign", ";")

        while first > 0 and not ends(first - 1):
            first -= 1
        while last + 1 < len(reader.tokens) and not ends(last) and not ends(last + 1):
            last += 1
        said = (
            reader.text[reader.tokens[first].start : reader.tokens[last].end]
            .strip()
            .rstrip(";")
            .rstrip()
        )
        raise InvalidProblem(f"graph line {reader.tokens[first].line}", said, allowed, hint)


def read_listing(text: str) -> ParsedGraph:
    """Parse a list of nodes and numbered edges, as Tetrad and causal-learn print it; a latent node is in parentheses.

    Raises:
        InvalidProblem: a line that is no edge, or a block that says more than edges do.
    """
    found, block = ParsedGraph(), ""
    for number, line in enumerate(text.split("\n"), 1):
        said, where = line.strip(), f"graph line {number}"
        if re.fullmatch(r"Graph [\w ]*:|[A-Z][^:]*:", said):
            block = said
        elif not said or said.startswith("#") or "Attributes" in block:
            continue
        elif block == "Graph Nodes:":
            for name in filter(None, map(str.strip, re.split("[;,]", said))):
                latent = name.startswith("(") and name.endswith(")")
                found.mark(name.strip("()") if latent else name, {"latent": latent}, where)
        elif block == "Graph Edges:" and (match := _EDGE.fullmatch(said)):
            a, b, tags = match[1], match[3], match[4].split()
            arrow = next(
                token.text for token in tokens(f"a {match[2]} b", ";") if token.text != "a"
            )
            if arrow not in ARROWS:
                raise InvalidProblem(where, said, _EDGES, CIRCLES if "o" in arrow else "")
            found.link(a, arrow, b, where)
            if "nl" in tags:
                found.visible.update([(a, b), (b, a)])
            found.ancestral |= bool(tags)
        else:
            hint = "Only nodes, edges and attributes are read: leave out the rest, if the edges are right without it."
            raise InvalidProblem(where, said, "a numbered edge such as '1. a --> b'", hint)
    return found


def write_lines(
    names: Iterable[str],
    directed: Iterable[Edge],
    bidirected: Iterable[Edge],
    roles: Mapping[str, Iterable[str]],
) -> str:
    """Write edges, names and roles in the form that `read_lines` parses; the order of names is preserved."""
    arrows = [(a, "->", b) for a, b in directed] + [(a, "<->", b) for a, b in bidirected]
    mentioned = dict.fromkeys(name for a, _, b in arrows for name in (a, b))
    listed = list(names)
    alone = [name for name in listed if name not in mentioned]
    parts = [f"{written(a)} {arrow} {written(b)}" for a, arrow, b in arrows]
    parts = (
        [*parts, *map(written, alone)]
        if [*mentioned, *alone] == listed
        else [*map(written, listed), *parts]
    )
    return "; ".join(
        [*parts, *(f"{role}: {', '.join(map(written, names))}" for role, names in roles.items())]
    )


def written(name: str) -> str:
    """Quote a name if it needs quotes.

    >>> written("age"), written("soil pH")
    ('age', '"soil pH"')
    """
    return name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)
