"""The best scopes on a given set of actions: one for each order of acting that lets somebody see more.

In a scope, the actions can be ordered so that none affects what an earlier one looks at. For a given order, let every action
look at all contexts that neither it nor a later action affects, and at the earlier actions: a decision problem with perfect
recall, in which useless observations can be dropped backwards, from the last action to the first (Lauritzen & Nilsson 2001).
What remains, with observed actions replaced by what *they* look at, is as good as any scope that acts in this order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations, product

from .rules import Scoped
from .separation import Masks, bits, mask_of

Seen = dict[int, int]  # contexts by action


@dataclass(frozen=True)
class Actions:
    """One set of actions: what each can look at, what can be of use to it, and the orders that matter.

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
    _memo: dict[tuple[int, tuple[tuple[int, int], ...]], int] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def cut(self) -> list[int]:
        """Every node's parents when the actions are set without looking."""
        return [0 if self.chosen >> node & 1 else above for node, above in enumerate(self.base.parents)]

    @cached_property
    def affected(self) -> Seen:
        """The contexts that each action affects, whatever the scope."""
        cut = Masks.by_parents(self.cut)
        return {x: cut.descendants(1 << x) & self.contexts for x in bits(self.chosen)}

    @cached_property
    def useful(self) -> Seen:
        """A set that holds, for every action, what it looks at in every canonical scope on these actions.

        Each round assumes that the others look at most at what the round before left to them.
        """
        everyone = self.chosen
        always = self.contexts & ~_union(self.affected.values())  # seen by all, in every order
        useful = {x: self.contexts & ~self.affected[x] | everyone & ~(1 << x) for x in bits(everyone)}
        while True:
            after = {}
            for x in useful:
                parents = list(self.cut)
                for other, seen in useful.items():
                    if other != x:
                        parents[other] = seen & ~(1 << x)
                graph = Masks.by_parents([above & ~(1 << x) for above in parents])
                reach = graph.reached(1 << self.target, always, self.contexts | everyone)
                after[x] = useful[x] & reach
            if after == useful:
                return {x: self._through(x, useful) & ~self.affected[x] for x in useful}
            useful = after

    def _through(self, action: int, seen: Seen) -> int:
        """Contexts that an action looks at, itself or through the actions that it looks at."""
        found = new = seen[action]
        while new & self.chosen:
            new = _union(seen[x] for x in bits(new & self.chosen)) & ~found
            found |= new
        return found & self.contexts

    @cached_property
    def matter(self) -> bool:
        """Whether all of them can affect the target in some canonical scope."""
        parents = list(self.cut)
        for x, seen in self.useful.items():
            parents[x] = seen
        above = Masks.by_parents(parents).ancestors(1 << self.target)
        return not self.chosen & ~above

    def orders(self) -> Iterator[tuple[int, ...]]:
        """The orders of acting that matter.

        An action that could use what another affects, and does not affect it itself, had better wait for the other. Where
        these wishes can all be granted there is one order; conflicts are tried in every way.
        """
        after = {x: mask_of(y for y in self.useful if y != x and self.useful[x] & self.affected[y]) for x in self.useful}
        yield from (tuple(x for part in parts for x in part) for parts in product(*map(permutations, _components(after))))

    def available(self, order: tuple[int, ...]) -> Seen:
        """What each action may look at in this order, of what can be of use to it: no scope that acts so looks at more."""
        left, available = self.contexts, {}
        for x in reversed(order):
            left &= ~self.affected[x]
            available[x] = left
        return available

    def canonical(self, order: tuple[int, ...]) -> Seen:
        """The canonical scope of this order."""
        available = self.available(order)
        seen: Seen = {}
        earlier = self.chosen
        for x in reversed(order):
            earlier &= ~(1 << x)
            key = (x, tuple(sorted(seen.items())))
            if key not in self._memo:
                observed = available[x] | earlier
                parents = list(self.cut)
                for later, looked in seen.items():
                    parents[later] = looked
                graph = Masks.by_parents([above & ~(1 << x) for above in parents])
                self._memo[key] = graph.reached(1 << self.target, observed) & observed
            seen[x] = self._memo[key]
        return {x: self._through(x, seen) for x in order}

    def matters_in(self, seen: Seen) -> bool:
        """Whether every action affects the target in the given scope."""
        return not self.chosen & ~Scoped.by_nodes(self.base, seen).graph.ancestors(1 << self.target)


def _union(sets: object) -> int:
    found = 0
    for one in sets:  # type: ignore[attr-defined]
        found |= one
    return found


def _components(after: Seen) -> list[tuple[int, ...]]:
    """The strongly connected parts of "must come after", each after the parts that it must come after."""
    reach = Masks.by_parents(_dense(after))
    above = {x: reach.ancestors(1 << x) for x in after}
    parts: dict[int, list[int]] = {}
    for x in after:
        together = mask_of(y for y in after if above[x] >> y & 1 and above[y] >> x & 1)
        parts.setdefault(together, []).append(x)
    ordered = sorted(parts.values(), key=lambda part: (above[part[0]].bit_count(), part))
    return [tuple(part) for part in ordered]


def _dense(rows: Seen) -> list[int]:
    return [rows.get(node, 0) for node in range(max(rows, default=-1) + 1)]
