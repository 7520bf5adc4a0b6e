"""The graph of a scope, and the rules that a scope must keep to be worth considering.

For d-separation with closure (an action counts as known where all its contexts are), every action but the one in
question is replaced by its contexts: each of its children receives them as parents. Plain d-separation there is the
same thing.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from .graph import CausalGraph
from .scopes import PolicyScope
from .separation import Masks, bits


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
    def of(cls, graph: CausalGraph, scope: PolicyScope) -> Scoped:
        """The graph of `scope`."""
        return cls.by_nodes(graph.masks, {graph.index(name): graph.mask(seen) for name, seen in scope.actions})

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


@dataclass(frozen=True)
class Fault:
    """Why a scope is not needed.

    Attributes:
        rule: ``"A"`` an action does not matter, ``"B"`` a context is useless, ``"C"`` a useful one is not looked at,
            ``"cycle"`` an action affects its own context, ``"intervene"`` setting one more variable loses nothing,
            ``"observe"`` another scope lets the same actions see at least as much.
        reason: the same in words, with the witness.
        better: a scope that is at least as good, where one is known.
    """

    rule: str
    reason: str
    better: PolicyScope | None = None


def fault(graph: CausalGraph, scope: PolicyScope) -> Fault | None:
    """The first of rules A, B, C that a scope breaks, with its witness, or None.

    >>> graph = CausalGraph.from_text("c -> x -> y; c -> y", target="y", intervenable=["x"])
    >>> print(fault(graph, PolicyScope.of({"x": []})).reason)
    x does not look at c, which tells about y: c -> y
    """
    scoped = Scoped.of(graph, scope)
    if not scoped.acyclic:
        action = next(a for a, seen in scoped.seen.items() if scoped.graph.descendants(1 << a) & seen)
        context = next(bits(scoped.graph.descendants(1 << action) & scoped.seen[action]))
        return Fault("cycle", f"{graph.names[action]} affects {graph.names[context]}, which it looks at")
    target, allowed = graph.index(graph.target), graph.mask(graph.contexts or ())
    above = scoped.graph.ancestors(1 << target)
    for action, seen in scoped.seen.items():
        name = graph.names[action]
        if not above >> action & 1:
            return Fault("A", f"{name} does not affect {graph.target} when the rest of the scope is played")
        alone = scoped.without(action)
        for context in bits(seen):
            if alone.separated(context, target, seen & ~(1 << context)):
                others = ", ".join(graph.named(seen & ~(1 << context))) or "nothing"
                return Fault(
                    "B",
                    f"{name} looks at {graph.names[context]}, which tells nothing about {graph.target} beyond {others}",
                )
        for context in bits(scoped.admissible(action, allowed) & ~seen):
            if path := alone.active_path(context, target, seen):
                told = arrows(graph, alone, path)
                return Fault(
                    "C", f"{name} does not look at {graph.names[context]}, which tells about {graph.target}: {told}"
                )
    return None


def arrows(graph: CausalGraph, masks: Masks, path: list[int]) -> str:
    """A path in text, each edge with its direction."""
    text = graph.label(path[0])
    for a, b in pairwise(path):
        text += (" -> " if masks.children[a] >> b & 1 else " <- ") + graph.label(b)
    return text
