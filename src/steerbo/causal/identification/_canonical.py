"""Canonical scopes on a set of actions: the best scope for each order of acting that lets an action see more.

In a scope, the actions can be ordered so that none affects a context of an earlier one. For a
given order, let every action look at all contexts that neither it nor a later action affects, and
at the earlier actions: a decision problem with perfect recall, in which useless observations can be
dropped backwards, from the last action to the first (Lauritzen & Nilsson 2001). The rest, with
observed actions replaced by the contexts *they* look at, is as good as any scope that acts in this
order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ..graphs.dag import BitmaskDag, bits, mask_of
from .scopes import StepBudget

Seen = dict[int, int]
"""Contexts of each action, by node."""
State = tuple[int, int, tuple[tuple[int, int], ...]]
"""Actions to be placed, contexts left to them, and the contexts of those placed later."""


@dataclass(frozen=True, eq=False)
class CanonicalScopes:
    """Canonical scopes on one set of actions; contexts, actions and graph are masks, `effort` is the step budget."""

    base: BitmaskDag
    target: int
    contexts: int
    chosen: int
    effort: StepBudget
    _steps: dict[State, dict[int, State]] = field(default_factory=dict, repr=False)
    # actions that do not matter, by state
    _idle: dict[State, int] = field(default_factory=dict, repr=False)

    @cached_property
    def cut(self) -> BitmaskDag:
        """Graph under the actions set without looking."""
        return self.base.with_parents(dict.fromkeys(bits(self.chosen), 0))

    @cached_property
    def affected(self) -> Seen:
        """Contexts that each action affects in every scope."""
        return {x: self.cut.descendants(1 << x) & self.contexts for x in bits(self.chosen)}

    def canonical(self, precedes: Seen) -> list[Seen]:
        """Enumerate the canonical scopes that a scope can be moved to without loss.

        `precedes` has for each action the actions that must come after it in that scope.
        """

        def following(state: State) -> Iterator[State]:
            steps = self._step(state)
            group = mask_of(steps)
            return (after for x, after in steps.items() if not precedes[x] & group & ~(1 << x))

        return self._scopes(following)

    def essential(self, always: int = 0) -> list[Seen]:
        """Enumerate the canonical scopes, of all orders that matter, in which every action outside `always` matters.

        If an action does not, the scope is as good without it, and the other canonical scopes of
        the smaller set are at least as good. This is known as soon as the action is placed, because
        all later actions are. Actions of `always` are part of every set that is enumerated, so
        there is no smaller set to leave such a scope to.
        """

        def following(state: State) -> Iterator[State]:
            steps = self._step(state)
            idle = self._idle.get(state, 0)
            for after in steps.values():
                if not (idle | self._idle.get(after, 0)) & ~always:
                    yield after

        return self._scopes(following)

    def one(self) -> Seen:
        """The canonical scope of one order of acting, whatever it is."""
        state: State = (self.chosen, self.contexts, ())
        for _ in range(self.chosen.bit_count()):
            remaining, left, later = state
            state = self._placed(self._last(*state)[1][0], remaining, left, later)
        return self._looking(state)

    def _scopes(self, following: Callable[[State], Iterable[State]]) -> list[Seen]:
        layer: dict[State, None] = {(self.chosen, self.contexts, ()): None}
        for _ in range(self.chosen.bit_count()):
            layer = dict.fromkeys(after for state in layer for after in following(state))
        return [self._looking(state) for state in layer]

    def _looking(self, state: State) -> Seen:
        """Contexts of all actions, once all are placed."""
        seen = dict(state[2])
        return {x: self._through(x, seen) for x in seen}

    def _step(self, state: State) -> dict[int, State]:
        """Actions that may be placed last among those to be placed, each with the state that follows.

        An action that could use an effect of another had better come after it. A group of actions
        after which no action outside it wants to come can be placed last without loss: its last
        member in any order can be moved to the end.
        """
        if state not in self._steps:
            self.effort.step()
            remaining, left, later = state
            relevant, group = self._last(remaining, left, later)
            self._idle[state] = remaining & ~relevant | self._idle.get(state, 0)
            self._steps[state] = {x: self._placed(x, remaining, left, later) for x in group}
        return self._steps[state]

    def _placed(
        self, x: int, remaining: int, left: int, later: tuple[tuple[int, int], ...]
    ) -> State:
        remaining &= ~(1 << x)
        graph = self._graph(dict(later))
        if not graph.ancestors(1 << self.target) >> x & 1:
            # All that comes after x is known, so x does not matter whatever comes before. It is as
            # good to set it first, without looking: then the others miss nothing of its
            # effects, and fewer states differ.
            state = remaining, left, tuple(sorted([*later, (x, 0)]))
            self._idle[state] = self._idle.get(state, 0) | 1 << x
            return state
        left &= ~self.affected[x]
        observed = left | remaining
        reached = graph.reached(1 << self.target, observed | 1 << x, observed)
        return remaining, left, tuple(sorted([*later, (x, reached & observed)]))

    def _last(
        self, remaining: int, left: int, later: tuple[tuple[int, int], ...]
    ) -> tuple[int, tuple[int, ...]]:
        """Actions that can matter, and a group of them to place last; the others come first, and miss nothing."""
        relevant, useful = self._relevant(remaining, left, dict(later))
        if not relevant:
            return relevant, (next(bits(remaining)),)
        wanted = {x: self._through(x, useful) & ~self.affected[x] for x in useful}
        return relevant, _last_group(
            {
                x: mask_of(y for y in wanted if y != x and wanted[x] & self.affected[y])
                for x in wanted
            }
        )

    def _relevant(self, remaining: int, left: int, later: Seen) -> tuple[int, Seen]:
        """Actions to be placed that can matter, and upper bounds on their contexts."""
        relevant = 0
        while True:
            useful = self._useful(relevant, remaining, left, later)
            seen = {**later, **dict.fromkeys(bits(remaining), 0), **useful}
            more = self.cut.ancestors(1 << self.target, seen) & remaining & ~relevant
            if not more:
                return relevant, useful
            relevant |= more

    def _useful(self, relevant: int, remaining: int, left: int, later: Seen) -> Seen:
        """Upper bounds on the contexts of the relevant actions, in every order."""
        always = left
        for x in bits(relevant):
            always &= ~self.affected[x]
        useful = {x: left & ~self.affected[x] | remaining & ~(1 << x) for x in bits(relevant)}
        bounce = left | remaining
        # each round assumes that the others look at most at contexts that the round before left to
        # them
        while True:
            graph = self._graph({**later, **useful})
            after = {
                x: seen & graph.reached(1 << self.target, always | 1 << x, bounce & ~(1 << x))
                for x, seen in useful.items()
            }  # a ball that reaches x itself stops: x is set
            if after == useful:
                return useful
            useful = after

    def _graph(self, seen: Seen) -> BitmaskDag:
        return self.cut.with_parents(seen)

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
    """The smallest group whose members must come after each other, and after which no other action must come."""
    position = {x: i for i, x in enumerate(after)}
    reach = BitmaskDag.by_parents(
        [mask_of(position[y] for y in bits(wanted)) for wanted in after.values()]
    )
    groups: Iterable[tuple[int, ...]] = (
        tuple(x for x in after if above >> position[x] & 1)
        for i in range(len(after))
        if not (below := reach.descendants(1 << i)) & ~(above := reach.ancestors(1 << i) & below)
    )
    return min(groups, key=len)
