"""Our own method: cheap sets teach the dear ones, then the money is shared evenly among the sets that may be best.

One Gaussian process is shared by all sets, so that a play of a cheap one teaches the dear ones too, and teaches it
where nature really is. Algorithm 1 spends most of its exploration on the dearest set; here

1. *lessons*: sets of similar cost make a rung. The sets of every rung but the dearest are played in turn, cheapest
   rung first, for a share of the budget, where the wide bound `E μ + β sqrt(E σ²)` is largest. Sets that leave much
   to nature see all of it, so that the model knows of other basins before the search settles in one;
2. *shares*: then, with bounds `l_i ≤ max_x g_i(x) ≤ u_i` on the expected value `g_i` itself, `L = max_i l_i`, and a
   slack ε that shrinks with the money left, sets with `u_i ≥ L − ε` are live. The live set that was paid the least so
   far is played, again where the wide bound is largest: the narrow ones choose only between sets, because within a set
   they close over one basin before the others are known;
3. *checks*: at shared rounds 1, 2, 4, 8, … all sets compete again, by the wide bound per cost, also those that were
   ruled out: a model that was wrong about a set is given the chance to find out, at a price that grows like log T;
4. *commitment*: once all live bounds have closed to ε, the cheapest set whose best posterior mean lies within ε of the
   highest is played there.

While the bounds hold, the best set stays live (`u_best ≥ g_best ≥ L`): of k live sets it gets a kth of the money, but
for the checks, and is searched there by GP-UCB. What is committed to is then within 2 ε of the best by its mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from ..optimizer import Asked, Choice, Event, Explanation, History, Streams, Table
from ..record import record
from .acquisition import Standardised
from .method import PartialControl
from .problem import CostVarying


@record
class CheapFirstOptions:
    """Options of `cheap-first`.

    Args:
        beta: width of all bounds, in posterior standard deviations.
        lessons: share of the budget (or of the rounds) for the lessons of each rung, at most; they end after five plays
            for each variable.
        slack: ε at the outset, as a share of the range of posterior means seen.
    """

    beta: float = Field(2.0, ge=0, allow_inf_nan=False)
    lessons: float = Field(0.1, ge=0, le=1)
    slack: float = Field(0.01, ge=0, le=1)


class CheapFirst(PartialControl[CheapFirstOptions]):
    """Learn from cheap sets first, then share the money evenly among the sets that may be the best."""

    name: ClassVar[str] = "cheap-first"
    Options: ClassVar[type[Any]] = CheapFirstOptions

    def __init__(self, problem: CostVarying, options: CheapFirstOptions, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.shared_rounds = 0
        self.last: dict[str, Any] = {}  # bounds behind the latest shared round

    def learn(self, event: Event, history: History) -> None:
        """Take one event in."""
        super().learn(event, history)
        if isinstance(event, Asked) and "possible" in event.note:
            self.shared_rounds += 1
            self.last = event.note

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """Lessons, then shares, with a check now and then."""
        if (start := self.start(history)) is not None:
            return start
        affordable = np.flatnonzero(self.affordable(history)).tolist()
        unknown = [i for i in affordable if np.isnan(self.mean_costs()[i])]
        rung = unknown[:1] or self._lesson(history, affordable)
        if rung:
            return self._explore(min(rung, key=lambda i: self.plays[i]), self.process(history), history, phase="lesson")
        return self._share(history, affordable)

    def _explore(self, i: int, process: Standardised, history: History, **note: Any) -> Choice:
        """Set `i` where its wide bound is largest."""
        number, beta = len(history) + 1, self.options.beta
        _, (found,) = self.best_of([i], process, number, beta)
        return self.play(i, self.point_to_play(i, found, process, number, beta), **note)

    def _lesson(self, history: History, affordable: list[int]) -> list[int]:
        """The cheapest rung that still has lessons to come; none once only the dearest is left."""
        costs = self.mean_costs()
        rungs: list[list[int]] = []
        for i in sorted(range(len(self.sets)), key=lambda i: costs[i]):
            if rungs and costs[i] <= 1.5 * costs[rungs[-1][0]]:
                rungs[-1].append(i)
            else:
                rungs.append([i])
        for rung in rungs[:-1]:
            fitting = [i for i in rung if i in affordable]
            plays = int(self.plays[rung].sum())
            paid = float((self.plays[rung] * costs[rung]).sum())
            if (
                fitting
                and plays < 5 * self.space.dimension
                and (history.budget is None or paid < self.options.lessons * history.budget)
                and (history.limit is None or plays < self.options.lessons * history.limit)
            ):
                return fitting
        return []

    def _share(self, history: History, affordable: list[int]) -> Choice:
        left = 1.0 if history.budget is None else max(history.remaining, 0.0) / history.budget
        slack = self.options.slack * self.seen_range() * left
        process, number, prices = self.process(history), len(history) + 1, self._prices()
        lower, upper = self._bounds(process, number, affordable)
        guaranteed = float(lower.max())
        live = [i for i in affordable if upper[i] >= guaranteed - slack]
        sign = self.problem.sign
        note = {
            "guaranteed": sign * guaranteed,
            "possible": [float(sign * v) if np.isfinite(v) else None for v in upper],
            "slack": slack,
            "live": live,
        }
        if (self.shared_rounds & (self.shared_rounds - 1)) == 0 and self.shared_rounds:  # at rounds 1, 2, 4, 8, …
            values, wide = self.best_of(affordable, process, number, self.options.beta)
            best = int(np.argmax((values - guaranteed + slack) / prices[affordable]))
            return self.play(affordable[best], wide[best].point, phase="check", **note)
        if max(upper[i] for i in live) <= guaranteed + slack and not history.unknown:
            return self._commit(process, number, affordable, slack, note)
        i = min(live, key=lambda i: self.plays[i] * prices[i])
        return self._explore(i, process, history, phase="share", **note)

    def _prices(self) -> np.ndarray:
        """Mean costs (m,) as weights: free sets at a thousandth of the dearest; where all are free, plays count."""
        costs = self.mean_costs()
        dearest = float(np.nanmax(costs))
        return np.maximum(costs, 1e-3 * dearest) if dearest > 0 else np.ones(len(costs))

    def _bounds(self, process: Standardised, number: int, sets: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """`l_i` and `u_i`, (m,) each, in units of `sign · value`; −∞ for what is not in `sets`."""
        beta, m = self.options.beta, len(self.sets)
        lower, upper = np.full(m, -np.inf), np.full(m, -np.inf)
        seed = self.streams.integer(number, "search")
        both = self.search(process, sets, [beta, -beta], seed, of_mean=True)
        for i, (highest, safest) in zip(sets, both, strict=True):
            # one search may find a basin that the other missed: no upper bound may lie below its own lower one
            mean, deviation = self.expectation(process, i).of_mean().moments(safest.point[None])
            above = float(mean[0] + beta * deviation[0])
            lower[i], upper[i] = self.raw(safest.value), self.raw(max(highest.value, above))
        return lower, upper

    def _commit(
        self, process: Standardised, number: int, affordable: list[int], slack: float, note: Mapping[str, Any]
    ) -> Choice:
        """The cheapest set whose best posterior mean lies within ε of the highest, there."""
        seed, costs = self.streams.integer(number, "commit"), self.mean_costs()
        found = [one for (one,) in self.search(process, affordable, [0.0], seed)]
        means = np.array([self.raw(each.value) for each in found])
        near = np.flatnonzero(means >= means.max() - slack)
        k = int(min(near, key=lambda k: costs[affordable[k]]))
        return self.play(affordable[k], found[k].point, phase="commit", **note)

    def explain(self, history: History) -> Explanation:
        """Bounds per set, who is ruled out for now, and what its plays cost."""
        table = self.table_of_sets(history)
        if not self.last:
            return Explanation("cheap sets are giving their lessons", (table,))
        still, possible = self.last["live"], self.last["possible"]
        rows = tuple((*row, possible[i], i in still) for i, row in enumerate(table.rows))
        summary = (
            f"{self.shared_rounds} rounds after the lessons; {self.last['guaranteed']:.5g} is sure to be reached, sets "
            f"that cannot come within {self.last['slack']:.3g} of it are left out but for checks now and then"
        )
        return Explanation(summary, (Table(table.title, (*table.columns, "at best", "in play"), rows),))
