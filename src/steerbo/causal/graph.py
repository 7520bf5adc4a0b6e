"""A causal graph with latent confounders, what can be set in it and what can be looked at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, model_validator

from ..errors import InvalidProblem, one_of
from ..record import record
from ..space.fields import Listed
from .separation import Masks, bits, mask_of

if TYPE_CHECKING:
    import networkx

Edge = tuple[str, str]


@record
class CausalGraph:
    """An acyclic directed mixed graph with a target, intervenable variables and contexts.

    Args:
        directed: edges from cause to effect.
        bidirected: pairs of variables with a latent common cause.
        target: the variable to be maximised.
        intervenable: variables that can be set, X*.
        contexts: variables that can be looked at before setting others, C*. None: all the rest.
        variables: names of variables without any edge; those with edges need not be listed.

    Raises:
        InvalidProblem: a cycle, a self-loop, an unknown name, a target that can be set, a context that is also an
        action.

    >>> graph = CausalGraph.from_text("x1 -> x2 -> y; c -> x2; c -> y; x1 <-> c; x2 <-> y",
    ...                               target="y", intervenable=["x1", "x2"])
    >>> graph.contexts, graph.separated("x1", "y", ["x2", "c"])
    (('c',), False)
    """

    directed: Annotated[Sequence[Edge], Listed] = ()
    bidirected: Annotated[Sequence[Edge], Listed] = ()
    target: str = Field(kw_only=True)
    intervenable: Annotated[Sequence[str], Listed] = Field(kw_only=True)
    contexts: Annotated[Sequence[str], Listed] | None = Field(default=None, kw_only=True)
    variables: Annotated[Sequence[str], Listed] = Field(default=(), kw_only=True)

    @model_validator(mode="after")
    def _check(self) -> CausalGraph:
        for field in ("directed", "bidirected"):
            seen: set[frozenset[str] | Edge] = set()
            for i, (a, b) in enumerate(getattr(self, field)):
                if not a.strip() or not b.strip():
                    raise InvalidProblem(f"{field}.{i}", (a, b), "names that are not empty")
                if a == b:
                    raise InvalidProblem(
                        f"{field}.{i}", f"{a} -> {b}", "an edge between two variables", "Remove the self-loop."
                    )
                edge = (a, b) if field == "directed" else frozenset((a, b))
                if edge in seen:
                    raise InvalidProblem(f"{field}.{i}", (a, b), "every edge once")
                seen.add(edge)
        names = self.names
        if self.target not in names:
            raise InvalidProblem("target", self.target, one_of(names, self.target))
        for field, given in (("intervenable", self.intervenable), ("contexts", self.contexts or ())):
            for name in given:
                if name not in names:
                    raise InvalidProblem(field, name, one_of(names, name))
                if given.count(name) > 1:
                    raise InvalidProblem(field, name, "every variable once")
            if self.target in given:
                raise InvalidProblem(field, self.target, "variables other than the target")
        if self.contexts is None:
            rest = (n for n in names if n not in self.intervenable and n != self.target)
            object.__setattr__(self, "contexts", tuple(rest))
        both = [name for name in self.contexts or () if name in self.intervenable]
        if both:
            reason = "a variable that is not intervenable as well"
            raise InvalidProblem("contexts", both[0], reason, "Set it, or look at it, but list it once.")
        if path := self._cycle():
            raise InvalidProblem("directed", " -> ".join(path), "a graph without cycles", "Remove one of these edges.")
        return self

    def _cycle(self) -> list[str]:
        above = {name: [a for a, b in self.directed if b == name] for name in self.names}
        left = set(above)
        while free := [name for name in left if not any(a in left for a in above[name])]:
            left.difference_update(free)
        if not left:
            return []
        path = [min(left)]
        while path[-1] not in path[:-1]:
            path.append(next(a for a in above[path[-1]] if a in left))
        return path[path.index(path[-1]) :][::-1]

    # -- other forms ---------------------------------------------------------------------------------------------------

    @classmethod
    def from_text(cls, text: str, **roles: Any) -> CausalGraph:
        """From lines such as ``age -> bmi; x1 <-> c; target: y; intervenable: x1, x2``, or DOT or dagitty text.

        Args:
            text: the graph. In dagitty text ``[exposure]`` marks actions, ``[outcome]`` the target and ``[latent]``
                what is neither seen nor set.
            roles: `target`, `intervenable`, `contexts`, which win over those in the text.

        Raises:
            InvalidProblem: a line that is no edge and no role; anything the graph itself refuses.
        """
        from .formats import read

        return cls(**{**read(text), **roles})

    @classmethod
    def from_networkx(cls, graph: networkx.DiGraph[Any], bidirected: Iterable[Edge] = (), **roles: Any) -> CausalGraph:
        """From a networkx `DiGraph`, with pairs of confounded variables beside it."""
        edges = tuple((str(a), str(b)) for a, b in graph.edges)
        return cls(edges, tuple(bidirected), variables=tuple(str(n) for n in graph.nodes), **roles)

    def to_networkx(self) -> networkx.DiGraph[Any]:
        """As a networkx `DiGraph`; every bidirected edge as a node with attribute ``latent=True`` and two children."""
        import networkx

        graph: networkx.DiGraph[Any] = networkx.DiGraph()
        graph.add_nodes_from(self.names, latent=False)
        graph.add_edges_from(self.directed)
        for a, b in self.bidirected:
            graph.add_node(f"{a} <-> {b}", latent=True)
            graph.add_edges_from([(f"{a} <-> {b}", a), (f"{a} <-> {b}", b)])
        return graph

    def to_text(self) -> str:
        """The one-line form that `from_text` reads.

        >>> CausalGraph([("x", "y")], target="y", intervenable=["x"]).to_text()
        'x -> y; target: y; intervenable: x; contexts: '
        """
        linked = {name for edge in (*self.directed, *self.bidirected) for name in edge}
        parts = [f"{a} -> {b}" for a, b in self.directed] + [f"{a} <-> {b}" for a, b in self.bidirected]
        parts += [name for name in self.names if name not in linked]
        roles = (("target", (self.target,)), ("intervenable", self.intervenable), ("contexts", self.contexts or ()))
        return "; ".join([*parts, *(f"{role}: {', '.join(names)}" for role, names in roles)])

    # -- reading -------------------------------------------------------------------------------------------------------

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All variables, in order of first mention."""
        mentioned = (*self.variables, *(n for edge in (*self.directed, *self.bidirected) for n in edge))
        return tuple(dict.fromkeys(mentioned))

    @cached_property
    def masks(self) -> Masks:
        """The graph as bit masks: variables in the order of `names`, then one latent node for each bidirected edge."""
        index = {name: i for i, name in enumerate(self.names)}
        n = len(index)
        latent = [(n + k, index[name]) for k, pair in enumerate(self.bidirected) for name in pair]
        return Masks.of(n + len(self.bidirected), [*((index[a], index[b]) for a, b in self.directed), *latent])

    @cached_property
    def essence(self) -> Masks:
        """The masks without what matters neither as action, context nor target nor as a common cause of such."""
        return self.masks.contracted(self.mask((self.target, *self.intervenable, *(self.contexts or ()))))

    def index(self, name: str) -> int:
        """Where a variable stands in `names`.

        Raises:
            InvalidProblem: there is no such variable.
        """
        try:
            return self.names.index(name)
        except ValueError:
            raise InvalidProblem("name", name, one_of(self.names, name)) from None

    def mask(self, names: Iterable[str]) -> int:
        """These variables as a bit mask."""
        return mask_of(self.index(name) for name in names)

    def named(self, mask: int) -> tuple[str, ...]:
        """The variables in a bit mask, latent nodes left out."""
        return tuple(self.names[i] for i in bits(mask) if i < len(self.names))

    def label(self, node: int) -> str:
        """A node's name; a latent node's two children."""
        n = len(self.names)
        return self.names[node] if node < n else "(" + " <-> ".join(self.bidirected[node - n]) + ")"

    def parents(self, name: str) -> tuple[str, ...]:
        """Observed direct causes."""
        return self.named(self.masks.parents[self.index(name)])

    def ancestors(self, names: Iterable[str]) -> tuple[str, ...]:
        """These variables and all their causes."""
        return self.named(self.masks.ancestors(self.mask(names)))

    def descendants(self, names: Iterable[str]) -> tuple[str, ...]:
        """These variables and everything they affect."""
        return self.named(self.masks.descendants(self.mask(names)))

    def separated(self, a: str, b: str, given: Iterable[str] = ()) -> bool:
        """Whether `a` and `b` are d-separated given other variables (m-separated: confounders count)."""
        seen = self.mask(given)
        for name in (a, b):
            if seen >> self.index(name) & 1:
                raise InvalidProblem("given", name, "variables other than the two that are compared")
        return self.masks.separated(self.index(a), self.index(b), seen)

    def active_path(self, a: str, b: str, given: Iterable[str] = ()) -> tuple[str, ...]:
        """A shortest path that connects them given other variables, latent causes shown; empty where separated."""
        path = self.masks.active_path(self.index(a), self.index(b), self.mask(given))
        return tuple(self.label(node) for node in path)

    def districts(self) -> tuple[tuple[str, ...], ...]:
        """Variables connected by bidirected edges, one tuple for each such component."""
        found = {name: {name} for name in self.names}
        for a, b in self.bidirected:
            if found[a] is not found[b]:
                joined = found[a] | found[b]
                found.update(dict.fromkeys(joined, joined))
        parts = {min(map(self.names.index, part)): part for part in found.values()}
        return tuple(tuple(n for n in self.names if n in parts[k]) for k in sorted(parts))

    def projected(self, keep: Iterable[str]) -> CausalGraph:
        """The latent projection: the same relations among fewer variables (Verma & Pearl 1990).

        Raises:
            InvalidProblem: the target is not kept.

        >>> CausalGraph([("u", "a"), ("u", "y")], target="y", intervenable=[]).projected(["a", "y"]).bidirected
        (('a', 'y'),)
        """
        kept = set(keep) | set()
        for name in kept:
            self.index(name)
        if self.target not in kept:
            raise InvalidProblem("keep", sorted(kept), f"a set with the target {self.target!r}")
        directed, spouses = set(self.directed), {frozenset(pair) for pair in self.bidirected}
        for gone in (name for name in self.names if name not in kept):
            above = [a for a, b in directed if b == gone]
            below = [b for a, b in directed if a == gone]
            beside = [next(iter(pair - {gone})) for pair in spouses if gone in pair]
            directed = {edge for edge in directed if gone not in edge} | {(a, b) for a in above for b in below}
            spouses = {pair for pair in spouses if gone not in pair}
            spouses |= {frozenset((s, b)) for s in (*below, *beside) for b in below if s != b}
        order = [name for name in self.names if name in kept]
        at = order.index
        return CausalGraph(
            tuple((a, b) for a in order for b in order if (a, b) in directed),
            tuple((a, b) for a in order for b in order if at(a) < at(b) and frozenset((a, b)) in spouses),
            target=self.target,
            intervenable=tuple(n for n in self.intervenable if n in kept),
            contexts=tuple(n for n in self.contexts or () if n in kept),
            variables=tuple(order),
        )
