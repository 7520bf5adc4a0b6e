"""Parser of graphs in dagitty syntax: ``dag { x [exposure] y [outcome] u [latent] x -> y u -> {x y} }``."""

from __future__ import annotations

import re
from typing import NamedTuple

from ...errors import InvalidProblem
from ._parsed import CIRCLE, CIRCLES, UNDIRECTED, ParsedGraph

_TOKEN = re.compile(
    r"(?P<skip>\s+|(?:\#|//)[^\n]*|/\*[\s\S]*?(?:\*/|\Z))"
    r'|"(?P<quoted>(?:[^"\\]|\\.)*)"'
    rf"|(?P<circle>[@<-]+@|@[->@]+|{CIRCLE})"
    r"|(?P<arrow><->|->|<-|--)"
    r"|(?P<sign>[\[\]{};,=])"
    r'|(?P<word>(?:-(?=[\d.]))?[^\s\[\]{};,=:"<>@#-]+(?:-(?![->@])[^\s\[\]{};,=:"<>@#-]+)*)'
    r"|(?P<odd>.)",
    re.DOTALL,
)


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


def read_dagitty(text: str) -> ParsedGraph:
    """Parse dagitty text; ``exposure``, ``outcome``, ``adjusted``, ``latent`` and ``unobserved`` mark variables.

    Raises:
        InvalidProblem: a syntax error, with its line; a kind of graph whose arrows say less than those of a dag.

    >>> list(read_dagitty('dag { "soil pH" [pos="0,1"] "soil pH" -> yield }').directed)
    [('soil pH', 'yield')]
    """
    reader = _Reader(text)
    kind = reader.take()
    if kind.text in ("mag", "pag"):
        hint = "There an arrow leaves open whether the two have a latent common cause as well."
        raise InvalidProblem(f"graph line {kind.line}", kind.text, "a dag", hint)
    if not reader.at("{"):
        reader.take()  # its name
    reader.take("{")
    while not reader.at("}"):
        reader.statement()
    reader.take("}")
    if reader.left:
        reader.refuse("nothing after the closing brace")
    return reader.found


class _Reader:
    def __init__(self, text: str) -> None:
        self.found = ParsedGraph()
        self.tokens: list[_Token] = []
        line = 1
        for match in _TOKEN.finditer(text):
            kind = str(match.lastgroup)
            if kind != "skip":
                quoted = kind == "quoted"
                word = re.sub(r"\\(.)", r"\1", match["quoted"]) if quoted else match.group()
                self.tokens.append(_Token("name" if quoted else kind, word, line))
            line += match.group().count("\n")
        self.i, self.last = 0, line

    @property
    def left(self) -> int:
        """Number of tokens that are not read yet."""
        return len(self.tokens) - self.i

    @property
    def next(self) -> _Token:
        """Next token, which stays to be taken."""
        return self.tokens[self.i] if self.left else _Token("end", "the end of the text", self.last)

    @property
    def where(self) -> str:
        """Place of the next token, for errors."""
        return f"graph line {self.next.line}"

    def at(self, sign: str) -> bool:
        """Whether the next token is a sign."""
        return self.next[:2] == ("sign", sign)

    def refuse(self, allowed: str) -> None:
        """Refuse the next token.

        Raises:
            InvalidProblem: always; it names the line, the token and the allowed ones.
        """
        kind, text, _ = self.next
        hint = CIRCLES if kind == "circle" else UNDIRECTED if text == "--" and kind == "arrow" else ""
        raise InvalidProblem(self.where, text, allowed, hint)

    def take(self, sign: str = "") -> _Token:
        """Take the next token: this sign, or a name if none is given."""
        token = self.next
        if not (self.at(sign) if sign else token.kind in ("name", "word")):
            self.refuse(f"{sign!r}" if sign else "the name of a variable")
        self.i += 1
        return token

    def statement(self) -> None:
        """Parse edges, a variable with its marks, or a setting such as bb="0,0,1,1"."""
        if self.at(";") or self.at(","):
            self.i += 1
            return
        where = self.where
        group = self.group()
        if self.at("=") and len(group) == 1:
            self.i += 1
            self.take()
            return
        chained = False
        while self.next.kind in ("arrow", "circle"):
            arrow, where, chained = self.next.text, self.where, True
            if self.next.kind == "circle" or arrow == "--":
                self.refuse("the arrows ->, <- and <->")
            self.i += 1
            others = self.group()
            for a in group:
                for b in others:
                    self.found.link(a, arrow, b, where)
            group = others
        marks = self.attributes() if self.at("[") else {}
        if not chained:
            for name in group:
                self.found.mark(name, marks, where)
        elif bare := [mark for mark, value in marks.items() if value is None]:
            hint = "Give a variable its marks in a statement of its own."
            raise InvalidProblem(where, bare[0], "no mark after an edge", hint)

    def group(self) -> list[str]:
        """Parse a variable, or several in braces."""
        if not self.at("{"):
            names = [self._variable()]
        else:
            self.take("{")
            names = []
            while not self.at("}"):
                if self.at(";") or self.at(","):
                    self.i += 1
                else:
                    names.append(self._variable())
            self.take("}")
        self.found.nodes.update(dict.fromkeys(names if not self.at("=") else ()))
        return names

    def _variable(self) -> str:
        token = self.take()
        if token.kind == "word" and token.text == "subgraph":
            self.i -= 1
            self.refuse("the name of a variable, which stands in double quotes if it is one")
        if not token.text.strip():
            self.i -= 1
            self.refuse("a name that is not empty")
        return token.text

    def attributes(self) -> dict[str, str | None]:
        """Parse the attributes between brackets."""
        self.take("[")
        marks: dict[str, str | None] = {}
        while not self.at("]"):
            if self.at(",") or self.at(";"):
                self.i += 1
                continue
            mark, value = self.take().text, None
            if self.at("="):
                self.i += 1
                value = self.take().text
            marks[mark] = value
        self.take("]")
        return marks
