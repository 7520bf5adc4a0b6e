"""What scopes cost, and what of it is spent in a round that has not ended."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..core import Scope
from ..core.numbers import LARGEST
from ..errors import InvalidProblem, one_of
from ..space import Space
from .graph import CausalGraph
from .scopes import stages
from .tariff import Tariff, varies


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
        if isinstance(price, bool) or (not varies(price) and not 0 <= price <= LARGEST):
            raise InvalidProblem(f"prices.{name}", price, f"a number from 0 to {LARGEST:g}")
        if varies(price) and not isinstance(price, str) and not callable(price):
            allowed = f"a number from 0 to {LARGEST:g}, a formula, a function, or 'learned'"
            raise InvalidProblem(f"prices.{name}", price, allowed)
    return prices


def read_tariff(graph: CausalGraph, space: Space, prices: Any, base: float | None, tolerance: Any) -> Tariff | None:
    """What a problem's prices say, checked; None where there are none.

    Raises:
        InvalidProblem: naming the field that is not allowed.
    """
    if prices is None:
        for name, given in (("base", base), ("tolerance", tolerance)):
            if given is not None:
                hint = "Say by `prices` what it costs to set and to look at variables, or leave this out."
                raise InvalidProblem(name, given, "nothing: without prices all scopes cost the same", hint)
        return None
    checked_prices(graph, prices)
    for name in space.seen:
        if name in prices:
            hint = "It is given to ‹ask› in every round: leave its price out."
            raise InvalidProblem(f"prices.{name}", prices[name], "no price: it is seen before choosing", hint)
    if base is None or not 0 < base <= LARGEST:
        hint = "It is what every round costs, whatever is set; were it 0, to set nothing would be free for ever."
        raise InvalidProblem("base", base, f"a number above 0, at most {LARGEST:g}, beside prices", hint)
    return Tariff.of(prices, base, space, graph.intervenable)


def price_of(scope: Scope, prices: Mapping[str, float], base: float) -> float:
    """What a play costs: `base`, everything that is set, and everything that is looked at, each once.

    >>> price_of(Scope.of({"x": ["c"], "z": ["c"]}), {"x": 1.0, "c": 0.5}, base=2.0)
    3.5
    """
    return math.fsum([base, *(prices.get(name, 0.0) for name in (*scope.set, *scope.contexts))])


def with_price(scope: Scope, tariff: Tariff) -> Scope:
    """A scope with what a play of it costs, where that is always the same."""
    varying = tariff.varying & {*scope.set, *scope.contexts}
    return replace(scope, price=None if varying else price_of(scope, tariff.numbers, tariff.base))


def prices_text(graph: CausalGraph, tariff: Tariff) -> str:
    """All prices in words."""
    paid = [f"{tariff.base:g} a round"]
    for verb, names in (("set", graph.intervenable), ("look at", graph.contexts or ())):
        paid += [f"{said} to {verb} {name}" for name in names if (said := tariff.said(name))]
    return ", ".join(paid)


def spent_on(
    scope: Scope, graph: CausalGraph, looked_at: Mapping[str, Any], values: Mapping[str, Any], tariff: Tariff
) -> float | None:
    """What is surely spent of a round that is not decided to the end: `base`, what was looked at, what was set before.

    What is to be set after the last look may have been set or not, and what is to be looked at next may have been.
    None where the price of something of it is learned.
    """
    paid, waiting, known = list[str](), list[str](), {**looked_at, **values}
    for look, ready in stages(scope, graph):
        if any(name not in looked_at for name in look):
            break
        if look:
            paid += [*look, *waiting]
            waiting = []
        waiting += ready
    found = [tariff.price(name, known) for name in paid]
    return None if None in found else math.fsum([tariff.base, *(price or 0.0 for price in found)])
