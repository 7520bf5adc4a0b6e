"""Undominated policy scopes, without prices and with them.

Without prices, every scope is dropped that loses nothing by doing or seeing more. Scopes are
compared by a graph whose edges lead to scopes at least as good in every model: looking at more
(another order of acting gives the same actions at least as much to see), and setting one more
variable: where some contexts Z close every back door from X to the target, setting X after looking
at Z, as nature would, loses nothing. The ends of this graph remain, one for each group of scopes
that lead to each other.

With prices, a scope that is at least as good in every model may be dearer, by another action or
another look. So scopes are compared for every set of priced contexts, by the same steps, and along
all ways from one to another:

- to look at more, to act in another order, and to leave out useless looks, on the same actions;
- to set one more variable after looking at contexts that close every back door: among the contexts
  paid for.

Scope S is left out where a way leads to some S′ that costs less; or as much, and no way leads back;
of those that lead to each other at one price the smallest stays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

from ...core import Scope
from ...space.formula import Formula
from ..graphs.dag import BitmaskDag, bits, mask_of
from ..graphs.graph import CausalGraph
from ..prices import LEARNED, varies
from ._canonical import CanonicalScopes, Seen
from .scopes import ScopedGraph, ScopesFound, StepBudget, StepsEnded

Key = tuple[tuple[int, int], ...]  # a scope: pairs of an action and its contexts


@dataclass
class Dominance:
    """Dominance graph of the scopes of one causal graph, built as it is walked.

    `joint`: several interventions may be added at once; `looking_at`: contexts that scopes may look
    at (None: all).
    """

    graph: CausalGraph
    joint: bool = False
    effort: StepBudget = field(default_factory=StepBudget)
    looking_at: int | None = None
    base: BitmaskDag = field(init=False)
    target: int = field(init=False)
    contexts: int = field(init=False)
    everything: int = field(init=False)

    def __post_init__(self) -> None:
        """Convert the roles to masks."""
        graph = self.graph
        self.base, self.target = graph.essence, graph.index(graph.target)
        self.everything = graph.mask(graph.intervenable)
        self.contexts = (
            graph.mask(graph.contexts or ()) if self.looking_at is None else self.looking_at
        )
        self._actions: dict[int, CanonicalScopes] = {}
        self._better: dict[Key, list[Key]] = {}

    def actions(self, chosen: int) -> CanonicalScopes:
        """Canonical scopes on a set of actions, cached."""
        if chosen not in self._actions:
            self._actions[chosen] = CanonicalScopes(
                self.base, self.target, self.contexts, chosen, self.effort
            )
        return self._actions[chosen]

    # -- scopes at least as good -------------------------------------------------------------------

    def better(self, scope: Key) -> list[Key]:
        """Canonical scopes at least as good as this one, one step away."""
        if scope not in self._better:
            steps = (dict(scope), *self.extended(scope))
            found = dict.fromkeys(better for seen in steps for better in self.covering(seen))
            self._better[scope] = [key for key in found if key != scope]
        return self._better[scope]

    def covering(self, seen: Seen) -> Iterator[Key]:
        """Canonical scopes on the same actions, at least as good."""
        graph = ScopedGraph.by_nodes(self.base, seen).graph
        precedes = {x: graph.descendants(1 << x) for x in seen}
        for form in self.actions(sum(1 << x for x in seen)).canonical(precedes):
            yield self.trimmed(form)

    def trimmed(self, seen: Seen) -> Key:
        """Drop actions that do not matter from a canonical scope: it stays as good."""
        while True:
            above = self.base.ancestors(1 << self.target, seen)
            left = {x: looked for x, looked in seen.items() if above >> x & 1}
            if len(left) == len(seen):
                return tuple(sorted(seen.items()))
            seen = left

    def extended(self, scope: Key) -> Iterator[Seen]:
        """Add one intervention that loses nothing (several, with `joint`)."""
        seen = dict(scope)
        scoped = ScopedGraph.by_nodes(self.base, seen)
        chosen = sum(1 << x for x in seen)
        free = list(bits(self.everything & ~chosen & scoped.graph.ancestors(1 << self.target)))
        added = False
        for x in free:
            if (looked := self.separator(scoped, 1 << x)) is not None:
                added = True
                yield {**seen, x: looked}
        if self.joint and not added:
            for size in range(2, len(free) + 1):
                for group in combinations(free, size):
                    if (looked := self.separator(scoped, sum(1 << x for x in group))) is not None:
                        yield {**seen, **dict.fromkeys(group, looked)}
                        return

    def separator(self, scoped: ScopedGraph, group: int) -> int | None:
        """Contexts that close every back door from the group to the target; None if no set does.

        If any contexts do, then those among the causes of the group and the target do (van der
        Zander et al. 2014).
        """
        allowed = self.contexts & ~scoped.graph.descendants(group)
        cut = scoped.graph.with_parents(
            {
                n: scoped.graph.parents[n] & ~group
                for x in bits(group)
                for n in bits(scoped.graph.children[x])
            }
        )
        looked = allowed & cut.ancestors(group | 1 << self.target)
        reached = cut.reached(1 << self.target, looked, determined=mask_of(scoped.seen))
        return None if reached & group else looked

    # -- sets of actions to begin with -------------------------------------------------------------

    @cached_property
    def always(self) -> int:
        """Actions that are set in the scopes to begin with: those that only contexts and such actions cause.

        Let X be the first of them, in causal order, that a scope leaves unset. Its causes are
        contexts, and actions that are set after looking at contexts, so they are known to whoever
        looks at all of these. X affects none of them: an action that X affects after all would be
        set by effects of X, and X is its effect. So they close every back door from X, and
        setting X as nature would loses nothing. With the next one, and so on, all are set.
        """
        always = self.everything
        while confounded := [
            x for x in bits(always) if self.base.parents[x] & ~(self.contexts | always)
        ]:
            always &= ~mask_of(confounded)
        return always

    def beginnings(self, chosen: int | None = None, undecided: int | None = None) -> Iterator[int]:
        """Sets of actions from which every other one can be improved upon."""
        self.effort.step()
        if chosen is None or undecided is None:
            chosen, undecided = self.always, self.everything & ~self.always
        if undecided:
            possible = self._relevant(chosen, undecided)
            if chosen & ~possible & ~self.always:
                return  # one of the chosen can no longer matter
            undecided &= possible
        if not undecided:
            yield chosen
            return
        x = next(bits(undecided))
        rest = undecided & ~(1 << x)
        yield from self.beginnings(chosen | 1 << x, rest)
        yield from self.beginnings(chosen, rest)

    def _relevant(self, chosen: int, undecided: int) -> int:
        """Actions that can matter together with the chosen ones, and among the chosen those that still can.

        They are the causes of the target, the actions that affect a variable that a relevant action
        could use if all actions were set, and so on. Setting an action that affects nothing of use
        adds nothing: later actions see all that it looks at.
        """
        relevant = chosen
        while True:
            possible = self._possible_ancestors(chosen, relevant & ~chosen, chosen | undecided)
            larger = relevant | possible & undecided
            if larger == relevant:
                return possible
            relevant = larger

    def _possible_ancestors(self, chosen: int, undecided: int, settable: int) -> int:
        """Possible causes of the target in a canonical scope on the chosen and any of the undecided actions."""
        both = chosen | undecided
        own = {x: 0 if chosen >> x & 1 else self.base.parents[x] for x in bits(both)}
        always = self.contexts & ~self.base.descendants(both, cut=chosen)
        useful = {
            x: (self.contexts & ~self.base.descendants(1 << x, cut=settable)) | both & ~(1 << x)
            for x in bits(both)
        }
        while True:
            graph = self.base.with_parents({x: own[x] | seen for x, seen in useful.items()})
            bounce = self.contexts | both
            after = {
                x: seen & graph.reached(1 << self.target, always | 1 << x, bounce & ~(1 << x))
                for x, seen in useful.items()
            }
            if after == useful:
                return graph.ancestors(1 << self.target)
            useful = after

    # -- result ------------------------------------------------------------------------------------

    def ends(self) -> tuple[list[Key], bool]:
        """Maximal scopes of the dominance graph, one of each group of equals, and whether it was walked to the end."""
        forms = (
            self.trimmed(form)
            for chosen in self.beginnings()
            for form in self.actions(chosen).essential(self.always)
        )
        keys, reached, complete = _walked(forms, self.better)
        if not keys:
            # The steps did not last for a first set of actions: begin with one order of all.
            self.effort.renew()
            one = self.trimmed(self.actions(self.everything).one())
            keys, reached, _ = _walked([one], self.better)
        ends = dict.fromkeys(
            there for there in reached if all(reached[j] == there for j in bits(there))
        )
        return [min((keys[j] for j in bits(end)), key=size_of) for end in ends], complete


def undominated(
    graph: CausalGraph, joint: bool = False, effort: StepBudget | None = None
) -> ScopesFound:
    """Enumerate the undominated scopes of a graph, smallest first."""
    names = graph.names
    kept, complete = Dominance(graph, joint, effort or StepBudget()).ends()
    scopes = (
        Scope.of({names[x]: graph.named(seen) for x, seen in scope})
        for scope in sorted(kept, key=size_of)
    )
    return ScopesFound(tuple(scopes), complete)


def size_of(scope: Key) -> tuple[int, int, Key]:
    """Sort key of scopes: number of actions, number of looks."""
    return len(scope), sum(seen.bit_count() for _, seen in scope), scope


def _walked(
    scopes: Iterable[Key], better: Callable[[Key], list[Key]], sort: bool = False
) -> tuple[list[Key], list[int], bool]:
    """Scopes that a walk to better ones meets, the numbers of those that each leads to, and whether it came to an end.

    It follows all ways from a scope before it begins with the next one: a walk that ends early has
    met what is best in one place, and not all that is worse.
    """
    edges, met, complete = dict[Key, list[Key]](), list[Key](), True
    try:
        for beginning in scopes:
            met = [beginning]
            while met:
                if met[-1] not in edges:
                    edges[met[-1]] = better(met[-1])
                    met[-1:] = edges[met[-1]]
                else:
                    met.pop()
    except StepsEnded:
        complete = False
    for scope in met:
        edges.setdefault(scope, [])  # nobody has looked for better ones
    keys = sorted(edges, key=size_of) if sort else list(edges)
    place = {key: i for i, key in enumerate(keys)}
    ways = BitmaskDag.by_parents([mask_of(place[each] for each in edges[key]) for key in keys])
    return keys, [ways.ancestors(1 << i) for i in range(len(keys))], complete


# -- with prices -----------------------------------------------------------------------------------


@dataclass
class PricedDominance:
    """Dominance graph of the scopes of one causal graph with prices of actions and looks; the others cost nothing.

    A price that is no number varies: it depends on the value that is set, or is still to be
    learned. `joint`: several interventions may be added at once.
    """

    graph: CausalGraph
    prices: Mapping[str, Any]
    joint: bool = False
    effort: StepBudget = field(default_factory=StepBudget)

    def __post_init__(self) -> None:
        """Convert the roles to masks."""
        varying = [name for name, price in self.prices.items() if varies(price)]
        self._original, self.graph = self.graph, paid_for(self.graph, self.prices)
        self._varying = self.graph.mask(varying)
        whole = Dominance(self.graph, self.joint, effort=self.effort)
        self._everything, self._contexts = whole.everything, whole.contexts
        dear = self.graph.mask(name for name in self.graph.contexts or () if self.prices.get(name))
        self._free, self._dear = whole.contexts & ~dear, whole.contexts & dear
        self._within: dict[int, Dominance] = {}

    def price(self, scope: Key) -> float:
        """Price of a scope above the base price: each action and each context once, as far as prices are numbers."""
        return math.fsum(
            self.prices.get(name, 0.0) for name in self.graph.named(used(scope) & ~self._varying)
        )

    def within(self, paid: int) -> Dominance:
        """Dominance among scopes that look at free contexts, and at the `paid` ones of the others."""
        if paid not in self._within:
            self._within[paid] = Dominance(
                self.graph, self.joint, effort=self.effort, looking_at=self._free | paid
            )
        return self._within[paid]

    def beginnings(self) -> Iterator[Key]:
        """Best scopes on every set of actions, for every set of contexts."""
        for paid in subsets(self._dear):
            inside = self.within(paid)
            for chosen in subsets(self._everything):
                self.effort.step()
                for form in inside.actions(chosen).essential():
                    yield inside.trimmed(form)

    def better(self, scope: Key) -> list[Key]:
        """Scopes at least as good as this one, one step away, at any price."""
        paid = looked_at(scope) & self._dear
        found: dict[Key, None] = {}
        for more in subsets(self._dear & ~paid):
            self.effort.step()
            found |= dict.fromkeys(self.within(paid | more).better(scope))
        return [*found, *self._without_use(scope)]

    def _without_use(self, scope: Key) -> Iterator[Key]:
        """Drop an action without effect on the target; in the graph with prices it still affects the net value."""
        if not self._varying:
            return
        scoped = ScopedGraph.of(self._original, [(name, seen) for name, seen in self._named(scope)])
        above = scoped.graph.ancestors(1 << self._original.index(self._original.target))
        for x, _ in scope:
            if self._varying >> x & 1 and not above >> x & 1:
                yield tuple(each for each in scope if each[0] != x)

    def _named(self, scope: Key) -> Iterator[tuple[str, tuple[str, ...]]]:
        for x, seen in scope:
            yield self.graph.names[x], self.graph.named(seen)

    def kept(self) -> tuple[list[Key], bool]:
        """Undominated scopes at their prices, and whether all were compared."""
        keys, reached, complete = _walked(self.beginnings(), self.better, sort=True)
        prices = [self.price(key) for key in keys]
        varying = [used(key) & self._varying for key in keys]

        def beats(j: int, i: int) -> bool:
            """Whether scope `j`, to which a way leads from `i`, replaces it; keys are sorted by size."""
            if varying[j] & ~varying[i]:  # its price is not bounded
                return False
            back = reached[j] >> i & 1
            less = prices[j] < prices[i] or (prices[j] == prices[i] and varying[j] != varying[i])
            return less or (prices[j] == prices[i] and (not back or j < i))

        kept = [
            key
            for i, key in enumerate(keys)
            if not any(beats(j, i) for j in bits(reached[i] & ~(1 << i)))
        ]
        return kept, complete


def worth_their_price(
    graph: CausalGraph,
    prices: Mapping[str, Any],
    joint: bool = False,
    effort: StepBudget | None = None,
) -> ScopesFound:
    """Enumerate scopes one of which is, in every model, as good as any other scope and no dearer; smallest first."""
    kept, complete = PricedDominance(graph, prices, joint, effort or StepBudget()).kept()
    names = graph.names
    scopes = (Scope.of({names[x]: graph.named(seen) for x, seen in scope}) for scope in kept)
    return ScopesFound(tuple(scopes), complete)


def paid_for(graph: CausalGraph, prices: Mapping[str, Any]) -> CausalGraph:
    """Graph of the net value, target less price at any exchange rate: variables that a price depends on are its causes.

    A scope that is as good in every model of this graph is as good net of its price, at every
    exchange rate.
    """
    causes = [
        name for name, price in prices.items() if varies(price) and name in graph.intervenable
    ]
    for name, price in prices.items():
        if varies(price) and price != LEARNED:
            may = [*([name] if name in graph.intervenable else []), *(graph.contexts or ())]
            causes += [read for read in Formula(price, may, f"prices.{name}").reads if read != name]
    known = {a for a, b in graph.directed if b == graph.target} | set(
        graph.descendants([graph.target])
    )
    more = [(name, graph.target) for name in dict.fromkeys(causes) if name not in known]
    return replace(graph, directed=(*graph.directed, *more)) if more else graph


def used(scope: Key) -> int:
    """Variables that a scope sets or looks at."""
    return mask_of(x for x, _ in scope) | looked_at(scope)


def looked_at(scope: Key) -> int:
    """Contexts of all actions of a scope."""
    found = 0
    for _, seen in scope:
        found |= seen
    return found


def subsets(mask: int) -> Iterator[int]:
    """Enumerate the subsets of a set of nodes, the empty one first.

    >>> list(subsets(0b101))
    [0, 1, 4, 5]
    """
    some = 0
    while True:
        yield some
        if some == mask:
            return
        some = (some - mask) & mask
