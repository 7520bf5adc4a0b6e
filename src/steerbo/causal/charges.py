"""What plays of scopes cost as far as it is known by now: stated prices, and learned ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from jaxtyping import Float as Floats

from ..core import History, Round, Scope
from ..optim import Box, Polytope, kronecker
from .learned_prices import LearnedPrices
from .problem import Causal
from .tariff import Tariff

_KEPT = 64  # boxes
_TRIED = 64  # values of each action, where the wanted ones cannot be paid
_DEAREST = 9  # values of what is not seen yet
_CORNERS = 6  # actions at most whose extremes are tried as well


class Charges:
    """Prices of a problem's variables, some of which are learned.

    Args:
        problem: has prices.
        tariff: what it says of them.
    """

    def __init__(self, problem: Causal, tariff: Tariff) -> None:
        self.tariff, self._actions = tariff, tuple(problem.graph.intervenable)
        self._empty()

    def _empty(self) -> None:
        self._learned = LearnedPrices(self.tariff, self._actions) if self.tariff.learned else None

    # -- learning ------------------------------------------------------------------------------------------------------

    def take(self, played: Round) -> None:
        """What a round has cost, where it was played to the end."""
        if self._learned is not None and played.state == "told" and played.paid is not None:
            asked = played.suggestion
            self._learned.take(asked.scope, {**asked.context, **asked.values}, played.paid)

    def rebuild(self, history: History) -> None:
        """The same from the beginning."""
        self._empty()
        for played in history:
            self.take(played)

    # -- prices --------------------------------------------------------------------------------------------------------

    def varying(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those that can be set, and whose price hangs on what to."""
        return tuple(x for x in names if x in self._actions and x in self.tariff.varying)

    def along(self, name: str, column: Floats[np.ndarray, " r"], known: Mapping[str, Any]) -> Floats[np.ndarray, " r"]:
        """The price of one thing at encoded values of it, (r,), where this is known."""
        if name in self.tariff.learned:
            assert self._learned is not None
            return self._learned.along(name, column, known)
        if name in self.tariff.formulas:
            return self.tariff.along(name, column, known)
        return np.full(len(column), self.tariff.numbers.get(name, 0.0))

    def at(self, name: str, value: Any, known: Mapping[str, Any]) -> float:
        """The price of setting a variable to a value."""
        return float(self.along(name, np.asarray(self.tariff.space[name].encode([value])), known)[0])

    def of(self, names: Sequence[str], grid: Floats[np.ndarray, "g k"], known: Mapping[str, Any]) -> np.ndarray:
        """What setting some variables to rows of encoded values costs, (g,), as far as it hangs on these."""
        found = np.zeros(len(grid))
        for x in self.varying(names):
            found += self.along(x, grid[:, list(names).index(x)], known)
        return found

    def fixed(self, scope: Scope, known: Mapping[str, Any]) -> float:
        """What a play costs whatever is set: base, numbers, and looks."""
        looks = [float(self.along(n, np.zeros(1), known)[0]) for n in scope.contexts if n in self.tariff.varying]
        return math.fsum([self.tariff.fixed(scope), *looks])

    def least(self, name: str, known: Mapping[str, Any]) -> float:
        """The lowest price of setting a variable, where this is seen."""
        column = np.unique(self.tariff.space[name].encode(self.tariff.values(name)))
        return float(self.along(name, column, known).min())

    def least_of(
        self,
        scope: Scope,
        known: Mapping[str, Any],
        names: Sequence[str] = (),
        grid: Floats[np.ndarray, "g k"] | None = None,
    ) -> float:
        """The least that a play of a scope costs; what is not seen yet is where that is dearest.

        Args:
            scope: of that play.
            known: what is seen.
            names: of its actions, in the order of `grid`.
            grid: rows of encoded values, where nothing else may be set.
        """
        reads = {read for n in (*scope.set, *scope.contexts) for read in self.tariff.reads(n)}
        unseen = [name for name in self.tariff.space.seen if name in reads and name not in known]
        if unseen:
            values = self.tariff.values(unseen[0], _DEAREST)
            return max(self.least_of(scope, {**known, unseen[0]: value}, names, grid) for value in values)
        if grid is not None:
            return self.fixed(scope, known) + float(self.of(names, grid, known).min())
        return math.fsum([self.fixed(scope, known), *(self.least(x, known) for x in self.varying(scope.set))])


@dataclass(frozen=True, eq=False)
class Toll:
    """What some actions cost at the values that they are set to.

    Attributes:
        charges: by which they are paid.
        known: what is seen before choosing.
        exchange: what a unit of money must bring, in the model's standardised units.
        names: of the actions that are paid together.
        most: money that there is for them.
    """

    charges: Charges
    known: Mapping[str, Any]
    exchange: float = 0.0
    names: tuple[str, ...] = ()
    most: float = math.inf

    def price(self, names: Sequence[str], points: Floats[np.ndarray, "r k"]) -> Floats[np.ndarray, " r"]:
        """Of setting these variables to rows of encoded values, (r,)."""
        return self.charges.of(names, points, self.known)

    def payable(self, names: Sequence[str], point: Floats[np.ndarray, " k"]) -> bool:
        """Whether encoded values can be paid."""
        return bool(self.price(names, point[None])[0] <= self.most)

    def within(self, names: Sequence[str], box: Box, wanted: Floats[np.ndarray, " k"]) -> Floats[np.ndarray, " k"]:
        """Encoded values that can be paid: those wanted, else the nearest ones tried; where none can, the cheapest."""
        if self.payable(names, wanted):
            return wanted
        tried = tried_in(box)
        prices = self.price(names, tried)
        within = prices <= self.most
        if not within.any():
            return tried[int(prices.argmin())]
        return tried[within][int(((tried[within] - wanted) ** 2).sum(axis=1).argmin())]

    def worth(self, names: Sequence[str], points: Floats[np.ndarray, "r k"]) -> Floats[np.ndarray, " r"]:
        """What that money must bring, (r,)."""
        return self.exchange * self.price(names, points)


def tried_in(box: Box) -> Floats[np.ndarray, "g k"]:
    """Encoded values among which those are sought that can be paid: all over a box, its corners, within its limits."""
    k = box.dimension
    ends = np.array([*product((0.0, 1.0), repeat=k)]) if k <= _CORNERS else np.zeros((1, k))
    tried = box.place(np.vstack([kronecker(_TRIED * k, k), ends]))
    if isinstance(box, Polytope) and (allowed := box.allows(tried)).any():
        return np.asarray(tried[allowed])
    return tried


class Tried:
    """`tried_in` for boxes that are asked for again: a round compares prices of all scopes some times."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Box, Floats[np.ndarray, "g k"]]] = {}  # by the identity of the box beside it

    def within(self, box: Box) -> Floats[np.ndarray, "g k"]:
        """What is tried in a box."""
        of, found = self._known.get(id(box), (None, None))
        if found is None or of is not box:
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[id(box)] = box, (found := tried_in(box))
        return found
