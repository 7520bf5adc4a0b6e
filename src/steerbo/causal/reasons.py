"""Why a scope is not among those worth trying: which rule it breaks, and the witness."""

from __future__ import annotations

from ..core import Scope
from .dominance import Dominance, Key
from .enumeration import Mode
from .graph import CausalGraph
from .published import published
from .rules import Fault, arrows, fault
from .scope_graph import Scoped
from .separation import bits

_FEW = 7  # actions up to which all scopes that keep the published rules are listed


def why_dropped(graph: CausalGraph, scope: Scope, mode: Mode = "pruned") -> Fault | None:
    """What is wrong with a scope; None where it is among `policy_scopes(graph, mode)`, or always as good as one.

    >>> graph = CausalGraph.from_text("c -> x -> y; c -> y", target="y", intervenable=["x"])
    >>> print(why_dropped(graph, Scope()).reason)
    setting x as well, after looking at c, loses nothing: c closes every back door, and x affects y: x -> y
    """
    if (broken := fault(graph, scope)) is not None or mode == "published":
        return broken
    dominance = Dominance(graph, joint=mode != "pruned")
    seen = {graph.index(name): graph.mask(looked) for name, looked in scope.actions}
    key: Key = tuple(sorted(seen.items()))
    if key in dominance.ends():
        return None
    for larger in dominance.extended(key):
        added = [x for x in larger if x not in seen]
        looked = ", ".join(graph.named(larger[added[0]]))
        names = " and ".join(graph.names[x] for x in added)
        after = f", after looking at {looked}," if looked else ""
        closes = f"{looked} closes every back door" if looked else "no back door is open"
        scoped = Scoped.by_nodes(graph.masks, seen)
        paths = ", and ".join(f"{graph.names[x]} affects {graph.target}: {_directed(graph, scoped, x)}" for x in added)
        return Fault("intervene", f"setting {names} as well{after} loses nothing: {closes}, and {paths}")
    for better in dominance.better(key):
        named = Scope.of({graph.names[x]: graph.named(looked) for x, looked in better})
        return Fault("observe", f"as good in every model, or better: set {named}", named)
    return None


def _directed(graph: CausalGraph, scoped: Scoped, node: int) -> str:
    """A directed path from a node to the target, as text."""
    target = graph.index(graph.target)
    above = scoped.graph.ancestors(1 << target)
    path = [node]
    while path[-1] != target:
        path.append(next(bits(scoped.graph.children[path[-1]] & above)))
    return arrows(graph, scoped.graph, path)


def candidates(graph: CausalGraph) -> tuple[Scope, ...]:
    """Scopes that one might think of: nothing, everything after looking at everything, those of the published rules.

    With more than seven actions there can be billions of the latter: then each action alone, after looking at
    everything.
    """
    affected = graph.descendants(graph.intervenable)
    seen = graph.named(graph.mask(name for name in graph.contexts or () if name not in affected))
    everything = Scope.of(dict.fromkeys(graph.intervenable, seen))
    if len(graph.intervenable) <= _FEW:
        rest = published(graph)
    else:
        rest = tuple(Scope.of({x: seen}) for x in graph.intervenable)
    return tuple(dict.fromkeys((Scope(), everything, *rest)))
