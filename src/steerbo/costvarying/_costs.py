"""Costs of plays: the stated or observed cost of a control set, and the cost of switching variables."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

import numpy as np

from .._arrays import Bool, Float
from ..bandit import ArmStatistics
from ..core import Amended, DataAdded, Event, Failed, History, OutcomeTold, Round
from .problem import CostVarying


class CostModel:
    """Mean cost of every control set, as stated or as observed so far.

    Attributes:
        observed: costs paid for each control set, without switching costs.
    """

    def __init__(self, problem: CostVarying) -> None:
        self.problem = problem
        self.observed = ArmStatistics.new(len(problem.control_sets))

    def learn(self, event: Event, history: History) -> None:
        """Take in one event; `history` has it already."""
        match event:
            case OutcomeTold() | Failed():
                self._observe(history[event.token], history)
            case DataAdded():
                self._observe_data(event)
            case Amended():
                self.observed = ArmStatistics.new(len(self.problem.control_sets))
                for past in history.data.values():
                    self._observe_data(past)
                for played in history:
                    if not played.waiting:
                        self._observe(played, history)
            case _:
                pass

    def _observe(self, played: Round, history: History) -> None:
        if played.paid is not None:
            own = max(played.paid - self.problem.switching_cost_of(played, history), 0.0)
            self.observed = self.observed.tell(self.problem.number(played.suggestion.scope), own)

    def _observe_data(self, past: DataAdded) -> None:
        if past.outcome.cost is not None and past.scope is not None:
            self.observed = self.observed.tell(self.problem.number(past.scope), past.outcome.cost)

    def means(self) -> Float[np.ndarray, " m"]:
        """Mean cost of each control set, without switching; NaN where it is not known yet."""
        if self.problem.costs is not None:
            return np.array(self.problem.costs)
        return np.where(self.observed.counts > 0, self.observed.means, np.nan)

    def in_value(self) -> Float[np.ndarray, " m"]:
        """Mean costs in units of the objective; 0 where a cost or `value_of_one` is unknown."""
        if self.problem.value_of_one is None:
            return np.zeros(len(self.problem.control_sets))
        return np.nan_to_num(self.means()) / self.problem.value_of_one

    def affordable(self, history: History) -> Bool[np.ndarray, " m"]:
        """Whether each control set fits into the remaining budget with the least switching; an unknown cost does."""
        return np.array([self.fits_keeping(i, None, history) for i in range(len(self.problem.control_sets))])

    def fits_keeping(self, i: int, keep: Container[str] | None, history: History) -> bool:
        """Whether control set `i` fits while some variables stay in place (None: all that can) and others move far."""
        switching = self.problem.least_change_cost(self.problem.control_sets[i], history, keep)
        return not self.means()[i] + switching > history.remaining + history.rounding

    def of(self, i: int, values: Mapping[str, Any], history: History) -> float:
        """Cost of playing control set `i` at `values` now, switching included; NaN where it is not known."""
        return float(self.means()[i]) + (self.problem.change_cost(values, history) or 0.0)

    def fits(self, i: int, values: Mapping[str, Any], history: History) -> bool:
        """Whether `of` fits into the remaining budget; an unknown cost does."""
        return not self.of(i, values, history) > history.remaining + history.rounding
