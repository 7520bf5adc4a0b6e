"""Which text form of a causal graph it is: GML, DOT, dagitty, or lines of our own."""

from __future__ import annotations

import re
from pathlib import Path

from .. import files
from ..errors import InvalidProblem
from .dagitty import read_dagitty
from .diagram import Diagram
from .dot import read_dot
from .exchange import read_gml
from .lines import read_lines

_LONGEST = 1_000_000
_SKIPPED = r"(?:\s|(?:\#|//)[^\n]*\n|/\*[\s\S]*?\*/)*+"
_NAME = r'(?:"(?:[^"\\]|\\.)*+"|[^\s"{}\[\];,<>-]+)'
_GML = re.compile(rf'{_SKIPPED}(?:(?:Creator|Version|comment)\s+(?:"[^"]*"|\S+)\s+)*+graph\s*\[', re.IGNORECASE)
_DOT = re.compile(rf"{_SKIPPED}(?:strict\s+)?(?:di)?graph\b\s*{_NAME}?\s*\{{", re.IGNORECASE)
_DAGITTY = re.compile(rf"{_SKIPPED}(?:dag|pdag|mag|pag)\b\s*{_NAME}?\s*\{{")


def read(text: str) -> Diagram:
    """The diagram that a text says.

    Raises:
        InvalidProblem: something that cannot be read, with the line where it stands.
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


def read_file(path: Path) -> Diagram:
    """The diagram that a file says, which may begin with a byte order mark.

    Raises:
        InvalidProblem: it cannot be read.
    """
    return read(read_text(path))


def read_text(path: Path) -> str:
    """What stands in a file, which may begin with a byte order mark.

    Raises:
        InvalidProblem: it cannot be read.
    """
    allowed = "a text file that can be read, in UTF-8"
    try:
        return files.read_file(path, "graph", InvalidProblem, allowed=allowed).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidProblem("graph", str(path), allowed, f"({error}.)") from None
