"""Causal graphs with latent confounders, a target, actions and contexts; their checks, and their claims in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

from pydantic import Field, model_validator

from ..._wording import listed
from ...errors import InvalidProblem, combine, one_of
from ...records import record
from ...space.fields import ListField
from ._io import read, read_file, read_networkx, write_networkx
from ._lines import write_lines
from ._parsed import Roles
from ._projection import MOST_EDGES, MOST_NODES, Edge, causal_order, projected
from .dag import BitmaskDag, bits, mask_of

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
        contexts: variables that can be observed before setting others, C*. None: all the rest.
        variables: names of variables without any edge; the others need not be listed.

    Raises:
        InvalidProblem: a cycle, a self-loop, an unknown name, a target that can be set, a context
            that is also an action.

    >>> graph = CausalGraph.from_text("x1 -> x2 -> y; c -> x2; c -> y; x1 <-> c; x2 <-> y",
    ...                               target="y", intervenable=["x1", "x2"])
    >>> graph.contexts, graph.ancestors(["x2"])
    (('c',), ('x1', 'x2', 'c'))
    """

    directed: Annotated[Sequence[Edge], ListField] = ()
    bidirected: Annotated[Sequence[Edge], ListField] = ()
    target: str = Field(kw_only=True)
    intervenable: Annotated[Sequence[str], ListField] = Field(kw_only=True)
    contexts: Annotated[Sequence[str], ListField] | None = Field(default=None, kw_only=True)
    variables: Annotated[Sequence[str], ListField] = Field(default=(), kw_only=True)

    @model_validator(mode="after")
    def _check(self) -> CausalGraph:
        _check_size(self.names, len(self.directed) + len(self.bidirected))
        _check_edges("directed", self.directed)
        _check_edges("bidirected", self.bidirected)
        _check_roles(self.names, self.target, self.intervenable, self.contexts or ())
        if self.contexts is None:
            taken = {*self.intervenable, self.target}
            object.__setattr__(
                self, "contexts", tuple(name for name in self.names if name not in taken)
            )
        causal_order(self.names, self.directed)
        return self

    def _identity(self) -> tuple[object, ...]:
        edges = frozenset(self.directed), frozenset(map(frozenset, self.bidirected))
        return (
            self.target,
            *edges,
            *map(frozenset, (self.names, self.intervenable, self.contexts or ())),
        )

    def __eq__(self, other: object) -> bool:
        """Whether two graphs are the same, up to the order of variables, of edges, and of the ends of `a <-> b`."""
        return (
            self._identity() == other._identity()
            if isinstance(other, CausalGraph)
            else NotImplemented
        )

    def __hash__(self) -> int:
        return hash(self._identity())

    # -- other forms -------------------------------------------------------------------------------

    @classmethod
    def from_text(cls, text: str, **roles: Unpack[Roles]) -> CausalGraph:
        """Parse lines such as ``age -> bmi; x1 <-> c; target: y; intervenable: x1, x2``, or another form.

        Other forms are dagitty text, DOT, GML, BIF, model strings of bnlearn, and lists of edges as
        Tetrad and causal-learn print them; errors say which one a text was taken for.

        Latent variables (``latent: u``, ``[latent]``, ``observed=no``) are projected out; see
        `projected`. Names with spaces need double quotes only if they could be read as two names.

        Args:
            text: the graph. In dagitty text ``[exposure]`` marks actions, ``[outcome]`` the target;
                in DOT and GML the attribute ``role`` does.
            roles: `target`, `intervenable`, `contexts`; they win over the roles in the text.

        Raises:
            InvalidProblem: a line that is no edge and no role; anything the graph itself refuses.

        >>> CausalGraph.from_text("soil pH -> yield", target="yield", intervenable=["soil pH"]).directed
        (('soil pH', 'yield'),)
        """
        return cls(**read(text).fields(roles))

    @classmethod
    def from_file(cls, path: Path | str, **roles: Unpack[Roles]) -> CausalGraph:
        """Parse a file in any form that `from_text` accepts; its suffix does not matter.

        Raises:
            InvalidProblem: the file cannot be read, or its text is refused; the file is named.
        """
        try:
            return cls(**read_file(Path(path)).fields(roles))
        except InvalidProblem as error:
            raise combine(e.moved(f"{Path(path).name}: {e.field}") for e in error.errors) from None

    @classmethod
    def from_networkx(
        cls, graph: networkx.DiGraph[Any] | networkx.MultiDiGraph[Any], **roles: Unpack[Roles]
    ) -> CausalGraph:
        """Convert a networkx `DiGraph`, or a `MultiDiGraph` where a pair is confounded beside its edge.

        Nodes with the attribute ``latent``, ``hidden``, ``type="latent"`` or ``observed="no"``, and
        those in the graph's own set `latents` (pgmpy), are projected out; the attribute ``role``
        (``target``, ``intervenable``, ``context`` or ``none``) gives roles. An edge with
        ``dir="both"`` is bidirected.

        Raises:
            InvalidProblem: a graph without directions, and anything the graph itself refuses.
            MissingExtra: networkx is not installed.
        """
        return cls(**read_networkx(graph).fields(roles))

    def to_networkx(self) -> networkx.DiGraph[Any]:
        """Convert to a networkx `DiGraph`; a bidirected edge becomes a node with ``latent=True`` and two children.

        `from_text` parses the GML that networkx writes of it.

        Raises:
            MissingExtra: networkx is not installed.

        >>> graph = CausalGraph([("x", "y")], [("x", "y")], target="y", intervenable=["x"])
        >>> CausalGraph.from_networkx(graph.to_networkx()) == graph
        True
        """
        roles = dict.fromkeys(self.names, "none")
        roles.update(dict.fromkeys(self.contexts or (), "context"))
        roles.update(dict.fromkeys(self.intervenable, "intervenable"))
        return write_networkx({**roles, self.target: "target"}, self.directed, self.bidirected)

    def to_text(self) -> str:
        """Write the one-line form that `from_text` parses.

        >>> CausalGraph([("soil pH", "y")], target="y", intervenable=["soil pH"]).to_text()
        '"soil pH" -> y; target: y; intervenable: "soil pH"; contexts: '
        """
        roles = {
            "target": (self.target,),
            "intervenable": self.intervenable,
            "contexts": self.contexts or (),
        }
        return write_lines(self.names, self.directed, self.bidirected, roles)

    # -- relations ---------------------------------------------------------------------------------

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all variables, in order of first mention."""
        mentioned = (
            *self.variables,
            *(n for edge in (*self.directed, *self.bidirected) for n in edge),
        )
        return tuple(dict.fromkeys(mentioned))

    @cached_property
    def masks(self) -> BitmaskDag:
        """The graph as bit masks: variables in the order of `names`, then one latent node for each bidirected edge."""
        index = {name: i for i, name in enumerate(self.names)}
        n = len(index)
        latent = [(n + k, index[name]) for k, pair in enumerate(self.bidirected) for name in pair]
        return BitmaskDag.of(
            n + len(self.bidirected), [*((index[a], index[b]) for a, b in self.directed), *latent]
        )

    @cached_property
    def essence(self) -> BitmaskDag:
        """The masks without nodes that are neither action, context, target nor a common cause of such."""
        return self.masks.contracted(
            self.mask((self.target, *self.intervenable, *(self.contexts or ())))
        )

    def index(self, name: str) -> int:
        """Position of a variable in `names`.

        Raises:
            InvalidProblem: there is no such variable.
        """
        try:
            return self.names.index(name)
        except ValueError:
            raise InvalidProblem("name", name, one_of(self.names, name)) from None

    def mask(self, names: Iterable[str]) -> int:
        """Bit mask of variables."""
        return mask_of(self.index(name) for name in names)

    def named(self, mask: int) -> tuple[str, ...]:
        """Names of the variables in a bit mask, without latent nodes."""
        return tuple(self.names[i] for i in bits(mask) if i < len(self.names))

    def label(self, node: int) -> str:
        """Name of a node; of a latent node its two children."""
        n = len(self.names)
        return self.names[node] if node < n else "(" + " <-> ".join(self.bidirected[node - n]) + ")"

    def parents(self, name: str) -> tuple[str, ...]:
        """Observed direct causes."""
        return self.named(self.masks.parents[self.index(name)])

    def ancestors(self, names: Iterable[str]) -> tuple[str, ...]:
        """Variables and all their causes."""
        return self.named(self.masks.ancestors(self.mask(names)))

    def descendants(self, names: Iterable[str]) -> tuple[str, ...]:
        """Variables and everything they affect."""
        return self.named(self.masks.descendants(self.mask(names)))

    def joined(self, outcomes: Sequence[str]) -> CausalGraph:
        """The graph whose target is any number that depends on the target and on other outcomes.

        A scope that is possibly optimal here is so for some weighing of all of them, and a rule
        that identifies the effect on this target identifies that on each. Outcomes are no contexts.

        Raises:
            InvalidProblem: an outcome that is no variable of the graph.

        >>> graph = CausalGraph([("x", "y"), ("x", "z")], target="y", intervenable=["x"])
        >>> graph.joined(["z"]).directed[2:], graph.joined(["z"]).target
        ((('y', 'y or z'), ('z', 'y or z')), 'y or z')
        """
        _ = self.mask(outcomes)  # they are in the graph
        every = self.target, *outcomes
        joint = " or ".join(every)
        while joint in self.names:
            joint += "'"
        return CausalGraph(
            (*self.directed, *((name, joint) for name in every)),
            self.bidirected,
            target=joint,
            intervenable=self.intervenable,
            contexts=[name for name in self.contexts or () if name not in outcomes],
            variables=self.variables,
        )

    def projected(self, keep: Iterable[str]) -> CausalGraph:
        """Latent projection: the same causal relations among fewer variables (Verma & Pearl 1990).

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


