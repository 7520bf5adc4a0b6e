"""Which arms still fit into what is left of the budget, and which of them are to be played for a start."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np
from jaxtyping import Float, Int

from ..bandit import needs_initial_plays, underexplored
from ..core import Amended, Event, History, Method, OutcomeTold, Scope
from ..gp import DriftModel
from ..space import Space
from .arm import Arm
from .arm_model import ArmModel
from .charges import Charges, Toll
from .models import Models
from .problem import Causal


class Acting(Protocol):
    """What the options of every method here have."""

    @property
    def beta(self) -> float:
        """β of `μ + sqrt(β) σ`."""

    @property
    def initial(self) -> int | None:
        """Plays of each model at random actions before it counts."""

    def model(self, space: Space | None, course: DriftModel | None, seed: int | None = None) -> ArmModel:
        """An empty model over these variables (None: over none), and over the time where there is a course.

        `seed` is that of draws of its hyperparameters; None: there are none.
        """


O = TypeVar("O", bound=Acting)  # noqa: E741  the method's options


@dataclass(frozen=True)
class Turn:
    """A round in which something is set.

    Attributes:
        number: of the round.
        rate: what a unit of money has to bring, where prices hang on what is set.
        token: of the round, once it has one.
    """

    number: int
    rate: float = 0.0
    token: str | None = None


class Paying(Method[Causal, O]):
    """A method that knows what plays of its arms cost. Without prices all of them fit, and nothing is charged."""

    arms: list[Arm]
    models: Models
    plays: np.ndarray
    charges: Charges | None

    @property
    def prices(self) -> Float[np.ndarray, " m"]:
        """Of every arm, the least where it varies; 1 where the problem has none: a round is what is paid."""
        return np.array([self.least(i, {}) for i in range(len(self.arms))])

    def least(self, i: int, seen: Mapping[str, Any]) -> float:
        """The least that a play of arm `i` costs where this is seen; if nothing is, at its dearest context."""
        scope = self.arms[i].scope
        if scope.price is not None or self.charges is None:
            return 1.0 if scope.price is None else scope.price
        return self.charges.least_of(scope, seen)

    def fixed(self, i: int, seen: Mapping[str, Any]) -> float:
        """What a play of arm `i` costs whatever is set; 1 where the problem has no prices."""
        scope = self.arms[i].scope
        if scope.price is not None or self.charges is None:
            return 1.0 if scope.price is None else scope.price
        return self.charges.fixed(scope, seen)

    def price_text(self, scope: Scope) -> str:
        """What a play of a scope costs, in words."""
        assert self.charges is not None
        return self.charges.tariff.text(scope)

    def pay(self, event: Event, history: History) -> None:
        """Take in what plays cost, where prices are learned."""
        if self.charges is None:
            return
        if isinstance(event, OutcomeTold):
            self.charges.take(history[event.token])
        elif isinstance(event, Amended):
            self.charges.rebuild(history)

    def purse(self, history: History, but: str | None = None) -> float:
        """Money that is neither spent nor wanted for pending rounds, as they are by now, but one by its token."""
        if self.charges is None or not self.charges.tariff.varying:
            return history.remaining
        wanted = math.fsum(
            max(played.expected_cost or 0.0, self.problem.price(played.suggestion) or 0.0)
            for played in history.pending
            if played.suggestion.token != but
        )
        return math.inf if history.budget is None else history.budget - history.spent - wanted

    def within_reach(self, history: History, seen: Mapping[str, Any] | None = None) -> Int[np.ndarray, " k"]:
        """The arms that fit into what is left of the budget."""
        if self.problem.prices is None:
            return np.arange(len(self.arms))
        prices = np.array([self.least(i, seen or {}) for i in range(len(self.arms))])
        return np.flatnonzero(prices <= self.purse(history) + history.rounding)

    def toll_of(self, i: int, seen: Mapping[str, Any]) -> Toll | None:
        """What the actions of arm `i` cost by what they are set to; None where no price hangs on that."""
        if self.charges is None or not self.charges.varying(self.arms[i].actions):
            return None
        return Toll(self.charges, {name: seen[name] for name in self.problem.space.seen if name in seen})

    def toll(self, history: History, turn: Turn, i: int, group: Sequence[str], known: Mapping[str, Any]) -> Toll | None:
        """The same for a group of actions, with what a unit of money must bring, and what there is of it."""
        toll, scope, scale = self.toll_of(i, known), self.arms[i].scope, self.model(i).scale
        if toll is None:
            return None
        together = self.paid_together(i, group, known)
        others = [
            toll.charges.at(x, known[x], toll.known) if x in known else toll.charges.least(x, toll.known)
            for x in toll.charges.varying(scope.set)
            if x not in together
        ]
        spent = math.fsum([toll.charges.fixed(scope, toll.known), *others])
        left = self.purse(history, turn.token) + history.rounding - spent
        return replace(toll, exchange=turn.rate / scale if turn.rate else 0.0, names=together, most=left)

    def paid_together(self, i: int, group: Sequence[str], known: Mapping[str, Any]) -> tuple[str, ...]:
        """Of a group of actions of arm `i` and those that are set later, the ones that money is found for at once."""
        return tuple(group)

    def expected(self, i: int, values: Mapping[str, Any], known: Mapping[str, Any]) -> float | None:
        """What a play of arm `i` is expected to cost: the least, where something is still to be set."""
        scope = self.arms[i].scope
        if scope.price is not None or self.charges is None:
            return scope.price
        seen = {name: known[name] for name in self.problem.space.seen if name in known}
        found = [
            self.charges.at(x, values[x], seen) if x in values else self.charges.least(x, seen)
            for x in self.charges.varying(scope.set)
        ]
        return math.fsum([self.charges.fixed(scope, seen), *found])

    def model(self, i: int) -> ArmModel:
        """The model of arm `i`."""
        return self.models.each[self.models.of[i]]

    @abstractmethod
    def needed(self, i: int) -> int:
        """Plays of arm `i` before its model counts."""

    @property
    @abstractmethod
    def counting(self) -> Float[np.ndarray, " m"]:
        """Plays of each arm, without failures that were long ago where effects change with time."""

    @property
    @abstractmethod
    def chances(self) -> Float[np.ndarray, " m"]:
        """How likely each arm is to work."""

    def unready(self, history: History) -> int | None:
        """An arm that fits, and is still to be played for a start: the one played least; None where there is none."""
        some = self.within_reach(history)
        told, needed = np.array([len(self.model(i)) for i in some]), np.array([self.needed(i) for i in some])
        first = needs_initial_plays(self.plays[some], told, needed)
        return None if first is None else int(some[first])

    def neglected(self, history: History, *, many: bool) -> int | None:
        """An arm that fits, and is played too seldom; None where there is none: see `bandit.neglected`."""
        some = self.within_reach(history)
        found = underexplored(self.counting[some], many, self.chances[some])
        return None if found is None else int(some[found])

    def finished(self, history: History) -> str:
        """Nothing fits any more."""
        return "" if len(self.within_reach(history)) else "no scope fits into what is left of the budget"
