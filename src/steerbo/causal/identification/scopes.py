"""Policy scopes in a causal graph: the graph under a scope, the order of looking and setting, and a step budget.

For d-separation with closure (an action counts as known if all its contexts are), every action but
the one in question is replaced by its contexts: each of its children receives them as parents. It
is plain d-separation in that graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...core import Scope
from ...errors import InvalidProblem
from ..graphs.dag import BitmaskDag
from ..graphs.graph import CausalGraph

MAX_STEPS = 20_000
"""Steps after which a search for scopes ends with what it has met: of 48 variables 3 to 5 seconds, of 223 some 11."""


class ScopesFound(NamedTuple):
    """Scopes that a search found.

    Attributes:
        scopes: smallest first; each is as good as all that led to it.
        complete: whether the search came to an end; else one that it never met may be better.
    """

    scopes: tuple[Scope, ...]
    complete: bool


@dataclass(frozen=True)
class ScopedGraph:
    """Graph under a scope: each action depends on its contexts and on nothing else.

    Attributes:
        base: the causal graph as masks, latent nodes included.
        seen: the contexts of each action, by node.
        graph: the graph after cutting the edges into the actions and adding those from their
            contexts.
    """

    base: BitmaskDag
    seen: dict[int, int]
    graph: BitmaskDag

    @classmethod
    def of(cls, graph: CausalGraph, actions: Iterable[tuple[str, tuple[str, ...]]]) -> ScopedGraph:
        """Build the graph under a scope from its actions, each with its contexts, by name."""
        return cls.by_nodes(
            graph.masks, {graph.index(name): graph.mask(seen) for name, seen in actions}
        )

    @classmethod
    def by_nodes(cls, base: BitmaskDag, seen: dict[int, int]) -> ScopedGraph:
        """Build the graph in which each action has its contexts as parents, by node."""
        return cls(base, seen, base.with_parents(seen))

    @property
    def acyclic(self) -> bool:
        """Whether no action affects its own contexts."""
        return not any(
            self.graph.descendants(1 << action) & contexts for action, contexts in self.seen.items()
        )

    def without(self, action: int) -> BitmaskDag:
        """Graph without `action`, every other action replaced by its contexts."""
        return self.graph.without([x for x in self.seen if x != action], cut=action)

    def admissible(self, action: int, contexts: int) -> int:
        """Contexts that the action does not affect: those it may look at."""
        return contexts & ~self.graph.descendants(1 << action)


def affected_by(scope: Scope, graph: CausalGraph, name: str) -> tuple[str, ...]:
    """Variables that an action affects while its scope is played."""
    return graph.named(ScopedGraph.of(graph, scope.actions).graph.descendants(graph.mask([name])))


def looking_at(scope: Scope, seen: Sequence[str]) -> Scope:
    """Add variables that are known before choosing to the contexts of every action.

    >>> print(looking_at(Scope.of({"x1": [], "x2": ["c"]}), ["weather"]))
    x1 after looking at weather, and x2 after looking at c and weather
    """
    return (
        Scope.of({name: tuple(dict.fromkeys((*looks, *seen))) for name, looks in scope.actions})
        if seen
        else scope
    )


def stages(scope: Scope, graph: CausalGraph) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """Order of looking and setting: pairs (contexts to look at, actions that can be set then).

    A context that descends from an action of the scope is observed only after that action is set.

    >>> graph = CausalGraph.from_text("x1 -> c -> x2 -> y; c -> y", target="y", intervenable=["x1", "x2"])
    >>> stages(Scope.of({"x1": [], "x2": ["c"]}), graph)
    (((), ('x1',)), (('c',), ('x2',)))
    """
    left, order = dict(scope.actions), []
    below = {x: set(affected_by(scope, graph, x)) for x in left}
    looked: set[str] = set()
    while left:
        waiting = {c for x in left for c in below[x]}
        now = tuple(
            c
            for c in scope.contexts
            if c not in looked and c not in waiting and any(c in s for s in left.values())
        )
        looked.update(now)
        ready = tuple(x for x, seen in left.items() if looked.issuperset(seen))
        if not ready and not now:
            raise InvalidProblem(
                "scope", scope.to_dict(), "no action among the causes of its own contexts"
            )
        for x in ready:
            del left[x]
        order.append((now, ready))
    return tuple(order)


def union(scopes: Iterable[Iterable[Scope]]) -> tuple[Scope, ...]:
    """Union of the scopes of all graphs."""
    return tuple(dict.fromkeys(scope for some in scopes for scope in some))


def together(searches: Iterable[ScopesFound]) -> ScopesFound:
    """Union of the scopes that searches of all graphs found; complete if all are."""
    found = tuple(searches)
    return ScopesFound(union(each.scopes for each in found), all(each.complete for each in found))


def played_by(scope: Scope, graphs: Sequence[CausalGraph]) -> CausalGraph:
    """Choose the graph whose order of looking and setting a scope follows: the one with most stages, which suits all.

    A context observed after an action that does not affect it is still the same context. Graphs in
    which an action of the scope affects its own contexts imply no order.
    """
    able = [graph for graph in graphs if ScopedGraph.of(graph, scope.actions).acyclic]
    return max(able, key=lambda graph: len(stages(scope, graph))) if able else graphs[0]


class StepsEnded(Exception):  # noqa: N818
    """A search for scopes has no steps left."""


@dataclass
class StepBudget:
    """Step counter that ends a search which would take for ever.

    Args:
        left: remaining steps; each takes about a millisecond.
    """

    left: int = MAX_STEPS

    def __post_init__(self) -> None:
        """Remember how many there were."""
        self._given = self.left

    def renew(self) -> None:
        """Begin again with as many steps."""
        self.left = self._given

    def step(self) -> None:
        """Count a step.

        Raises:
            StepsEnded: none is left.
        """
        self.left -= 1
        if self.left < 0:
            raise StepsEnded