def _check_size(names: Sequence[str], edges: int) -> None:
    """Refuse graphs with too many variables or edges."""
    for what, found, most in (
        ("directed", edges, MOST_EDGES),
        ("variables", len(names), MOST_NODES),
    ):
        if found > most:
            raise InvalidProblem(what, found, f"at most {most}")


def _check_edges(field: str, edges: Sequence[Edge]) -> None:
    """Refuse self-loops, empty names and repeated edges; bidirected edges have no direction."""
    seen: set[frozenset[str] | Edge] = set()
    for i, (a, b) in enumerate(edges):
        if not a.strip() or not b.strip():
            raise InvalidProblem(f"{field}.{i}", (a, b), "names that are not empty")
        if a == b:
            raise InvalidProblem(
                f"{field}.{i}",
                f"{a} -> {b}",
                "an edge between two variables",
                "Remove the self-loop.",
            )
        edge = (a, b) if field == "directed" else frozenset((a, b))
        if edge in seen:
            raise InvalidProblem(f"{field}.{i}", (a, b), "every edge once")
        seen.add(edge)


def _check_roles(
    names: Sequence[str], target: str, intervenable: Sequence[str], contexts: Sequence[str]
) -> None:
    """Refuse unknown names, repeated names, and variables with two roles."""
    known = dict.fromkeys(names)
    if target not in known:
        raise InvalidProblem("target", target, one_of(known, target))
    for field, given in (("intervenable", intervenable), ("contexts", contexts)):
        for name in given:
            if name not in known:
                raise InvalidProblem(field, name, one_of(known, name))
        if len(set(given)) < len(given):
            twice = next(name for name in given if given.count(name) > 1)
            raise InvalidProblem(field, twice, "every variable once")
        if target in given:
            raise InvalidProblem(field, target, "variables other than the target")
    both = [name for name in contexts if name in set(intervenable)]
    if both:
        reason = "a variable that is not intervenable as well"
        raise InvalidProblem(
            "contexts", both[0], reason, "Set it, or look at it, but list it once."
        )


