"""UCB-PSQ (Hayashi, Honda and Kashima 2022): optimism over sets and settings, blind to costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from ..core import Choice, Explanation, History
from ..records import record
from .control_sets import Arm
from .method import PartialControl


@record
class UcbPsqOptions:
    """Options of `ucb-psq`.

    Args:
        beta: width of the bound `μ + βσ`.
    """

    beta: float = Field(2.0, ge=0, allow_inf_nan=False)


class UcbPsq(PartialControl[UcbPsqOptions]):
    """Play the set and settings with the largest expected upper bound, whatever it costs (Hayashi et al. 2022)."""

    name: ClassVar[str] = "ucb-psq"
    Options: ClassVar[type[Any]] = UcbPsqOptions

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """`argmax_{i, x^i} E[u([x^i, X^{-i}])]`; a set inside another one is never needed."""
        if (start := self.start(history, request)) is not None:
            return start
        sets = self.maximal(np.flatnonzero(self.affordable(history)).tolist())
        outlook, number = self.outlook(history, request), len(history) + 1
        values, found = self.best_of(sets, outlook, number, self.options.beta)
        best = int(values.argmax())
        point = self.point_to_play(sets[best], found[best], outlook, number, self.options.beta)
        return self.play(history, Arm(sets[best]), point, request, upper=float(self.problem.sign * values[best]))

    def explain(self, history: History) -> Explanation:
        """What was played, and what it cost."""
        return Explanation("the set with the largest expected upper bound is played", (self.table_of_sets(history),))
