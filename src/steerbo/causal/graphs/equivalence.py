"""Several graphs of which one is right, and equivalence classes of causal discovery: CPDAGs and PAGs.

``a -- b`` (of a CPDAG) is an edge whose direction no data tell; ``a o-> b`` and ``a o-o b`` (of a
PAG) have ends at which there may be an arrow. No orientation may leave a cycle, or make two
variables without an edge between them point at a third one where the pattern does not. In the
graphs of a PAG a directed edge may hide a common cause beside it, unless it is visible (Zhang
2008); there ``<->`` is drawn, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack

from ...errors import InvalidProblem, combine
from ._io import read, read_text
from ._parsed import ParsedGraph, Roles
from .dag import BitmaskDag
from .graph import CausalGraph

_CHOICES = {"--": ("->", "<-"), "o->": ("->", "<->"), "o-o": ("->", "<-", "<->")}
_MOST_TRIED = 20_000  # edges oriented on the way
# whether there is an arrow at either end
_INTO = {"->": (False, True), "<-": (True, False), "<->": (True, True)}
Edges = dict[tuple[str, str], str]
MOST_GRAPHS = 64
"""Most graphs of a problem: each is searched for scopes, and decides whether an observation counts."""


def check_alike(graphs: Sequence[CausalGraph]) -> None:
    """Refuse alternative graphs that differ in more than edges.

    Raises:
        InvalidProblem: naming the graph and the difference.
    """
    if not 1 <= len(graphs) <= MOST_GRAPHS:
        raise InvalidProblem("graphs", f"{len(graphs)} graphs", f"from 1 to {MOST_GRAPHS}")
    first = graphs[0]
    for i, graph in enumerate(graphs[1:], 1):
        for role in ("target", "intervenable", "contexts"):
            said, wanted = getattr(graph, role), getattr(first, role)
            if (said != wanted) if role == "target" else (set(said) != set(wanted)):
                hint = "Graphs may differ in their edges only."
                raise InvalidProblem(
                    f"graphs.{i}.{role}", said, f"as in the first graph, {wanted}", hint
                )
        if graph in graphs[:i]:
            raise InvalidProblem(f"graphs.{i}", graph.to_text(), "every graph once")


def graphs_of(
    text: str, *, most: int = MOST_GRAPHS, **roles: Unpack[Roles]
) -> tuple[CausalGraph, ...]:
    """Enumerate the graphs of an equivalence class.

    It is a superset if only a discriminating path excludes a collider.

    Args:
        text: as for `CausalGraph.from_text`, in any form, with undecided edges: ``a -- b``,
            ``a o-> b``, ``a o-o b``, in DOT ``dir=none`` or an undirected graph. Lists as printed
            by causal-learn and Tetrad are accepted.
        most: largest number of graphs.
        roles: `target`, `intervenable`, `contexts`; they win over the roles in the text.

    Raises:
        InvalidProblem: no graph, too many of them, or latent variables in a pattern.

    >>> [graph.directed for graph in graphs_of("a -- b; b -> y", target="y", intervenable=["b"])]
    [(('b', 'y'), ('a', 'b')), (('b', 'y'), ('b', 'a'))]
    """
    pattern = _Pattern.read(text)
    found: list[CausalGraph] = []
    for edges in pattern.orientations():
        if len(found) == most:
            hint = "Give the direction of the edges you know, or draw one graph with ‹<->› beside each unsure edge."
            raise InvalidProblem(
                "graphs", f"more than {most} graphs", f"a pattern of at most {most} graphs", hint
            )
        found.append(pattern.graph(edges, roles))
    if not found:
        hint = "Its edges contradict each other: change the direction of some, or give the graphs one by one."
        raise InvalidProblem(
            "graphs", " ".join(text.split())[:80], "a pattern that some graph has", hint
        )
    return tuple(dict.fromkeys(found))


def graphs_of_file(path: Path, **roles: Unpack[Roles]) -> tuple[CausalGraph, ...]:
    """Enumerate the graphs of an equivalence class in a file; see `graphs_of`.

    Raises:
        InvalidProblem: the file cannot be read, or its text is refused; the file is named.
    """
    try:
        return graphs_of(read_text(path), **roles)
    except InvalidProblem as error:
        raise combine(e.moved(f"{path.name}: {e.field}") for e in error.errors) from None


@dataclass(frozen=True)
class _Pattern:
    """An equivalence class: decided and undecided edges.

    Attributes:
        parsed: the text as parsed.
        edges: decided edges, with their arrow.
        unsure: undecided edges, with their mark: ``--``, ``o->`` or ``o-o``.
        ancestral: whether it is a PAG.
    """

    parsed: ParsedGraph
    edges: Edges
    unsure: Edges
    ancestral: bool

    @classmethod
    def read(cls, text: str) -> _Pattern:
        """Parse a pattern's text, in any form.

        Raises:
            InvalidProblem: a statement is no edge, or contradicts another.
        """
        if not isinstance(text, str):
            raise InvalidProblem("graphs", text, "text with edges such as 'a -- b' or 'a o-> b'")
        parsed = read(text)
        unsure = {pair: mark for pair, (mark, _) in parsed.undecided.items()}
        edges: Edges = {
            **dict.fromkeys(parsed.directed, "->"),
            **dict.fromkeys(parsed.bidirected, "<->"),
        }
        decided = {frozenset(pair) for pair in edges}
        for pair in unsure:
            if frozenset(pair) in decided or pair[::-1] in unsure:
                raise InvalidProblem(
                    "graphs", f"{pair[0]} and {pair[1]}, twice", "one edge between two variables"
                )
        if unsure and parsed.hidden:
            hint = "Hidden common causes are what its circles and double arrows stand for."
            raise InvalidProblem(
                "graphs", f"latent: {', '.join(parsed.hidden)}", "a pattern without", hint
            )
        marks = {*unsure.values(), *edges.values()}
        ancestral = parsed.ancestral or bool(marks & {"o->", "o-o"})
        if "--" in marks and (ancestral or "<->" in marks):
            raise InvalidProblem(
                "graphs", "'--' beside circles or '<->'", "either a CPDAG or a PAG"
            )
        return cls(parsed, edges, unsure, ancestral)

    def orientations(self) -> Iterator[Edges]:
        """Enumerate the orientations of all undecided edges."""
        left = _Steps(_MOST_TRIED)
        yield from self._decided(dict(self.edges), list(self.unsure.items()), left)

    def _decided(
        self, edges: Edges, unsure: list[tuple[tuple[str, str], str]], left: _Steps
    ) -> Iterator[Edges]:
        if not unsure:
            if self._possible(edges):
                yield edges
            return
        (pair, mark), *rest = unsure
        for arrow in _CHOICES[mark]:
            left.one()
            chosen = {**edges, pair: arrow}
            if self._as_in_pattern(chosen, *pair) and self._as_in_pattern(chosen, *pair[::-1]):
                yield from self._decided(chosen, rest, left)

    def _as_in_pattern(self, edges: Edges, new: str, middle: str) -> bool:
        """Whether `new` and its non-neighbours are colliders at the middle exactly if the pattern says so."""
        ends = {(b if a == middle else a): (a, b) for a, b in edges if middle in (a, b)}
        points, surely = _into(edges, ends[new], middle), self._surely_into(ends[new], middle)
        return all(
            (points and _into(edges, pair, middle)) == (surely and self._surely_into(pair, middle))
            for other, pair in ends.items()
            if other != new and not self._adjacent(other, new)
        )

    @cached_property
    def _near(self) -> frozenset[frozenset[str]]:
        return frozenset(map(frozenset, (*self.edges, *self.unsure)))

    def _adjacent(self, a: str, b: str) -> bool:
        return frozenset((a, b)) in self._near

    def _surely_into(self, pair: tuple[str, str], end: str) -> bool:
        if pair in self.edges:
            return _into(self.edges, pair, end)
        return self.unsure[pair] == "o->" and pair[1] == end

    def _possible(self, edges: Edges) -> bool:
        """Whether there is no cycle and, in a PAG, no variable that affects one with which it shares a hidden cause."""
        at = {name: i for i, name in enumerate(self.parsed.nodes)}
        dag = BitmaskDag.of(
            len(at), ((at[a], at[b]) for effect in at for a, b in _directed(edges, effect))
        )
        ancestors = [dag.ancestors(causes) for causes in dag.parents]
        if any(above >> i & 1 for i, above in enumerate(ancestors)):
            return False
        shared = (
            [(at[a], at[b]) for (a, b), arrow in edges.items() if arrow == "<->"]
            if self.ancestral
            else []
        )
        return not any(ancestors[b] >> a & 1 or ancestors[a] >> b & 1 for a, b in shared)

    def graph(self, edges: Edges, roles: Mapping[str, Any]) -> CausalGraph:
        """Build the graph with these edges; a PAG's has ``<->`` beside directed edges that are not visible."""
        directed, bidirected = dict(self.parsed.directed), dict(self.parsed.bidirected)
        diagram = replace(
            self.parsed, directed=directed, bidirected=bidirected, undecided={}, ancestral=False
        )
        for (a, b), arrow in edges.items():
            diagram.link(a, arrow, b)
            if self.ancestral and arrow != "<->" and (a, b) not in self.parsed.visible:
                cause, effect = (a, b) if arrow == "->" else (b, a)
                if not self._visible(edges, cause, effect):
                    diagram.link(a, "<->", b)
        return CausalGraph(**diagram.fields(roles))

    def _visible(self, edges: Edges, cause: str, effect: str) -> bool:
        """Whether the edge is visible: a non-neighbour of the effect points at the cause, or through its parents."""
        reached, queue = {cause}, [cause]
        for at in queue:  # from the cause backwards along arrows into it
            for pair in edges:
                if at not in pair or not _into(edges, pair, at):
                    continue
                other = pair[0] if pair[1] == at else pair[1]
                if other == effect or other in reached:
                    continue
                if not self._adjacent(other, effect):
                    return True
                between = _into(edges, pair, other) and any(
                    a == other for a, _ in _directed(edges, effect)
                )
                if between:  # a collider on the way, and a parent of the effect
                    reached.add(other)
                    queue.append(other)
        return False


@dataclass
class _Steps:
    left: int

    def one(self) -> None:
        """Count one step.

        Raises:
            InvalidProblem: no steps are left.
        """
        self.left -= 1
        if self.left < 0:
            hint = "Say which way some of its edges go, or draw one graph with ‹<->› beside all that are not sure."
            raise InvalidProblem(
                "graphs", "a pattern with too many unsure edges", "fewer of them", hint
            )


def _into(edges: Edges, pair: tuple[str, str], end: str) -> bool:
    """Whether there is an arrow at this end of an edge."""
    return _INTO[edges[pair]][pair.index(end)]


def _directed(edges: Edges, effect: str) -> Iterator[tuple[str, str]]:
    """Directed edges into a variable, each as (cause, effect)."""
    for (a, b), arrow in edges.items():
        if (arrow == "->" and b == effect) or (arrow == "<-" and a == effect):
            yield (a, b) if arrow == "->" else (b, a)
