"""The best scopes on a given set of actions: one for each order of acting that lets somebody see more.

In a scope, the actions can be ordered so that none affects what an earlier one looks at. For a given order, let every
action look at all contexts that neither it nor a later action affects, and at the earlier actions: a decision problem
with perfect recall, in which useless observations can be dropped backwards, from the last action to the first
(Lauritzen & Nilsson 2001). What remains, with observed actions replaced by what *they* look at, is as good as any
scope that acts in this order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from .separation import Masks, bits, mask_of

Seen = dict[int, int]  # what each action looks at
State = tuple[
    int, int, tuple[tuple[int, int], ...]
]  # actions to be placed, contexts left to them, what later ones look at


@dataclass(frozen=True, eq=False)
class Actions:
    """One set of actions and the canonical scopes on it.

    Attributes:
        base: the causal graph as masks.
        target: the target's node.
        contexts: all contexts, as a set.
        chosen: the actions, as a set.
    """

    base: Masks
    target: int
    contexts: int
    chosen: int
    _steps: dict[State, dict[int, State]] = field(default_factory=dict, repr=False)

    @cached_property
    def cut(self) -> list[int]:
        """Every node's parents when the actions are set without looking."""
        return [0 if self.chosen >> node & 1 else above for node, above in enumerate(self.base.parents)]

    @cached_property
    def affected(self) -> Seen:
        """The contexts that each action affects, whatever the scope."""
        cut = Masks.by_parents(self.cut)
        return {x: cut.descendants(1 << x) & self.contexts for x in bits(self.chosen)}

    def canonical(self, precedes: Seen | None = None) -> list[Seen]:
        """The canonical scopes of all orders that matter, or of those that a given scope can be moved to without loss.

        Args:
            precedes: for each action those that must come after it in that scope.
        """
        layer: dict[State, None] = {(self.chosen, self.contexts, ()): None}
        for _ in range(self.chosen.bit_count()):
            following: dict[State, None] = {}
            for state in layer:
                steps = self._step(state)
                group = mask_of(steps)
                for x, after in steps.items():
                    if precedes is None or not precedes[x] & group & ~(1 << x):
                        following[after] = None
            layer = following
        scopes = []
        for _, _, looked in layer:
            seen = dict(looked)
            scopes.append({x: self._through(x, seen) for x in seen})
        return scopes

    def _step(self, state: State) -> dict[int, State]:
        """The actions that may be placed last among those still to be placed, each with the state that follows.

        An action that could use what another affects had better come after it. A group of actions that nobody outside
        it wants to come after can be placed last without loss: its last member in any order can be moved to the end.
        """
        if state not in self._steps:
            remaining, left, later = state
            group = self._last(remaining, left, later)
            self._steps[state] = {x: self._placed(x, remaining, left, later) for x in group}
        return self._steps[state]

    def _placed(self, x: int, remaining: int, left: int, later: tuple[tuple[int, int], ...]) -> State:
        left &= ~self.affected[x]
        remaining &= ~(1 << x)
        observed = left | remaining
        reached = self._graph(dict(later)).reached(1 << self.target, observed | 1 << x, observed)
        return remaining, left, tuple(sorted([*later, (x, reached & observed)]))

    def _last(self, remaining: int, left: int, later: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
        """The group to place last, of the actions that can matter; the others come first: nobody misses a thing."""
        relevant = 0
        while True:
            useful = self._useful(relevant, remaining, left, dict(later))
            graph = self._graph({**dict(later), **dict.fromkeys(bits(remaining), 0), **useful})
            above = graph.ancestors(1 << self.target)
            if not above & remaining & ~relevant:
                break
            relevant |= above & remaining
        if not relevant:
            return (next(bits(remaining)),)
        wanted = {x: self._through(x, useful) & ~self.affected[x] for x in useful}
        return _last_group({x: mask_of(y for y in wanted if y != x and wanted[x] & self.affected[y]) for x in wanted})

    def _useful(self, relevant: int, remaining: int, left: int, later: Seen) -> Seen:
        """Upper bounds on what the relevant actions look at, whatever their order."""
        always = left
        for x in bits(relevant):
            always &= ~self.affected[x]
        useful = {x: left & ~self.affected[x] | remaining & ~(1 << x) for x in bits(relevant)}
        bounce = left | remaining
        while True:  # each round assumes that the others look at most at what the round before left to them
            graph = self._graph({**later, **useful})
            after = {
                x: seen & graph.reached(1 << self.target, always | 1 << x, bounce & ~(1 << x))
                for x, seen in useful.items()
            }  # a ball that comes to x itself is lost: x is in our hands
            if after == useful:
                return useful
            useful = after

    def _graph(self, seen: Seen) -> Masks:
        parents = list(self.cut)
        for x, looked in seen.items():
            parents[x] = looked
        return Masks.by_parents(parents)

    def _through(self, action: int, seen: Seen) -> int:
        """Contexts that an action looks at, itself or through the actions that it looks at."""
        found = new = seen[action]
        while new & self.chosen:
            above = 0
            for x in bits(new & self.chosen):
                above |= seen.get(x, 0)
            new = above & ~found
            found |= new
        return found & self.contexts


def _last_group(after: Seen) -> tuple[int, ...]:
    """Of the groups whose members must come after each other, the smallest that nobody else must come after."""
    position = {x: i for i, x in enumerate(after)}
    reach = Masks.by_parents([mask_of(position[y] for y in bits(wanted)) for wanted in after.values()])
    groups: Iterable[tuple[int, ...]] = (
        tuple(x for x in after if above >> position[x] & 1)
        for i in range(len(after))
        if not (below := reach.descendants(1 << i)) & ~(above := reach.ancestors(1 << i) & below)
    )
    return min(groups, key=len)
