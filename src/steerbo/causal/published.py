"""All scopes that keep rules A, B and C, without trying every subset of contexts.

Rules B and C together make an action's contexts the one Markov boundary of the target among what the action may look
at, in the graph without the action. One action has therefore exactly one candidate; several have fixed points, which
are found by bounding every action's contexts from both sides and branching where the bounds leave a choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from ..core import Scope
from .graph import CausalGraph
from .separation import Masks, mask_of
from .step_limit import Effort

Bounds = dict[int, tuple[int, int]]  # by action: contexts that it surely looks at, and those that it possibly looks at


def published(graph: CausalGraph, effort: Effort | None = None) -> tuple[Scope, ...]:
    """The scopes that keep rules A, B and C, the smallest first (Lee & Bareinboim 2020, Propositions 1 and 2)."""
    effort = effort or Effort()
    base, target = graph.essence, graph.index(graph.target)
    actions = [graph.index(name) for name in graph.intervenable]
    contexts = graph.mask(graph.contexts or ())
    useful = [x for x in actions if base.descendants(1 << x) & (contexts | 1 << target)]
    found: list[Scope] = []
    for size in range(len(useful) + 1):
        for chosen in combinations(useful, size):
            cut = base.with_parents(dict.fromkeys(chosen, 0))
            chosen_actions = _Actions(cut, target, contexts, {x: cut.descendants(1 << x) for x in chosen})
            found.extend(
                Scope.of({graph.names[x]: graph.named(seen[x]) for x in chosen})
                for seen in _fixed_points(chosen_actions, dict.fromkeys(chosen, (0, contexts)), effort)
            )
    return tuple(found)


class _Actions(NamedTuple):
    """A set of actions: the graph in which they look at nothing, and what each of them affects there."""

    cut: Masks
    target: int
    contexts: int
    below: dict[int, int]

    def affected(self, seen: dict[int, int]) -> dict[int, int]:
        """What each action affects, itself included, when the actions look at `seen`: also through each other."""
        found = dict(self.below)
        changed = True
        while changed:
            changed = False
            for x, below in found.items():
                for y, looked in seen.items():
                    if looked & below and self.below[y] & ~below:
                        below |= found[y]
                        changed = True
                found[x] = below
        return found


def _fixed_points(actions: _Actions, bounds: Bounds, effort: Effort) -> Iterator[dict[int, int]]:
    effort.step()
    tight = _tighten(actions, bounds)
    if tight is None:
        return
    open_pairs = [(x, possible & ~sure) for x, (sure, possible) in tight.items() if possible & ~sure]
    if not open_pairs:
        yield {x: sure for x, (sure, _) in tight.items()}
        return
    action, choice = open_pairs[0]
    context = choice & -choice
    sure, possible = tight[action]
    yield from _fixed_points(actions, {**tight, action: (sure, possible & ~context)}, effort)
    yield from _fixed_points(actions, {**tight, action: (sure | context, possible)}, effort)


def _tighten(actions: _Actions, bounds: Bounds) -> Bounds | None:
    """The bounds drawn in as far as they force each other; None where they contradict each other."""
    cut, target, contexts, _ = actions
    together = mask_of(bounds)
    while True:
        at_most = {x: possible for x, (_, possible) in bounds.items()}
        at_least = {x: sure for x, (sure, _) in bounds.items()}
        closed = at_most == at_least
        below_most = actions.affected(at_most)
        if not all(below >> target & 1 for below in below_most.values()):
            return None  # rule A
        below_least = below_most if closed else actions.affected(at_least)
        most = cut.with_parents(at_most)
        least = most if closed else cut.with_parents(at_least)
        after: Bounds = {}
        for x, (sure, possible) in bounds.items():
            may, will = contexts & ~below_least[x], contexts & ~below_most[x]  # admissible at most, and at least
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
