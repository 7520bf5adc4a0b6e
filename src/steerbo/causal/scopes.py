"""What a scope means in a causal graph: what an action affects while it is played, and in which order one acts."""

from __future__ import annotations

from collections.abc import Sequence

from ..core import Scope
from ..errors import InvalidProblem
from .graph import CausalGraph
from .scope_graph import Scoped


def affected_by(scope: Scope, graph: CausalGraph, name: str) -> tuple[str, ...]:
    """What an action affects while its scope is played."""
    return graph.named(Scoped.of(graph, scope.actions).graph.descendants(graph.mask([name])))


def looking_at(scope: Scope, seen: Sequence[str]) -> Scope:
    """The scope with what is seen before choosing among what every action looks at.

    >>> print(looking_at(Scope.of({"x1": [], "x2": ["c"]}), ["weather"]))
    x1 after looking at weather, and x2 after looking at c and weather
    """
    return Scope.of({name: tuple(dict.fromkeys((*looks, *seen))) for name, looks in scope.actions}) if seen else scope


def stages(scope: Scope, graph: CausalGraph) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """In which order one looks and sets: pairs (what to look at now, what can be set then).

    A context that descends from another action is seen only after that action is set.

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
            c for c in scope.contexts if c not in looked and c not in waiting and any(c in s for s in left.values())
        )
        looked.update(now)
        ready = tuple(x for x, seen in left.items() if looked.issuperset(seen))
        if not ready and not now:
            raise InvalidProblem("scope", scope.to_dict(), "no action among the causes of its own contexts")
        for x in ready:
            del left[x]
        order.append((now, ready))
    return tuple(order)
