"""Prices of a causal problem as stated: numbers, formulas of the value that is set, or "learned" from told costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._arrays import Float as Floats
from ..core import Scope
from ..core.request import LARGEST
from ..errors import InvalidProblem, one_of
from ..space import Space
from ..space.formula import Formula, grid_of
from .graphs.graph import CausalGraph

LEARNED = "learned"
"""Price of a variable whose price is not known: it is learned from the costs that are told."""
OUT_OF_REACH = LARGEST
"""Stands for a price where a formula has no value."""
Price = float | str | Callable[..., float]


def varies(price: Any) -> bool:
    """Whether a price is no number: it depends on the value that is set or on known variables, or is learned."""
    return not isinstance(price, int | float) or isinstance(price, bool)


def check_prices(graph: CausalGraph, prices: Any) -> Mapping[str, float]:
    """Check prices of actions and contexts.

    Raises:
        InvalidProblem: naming a variable that is neither, or a value that is no price.
    """
    roles = (*graph.intervenable, *(graph.contexts or ()))
    if not isinstance(prices, Mapping):
        raise InvalidProblem(
            "prices", prices, "numbers by variable, such as {'dose': 2, 'bmi': 0.5}"
        )
    for name, price in prices.items():
        if name not in roles:
            hint = (
                f"{name} is measured in every round: say what that costs by `base`."
                if name == graph.target
                else ""
            )
            allowed = f"prices of what can be set or looked at, {one_of(roles, name)}"
            raise InvalidProblem(f"prices.{name}", price, allowed, hint)
        if isinstance(price, bool) or (not varies(price) and not 0 <= price <= LARGEST):
            raise InvalidProblem(f"prices.{name}", price, f"a number from 0 to {LARGEST:g}")
        if varies(price) and not isinstance(price, str) and not callable(price):
            allowed = f"a number from 0 to {LARGEST:g}, a formula, a function, or 'learned'"
            raise InvalidProblem(f"prices.{name}", price, allowed)
    return prices


def price_of(scope: Scope, prices: Mapping[str, float], base: float) -> float:
    """Cost of a play at fixed prices: `base`, and each action and each context of the scope once.

    >>> price_of(Scope.of({"x": ["c"], "z": ["c"]}), {"x": 1.0, "c": 0.5}, base=2.0)
    3.5
    """
    return math.fsum([base, *(prices.get(name, 0.0) for name in (*scope.set, *scope.contexts))])


def in_words(scope: Scope, fixed: float, varying: Mapping[str, Any]) -> str:
    """Describe the cost of a play: a number, and the prices that vary."""
    names = [name for name in (*scope.set, *scope.contexts) if name in varying]
    more = [
        f"{'a learned price' if varying[name] == LEARNED else varying[name]} for {name}"
        for name in names
    ]
    return ", and ".join([f"{fixed:g} a round", *more])


@dataclass(frozen=True, eq=False)
class PriceTable:
    """Prices of actions and contexts by name, and of every round.

    Attributes:
        base: price of every round.
        numbers: constant prices.
        formulas: prices that depend on the value that is set, and on variables known before
            choosing.
        learned: variables whose price is learned.
        space: the problem's variables.
    """

    base: float
    numbers: Mapping[str, float]
    formulas: Mapping[str, Formula]
    learned: tuple[str, ...]
    space: Space

    @classmethod
    def of_problem(
        cls, graph: CausalGraph, space: Space, prices: Any, base: float | None, tolerance: Any
    ) -> PriceTable | None:
        """Check a problem's prices and read them; None if it has none.

        Raises:
            InvalidProblem: naming the field that is not allowed.
        """
        if prices is None:
            for name, given in (("base", base), ("tolerance", tolerance)):
                if given is not None:
                    hint = "Give the costs of setting and observing variables by `prices`, or leave this out."
                    raise InvalidProblem(
                        name, given, "nothing: without prices all scopes cost the same", hint
                    )
            return None
        check_prices(graph, prices)
        for name in space.seen:
            if name in prices:
                hint = "It is given to ‹ask› in every round: leave its price out."
                raise InvalidProblem(
                    f"prices.{name}", prices[name], "no price: it is seen before choosing", hint
                )
        if base is None or not 0 < base <= LARGEST:
            hint = "‹base› is what every round costs, whatever is set. At 0, rounds that set nothing would never end."
            raise InvalidProblem(
                "base", base, f"a number above 0, at most {LARGEST:g}, beside prices", hint
            )
        return cls.of(prices, base, space, graph.intervenable)

    @classmethod
    def of(
        cls, prices: Mapping[str, Any], base: float, space: Space, actions: Sequence[str]
    ) -> PriceTable:
        """Parse prices, and evaluate each formula on a grid.

        Raises:
            InvalidProblem: a formula reads a variable that is not known when the price is paid, or
                has no price somewhere.
        """
        formulas = {}
        for name, price in prices.items():
            if varies(price) and price != LEARNED:
                may = ([name] if name in actions else []) + list(space.seen)
                formulas[name] = Formula(price, may, f"prices.{name}")
        numbers = {name: price for name, price in prices.items() if not varies(price)}
        learned = tuple(name for name in space.names if prices.get(name) == LEARNED)
        table = cls(base, numbers, formulas, learned, space)
        for name, formula in formulas.items():
            table._check(name, formula)
        return table

    def _check(self, name: str, formula: Formula) -> None:
        for values in grid_of(self.space, formula.reads):
            if not 0 <= (found := formula(values)) <= LARGEST:
                at = {read: values[read] for read in formula.reads}
                hint = f"At {at} it gives {found:g}."
                raise InvalidProblem(
                    f"prices.{name}", formula.given, f"a price from 0 to {LARGEST:g}", hint
                )

    @property
    def varying(self) -> frozenset[str]:
        """Variables whose price is no number."""
        return frozenset(self.formulas) | frozenset(self.learned)

    def reads(self, name: str) -> tuple[str, ...]:
        """Variables that the price of a variable depends on."""
        if name in self.learned:
            return (name, *self.space.seen)
        return self.formulas[name].reads if name in self.formulas else ()

    # -- prices of scopes --------------------------------------------------------------------------

    def fixed(self, scope: Scope) -> float:
        """Constant part of the cost of a play: all prices that are numbers."""
        return price_of(scope, self.numbers, self.base)

    def priced(self, scope: Scope) -> Scope:
        """Add its price to a scope, if it is constant."""
        varying = self.varying & {*scope.set, *scope.contexts}
        return replace(scope, price=None if varying else self.fixed(scope))

    def paid(self, scope: Scope, known: Mapping[str, Any]) -> float | None:
        """Cost of a play at known values; None if part of it is learned."""
        return self.sum_of((*scope.set, *scope.contexts), known)

    def sum_of(self, names: Sequence[str], known: Mapping[str, Any]) -> float | None:
        """The base price, and those of some variables at known values; None if one of them is learned."""
        found = [self.price(name, known) for name in names]
        return None if None in found else math.fsum([self.base, *(price or 0.0 for price in found)])

    # -- prices of variables -----------------------------------------------------------------------

    def price(self, name: str, known: Mapping[str, Any]) -> float | None:
        """Price of setting a variable, or of looking at it, at known values; None if it is learned."""
        if name in self.learned:
            return None
        if name not in self.formulas:
            return self.numbers.get(name, 0.0)
        # known values may lie beyond their bounds
        return min(max(self.formulas[name](known), 0.0), LARGEST)

    def along(
        self, name: str, column: Floats[np.ndarray, " r"], known: Mapping[str, Any]
    ) -> Floats[np.ndarray, " r"]:
        """Price of setting a variable by its formula, at each of its encoded values, (r,); out of reach without one."""
        formula = self.formulas[name]
        if name not in formula.reads:
            return np.full(len(column), self.price(name, known))
        places, back = np.unique(column, return_inverse=True)
        found = [
            self._at(name, {**known, name: value}) for value in self.space[name].decode(places)
        ]
        return np.array(found)[back.ravel()]

    def _at(self, name: str, known: Mapping[str, Any]) -> float:
        try:
            return self.price(name, known) or 0.0
        except InvalidProblem:
            return OUT_OF_REACH  # never chosen

    # -- in words ----------------------------------------------------------------------------------

    def text(self, scope: Scope) -> str:
        """Describe the cost of a play.

        >>> import steerbo as sb
        >>> space = Space([sb.Float("dose", 0, 100), sb.Float("lab", 0, 1)])
        >>> PriceTable.of({"dose": "0.1 * dose", "lab": 2.0}, 1.0, space, ["dose"]).text(Scope.of({"dose": ["lab"]}))
        '3 a round, and 0.1 * dose for dose'
        """
        return in_words(scope, self.fixed(scope), {name: self._said(name) for name in self.varying})

    def summary(self, graph: CausalGraph) -> str:
        """Describe all prices."""
        paid = [f"{self.base:g} a round"]
        for verb, names in (("set", graph.intervenable), ("look at", graph.contexts or ())):
            paid += [f"{said} to {verb} {name}" for name in names if (said := self._said(name))]
        return ", ".join(paid)

    def _said(self, name: str) -> str:
        """Describe the price of a variable; empty if it has none."""
        if name in self.varying:
            return str(self.formulas[name]) if name in self.formulas else "a learned price"
        price = self.numbers.get(name, 0.0)
        return f"{price:g}" if price else ""
