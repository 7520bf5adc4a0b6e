"""All scopes that keep rules A, B and C, without trying every subset of contexts.

Rules B and C together make an action's contexts the one Markov boundary of the target among what the action may look
at, in the graph without the action. One action has therefore exactly one candidate; several have fixed points, which
are found by bounding every action's contexts from both sides and branching where the bounds leave a choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from .effort import Effort
from .graph import CausalGraph
from .rules import Scoped
from .scopes import PolicyScope
from .separation import Masks

Bounds = dict[int, tuple[int, int]]  # by action: contexts that it surely looks at, and those that it possibly looks at


def published(graph: CausalGraph, effort: Effort | None = None) -> tuple[PolicyScope, ...]:
    """The scopes that keep rules A, B and C, the smallest first (Lee & Bareinboim 2020, Propositions 1 and 2)."""
    effort = effort or Effort()
    base, target = graph.masks, graph.index(graph.target)
    actions = [graph.index(name) for name in graph.intervenable]
    contexts = graph.mask(graph.contexts or ())
    useful = [x for x in actions if base.descendants(1 << x) >> target & 1 or contexts & base.descendants(1 << x)]
    found: list[PolicyScope] = []
    for size in range(len(useful) + 1):
        for chosen in combinations(useful, size):
            found.extend(
                PolicyScope.of({graph.names[x]: graph.named(seen[x]) for x in chosen})
                for seen in _fixed_points(base, target, contexts, dict.fromkeys(chosen, (0, contexts)), effort)
            )
    return tuple(found)


def _fixed_points(base: Masks, target: int, contexts: int, bounds: Bounds, effort: Effort) -> Iterator[dict[int, int]]:
    effort.step()
    tight = _tighten(base, target, contexts, bounds)
    if tight is None:
        return
    open_pairs = [(x, possible & ~sure) for x, (sure, possible) in tight.items() if possible & ~sure]
    if not open_pairs:
        yield {x: sure for x, (sure, _) in tight.items()}
        return
    action, choice = open_pairs[0]
    context = choice & -choice
    sure, possible = tight[action]
    yield from _fixed_points(base, target, contexts, {**tight, action: (sure, possible & ~context)}, effort)
    yield from _fixed_points(base, target, contexts, {**tight, action: (sure | context, possible)}, effort)


def _tighten(base: Masks, target: int, contexts: int, bounds: Bounds) -> Bounds | None:
    """The bounds drawn in as far as they force each other; None where they contradict each other."""
    while True:
        most = Scoped.by_nodes(base, {x: possible for x, (_, possible) in bounds.items()})
        above = most.graph.ancestors(1 << target)
        if not all(above >> x & 1 for x in bounds):
            return None  # rule A
        closed = all(sure == possible for sure, possible in bounds.values())
        least = most if closed else Scoped.by_nodes(base, {x: sure for x, (sure, _) in bounds.items()})
        after: Bounds = {}
        for x, (sure, possible) in bounds.items():
            may = contexts & ~least.graph.descendants(1 << x)  # admissible at most, and at least
            will = may if closed else contexts & ~most.graph.descendants(1 << x)
            reach_most = most.without(x).reached(1 << target, will, may)
            reach_least = reach_most if closed else least.without(x).reached(1 << target, may, will)
            after[x] = sure | (will & reach_least), possible & may & reach_most
            if after[x][0] & ~after[x][1]:
                return None
        if after == bounds:
            return bounds
        bounds = after
