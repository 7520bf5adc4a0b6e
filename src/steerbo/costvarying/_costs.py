"""What plays cost: the mean of each control set, stated or told, or a model over settings; and which are affordable."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays import Bool, Float
from ..bandit import ArmStatistics
from ..core import Finding, Fold, History, finding
from ..surrogate import Part
from ._costs_of_settings import CostsOfSettings
from .problem import CostVarying

# plays, of a set or of all that were played, whose mean cost contradicts a stated one that is so far
# away, as a share of the larger
_SEVERAL, _OFF = 3, 0.25


class CostModel:
    """Cost of a play: of every control set its mean, as stated or as observed so far, or learned over the settings.

    Attributes:
        of_settings: the cost of a play at its settings, where told costs depend on them.
    """

    def __init__(self, problem: CostVarying, history: History) -> None:
        self.problem, self._history = problem, history
        self.of_settings = CostsOfSettings(problem, history)
        self._every, self._working = (Fold(_tell, self._nothing_observed) for _ in range(2))
        self._known: tuple[int, tuple[ArmStatistics, ArmStatistics]] | None = None

    def _nothing_observed(self) -> ArmStatistics:
        return ArmStatistics.new(len(self.problem.control_sets))

    @property
    def observed(self) -> ArmStatistics:
        """Costs paid for each control set, without switching costs."""
        return self._observed[0]

    @property
    def observed_working(self) -> ArmStatistics:
        """The same of plays that worked."""
        return self._observed[1]

    @property
    def _observed(self) -> tuple[ArmStatistics, ArmStatistics]:
        """Both, cached until the next event."""
        if self._known is None or self._known[0] != self._history.event_count:
            paid = tuple(self._paid())
            every = [(i, cost) for i, cost, _ in paid]
            working = [(i, cost) for i, cost, worked in paid if worked]
            self._known = (
                self._history.event_count,
                (self._every.of(every), self._working.of(working)),
            )
        return self._known[1]

    def _paid(self) -> Iterator[tuple[int, float, bool]]:
        """Control sets that were played, their cost without switching, and whether the play worked."""
        for each in self._history.results:
            if each.cost is not None and each.scope is not None:
                switching = (
                    self.problem.switching_cost_of(each.played, self._history)
                    if each.played
                    else 0.0
                )
                yield self.problem.number(each.scope), max(each.cost - switching, 0.0), each.worked

    def means(self) -> Float[np.ndarray, " m"]:
        """Mean cost of each control set, without switching; NaN where it is not known yet.

        Failures that end early make no set cheaper than its plays that work, whose values it is
        compared by; and the cost of failures alone is no price.
        """
        if (stated := self.problem.stated_costs) is not None:
            return stated.copy()
        # 0 where none is known
        means = np.maximum(self.observed.means, self.observed_working.means)
        return np.where(self.observed_working.counts > 0, means, np.nan)

    @property
    def cheapest(self) -> float:
        """Mean cost of the cheapest control set; infinite where none is known yet."""
        return float(np.nanmin(self.means(), initial=np.inf))

    def contradicted(self) -> list[Finding]:
        """Find the stated costs that are not those that were told."""
        if self.problem.costs is None:
            return []
        stated = self._stated_at_plays()
        told = self.observed.means
        counts = self.observed.counts
        played, larger = counts > 0, told > stated
        apart = played & (np.abs(told - stated) > _OFF * np.maximum(told, stated))
        # prices in another unit, or of more than a play: all sets show the same
        all_alike = (apart & larger)[played].all() or (apart & ~larger)[played].all()
        plays = np.full_like(counts, counts.sum()) if all_alike else counts
        scopes = [
            {
                "scope": str(self.problem.scopes[i]),
                "stated": float(stated[i]),
                "told": float(told[i]),
                "plays": int(counts[i]),
            }
            for i in np.flatnonzero((plays >= _SEVERAL) & apart).tolist()
        ]
        return [finding("costs-contradicted", scopes=scopes)] if scopes else []

    def _stated_at_plays(self) -> Float[np.ndarray, " m"]:
        """Stated cost of a play of each control set, (m,); by a formula its mean over the plays whose cost was told."""
        formulas, stated = self.problem.cost_formulas, self.means()
        if formulas is None:
            return stated
        costs: list[list[float]] = [[] for _ in stated]
        for each in self._history.results:
            if each.cost is None or each.scope is None:
                continue
            i = self.problem.number(each.scope)
            if {*formulas.reads(i)} <= each.realised.keys():
                found = formulas.of(i, each.realised)
                costs[i] += [] if found is None else [found]
        return np.array(
            [np.mean(some) if some else mean for some, mean in zip(costs, stated, strict=True)]
        )

    def in_value(self) -> Float[np.ndarray, " m"]:
        """Mean costs in units of the objective; 0 where a cost or `value_of_one` is unknown."""
        if self.problem.value_of_one is None:
            return np.zeros(len(self.problem.control_sets))
        return np.nan_to_num(self.means()) / self.problem.value_of_one

    def at(
        self, i: int, point: Float[np.ndarray, " c"], parts: Callable[[], Sequence[Part]]
    ) -> float | None:
        """Expected cost of a play of control set `i` at an encoded point, without switching; None: it is unknown.

        `parts` gives those of all columns; it is called where the cost depends on them.
        """
        if self.of_settings.active:
            return self.of_settings.at(i, parts(), point)
        mean = float(self.means()[i])
        return None if math.isnan(mean) else mean

    def affordable(self) -> Bool[np.ndarray, " m"]:
        """Whether each control set fits into the remaining budget with the least switching; an unknown cost does."""
        return np.array([self.fits_keeping(i, None) for i in range(len(self.problem.control_sets))])

    def fits_keeping(self, i: int, keep: Container[str] | None) -> bool:
        """Whether control set `i` fits while some variables stay in place (None: all that can) and others move far."""
        history, names = self._history, self.problem.control_sets[i]
        switching = self.problem.least_switching_cost(names, history, keep)
        formulas = self.problem.cost_formulas
        costs = self.means() if formulas is None else formulas.least
        return history.affords(float(costs[i]) + switching)

    def fits(self, i: int, values: Mapping[str, Any]) -> bool:
        """Whether a play of control set `i` at `values` fits, switching included; an unknown cost does."""
        switching = self.problem.change_cost(values, self._history) or 0.0
        return self._history.affords(float(self.means()[i]) + switching)


def _tell(known: ArmStatistics, paid: tuple[int, float]) -> ArmStatistics:
    return known.tell(*paid)
