"""A causal graph with latent confounders, what can be set in it and what can be looked at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from pydantic import Field, model_validator

from ..errors import InvalidProblem, combine, one_of
from ..records import record
from ..space.fields import ListField
from .checks import check_edges, check_roles, check_size
from .diagram import Roles
from .exchange import read_networkx, write_gml, write_networkx
from .formats import read, read_file
from .lines import write_lines
from .projection import Edge, causal_order, projected
from .separation import Masks, bits, mask_of

if TYPE_CHECKING:
    import networkx


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

    directed: Annotated[Sequence[Edge], ListField] = ()
    bidirected: Annotated[Sequence[Edge], ListField] = ()
    target: str = Field(kw_only=True)
    intervenable: Annotated[Sequence[str], ListField] = Field(kw_only=True)
    contexts: Annotated[Sequence[str], ListField] | None = Field(default=None, kw_only=True)
    variables: Annotated[Sequence[str], ListField] = Field(default=(), kw_only=True)

    @model_validator(mode="after")
    def _check(self) -> CausalGraph:
        check_size(self.names, len(self.directed) + len(self.bidirected))
        check_edges("directed", self.directed)
        check_edges("bidirected", self.bidirected)
        check_roles(self.names, self.target, self.intervenable, self.contexts or ())
        if self.contexts is None:
            taken = {*self.intervenable, self.target}
            object.__setattr__(self, "contexts", tuple(name for name in self.names if name not in taken))
        causal_order(self.names, self.directed)
        return self

    def _said(self) -> tuple[object, ...]:
        edges = frozenset(self.directed), frozenset(map(frozenset, self.bidirected))
        return (self.target, *edges, *map(frozenset, (self.names, self.intervenable, self.contexts or ())))

    def __eq__(self, other: object) -> bool:
        """Whether they say the same: the order of variables and edges, and of the two ends of `a <-> b`, is free."""
        return self._said() == other._said() if isinstance(other, CausalGraph) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._said())

    # -- other forms ---------------------------------------------------------------------------------------------------

    @classmethod
    def from_text(cls, text: str, **roles: Unpack[Roles]) -> CausalGraph:
        """From lines such as ``age -> bmi; x1 <-> c; target: y; intervenable: x1, x2``, or DOT, GML or dagitty text.

        Latent variables (``latent: u``, ``[latent]``, ``observed=no``) are projected out; see `projected`. A name with
        spaces is written as it is or, where it could be two names, in double quotes.

        Args:
            text: the graph. In dagitty text ``[exposure]`` marks actions, ``[outcome]`` the target; in DOT and GML
                the attribute ``role`` does. DOT needs the extra ``graphs``.
            roles: `target`, `intervenable`, `contexts`, which win over those in the text.

        Raises:
            InvalidProblem: a line that is no edge and no role; anything the graph itself refuses.
            MissingExtra: DOT without pydot, or GML without networkx.

        >>> CausalGraph.from_text("soil pH -> yield", target="yield", intervenable=["soil pH"]).directed
        (('soil pH', 'yield'),)
        """
        return cls(**read(text).fields(roles))

    @classmethod
    def from_file(cls, path: Path | str, **roles: Unpack[Roles]) -> CausalGraph:
        """From a file with such a text, whatever its name ends with.

        Raises:
            InvalidProblem: the file cannot be read, or its text is refused; the file is named.
            MissingExtra: DOT without pydot, or GML without networkx.
        """
        try:
            return cls(**read_file(Path(path)).fields(roles))
        except InvalidProblem as error:
            raise combine(e.moved(f"{Path(path).name}: {e.field}") for e in error.errors) from None

    @classmethod
    def from_networkx(
        cls,
        graph: networkx.DiGraph[Any] | networkx.MultiDiGraph[Any],
        bidirected: Iterable[Edge] = (),
        **roles: Unpack[Roles],
    ) -> CausalGraph:
        """From a networkx `DiGraph` or `MultiDiGraph`, with pairs of confounded variables beside it.

        Nodes with the attribute ``latent=True`` or ``observed="no"`` are projected out; the attribute ``role``
        (``target``, ``intervenable``, ``context`` or ``none``) gives roles. An edge with ``dir="both"`` is bidirected.

        Raises:
            InvalidProblem: a graph without directions, and anything the graph itself refuses.
            MissingExtra: networkx is not installed.
        """
        return cls(**read_networkx(graph, bidirected).fields(roles))

    def to_networkx(self) -> networkx.DiGraph[Any]:
        """As a networkx `DiGraph`; every bidirected edge as a node with attribute ``latent=True`` and two children.

        Raises:
            MissingExtra: networkx is not installed.

        >>> graph = CausalGraph([("x", "y")], [("x", "y")], target="y", intervenable=["x"])
        >>> CausalGraph.from_networkx(graph.to_networkx()) == graph
        True
        """
        return write_networkx(self)

    def to_gml(self) -> str:
        """As GML, a format that most programs for graphs read; `from_text` reads it back.

        Raises:
            MissingExtra: networkx, which writes it, is not installed.
        """
        return write_gml(self)

    def to_text(self) -> str:
        """The one-line form that `from_text` reads.

        >>> CausalGraph([("soil pH", "y")], target="y", intervenable=["soil pH"]).to_text()
        '"soil pH" -> y; target: y; intervenable: "soil pH"; contexts: '
        """
        roles = {"target": (self.target,), "intervenable": self.intervenable, "contexts": self.contexts or ()}
        return write_lines(self.names, self.directed, self.bidirected, roles)

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

    def projected(self, keep: Iterable[str]) -> CausalGraph:
        """The latent projection: the same relations among fewer variables (Verma & Pearl 1990).

        Raises:
            InvalidProblem: the target is not kept.

        >>> CausalGraph([("u", "a"), ("u", "y")], target="y", intervenable=[]).projected(["a", "y"]).bidirected
        (('a', 'y'),)
        """
        kept = self.named(self.mask(keep))
        if self.target not in kept:
            raise InvalidProblem("keep", sorted(kept), f"a set with the target {self.target!r}")
        directed, bidirected = projected(self.names, self.directed, self.bidirected, kept)
        roles = {
            "intervenable": tuple(n for n in self.intervenable if n in kept),
            "contexts": tuple(n for n in self.contexts or () if n in kept),
        }
        return CausalGraph(directed, bidirected, target=self.target, variables=kept, **roles)
