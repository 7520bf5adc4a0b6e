"""Tay et al.'s practical variant: explore small sets first, a fixed number of plays per group, then commit."""

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
class EtcGroupsOptions:
    """Options of `etc-groups`.

    Args:
        beta: width of the bound `μ + βσ`.
        plays: plays of each group; a group is all sets with equally many variables, since costs are not known.
    """

    beta: float = Field(2.0, ge=0, allow_inf_nan=False)
    plays: int = Field(50, ge=1)


class EtcGroups(PartialControl[EtcGroupsOptions]):
    """Play the best of the smallest sets `plays` times, then of the next larger ones, then of all (Tay et al. 2023)."""

    name: ClassVar[str] = "etc-groups"
    Options: ClassVar[type[Any]] = EtcGroupsOptions

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """The largest expected upper bound within the present group."""
        if (start := self.start(history, request)) is not None:
            return start
        sets = self._group(history)
        outlook, number = self.outlook(history, request), len(history) + 1
        values, found = self.best_of(sets, outlook, number, self.options.beta)
        best = int(values.argmax())
        point = self.point_to_play(sets[best], found[best], outlook, number, self.options.beta)
        return self.play(history, Arm(sets[best]), point, request, upper=float(self.problem.sign * values[best]))

    def _group(self, history: History) -> list[int]:
        """Sets of the smallest size with plays to come; all maximal sets once only the largest size is left."""
        affordable = np.flatnonzero(self.affordable(history)).tolist()
        sizes = sorted({len(controlled) for controlled in self.sets})
        for size in sizes[:-1]:
            group = [i for i, controlled in enumerate(self.sets) if len(controlled) == size]
            fitting = [i for i in group if i in affordable]
            if fitting and self.plays[group].sum() < self.options.plays:
                return fitting
        return self.maximal(affordable)

    def explain(self, history: History) -> Explanation:
        """What was played, and what it cost."""
        return Explanation("small sets are explored first, then all", (self.table_of_sets(history),))
