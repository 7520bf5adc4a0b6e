"""Our own method: let the cheap sets teach the dear ones, and pay only for gaps that are worth their price."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from ..optimizer import Choice, Explanation, History
from ..record import record
from .method import PartialControl


@record
class CheapFirstOptions:
    beta: float = Field(2.0, ge=0, allow_inf_nan=False)
    slack: float = Field(0.05, ge=0, le=1)
    checks: float = Field(1.0, ge=0)
    rule: str = "gap"
    warm: float = 0.05
    ladder: bool = True


class CheapFirst(PartialControl[CheapFirstOptions]):
    """Play the set with the largest gap to the best guaranteed value per unit of cost."""

    name: ClassVar[str] = "cheap-first"
    Options: ClassVar[type[Any]] = CheapFirstOptions

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:  # noqa: ARG002
        if (start := self.start(history)) is not None:
            return start
        number, m, o = len(history) + 1, len(self.sets), self.options
        affordable = self.affordable(history)
        fresh = np.flatnonzero(affordable & (self.plays == 0))
        process = self.process(history)
        costs = self.mean_costs()
        left = 1.0 if history.budget is None else max(history.remaining, 0) / history.budget
        eps = o.slack * self.seen_range() * left
        upper, lower = np.full(m, -np.inf), np.full(m, -np.inf)
        points = {}
        exps = {}
        for i in fresh[:1] if len(fresh) else np.flatnonzero(affordable):
            e = exps[i] = self.expectation(process, i)
            found = self.search(i, e, o.beta, self.streams.integer(number, f"search {i}"), mean_bound=True)
            upper[i], points[i] = self.raw(found.value), found.point
            low = self.search(i, e, -o.beta, self.streams.integer(number, f"search {i}"), mean_bound=True)
            lower[i] = self.raw(low.value)
        if len(fresh):
            i = int(fresh[0])
            return self.play(i, points[i])
        # warm-up: each rung of the cost ladder but the last gets a share of the budget, played by the wide bound
        ok = np.flatnonzero(affordable)
        order = ok[np.argsort(costs[ok])]
        rungs = []
        for i in order:
            if rungs and costs[i] <= 1.5 * costs[rungs[-1][0]]:
                rungs[-1].append(i)
            else:
                rungs.append([i])
        for rung in rungs[:-1]:
            paid = float((self.plays[rung] * costs[rung]).sum())
            if history.budget is not None and paid < o.warm * history.budget and (o.ladder or rung is rungs[0]) and self.plays[rung].sum() < 60:
                vals = {i: self.search(i, exps[i], o.beta, self.streams.integer(number, f"warm {i}")) for i in rung}
                i = max(vals, key=lambda i: vals[i].value)
                return self.play(int(i), vals[i].point, warm=True)
        best = lower.max()
        gap = upper - best + eps
        live = gap > 0
        score = np.where(live, gap / costs, -np.inf)
        i = int(score.argmax())
        draw = self.streams(number, "check").random()
        if draw < o.checks / np.sqrt(number):
            found = self.search(i, exps[i], o.beta, self.streams.integer(number, f"check {i}"))
            return self.play(i, found.point, check=True)
        return self.play(i, points[i])

    def explain(self, history: History) -> Explanation:
        return Explanation("", (self.table_of_sets(history),))
