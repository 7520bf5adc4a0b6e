"""The graph of a scope: its actions follow their contexts and nothing else.

For d-separation with closure (an action counts as known where all its contexts are), every action but the one in
question is replaced by its contexts: each of its children receives them as parents. Plain d-separation there is the
same thing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .graph import CausalGraph
from .separation import Masks


@dataclass(frozen=True)
class Scoped:
    """A graph in which the actions of a scope follow their contexts and nothing else.

    Attributes:
        base: the causal graph as masks, latent nodes included.
        seen: the contexts of each action, by node.
        graph: the graph after cutting the edges into the actions and adding those from their contexts.
    """

    base: Masks
    seen: dict[int, int]
    graph: Masks

    @classmethod
    def of(cls, graph: CausalGraph, actions: Iterable[tuple[str, tuple[str, ...]]]) -> Scoped:
        """The graph of a scope with these actions, each with its contexts, by name."""
        return cls.by_nodes(graph.masks, {graph.index(name): graph.mask(seen) for name, seen in actions})

    @classmethod
    def by_nodes(cls, base: Masks, seen: dict[int, int]) -> Scoped:
        """The graph in which each of these nodes has the given parents."""
        return cls(base, seen, base.with_parents(seen))

    @property
    def acyclic(self) -> bool:
        """Whether no action affects what it looks at."""
        return not any(self.graph.descendants(1 << action) & contexts for action, contexts in self.seen.items())

    def without(self, action: int) -> Masks:
        """The graph without `action`, every other action replaced by its contexts."""
        return self.graph.without([x for x in self.seen if x != action], cut=action)

    def admissible(self, action: int, contexts: int) -> int:
        """What the action may look at: the contexts that it does not affect."""
        return contexts & ~self.graph.descendants(1 << action)
