"""Text forms of causal graphs: our own lines, DOT and dagitty."""

from __future__ import annotations

import re
from typing import Any

from ..errors import InvalidProblem

_ROLES = ("target", "intervenable", "contexts")
_TOKEN = re.compile(
    r'"((?:[^"\\]|\\.)*)"|(<->|->|<-|--)|([\[\]{};,=:])|([^\s\[\]{};,=:"<>-]+(?:-(?!>|-)[^\s\[\]{};,=:"<>-]+)*)|(\S)'
)
_ARROWS = ("->", "<-", "<->")


def read(text: str) -> dict[str, Any]:
    """Fields of a `CausalGraph` from text: dagitty or DOT where it starts like one, else lines of our own.

    Raises:
        InvalidProblem: something that is no edge, no node and no role, with the place where it stands.

    >>> read("a -> b <-> c; target: b; intervenable: a")["bidirected"]
    (('b', 'c'),)
    >>> sorted(read('dag { x [exposure] y [outcome] x -> y }'))
    ['bidirected', 'directed', 'intervenable', 'target', 'variables']
    """
    if not isinstance(text, str) or not text.strip():
        raise InvalidProblem("graph", text, "text with at least one edge, such as 'x -> y'")
    text = re.sub(r"(//|#).*|/\*[\s\S]*?\*/", "", text)
    if re.match(r"\s*(strict\s+)?(digraph|graph|dag|mag|pdag)\b[^{;\n]*\{", text):
        return _braced(text)
    return _lines(text)


class _Found:
    """Edges and nodes as they are met."""

    def __init__(self) -> None:
        self.nodes: dict[str, None] = {}
        self.directed: dict[tuple[str, str], None] = {}
        self.bidirected: dict[tuple[str, str], None] = {}

    def link(self, a: str, arrow: str, b: str) -> None:
        self.nodes.update({a: None, b: None})
        if arrow == "->":
            self.directed[a, b] = None
        elif arrow == "<-":
            self.directed[b, a] = None
        elif (b, a) not in self.bidirected:
            self.bidirected[a, b] = None

    def fields(self) -> dict[str, Any]:
        named: dict[str, dict[Any, None]] = {
            "directed": self.directed,
            "bidirected": self.bidirected,
            "variables": self.nodes,
        }
        return {field: tuple(found) for field, found in named.items()}


def _lines(text: str) -> dict[str, Any]:
    found, roles = _Found(), {}
    for number, line in enumerate(text.splitlines(), 1):
        for statement in filter(None, (part.strip() for part in line.split(";"))):
            role, colon, names = statement.partition(":")
            if colon:
                if role.strip() not in _ROLES:
                    raise InvalidProblem(
                        f"graph line {number}", statement, f"one of the roles {', '.join(_ROLES)} before ':'"
                    )
                listed = tuple(filter(None, (name.strip() for name in names.split(","))))
                roles[role.strip()] = listed
                continue
            parts = re.split(r"\s*(<->|->|<-)\s*", statement)
            if any(not name or re.search(r"[\s,<>]", name) for name in parts[::2]):
                raise InvalidProblem(f"graph line {number}", statement, "edges such as 'a -> b' or 'a <-> b'")
            found.nodes[parts[0]] = None
            for a, arrow, b in zip(parts[:-2:2], parts[1::2], parts[2::2], strict=True):
                found.link(a, arrow, b)
    fields = {**found.fields(), **roles}
    if "target" in roles:
        if len(roles["target"]) != 1:
            raise InvalidProblem("target", roles["target"], "one variable")
        fields["target"] = roles["target"][0]
    return fields


def _braced(text: str) -> dict[str, Any]:
    tokens = [
        (m.group(1) if m.group(1) is not None else m.group(0), m.group(1) is not None, m.group(5))
        for m in _TOKEN.finditer(text)
    ]
    start = next(i for i, (token, quoted, _) in enumerate(tokens) if token == "{" and not quoted)
    dot = any(token in ("digraph", "graph") for token, _, _ in tokens[:start])
    found, marks = _Found(), {}
    i, arrow = start + 1, ""
    before: list[str] = []  # the group of nodes that the next arrow or attribute belongs to
    last: list[tuple[str, str]] = []  # the edges just made
    while i < len(tokens) and (tokens[i][0] != "}" or tokens[i][1]):
        token, quoted, odd = tokens[i]
        if odd or (token == "--" and not quoted):
            raise InvalidProblem("graph", token, "nodes and the arrows ->, <- and <->")
        if token in _ARROWS and not quoted:
            if not before or arrow:
                raise InvalidProblem("graph", token, "a node on both sides of every arrow")
            arrow = token
        elif token in (";", ",") and not quoted:
            before, last = (before if arrow else []), []
        elif token == "[" and not quoted:
            i, attributes = _attributes(tokens, i + 1)
            for a, b in last if attributes.get("dir") == "both" else ():
                found.directed.pop((a, b), None)
                found.link(a, "<->", b)
            if not last:
                marks.update(dict.fromkeys(before, attributes))
        else:
            group = [token]
            if token == "{" and not quoted:
                end = next((j for j in range(i, len(tokens)) if tokens[j][0] == "}"), None)
                if end is None:
                    raise InvalidProblem("graph", "{", "a closing brace for every opening one")
                group = [t for t, _, _ in tokens[i + 1 : end] if t not in (";", ",")]
                i = end
            if i + 1 < len(tokens) and tokens[i + 1][0] == "=" and not tokens[i + 1][1]:  # bb="0,0,1,1", rankdir=LR
                i += 3
                continue
            if dot and token in ("node", "edge", "graph") and not quoted:
                before, last = [], []
            else:
                last = [(a, b) for a in before for b in group] if arrow else []
                for a, b in last:
                    found.link(a, arrow, b)
                found.nodes.update(dict.fromkeys(group))
                before, arrow = group, ""
        i += 1
    if i >= len(tokens) or arrow:
        raise InvalidProblem("graph", text.strip()[-40:], "a closing brace, and a node on both sides of every arrow")
    return {**found.fields(), **_roles(marks, tuple(found.nodes))}


def _attributes(tokens: list[tuple[str, bool, str | None]], i: int) -> tuple[int, dict[str, str]]:
    """The attributes up to the closing bracket, and where it stands."""
    attributes: dict[str, str] = {}
    while i < len(tokens) and tokens[i][0] != "]":
        token = tokens[i][0]
        if i + 2 < len(tokens) and tokens[i + 1][0] == "=":
            attributes[token] = tokens[i + 2][0]
            i += 3
        else:
            attributes[token] = ""
            i += 1
    return i, attributes


def _roles(marks: dict[str, dict[str, str]], nodes: tuple[str, ...]) -> dict[str, Any]:
    having = {
        mark: tuple(n for n in nodes if mark in marks.get(n, {}))
        for mark in ("exposure", "outcome", "latent", "unobserved")
    }
    roles: dict[str, Any] = {}
    if having["exposure"]:
        roles["intervenable"] = having["exposure"]
    if having["outcome"]:
        roles["target"] = having["outcome"][0]
    hidden = (*having["latent"], *having["unobserved"])
    if hidden and "target" in roles:
        seen = (n for n in nodes if n not in (*hidden, *having["exposure"], *having["outcome"]))
        roles["contexts"] = tuple(seen)
    return roles
