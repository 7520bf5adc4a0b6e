"""Text form of causal graphs: edges and roles, one a line or separated by semicolons."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ...errors import InvalidProblem
from ._parsed import CIRCLES, UNDIRECTED, ParsedGraph
from ._projection import Edge

ROLES = ("target", "intervenable", "contexts", "latent")
_TOKEN = re.compile(
    r"(?P<skip>[^\S\n]+|(?:\#|//)[^\n]*|/\*[\s\S]*?\*/)"
    r"|(?P<end>[;\n])"
    r'|(?P<quoted>"(?:[^"\\\n]|\\.)*")'
    r"|(?P<arrow>(?:<->|->|<-)(?![-<>]))"
    r"|(?P<sign>[:,])"
    r'|(?P<word>(?:(?!->|--|//|/\*)[^\s;,:"<>\[\]{}\#])+)'
    r"|(?P<odd>.)"
)
_PLAIN = re.compile(r"\w+(?:[-.]\w+)*")
_COLON = ("sign", ":")
_CIRCLE = ("o", "*")
_UNSURE = re.compile(r"[o*]?-+[o*]?|=+")  # x - y, x o-o y
_EDGES = "edges such as 'a -> b' or 'a <-> b'"


class _Part(NamedTuple):
    """A name, an arrow or a sign of a statement."""

    kind: str
    text: str
    glued: bool  # no space before it


def read_lines(text: str) -> ParsedGraph:
    """Parse lines such as ``soil pH -> yield; target: yield``.

    Names may hold spaces; those with other signs, or with words that are names themselves, stand in double quotes.

    Raises:
        InvalidProblem: a statement that is no edge, no name and no role, with its line.

    >>> list(read_lines('"a -> b" <-> c').bidirected)
    [('a -> b', 'c')]
    """
    found, spaced = ParsedGraph(), {}
    for number, parts, said in _statements(text):
        where = f"graph line {number}"
        role = parts[0].text if len(parts) > 1 and parts[1][:2] == _COLON else None
        if any(part[:2] == _COLON for part in parts[2 if role else 0 :]) or (role and role not in ROLES):
            hint = "A name with a colon stands in double quotes."
            raise InvalidProblem(where, said, f"one of the roles {', '.join(ROLES)} before ':'", hint)
        groups, signs = _split(parts[2 if role else 0 :], where, said)
        names = []
        for group in groups:
            name, quoted = _name(group, where, said)
            if " " in name and not quoted:
                spaced[name] = number
            names.append(name)
        if role:
            if any(part.kind == "arrow" for part in signs):
                raise InvalidProblem(where, said, f"names with commas between them after '{role}:'")
            _give(found, role, names)
            continue
        if any(part.kind != "arrow" for part in signs) or not all(names):
            raise InvalidProblem(where, said, _EDGES, "Give every edge its own statement.")
        found.nodes[names[0]] = None
        for a, arrow, b in zip(names, signs, names[1:], strict=False):
            found.link(a, arrow.text, b, where)
    for name, number in spaced.items():
        if known := [word for word in name.split() if word in found.nodes]:
            hint = f"{known[0]!r} is a variable: put ';' between two edges, or double quotes around a name."
            raise InvalidProblem(f"graph line {number}", name, "a name that can be told from two names", hint)
    return found


def write_lines(
    names: Iterable[str], directed: Iterable[Edge], bidirected: Iterable[Edge], roles: Mapping[str, Iterable[str]]
) -> str:
    """Write edges, names and roles in the form that `read_lines` parses; the order of names is preserved."""
    arrows = [(a, "->", b) for a, b in directed] + [(a, "<->", b) for a, b in bidirected]
    mentioned = dict.fromkeys(name for a, _, b in arrows for name in (a, b))
    listed = list(names)
    alone = [name for name in listed if name not in mentioned]
    parts = [f"{written(a)} {arrow} {written(b)}" for a, arrow, b in arrows]
    parts = [*parts, *map(written, alone)] if [*mentioned, *alone] == listed else [*map(written, listed), *parts]
    return "; ".join([*parts, *(f"{role}: {', '.join(map(written, names))}" for role, names in roles.items())])


def written(name: str) -> str:
    """Quote a name if it needs quotes.

    >>> written("age"), written("soil pH")
    ('age', '"soil pH"')
    """
    return name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _statements(text: str) -> Iterator[tuple[int, list[_Part], str]]:
    """Split a text into statements: line number, parts and text of each."""
    number, begun, end, parts = 1, 0, 0, list[_Part]()
    for match in _TOKEN.finditer(text + "\n"):
        kind, token = str(match.lastgroup), match.group()
        if kind == "odd":
            line = text[text.rfind("\n", 0, match.start()) + 1 :].partition("\n")[0].strip()
            hint = UNDIRECTED if text.startswith("--", match.start()) else "Other names stand in double quotes."
            raise InvalidProblem(f"graph line {number}", line, f"{_EDGES}, not {token!r}", hint)
        if kind == "end" and parts:
            yield number, parts, text[begun:end]
            parts = []
        elif kind not in ("skip", "end"):
            begun = begun if parts else match.start()
            parts.append(_Part(kind, token, bool(parts) and match.start() == end))
            end = match.end()
        number += token.count("\n")


def _split(parts: list[_Part], where: str, said: str) -> tuple[list[list[_Part]], list[_Part]]:
    """Split a statement into the words of every name, and the arrows and signs between them."""
    groups, signs = [list[_Part]()], list[_Part]()
    for part in parts:
        if part.kind in ("arrow", "sign"):
            signs.append(part)
            groups.append([])
        elif _UNSURE.fullmatch(part.text):
            raise InvalidProblem(where, said, _EDGES, CIRCLES if "o" in part.text else UNDIRECTED)
        else:
            groups[-1].append(part)
    for i, group in enumerate(groups):
        first = len(group) > 1 and i > 0 and group[0].glued and group[0].text in _CIRCLE
        last = len(group) > 1 and i < len(signs) and signs[i].glued and group[-1].text in _CIRCLE
        if first or last:  # x o-> y
            raise InvalidProblem(where, said, _EDGES, CIRCLES)
    return groups, signs


def _name(group: list[_Part], where: str, said: str) -> tuple[str, bool]:
    """Parse a name: its text, empty if there is none, and whether it was quoted."""
    quoted = any(part.kind == "quoted" for part in group)
    if quoted and len(group) > 1:
        raise InvalidProblem(where, said, "a name either in double quotes or without any")
    if not quoted:
        return " ".join(part.text for part in group), False
    try:
        name = json.loads(group[0].text, strict=False)
    except ValueError:
        hint = r"In double quotes \" is a quote and \\ a backslash."
        raise InvalidProblem(where, said, "a name in double quotes as JSON writes it", hint) from None
    if not name.strip():
        raise InvalidProblem(where, said, "names that are not empty")
    return name, True


def _give(found: ParsedGraph, role: str, names: list[str]) -> None:
    listed = [name for name in names if name]
    if role == "latent":
        found.nodes.update(dict.fromkeys(listed))
        found.hidden.update(dict.fromkeys(listed))
    else:
        found.roles[role] = (*found.roles.get(role, ()), *listed)
