"""Reasons why a scope is not possibly optimal: the rule that it violates (Lee & Bareinboim 2020), and a witness."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from ...core import Scope
from ..graphs.dag import BitmaskDag, bits
from ..graphs.graph import CausalGraph
from ._dominance import Dominance, Key
from .enumeration import Mode, published
from .scopes import ScopedGraph

_ACTIONS_LISTED = 7  # actions up to which all scopes that keep the published rules are listed


def why_dropped(graph: CausalGraph, scope: Scope, mode: Mode = "pruned") -> Violation | None:
    """Find why a scope is dropped; None if it is among `policy_scopes(graph, mode)`, or always as good as one.

    >>> graph = CausalGraph.from_text("c -> x -> y; c -> y", target="y", intervenable=["x"])
    >>> print(why_dropped(graph, Scope()).reason)
    setting x as well, after looking at c, loses nothing: c closes every back door, and x affects y: x -> y
    """
    if (broken := violated_rule(graph, scope)) is not None or mode == "published":
        return broken
    dominance = Dominance(graph, joint=mode != "pruned")
    seen = {graph.index(name): graph.mask(looked) for name, looked in scope.actions}
    key: Key = tuple(sorted(seen.items()))
    if key in dominance.ends()[0]:
        return None
    for larger in dominance.extended(key):
        added = [x for x in larger if x not in seen]
        looked = ", ".join(graph.named(larger[added[0]]))
        names = " and ".join(graph.names[x] for x in added)
        after = f", after looking at {looked}," if looked else ""
        closes = "no back door is open"
        if looked:
            several = len(graph.named(larger[added[0]])) > 1
            closes = f"{looked} {'close' if several else 'closes'} every back door"
        scoped = ScopedGraph.by_nodes(graph.masks, seen)
        paths = ", and ".join(
            f"{graph.names[x]} affects {graph.target}: {_directed(graph, scoped, x)}" for x in added
        )
        return Violation(
            "intervene", f"setting {names} as well{after} loses nothing: {closes}, and {paths}"
        )
    for better in dominance.better(key):
        named = Scope.of({graph.names[x]: graph.named(looked) for x, looked in better})
        return Violation("observe", f"as good in every model, or better: set {named}", named)
    return None


def _directed(graph: CausalGraph, scoped: ScopedGraph, node: int) -> str:
    """Describe a directed path from a node to the target."""
    target = graph.index(graph.target)
    above = scoped.graph.ancestors(1 << target)
    path = [node]
    while path[-1] != target:
        path.append(next(bits(scoped.graph.children[path[-1]] & above)))
    return arrows(graph, scoped.graph, path)


def candidates(graph: CausalGraph) -> tuple[Scope, ...]:
    """List scopes to explain: set nothing, set everything after looking at everything, and the published rules' scopes.

    More than seven actions can have billions of the latter: then each action alone, after looking
    at everything.
    """
    affected = graph.descendants(graph.intervenable)
    seen = graph.named(graph.mask(name for name in graph.contexts or () if name not in affected))
    everything = Scope.of(dict.fromkeys(graph.intervenable, seen))
    if len(graph.intervenable) <= _ACTIONS_LISTED:
        rest = published(graph).scopes
    else:
        rest = tuple(Scope.of({x: seen}) for x in graph.intervenable)
    return tuple(dict.fromkeys((Scope(), everything, *rest)))


@dataclass(frozen=True)
class Violation:
    """Reason why a scope is not needed.

    Attributes:
        rule: ``"A"`` an action does not matter, ``"B"`` a context is useless, ``"C"`` a useful
            context is missing, ``"cycle"`` an action affects its own context, ``"intervene"``
            setting one more variable loses nothing, ``"observe"`` another scope lets the same
            actions see at least as much.
        reason: the rule in words, with the witness.
        better: a scope at least as good, if one is known.
    """

    rule: str
    reason: str
    better: Scope | None = None


def violated_rule(graph: CausalGraph, scope: Scope) -> Violation | None:
    """Find the first of rules A, B, C that a scope violates, with its witness; None if it keeps them.

    >>> graph = CausalGraph.from_text("c -> x -> y; c -> y", target="y", intervenable=["x"])
    >>> print(violated_rule(graph, Scope.of({"x": []})).reason)
    x does not look at c, which tells about y: c -> y
    """
    scoped = ScopedGraph.of(graph, scope.actions)
    if not scoped.acyclic:
        action = next(
            a for a, seen in scoped.seen.items() if scoped.graph.descendants(1 << a) & seen
        )
        context = next(bits(scoped.graph.descendants(1 << action) & scoped.seen[action]))
        return Violation(
            "cycle", f"{graph.names[action]} affects {graph.names[context]}, which it looks at"
        )
    target, allowed = graph.index(graph.target), graph.mask(graph.contexts or ())
    above = scoped.graph.ancestors(1 << target)
    for action, seen in scoped.seen.items():
        name = graph.names[action]
        if not above >> action & 1:
            return Violation(
                "A", f"{name} does not affect {graph.target} when the rest of the scope is set"
            )
        alone = scoped.without(action)
        for context in bits(seen):
            if alone.separated(context, target, seen & ~(1 << context)):
                others = ", ".join(graph.named(seen & ~(1 << context))) or "nothing"
                return Violation(
                    "B",
                    f"{name} looks at {graph.names[context]}, which tells nothing about {graph.target} beyond {others}",
                )
        for context in bits(scoped.admissible(action, allowed) & ~seen):
            if path := alone.active_path(context, target, seen):
                told = arrows(graph, alone, path)
                return Violation(
                    "C",
                    f"{name} does not look at {graph.names[context]}, which tells about {graph.target}: {told}",
                )
    return None


def arrows(graph: CausalGraph, masks: BitmaskDag, path: list[int]) -> str:
    """Describe a path, each edge with its direction."""
    text = graph.label(path[0])
    for a, b in pairwise(path):
        text += (" -> " if masks.children[a] >> b & 1 else " <- ") + graph.label(b)
    return text
