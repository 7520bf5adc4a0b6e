"""Which arms still fit into what is left of the budget, and which of them are to be played for a start."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol, TypeVar

import numpy as np
from jaxtyping import Float, Int

from ..bandit import neglected, unready
from ..gp import Course
from ..rounds import History, Method
from ..space import Space
from .arm import Arm
from .arm_model import ArmModel, ModelOptions
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

    @property
    def checking(self) -> ModelOptions | None:
        """How observations without intervention are checked; None: they are trusted."""

    def model(self, space: Space | None, course: Course | None) -> ArmModel:
        """An empty model over these variables (None: over none), and over the time where there is a course."""


O = TypeVar("O", bound=Acting)  # noqa: E741  the method's options


class Paying(Method[Causal, O]):
    """A method that knows what plays of its arms cost. Without prices all of them fit, and nothing is charged."""

    arms: list[Arm]
    models: Models
    plays: np.ndarray

    @property
    def prices(self) -> Float[np.ndarray, " m"]:
        """Of every arm; 1 where the problem has no prices: a round is what is paid."""
        return np.array([1.0 if arm.scope.price is None else arm.scope.price for arm in self.arms])

    def within_reach(self, history: History) -> Int[np.ndarray, " k"]:
        """The arms that fit into what is left of the budget."""
        if self.problem.prices is None:
            return np.arange(len(self.arms))
        return np.flatnonzero(self.prices <= history.remaining + history.rounding)

    def model(self, i: int) -> ArmModel:
        """The model of arm `i`."""
        return self.models.each[self.models.of[i]]

    @abstractmethod
    def needed(self, i: int) -> int:
        """Plays of arm `i` before its model counts."""

    def unready(self, history: History) -> int | None:
        """An arm that fits, and is still to be played for a start: the one played least; None where there is none."""
        some = self.within_reach(history)
        told, needed = np.array([len(self.model(i)) for i in some]), np.array([self.needed(i) for i in some])
        first = unready(self.plays[some], told, needed)
        return None if first is None else int(some[first])

    def neglected(self, history: History, *, many: bool) -> int | None:
        """An arm that fits, and is played too seldom; None where there is none: see `bandit.neglected`."""
        some = self.within_reach(history)
        found = neglected(self.plays[some], many)
        return None if found is None else int(some[found])

    def finished(self, history: History) -> str:
        """Nothing fits any more."""
        return "" if len(self.within_reach(history)) else "no scope fits into what is left of the budget"
