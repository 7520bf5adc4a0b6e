"""The scopes that are worth their price: none is left out but for one that is at least as good and no dearer.

What is at least as good in every model may be dearer: another action, one more look. So scopes are compared for every
set of things that one may pay to look at, by the same steps as in `dominance`, and along all ways from one to another:

- to look at more, to act in another order, and to leave out what is useless, on the same actions;
- to set one more variable after looking at contexts that close every back door: among those paid for, not among all.

Scope S is left out where a way leads to some S′ that costs less; or as much, and no way leads back; of those that lead
to each other at one price the smallest stays.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..core import Scope
from ..space.formula import Formula
from .dominance import Dominance, Key, size_of
from .graph import CausalGraph
from .scope_graph import Scoped
from .separation import Masks, bits, mask_of
from .step_limit import Effort
from .tariff import LEARNED, varies


@dataclass
class PricedDominance:
    """The graph of scopes of one causal graph where actions and looks have prices.

    Args:
        graph: the causal graph.
        prices: of variables to set and of contexts to look at; the others cost nothing. What is no number varies: it
            hangs on the value that is set, or nobody knows it yet.
        joint: whether several interventions may be added at once.
        effort: what may still be spent.
    """

    graph: CausalGraph
    prices: Mapping[str, Any]
    joint: bool = False
    effort: Effort = field(default_factory=Effort)

    def __post_init__(self) -> None:
        """Read the roles as masks."""
        varying = [name for name, price in self.prices.items() if varies(price)]
        self._original, self.graph = self.graph, paid_for(self.graph, self.prices)
        self._varying = self.graph.mask(varying)
        whole = Dominance(self.graph, self.joint, effort=self.effort)
        self._everything, self._contexts = whole.everything, whole.contexts
        dear = self.graph.mask(name for name in self.graph.contexts or () if self.prices.get(name))
        self._free, self._dear = whole.contexts & ~dear, whole.contexts & dear
        self._within: dict[int, Dominance] = {}

    def price(self, scope: Key) -> float:
        """Of a scope, above what every round costs: each action and each context once, as far as they are numbers."""
        return math.fsum(self.prices.get(name, 0.0) for name in self.graph.named(used(scope) & ~self._varying))

    def within(self, paid: int) -> Dominance:
        """The comparison of scopes that look at what is free, and at what is paid for of the rest."""
        if paid not in self._within:
            self._within[paid] = Dominance(self.graph, self.joint, effort=self.effort, looking_at=self._free | paid)
        return self._within[paid]

    def beginnings(self) -> Iterator[Key]:
        """The best scopes on every set of actions, looking at any of the contexts."""
        for paid in subsets(self._dear):
            inside = self.within(paid)
            for chosen in subsets(self._everything):
                self.effort.step()
                for form in inside.actions(chosen).essential():
                    yield inside.trimmed(form)

    def better(self, scope: Key) -> list[Key]:
        """Scopes that are at least as good as this one, by one step, each at some price."""
        paid = looked_at(scope) & self._dear
        found: dict[Key, None] = {}
        for more in subsets(self._dear & ~paid):
            self.effort.step()
            found |= dict.fromkeys(self.within(paid | more).better(scope))
        return [*found, *self._without_use(scope)]

    def _without_use(self, scope: Key) -> Iterator[Key]:
        """The scope without an action that costs money and does nothing else; it is none in the graph with prices."""
        if not self._varying:
            return
        scoped = Scoped.of(self._original, [(name, seen) for name, seen in self._named(scope)])
        above = scoped.graph.ancestors(1 << self._original.index(self._original.target))
        for x, _ in scope:
            if self._varying >> x & 1 and not above >> x & 1:
                yield tuple(each for each in scope if each[0] != x)

    def _named(self, scope: Key) -> Iterator[tuple[str, tuple[str, ...]]]:
        for x, seen in scope:
            yield self.graph.names[x], self.graph.named(seen)

    def kept(self) -> list[Key]:
        """The scopes that are worth their price."""
        queue = list(dict.fromkeys(self.beginnings()))
        edges: dict[Key, list[Key]] = {}
        for scope in queue:
            if scope not in edges:
                edges[scope] = self.better(scope)
                queue.extend(edges[scope])
        keys = sorted(edges, key=size_of)
        place = {key: i for i, key in enumerate(keys)}
        ways = Masks.by_parents([mask_of(place[better] for better in edges[key]) for key in keys])
        reached = [ways.ancestors(1 << i) for i in range(len(keys))]
        prices, varying = [self.price(key) for key in keys], [used(key) & self._varying for key in keys]

        def beats(j: int, i: int) -> bool:
            """Whether scope `j`, to which a way leads from `i`, takes its place; the keys are sorted by size."""
            if varying[j] & ~varying[i]:  # that may cost anything
                return False
            back = reached[j] >> i & 1
            less = prices[j] < prices[i] or (prices[j] == prices[i] and varying[j] != varying[i])
            return less or (prices[j] == prices[i] and (not back or j < i))

        return [key for i, key in enumerate(keys) if not any(beats(j, i) for j in bits(reached[i] & ~(1 << i)))]


def worth_their_price(
    graph: CausalGraph, prices: Mapping[str, Any], joint: bool = False, effort: Effort | None = None
) -> tuple[Scope, ...]:
    """The scopes of which one is, in every model, as good as any other scope and no dearer; the smallest first."""
    kept = PricedDominance(graph, prices, joint, effort or Effort()).kept()
    names = graph.names
    return tuple(Scope.of({names[x]: graph.named(seen) for x, seen in scope}) for scope in kept)


def paid_for(graph: CausalGraph, prices: Mapping[str, Any]) -> CausalGraph:
    """The graph of the target less money, at any rate: what a price hangs on is a cause of that.

    What is as good in every model of it is, for whatever money is worth, as good once what was set is paid for.
    """
    causes = [name for name, price in prices.items() if varies(price) and name in graph.intervenable]
    for name, price in prices.items():
        if varies(price) and price != LEARNED:
            may = [*([name] if name in graph.intervenable else []), *(graph.contexts or ())]
            causes += [read for read in Formula(price, may, f"prices.{name}").reads if read != name]
    known = {a for a, b in graph.directed if b == graph.target} | set(graph.descendants([graph.target]))
    more = [(name, graph.target) for name in dict.fromkeys(causes) if name not in known]
    return replace(graph, directed=(*graph.directed, *more)) if more else graph


def used(scope: Key) -> int:
    """All that is set or looked at in a scope."""
    return mask_of(x for x, _ in scope) | looked_at(scope)


def looked_at(scope: Key) -> int:
    """All contexts that some action of a scope looks at."""
    found = 0
    for _, seen in scope:
        found |= seen
    return found


def subsets(mask: int) -> Iterator[int]:
    """Of a set of nodes, the empty one first.

    >>> list(subsets(0b101))
    [0, 1, 4, 5]
    """
    some = 0
    while True:
        yield some
        if some == mask:
            return
        some = (some - mask) & mask
