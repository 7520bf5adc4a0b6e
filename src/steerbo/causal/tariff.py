"""What a problem's prices say: as numbers, as formulas of the value that is set, or that they are to be learned."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from jaxtyping import Float as Floats

from ..core import Scope
from ..core.numbers import LARGEST
from ..errors import InvalidProblem
from ..space import Space
from ..space.formula import Formula

LEARNED = "learned"
"""The price of what nobody knows the price of: it is learned from the costs that are told."""
OUT_OF_REACH = LARGEST
"""In the place of a price where a formula gives none."""
Price = float | str | Callable[..., float]
_TRIED = 33  # values of a variable at which a formula is tried
_CORNERS = 256  # of what is seen, at which it is tried as well


def varies(price: Any) -> bool:
    """Whether a price is no number: it hangs on what is set or seen, or is learned."""
    return not isinstance(price, int | float) or isinstance(price, bool)


def in_words(scope: Scope, fixed: float, varying: Mapping[str, Any]) -> str:
    """What a play of a scope costs, in words: a number, and what varies."""
    names = [name for name in (*scope.set, *scope.contexts) if name in varying]
    more = [f"{'a learned price' if varying[name] == LEARNED else varying[name]} for {name}" for name in names]
    return ", and ".join([f"{fixed:g} a play", *more])


@dataclass(frozen=True, eq=False)
class Tariff:
    """Prices of what is set and looked at, by name, and of every round.

    Attributes:
        base: of every round.
        numbers: prices that are always the same.
        formulas: prices that hang on the value that is set, and on what is seen before choosing.
        learned: what has a price that nobody knows.
        space: the problem's variables.
    """

    base: float
    numbers: Mapping[str, float]
    formulas: Mapping[str, Formula]
    learned: tuple[str, ...]
    space: Space

    @classmethod
    def of(cls, prices: Mapping[str, Any], base: float, space: Space, actions: Sequence[str]) -> Tariff:
        """Read and tried.

        Raises:
            InvalidProblem: a formula reads what is not known when it is paid, or is no price somewhere.
        """
        formulas = {}
        for name, price in prices.items():
            if varies(price) and price != LEARNED:
                may = ([name] if name in actions else []) + list(space.seen)
                formulas[name] = Formula(price, may, f"prices.{name}")
        numbers = {name: price for name, price in prices.items() if not varies(price)}
        learned = tuple(name for name in space.names if prices.get(name) == LEARNED)
        tariff = cls(base, numbers, formulas, learned, space)
        for name, formula in formulas.items():
            tariff._try(name, formula)
        return tariff

    def _try(self, name: str, formula: Formula) -> None:
        for values in self._everywhere(formula.reads):
            if not 0 <= (found := formula(values)) <= LARGEST:
                at = {read: values[read] for read in formula.reads}
                hint = f"At {at} it gives {found:g}."
                raise InvalidProblem(f"prices.{name}", formula.given, f"a price from 0 to {LARGEST:g}", hint)

    def _everywhere(self, names: Sequence[str]) -> list[dict[str, Any]]:
        few = max(2, int(_CORNERS ** (1 / max(len(names) - 1, 1)))) if len(names) > 1 else _TRIED
        grids = [self.values(name, _TRIED if i == 0 else min(few, _TRIED)) for i, name in enumerate(names)]
        return [dict(zip(names, row, strict=True)) for row in product(*grids)]

    def values(self, name: str, most: int = _TRIED) -> list[Any]:
        """Values of a variable all over its range, its ends among them; of a category all."""
        variable = self.space[name]
        levels = variable.levels
        column = np.linspace(0.0, 1.0, most) if levels is None or len(levels) > most else np.asarray(levels, float)
        return list(dict.fromkeys(variable.decode(column)))

    @property
    def varying(self) -> frozenset[str]:
        """What has a price that is no number."""
        return frozenset(self.formulas) | frozenset(self.learned)

    def reads(self, name: str) -> tuple[str, ...]:
        """What the price of something hangs on."""
        if name in self.learned:
            return (name, *self.space.seen)
        return self.formulas[name].reads if name in self.formulas else ()

    def fixed(self, scope: Scope) -> float:
        """What a play costs whatever is set: as far as prices are numbers."""
        return math.fsum([self.base, *(self.numbers.get(name, 0.0) for name in (*scope.set, *scope.contexts))])

    def said(self, name: str) -> str:
        """The price of one thing, in words; empty where it is none."""
        if name in self.varying:
            return str(self.formulas[name]) if name in self.formulas else "a learned price"
        price = self.numbers.get(name, 0.0)
        return f"{price:g}" if price else ""

    def text(self, scope: Scope) -> str:
        """What a play of a scope costs, in words.

        >>> import steerbo as sb
        >>> space = Space([sb.Float("dose", 0, 100), sb.Float("lab", 0, 1)])
        >>> Tariff.of({"dose": "0.1 * dose", "lab": 2.0}, 1.0, space, ["dose"]).text(Scope.of({"dose": ["lab"]}))
        '3 a play, and 0.1 * dose for dose'
        """
        return in_words(scope, self.fixed(scope), {name: self.said(name) for name in self.varying})

    def price(self, name: str, known: Mapping[str, Any]) -> float | None:
        """Of setting a variable, or looking at it, where this is set and seen; None where it is learned."""
        if name in self.learned:
            return None
        if name not in self.formulas:
            return self.numbers.get(name, 0.0)
        return min(max(self.formulas[name](known), 0.0), LARGEST)  # what is seen may lie beyond its bounds

    def along(self, name: str, column: Floats[np.ndarray, " r"], known: Mapping[str, Any]) -> Floats[np.ndarray, " r"]:
        """Of setting a variable to encoded values, (r,); out of reach where there is none."""
        formula = self.formulas[name]
        if name not in formula.reads:
            return np.full(len(column), self.price(name, known))
        places, back = np.unique(column, return_inverse=True)
        found = [self._at(name, {**known, name: value}) for value in self.space[name].decode(places)]
        return np.array(found)[back.ravel()]

    def _at(self, name: str, known: Mapping[str, Any]) -> float:
        try:
            return self.price(name, known) or 0.0
        except InvalidProblem:
            return OUT_OF_REACH  # never chosen

    def paid(self, scope: Scope, known: Mapping[str, Any]) -> float | None:
        """What a play costs where this was set and seen; None where something of it is learned."""
        found = [self.price(name, known) for name in (*scope.set, *scope.contexts)]
        return None if None in found else math.fsum([self.base, *(price or 0.0 for price in found)])
