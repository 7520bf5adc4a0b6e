"""Lexer of graphs in text: names, quoted names, arrows, signs and ends of lines, whatever the form.

It knows quotes and comments, so that no arrow is found inside of them. Long and typeset arrows are
those that they stand for (``-->`` and ``→`` are ``->``), and every arrow has the same name in all
forms (``@->`` is ``o->``).
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from ...errors import InvalidProblem
from ._parsed import ARROWS, CIRCLES, UNDIRECTED

Quoting = Literal["json", "backslash", "entities"]
"""Writing of a quote within quotes: as JSON does, with a backslash and nothing else, or as GML (``&quot;``)."""
DEEPEST = 50  # brackets or braces in each other; the stack of Python ends at some hundreds
_TYPESET = {"→": "->", "←": "<-", "↔": "<->", "⟶": "->", "⟵": "<-", "⟷": "<->"}
_COMMENT = r"(?:\#|//)[^\n]*|/\*[\s\S]*?(?:\*/|\Z)"
_ARROW = rf"(?:[<>]|-(?=[-<>])|(?<=[-<>])-)+|[{''.join(_TYPESET)}]|(?<=\s)-(?=\s)"
_CIRCLED = re.compile(r'(?<=[\s"])[o@*]-+(?:>+|[o@*](?=[\s"])|(?=\s))|<?-+[o@*](?=[\s"])')
"""Arrows with a circle, after a name: o is a name as well, so it belongs to an arrow only without a space between."""
_ANGLE = re.compile("[<>]")


class Token(NamedTuple):
    """A piece of a text, from `start` to `end`. `kind`: name (in quotes), word, arrow, sign, line, odd or end."""

    kind: str
    text: str
    line: int
    start: int = 0
    end: int = 0


@lru_cache
def _pattern(signs: str, quoting: Quoting) -> re.Pattern[str]:
    if quoting == "entities":
        quoted = r'"[^"]*"'
    elif quoting == "json":
        quoted = r'"(?:[^"\\\n]|\\.)*"'
    else:
        quoted = r'"(?:[^"\\]|\\.)*"'
    signed = re.escape(signs)
    return re.compile(
        rf"(?P<skip>[^\S\n]+|{_COMMENT})|(?P<line>\n)|(?P<name>{quoted})|(?P<arrow>{_ARROW})|(?P<sign>[{signed}])"
        rf"|(?P<word>(?!')(?:(?!--|->|//|/\*)[^\s\"<>\#{''.join(_TYPESET)}{signed}])+)|(?P<odd>.)",
        re.DOTALL,
    )


def tokens(text: str, signs: str, quoting: Quoting = "json") -> Iterator[Token]:
    """Split a text into tokens; the characters `signs` are tokens of their own.

    >>> [token.text for token in tokens('"a -> b" <--> c-1 # -- d', ";")]
    ['a -> b', '<->', 'c-1']
    """
    pattern, at, line = _pattern(signs, quoting), 0, 1
    last = Token("line", "", 0)
    while at < len(text):
        after_name = last.kind in ("name", "word")
        match = (after_name and _CIRCLED.match(text, at)) or pattern.match(text, at)
        assert match is not None
        kind, said = match.lastgroup or "arrow", match.group()
        if said.startswith("<") and last[:2] == ("sign", "="):
            kind, said = "name", _markup(text, at)
        if kind != "skip":
            last = Token(kind, _meant(kind, said, line, quoting), line, at, at + len(said))
            yield last
        line += said.count("\n")
        at += len(said)


def _markup(text: str, at: int) -> str:
    """HTML-like label of DOT that begins here, up to the bracket that closes it."""
    opened = 0
    for bracket in _ANGLE.finditer(text, at):
        opened += 1 if bracket.group() == "<" else -1
        if not opened:
            return text[at : bracket.end()]
    return text[at:]


def _meant(kind: str, said: str, line: int, quoting: Quoting) -> str:
    """Name that a token has in every form."""
    if kind == "arrow":
        arrow = re.sub("-+", "-", said.translate(str.maketrans("@*", "oo")))
        return _TYPESET.get(arrow, "--" if arrow == "-" and len(said) > 1 else arrow)
    if kind != "name" or said.startswith("<"):
        return said
    if quoting == "entities":
        return html.unescape(said[1:-1])
    if quoting == "backslash":
        return re.sub(r'\\(["\\])', r"\1", said[1:-1])
    try:
        return str(json.loads(said, strict=False))
    except ValueError:
        hint = r"In double quotes \" is a quote and \\ a backslash."
        raise InvalidProblem(
            f"graph line {line}", said, "a name in double quotes as JSON writes it", hint
        ) from None


class Reader:
    """Tokens of a text, taken one after the other; ends of lines are among them if `lines`."""

    def __init__(
        self, text: str, signs: str, quoting: Quoting = "json", lines: bool = False
    ) -> None:
        self.tokens = [
            token for token in tokens(text, signs, quoting) if lines or token.kind != "line"
        ]
        self.text, self.i = text, 0
        self._end = Token("end", "the end of the text", text.count("\n") + 1, len(text), len(text))

    @property
    def next(self) -> Token:
        """Next token, which stays to be taken."""
        return self.tokens[self.i] if self.i < len(self.tokens) else self._end

    @property
    def where(self) -> str:
        """Place of the next token, for errors."""
        return f"graph line {self.next.line}"

    def at(self, *signs: str) -> bool:
        """Whether the next token is one of these signs."""
        return self.next.kind == "sign" and self.next.text in signs

    def at_word(self, *words: str) -> bool:
        """Whether the next token is one of these words, in capital letters or small ones."""
        return self.next.kind == "word" and self.next.text.lower() in words

    def skip(self, *signs: str) -> bool:
        """Take the next token if it is one of these signs."""
        found = self.at(*signs)
        self.i += found
        return found

    def take(self, sign: str = "", allowed: str = "the name of a variable") -> Token:
        """Take the next token: this sign, or a name if none is given."""
        token = self.next
        if not (self.at(sign) if sign else token.kind in ("name", "word")):
            self.refuse(f"{sign!r}" if sign else allowed)
        self.i += 1
        return token

    def arrow(self) -> str:
        """Take an arrow.

        Raises:
            InvalidProblem: no arrow of any graph, such as ``->>``.
        """
        if self.next.text not in ARROWS:
            self.refuse("the arrows ->, <- and <->")
        self.i += 1
        return self.tokens[self.i - 1].text

    def refuse(self, allowed: str, hint: str = "") -> None:
        """Refuse the next token.

        Raises:
            InvalidProblem: always; it names the line, the token and the allowed ones.
        """
        token = self.next
        if token.kind == "arrow" and not hint:
            hint = CIRCLES if "o" in token.text else UNDIRECTED if token.text in ("--", "-") else ""
        if token.kind == "odd":
            hint = "Names with other signs, and with spaces, stand in double quotes."
        raise InvalidProblem(self.where, token.text, allowed, hint)
