"""UCB-CVS (Tay et al. 2023): among the sets whose upper bound comes near the largest, the cheapest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from ..bandit import cheapest_near
from ..core import Choice, Explanation, History
from ..records import record
from .control_sets import Arm
from .method import PartialControl


@record
class UcbCvsOptions:
    """Options of `ucb-cvs`.

    Args:
        beta: width of the bound `μ + βσ`.
        epsilon: how far below the largest bound a set may stay in the first round, as a share of the range of posterior
            means seen. In round t it is `epsilon / √t`, so that the relaxation's total stays O(√T), as no-regret needs.
    """

    beta: float = Field(2.0, ge=0, allow_inf_nan=False)
    epsilon: float = Field(1.0, ge=0, allow_inf_nan=False)


class UcbCvs(PartialControl[UcbCvsOptions]):
    """Among sets whose upper bound comes near the largest, play the cheapest; near shrinks as 1/√t (Tay et al. 2023).

    Unknown costs are taken at their observed means, and a set never played as free.
    """

    name: ClassVar[str] = "ucb-cvs"
    Options: ClassVar[type[Any]] = UcbCvsOptions

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """Tay et al. 2023, Algorithm 1."""
        if (start := self.start(history, request)) is not None:
            return start
        sets = np.flatnonzero(self.affordable(history))
        number = len(history) + 1
        outlook = self.outlook(history, request)
        epsilon = self.options.epsilon * self.seen_range(outlook) / np.sqrt(number)
        values, found = self.best_of(sets.tolist(), outlook, number, self.options.beta)
        best = cheapest_near(values, self.mean_costs()[sets], epsilon)
        point = self.point_to_play(int(sets[best]), found[best], outlook, number, self.options.beta)
        upper = float(self.problem.sign * values[best])
        return self.play(history, Arm(int(sets[best])), point, request, upper=upper, epsilon=float(epsilon))

    def explain(self, history: History) -> Explanation:
        """What was played, and what it cost."""
        rounds = [played.suggestion.note.get("epsilon") for played in history]
        epsilon = next((value for value in reversed(rounds) if value is not None), None)
        text = "the cheapest set whose upper bound comes near the largest is played"
        more = f"; near is now {epsilon:.4g}" if epsilon is not None else ""
        return Explanation(text + more, (self.table_of_sets(history),))
