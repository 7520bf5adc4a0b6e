"""A graph as parsed from text or networkx, before validation: nodes with marks, edges, latent variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, TypedDict

from ..._text import unsafe
from ..._wording import MISSING
from ...errors import InvalidProblem, one_of
from ._projection import Edge, check_edge_count, latent_projection

ARROWS = ("->", "<-", "<->", "--", "o->", "<-o", "o-o")
_UNSEEN = ("latent", "hidden", "unobserved")
MARKS = ("exposure", "outcome", "adjusted", *_UNSEEN, "observed", "role")
# attributes by which other libraries may say that a node is latent
_KINDS = ("type", "kind", "node_type")
# dowhy's label of the node of hidden causes
_DOWHY = "unobserved confounders"
_PARTS = ("target", "intervenable", "context", "none")
_TRUE, _FALSE = ("", "true", "yes", "1", "on"), ("false", "no", "0", "off")


class Roles(TypedDict, total=False):
    """Roles, and names of variables without an edge, given beside a text; they win over the roles in it."""

    target: str
    intervenable: Sequence[str]
    contexts: Sequence[str] | None
    variables: Sequence[str]


@dataclass
class ParsedGraph:
    """Nodes and edges in order of appearance. `where` names the line of a statement, for errors.

    Variables are marked as latent (`hidden`), as observed (`shown`), or as neither actions nor
    contexts (`idle`). An undecided edge (``--``, ``o->``, ``o-o``) has its mark and its place. In
    an `ancestral` graph an arrow leaves open whether the two have a latent common cause as well,
    except where the edge is `visible`.
    """

    nodes: dict[str, None] = field(default_factory=dict)
    directed: dict[Edge, None] = field(default_factory=dict)
    bidirected: dict[Edge, None] = field(default_factory=dict)
    undecided: dict[Edge, tuple[str, str]] = field(default_factory=dict)
    ancestral: bool = False
    visible: set[Edge] = field(default_factory=set)
    hidden: dict[str, None] = field(default_factory=dict)
    shown: dict[str, None] = field(default_factory=dict)
    roles: dict[str, tuple[str, ...]] = field(default_factory=dict)
    idle: dict[str, None] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)

    def link(self, a: str, arrow: str, b: str, where: str = "graph") -> None:
        """Add an edge and its ends; a repeated edge counts once.

        Raises:
            InvalidProblem: a self-loop, or too many edges.
        """
        if a == b:
            raise InvalidProblem(
                where, f"{a} {arrow} {b}", "an edge between two variables", "Remove the self-loop."
            )
        self.nodes.update({a: None, b: None})
        if arrow in ("<-", "<-o"):
            a, b, arrow = b, a, {"<-": "->", "<-o": "o->"}[arrow]
        if arrow == "->":
            self.directed[a, b] = None
        elif arrow != "<->":
            before, _ = self.undecided.setdefault((a, b), (arrow, where))
            if before != arrow:
                raise InvalidProblem(
                    where,
                    f"{a} {arrow} {b}",
                    f"one edge between two variables, not {before} as well",
                )
        elif (b, a) not in self.bidirected:
            self.bidirected[a, b] = None
        check_edge_count(len(self.directed) + len(self.bidirected) + len(self.undecided))

    def drawn(self, a: str, b: str, attributes: Mapping[str, Any], where: str = "graph") -> None:
        """Add an edge as Graphviz draws it: `dir=both` is a latent common cause, `dir=back` goes from `b` to `a`.

        Circles are those of a PAG. A latent common cause may also be one that causaleffect
        describes as ``U``.
        """
        known = {_text(name): _text(value) for name, value in attributes.items()}
        direction = "both" if known.get("description") == "u" else known.get("dir", "forward")
        if direction not in ("forward", "back", "both", "none"):
            raise InvalidProblem(
                f"{where}, edge {a} -> {b}", f"dir={direction}", "dir=forward, back or both"
            )
        ends = []
        for end, way, point in (("arrowtail", "back", "<"), ("arrowhead", "forward", ">")):
            shape = known.get(end, "normal") if direction in (way, "both") else "none"
            ends.append("-" if shape == "none" else "o" if "dot" in shape else point)
        arrow = "-".join(ends).replace("---", "--").replace("-->", "->").replace("<--", "<-")
        if arrow not in ARROWS:
            raise InvalidProblem(
                f"{where}, edge {a} -> {b}", arrow, "an arrow at one end at least", CIRCLES
            )
        self.link(a, arrow, b, where)

    def mark(self, name: str, attributes: Mapping[str, Any], where: str = "graph") -> None:
        """Add a node with its attributes. Drawing attributes are ignored; misspelt marks are refused."""
        self.nodes[name] = None
        if name.lower() == _DOWHY:
            self._marked(name, "unobserved", True, where)
        for key, value in attributes.items():
            mark, text = _text(key), _text(value)
            if mark == "label":
                self.labels[name] = str(value).strip()
            if mark == "role":
                self._part(name, text, where)
            elif (mark in _KINDS and text in _UNSEEN) or (mark == "label" and text == _DOWHY):
                self._marked(name, "unobserved", True, where)
            elif mark in MARKS:
                if text not in (*_TRUE, *_FALSE):
                    raise InvalidProblem(
                        f"{where}, node {name}", f"{mark}={text}", f"{mark}=yes or {mark}=no"
                    )
                self._marked(name, mark, text in _TRUE, where)
            elif mark == "selected" and text in _TRUE:
                hint = "A variable on which the data were selected has no place here: leave it out."
                raise InvalidProblem(f"{where}, node {name}", mark, one_of(MARKS[:-1], mark), hint)
            elif value is None or get_close_matches(mark, MARKS, 1, 0.8):
                raise InvalidProblem(f"{where}, node {name}", mark, one_of(MARKS, mark))

    def _part(self, name: str, part: str, where: str) -> None:
        if part not in _PARTS:
            raise InvalidProblem(f"{where}, node {name}", f"role={part}", one_of(_PARTS, part))
        self.give("intervenable")  # the role exists, if only empty
        if part == "none":
            self.idle[name] = None
        elif part != "context":  # all others are contexts anyway
            self.give(part, name)

    def _marked(self, name: str, mark: str, true: bool, where: str) -> None:
        if mark in (*_UNSEEN, "observed"):
            seen = true == (mark == "observed")
            (self.shown if seen else self.hidden)[name] = None
            if name in self.shown and name in self.hidden:
                raise InvalidProblem(
                    f"{where}, node {name}", mark, "a variable that is either observed or latent"
                )
        elif true and mark != "adjusted":
            self.give({"exposure": "intervenable", "outcome": "target"}[mark], name)

    def named_by_labels(self) -> ParsedGraph:
        """The same graph where names are numbers and each variable has a label of its own: named by these."""
        new = {name: self.labels.get(name, "") for name in self.nodes}
        numbers = all(name.isdecimal() for name in new)
        if not numbers or not all(new.values()) or len(set(new.values())) < len(new):
            return self

        def edges(found: Iterable[Edge]) -> dict[Edge, None]:
            return {(new[a], new[b]): None for a, b in found}

        def names(found: Iterable[str]) -> dict[str, None]:
            return {new[name]: None for name in found}

        return ParsedGraph(
            names(self.nodes),
            edges(self.directed),
            edges(self.bidirected),
            {(new[a], new[b]): how for (a, b), how in self.undecided.items()},
            self.ancestral,
            set(edges(self.visible)),
            names(self.hidden),
            names(self.shown),
            {role: tuple(names(found)) for role, found in self.roles.items()},
            names(self.idle),
        )

    def give(self, role: str, *names: str) -> None:
        """Add variables to a role."""
        self.roles[role] = tuple(dict.fromkeys((*self.roles.get(role, ()), *names)))

    def fields(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Make the fields of a `CausalGraph`, latent variables projected out; `given` roles win.

        Raises:
            InvalidProblem: a cycle, a second target, a latent variable with a role, no target, an
                undecided edge.
        """
        for (a, b), (arrow, where) in self.undecided.items():
            hint = UNDIRECTED if arrow == "--" else CIRCLES
            raise InvalidProblem(
                where, f"{a} {arrow} {b}", "edges such as 'a -> b' or 'a <-> b'", hint
            )
        if self.ancestral:
            hint = "There an arrow leaves open whether the two have a latent common cause as well: see ‹graphs_of›."
            raise InvalidProblem("graph", "a mag or pag", "a dag", hint)
        for name in self.nodes:
            if fault := unsafe(name):
                raise InvalidProblem(
                    "graph", name, "names whose characters can be shown", f"It holds {fault}."
                )
        roles: dict[str, Any] = {**self.roles, **given}
        targets = self.roles.get("target", ())
        if "target" not in given:
            if len(targets) > 1:
                hint = "Say which one is to be maximised, and what the others are: intervenable, contexts or neither."
                raise InvalidProblem("target", targets, "one variable", hint)
            roles["target"] = targets[0] if targets else None
        if roles["target"] is None:
            hint = "Say it in the graph ('target: y', [outcome], role=target), or beside it."
            raise InvalidProblem(
                "target", MISSING, "the name of the variable to be maximised", hint
            )
        if roles.get("intervenable") is None:
            hint = "Say it in the graph ('intervenable: x', [exposure], role=intervenable), or beside it."
            raise InvalidProblem(
                "intervenable", MISSING, "the names of the variables that can be set", hint
            )
        for role in ("target", "intervenable", "contexts"):
            for name in _names(roles.get(role)):
                if name in self.hidden:
                    raise InvalidProblem(
                        role, name, "an observed variable", "The graph says that it is latent."
                    )
        directed, bidirected = latent_projection(
            self.nodes, self.directed, self.bidirected, self.hidden
        )
        seen = tuple(name for name in self.nodes if name not in self.hidden)
        idle = {*self.idle, *targets}
        if roles.get("contexts") is None and idle.difference(_names(roles["target"])):
            taken = {*idle, *_names(roles["target"]), *_names(roles["intervenable"])}
            roles["contexts"] = tuple(name for name in seen if name not in taken)
        return {"directed": directed, "bidirected": bidirected, "variables": seen, **roles}


CIRCLES = "Circles say that the direction is not known: decide for ->, <- or <->, or see ‹graphs_of›, which takes all."
UNDIRECTED = "Say which way it goes: a -> b, or a <-> b for a latent common cause. (‹graphs_of› takes both ways.)"


def _text(value: Any) -> str:
    """Attribute value as a lower-case word, without DOT's quotes."""
    return "" if value is None else str(value).strip().strip('"').strip().lower()


def _names(given: Any) -> tuple[str, ...]:
    """Names in the value of a role; the graph itself checks its type."""
    listed = given if isinstance(given, list | tuple) else (given,)
    return tuple(name for name in listed if isinstance(name, str))
