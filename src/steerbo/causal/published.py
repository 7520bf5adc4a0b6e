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
from .scopes import PolicyScope
from .separation import Masks, mask_of

Bounds = dict[int, tuple[int, int]]  # by action: contexts that it surely looks at, and those that it possibly looks at


def published(graph: CausalGraph, effort: Effort | None = None) -> tuple[PolicyScope, ...]:
    """The scopes that keep rules A, B and C, the smallest first (Lee & Bareinboim 2020, Propositions 1 and 2)."""
    effort = effort or Effort()
    base, target = graph.essence, graph.index(graph.target)
    actions = [graph.index(name) for name in graph.intervenable]
    contexts = graph.mask(graph.contexts or ())
    useful = [x for x in actions if base.descendants(1 << x) & (contexts | 1 << target)]
    found: list[PolicyScope] = []
    for size in range(len(useful) + 1):
        for chosen in combinations(useful, size):
            cut = base.with_parents(dict.fromkeys(chosen, 0))
            found.extend(
                PolicyScope.of({graph.names[x]: graph.named(seen[x]) for x in chosen})
                for seen in _fixed_points(cut, target, contexts, dict.fromkeys(chosen, (0, contexts)), effort)
            )
    return tuple(found)


def _fixed_points(cut: Masks, target: int, contexts: int, bounds: Bounds, effort: Effort) -> Iterator[dict[int, int]]:
    effort.step()
    tight = _tighten(cut, target, contexts, bounds)
    if tight is None:
        return
    open_pairs = [(x, possible & ~sure) for x, (sure, possible) in tight.items() if possible & ~sure]
    if not open_pairs:
        yield {x: sure for x, (sure, _) in tight.items()}
        return
    action, choice = open_pairs[0]
    context = choice & -choice
    sure, possible = tight[action]
    yield from _fixed_points(cut, target, contexts, {**tight, action: (sure, possible & ~context)}, effort)
    yield from _fixed_points(cut, target, contexts, {**tight, action: (sure | context, possible)}, effort)


def _tighten(cut: Masks, target: int, contexts: int, bounds: Bounds) -> Bounds | None:
    """The bounds drawn in as far as they force each other; None where they contradict each other."""
    together = mask_of(bounds)
    while True:
        most = cut.with_parents({x: possible for x, (_, possible) in bounds.items()})
        above = most.ancestors(1 << target)
        if not all(above >> x & 1 for x in bounds):
            return None  # rule A
        closed = all(sure == possible for sure, possible in bounds.values())
        least = most if closed else cut.with_parents({x: sure for x, (sure, _) in bounds.items()})
        after: Bounds = {}
        for x, (sure, possible) in bounds.items():
            may = contexts & ~least.descendants(1 << x)  # admissible at most, and at least
            will = may if closed else contexts & ~most.descendants(1 << x)
            reach_most = most.reached(1 << target, will, may, determined=together, without=1 << x)
            reach_least = (
                reach_most if closed else least.reached(1 << target, may, will, determined=together, without=1 << x)
            )
            sure, possible = after[x] = sure | (will & reach_least), possible & may & reach_most
            if sure & ~possible:
                return None
        if after == bounds:
            return bounds
        bounds = after
