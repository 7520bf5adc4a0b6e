"""The rules that a scope must keep to be worth considering (Lee & Bareinboim 2020), with witnesses."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from ..core import Scope
from .graph import CausalGraph
from .scope_graph import Scoped
from .separation import Masks, bits


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
    better: Scope | None = None


def fault(graph: CausalGraph, scope: Scope) -> Fault | None:
    """The first of rules A, B, C that a scope breaks, with its witness, or None.

    >>> graph = CausalGraph.from_text("c -> x -> y; c -> y", target="y", intervenable=["x"])
    >>> print(fault(graph, Scope.of({"x": []})).reason)
    x does not look at c, which tells about y: c -> y
    """
    scoped = Scoped.of(graph, scope.actions)
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
