"""What plays cost: the price of holding a set, and of moving its variables from where they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..bandit import Arms
from ..core import Choice, DataAdded, History, OptionsT, Round, Scope, Streams
from .control_sets import Arm, Searching
from .problem import CostVarying


class Paying(Searching[OptionsT]):
    """A method that knows what plays of its control sets cost."""

    def __init__(self, problem: CostVarying, options: OptionsT, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.arms = Arms.new(len(self.sets))  # the costs seen of each set, without those of changes

    def pay(self, played: Round, history: History) -> None:
        """Take in what a round cost, where that is known."""
        if played.paid is not None:
            held = max(played.paid - self.problem.paid_for_moving(played, history), 0.0)
            self.arms = self.arms.tell(self.problem.number(played.suggestion.scope), held)

    def pay_past(self, past: DataAdded) -> None:
        """Take in what data that nobody suggested cost."""
        if past.outcome.cost is not None and past.scope is not None:
            self.arms = self.arms.tell(self.problem.number(past.scope), past.outcome.cost)

    def mean_costs(self) -> np.ndarray:
        """The mean cost of each set, stated or observed, (m,); NaN for a set whose cost nobody knows yet."""
        if self.problem.costs is not None:
            return np.array(self.problem.costs)
        return np.where(self.arms.counts > 0, self.arms.means, np.nan)

    def in_value(self) -> np.ndarray:
        """The price of a play of each set in units of value, (m,); 0 where it, or what a value is worth, is unknown."""
        if self.problem.value_of_one is None:
            return np.zeros(len(self.sets))
        return np.nan_to_num(self.mean_costs()) / self.problem.value_of_one

    def affordable(self, history: History) -> np.ndarray:
        """Which sets fit into what is left where all stays that can, (m,): one whose cost nobody knows yet may."""
        least = [self.problem.least_change_cost(names, history) for names in self.problem.control_sets]
        return ~(self.mean_costs() + least > history.remaining + history.rounding)

    def finished(self, history: History) -> str:
        """Nothing fits any more."""
        return "" if self.affordable(history).any() else "no control set fits into what is left of the budget"

    def fits(self, history: History, arm: Arm, point: np.ndarray) -> bool:
        """Whether a play at an encoded point fits into what is left, with what is moved."""
        return not self.price_at(history, arm, point) > history.remaining + history.rounding

    def price_at(self, history: History, arm: Arm, point: np.ndarray) -> float:
        """What a play of an arm at an encoded point costs, with what is moved; NaN where nobody knows."""
        moving = self.problem.change_cost(self.settings(arm, point), history) or 0.0
        return float(self.mean_costs()[arm.set]) + moving

    def play(
        self, history: History, arm: Arm, point: np.ndarray, request: Mapping[str, Any] | None = None, **note: Any
    ) -> Choice:
        """An arm at an encoded point; `note` says why. What can no longer be paid to move stays where it is."""
        if self.problem.space.changes and not self.fits(history, arm, point):
            arm, point = self.staying(arm, point, self.problem.present(history), request or {})
        scope, cost = self.problem.scopes[arm.set], self.mean_costs()[arm.set]
        if arm.keep:
            scope = Scope([name for name in scope.set if name not in arm.keep], keep=tuple(arm.keep), price=scope.price)
        return Choice(
            scope,
            self.settings(arm, point),
            expected_cost=None if np.isnan(cost) else float(cost),
            note=note,
        )
