"""Undominated priced scopes: none is left out but for one that is at least as good and no dearer.

A scope that is at least as good in every model may be dearer, by another action or another look. So scopes are compared
for every set of priced contexts, by the same steps as in `dominance`, and along all ways from one to another:

- to look at more, to act in another order, and to leave out what is useless, on the same actions;
- to set one more variable after looking at contexts that close every back door: among the contexts paid for.

Scope S is left out where a way leads to some S′ that costs less; or as much, and no way leads back; of those that lead
to each other at one price the smallest stays.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...core import Scope
from ...space.formula import Formula
from ..graphs.dag import BitmaskDag, bits, mask_of
from ..graphs.graph import CausalGraph
from ..prices import LEARNED, varies
from ._dominance import Dominance, Key, size_of
from .scopes import ScopedGraph, StepBudget


@dataclass
class PricedDominance:
    """Dominance graph of the scopes of one causal graph with prices of actions and looks.

    Args:
        graph: the causal graph.
        prices: of variables to set and of contexts to look at; the others cost nothing. A price that is no number
            varies: it depends on the value that is set, or is still to be learned.
        joint: whether several interventions may be added at once.
        effort: step budget.
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
        return math.fsum(self.prices.get(name, 0.0) for name in self.graph.named(used(scope) & ~self._varying))

    def within(self, paid: int) -> Dominance:
        """Dominance among scopes that look at free contexts, and at the `paid` ones of the others."""
        if paid not in self._within:
            self._within[paid] = Dominance(self.graph, self.joint, effort=self.effort, looking_at=self._free | paid)
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

    def kept(self) -> list[Key]:
        """Undominated scopes at their prices."""
        queue = list(dict.fromkeys(self.beginnings()))
        edges: dict[Key, list[Key]] = {}
        for scope in queue:
            if scope not in edges:
                edges[scope] = self.better(scope)
                queue.extend(edges[scope])
        keys = sorted(edges, key=size_of)
        place = {key: i for i, key in enumerate(keys)}
        ways = BitmaskDag.by_parents([mask_of(place[better] for better in edges[key]) for key in keys])
        reached = [ways.ancestors(1 << i) for i in range(len(keys))]
        prices, varying = [self.price(key) for key in keys], [used(key) & self._varying for key in keys]

        def beats(j: int, i: int) -> bool:
            """Whether scope `j`, to which a way leads from `i`, replaces it; keys are sorted by size."""
            if varying[j] & ~varying[i]:  # its price is not bounded
                return False
            back = reached[j] >> i & 1
            less = prices[j] < prices[i] or (prices[j] == prices[i] and varying[j] != varying[i])
            return less or (prices[j] == prices[i] and (not back or j < i))

        return [key for i, key in enumerate(keys) if not any(beats(j, i) for j in bits(reached[i] & ~(1 << i)))]


def worth_their_price(
    graph: CausalGraph, prices: Mapping[str, Any], joint: bool = False, effort: StepBudget | None = None
) -> tuple[Scope, ...]:
    """Enumerate scopes one of which is, in every model, as good as any other scope and no dearer; smallest first."""
    kept = PricedDominance(graph, prices, joint, effort or StepBudget()).kept()
    names = graph.names
    return tuple(Scope.of({names[x]: graph.named(seen) for x, seen in scope}) for scope in kept)


def paid_for(graph: CausalGraph, prices: Mapping[str, Any]) -> CausalGraph:
    """Graph of the net value, target less price at any exchange rate: variables that a price depends on are its causes.

    A scope that is as good in every model of this graph is as good net of its price, at every exchange rate.
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