_SHOWN = 12  # names in a sentence


def claims(graph: CausalGraph) -> str:
    """Describe the effects of each action, the exogenous variables and the hidden causes, in words.

    A graph with reversed edges is still a graph; read as sentences it is seen to be wrong.

    >>> print(claims(CausalGraph.from_text("age -> dose -> y; age -> y", target="y", intervenable=["dose"])))
    setting dose changes y; nothing changes age
    """
    changed = {name: _without(graph.descendants([name]), name) for name in graph.intervenable}
    said = [
        f"setting {name} changes {_listed(effects) or 'nothing'}"
        for name, effects in changed.items()
    ]
    roots = [
        name for name in graph.names if not graph.parents(name) and name not in graph.intervenable
    ]
    said = said[:_SHOWN] + (
        [f"and {len(said) - _SHOWN} more can be set"] if len(said) > _SHOWN else []
    )
    said += [f"nothing changes {_listed(roots, ' or ')}"] if roots else []
    shared = [f"{a} and {b}" for a, b in graph.bidirected]
    said += [f"a hidden cause changes both {_listed(shared, ', and both ')}"] if shared else []
    return "; ".join(said)


def doubts(graph: CausalGraph) -> str:
    """Describe probable mistakes: actions without effect on the target, effects of the target, isolated contexts.

    >>> print(doubts(CausalGraph.from_text("yield -> dose", target="yield", intervenable=["dose"])))
    nothing that can be set changes yield; yield changes dose. Is an arrow the wrong way round?
    """
    causes = _without(graph.ancestors([graph.target]), graph.target)
    idle = [name for name in graph.intervenable if name not in causes]
    if idle and len(idle) == len(graph.intervenable):
        said = [f"nothing that can be set changes {graph.target}"]
    else:
        said = [f"setting {_listed(idle, ' or ')} does not change {graph.target}"] if idle else []
    # others may well be effects, measured afterwards
    roles = {*graph.intervenable, *(graph.contexts or ())}
    effects = [
        name for name in _without(graph.descendants([graph.target]), graph.target) if name in roles
    ]
    said += [f"{graph.target} changes {_listed(effects)}"] if effects else []
    apart = [
        name
        for name in graph.contexts or ()
        if not any(name in edge for edge in (*graph.directed, *graph.bidirected))
    ]
    if apart:
        have = "has" if len(apart) == 1 else "have"
        said.append(f"{_listed(apart)} {have} no arrow at all")
    if not said:
        return ""
    wrong = "missing, or the wrong way round" if apart else "the wrong way round"
    return f"{'; '.join(said)}. Is an arrow {wrong}?"


def _without(names: Sequence[str], name: str) -> list[str]:
    return [each for each in names if each != name]


def _listed(names: Sequence[str], joint: str = " and ") -> str:
    """Join names in a sentence; of many the first."""
    return listed(
        [*names[:_SHOWN], *([f"{len(names) - _SHOWN} more"] if len(names) > _SHOWN else [])], joint
    )
