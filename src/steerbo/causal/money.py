"""What scopes cost, and what of it is spent in a round that has not ended."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..errors import InvalidProblem, one_of
from ..rounds import Scope
from ..rounds.finite import LARGEST
from .graph import CausalGraph
from .scopes import stages


def checked_prices(graph: CausalGraph, prices: Any) -> Mapping[str, float]:
    """Prices of what can be set and of what can be looked at, checked.

    Raises:
        InvalidProblem: naming what is no such variable, or no price.
    """
    roles = (*graph.intervenable, *(graph.contexts or ()))
    if not isinstance(prices, Mapping):
        raise InvalidProblem("prices", prices, "numbers by variable, such as {'dose': 2, 'bmi': 0.5}")
    for name, price in prices.items():
        if name not in roles:
            hint = f"{name} is measured in every round: say what that costs by `base`." if name == graph.target else ""
            allowed = f"prices of what can be set or looked at, {one_of(roles, name)}"
            raise InvalidProblem(f"prices.{name}", price, allowed, hint)
        if isinstance(price, bool) or not isinstance(price, int | float) or not 0 <= price <= LARGEST:
            raise InvalidProblem(f"prices.{name}", price, f"a number from 0 to {LARGEST:g}")
    return prices


def price_of(scope: Scope, prices: Mapping[str, float], base: float) -> float:
    """What a play costs: `base`, everything that is set, and everything that is looked at, each once.

    >>> price_of(Scope.of({"x": ["c"], "z": ["c"]}), {"x": 1.0, "c": 0.5}, base=2.0)
    3.5
    """
    return math.fsum([base, *(prices.get(name, 0.0) for name in (*scope.set, *scope.contexts))])


def with_price(scope: Scope, prices: Mapping[str, float], base: float) -> Scope:
    """A scope with what a play of it costs."""
    return replace(scope, price=price_of(scope, prices, base))


def spent_on(
    scope: Scope, graph: CausalGraph, looked_at: Mapping[str, Any], prices: Mapping[str, float], base: float
) -> float:
    """What is surely spent of a round that is not decided to the end: `base`, what was looked at, what was set before.

    What is to be set after the last look may have been set or not, and what is to be looked at next may have been.

    >>> graph = CausalGraph.from_text("x1 -> c -> x2 -> y; b -> x1", target="y", intervenable=["x1", "x2"])
    >>> scope, prices = Scope.of({"x1": ["b"], "x2": ["c"]}), {"x1": 10.0, "x2": 20.0, "b": 3.0, "c": 4.0}
    >>> [spent_on(scope, graph, seen, prices, base=1.0) for seen in ((), ("b",), ("b", "c"))]
    [1.0, 4.0, 18.0]
    """
    paid, waiting = [base], list[str]()
    for look, ready in stages(scope, graph):
        if any(name not in looked_at for name in look):
            break
        if look:
            paid += [prices.get(name, 0.0) for name in (*look, *waiting)]
            waiting = []
        waiting += ready
    return math.fsum(paid)
