"""Mixed policy scopes: which variables to set, and what to look at before setting each."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from pydantic import model_validator

from ..errors import InvalidProblem
from ..record import record
from .graph import CausalGraph
from .scope_graph import Scoped


@record
class PolicyScope:
    """Actions, each with the contexts to look at first (Lee & Bareinboim 2020, Definition 1).

    Args:
        actions: pairs of a variable to set and the names of its contexts.

    >>> scope = PolicyScope.of({"x1": ["c"], "x2": []})
    >>> print(scope)
    set x1 after looking at c, and x2 without looking
    >>> scope.to_dict()
    {'x1': ['c'], 'x2': []}
    """

    actions: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @model_validator(mode="after")
    def _check(self) -> PolicyScope:
        names = [name for name, _ in self.actions]
        for name, contexts in self.actions:
            if names.count(name) > 1 or len(set(contexts)) < len(contexts):
                raise InvalidProblem("actions", (name, contexts), "every action once, with each context once")
        return self

    @classmethod
    def of(cls, contexts: Mapping[str, Any]) -> PolicyScope:
        """From contexts by action."""
        return cls(tuple((name, tuple(seen)) for name, seen in contexts.items()))

    def to_dict(self) -> dict[str, list[str]]:
        """Contexts by action."""
        return {name: list(contexts) for name, contexts in self.actions}

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """What is set."""
        return tuple(name for name, _ in self.actions)

    @cached_property
    def contexts(self) -> tuple[str, ...]:
        """What is looked at, each once."""
        return tuple(dict.fromkeys(name for _, contexts in self.actions for name in contexts))

    def __str__(self) -> str:
        if not self.actions:
            return "set nothing"
        parts = [
            f"{name} after looking at {_listed(seen)}" if seen else f"{name} without looking"
            for name, seen in self.actions
        ]
        return "set " + ", and ".join(parts)

    def stages(self, graph: CausalGraph) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """In which order one looks and sets: pairs (what to look at now, what can be set then).

        A context that descends from another action is seen only after that action is set.

        >>> graph = CausalGraph.from_text("x1 -> c -> x2 -> y; c -> y", target="y", intervenable=["x1", "x2"])
        >>> PolicyScope.of({"x1": [], "x2": ["c"]}).stages(graph)
        (((), ('x1',)), (('c',), ('x2',)))
        """
        left, order = dict(self.actions), []
        below = {x: set(self.descendants(graph, x)) for x in left}
        looked: set[str] = set()
        while left:
            waiting = {c for x in left for c in below[x]}
            now = tuple(
                c for c in self.contexts if c not in looked and c not in waiting and any(c in s for s in left.values())
            )
            looked.update(now)
            ready = tuple(x for x, seen in left.items() if looked.issuperset(seen))
            if not ready and not now:
                raise InvalidProblem("actions", self.to_dict(), "no action among the causes of its own contexts")
            for x in ready:
                del left[x]
            order.append((now, ready))
        return tuple(order)

    def descendants(self, graph: CausalGraph, name: str) -> tuple[str, ...]:
        """What an action affects while this scope is played."""
        return graph.named(Scoped.of(graph, self.actions).graph.descendants(graph.mask([name])))


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
