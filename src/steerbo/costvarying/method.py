"""What this wing's methods share: one Gaussian process for all control sets, the costs seen, the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..bandit import Arms
from ..gp import Hyperparameters, Regression, SquaredExponentialKernel, refit_due
from ..rounds import (
    Added,
    Amended,
    Asked,
    Choice,
    Event,
    Failed,
    History,
    OptionsT,
    Outcome,
    PolicyStep,
    Recommendation,
    Refitted,
    Round,
    Streams,
    Table,
    Told,
    over_contexts,
    typical,
)
from ..search import Maximum
from ..surrogate import Standardised, drawn, parts_of, polished
from .control_sets import Outlook, Searching
from .problem import CostVarying
from .recommendation import recommendation

STARTING_POINTS = 5
"""Points at random before the model has a say, as in the authors' program."""


class PartialControl(Searching[OptionsT]):
    """A method with one Gaussian process over all variables: what a cheap set teaches, the dear ones know too.

    Everything inside is in units of `sign · value`, so that larger is better.
    """

    def __init__(self, problem: CostVarying, options: OptionsT, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.model = Regression(SquaredExponentialKernel.over(self.space.categorical))
        self.fitted_at = 0
        self.plays = np.zeros(len(self.sets), dtype=int)
        self.arms = Arms.new(len(self.sets))  # the costs seen of each set

    # -- learning ------------------------------------------------------------------------------------------------------

    def learn(self, event: Event, history: History) -> None:
        """Take one event in: data go to the model, choices are counted."""
        match event:
            case Refitted():
                self.model.set(Hyperparameters.from_plain(event.hyperparameters["objective"]))
                self.fitted_at = len(self.model)
            case Asked():
                self.plays[self.problem.numbers[event.scope]] += 1
            case Told():
                self.model.add(*self._row(event.outcome))
                self._pay(history[event.token])
            case Added():
                self.model.add(*self._row(event.outcome))
                self._pay_past(event)
            case Amended():
                rows = [self._row(outcome) for _, outcome, _ in history.outcomes()]
                self.model.replace(
                    np.array([x for x, _ in rows]).reshape(-1, self.space.dimension), np.array([y for _, y in rows])
                )
                self.arms = Arms.new(len(self.sets))
                for past in history.data.values():
                    self._pay_past(past)
                for played in history:
                    if not played.waiting:
                        self._pay(played)
            case Failed():
                self._pay(history[event.token])
            case _:
                pass

    def _pay(self, played: Round) -> None:
        if played.paid is not None:
            self.arms = self.arms.tell(self.problem.numbers[played.suggestion.scope], played.paid)

    def _pay_past(self, past: Added) -> None:
        if past.outcome.cost is not None and past.scope is not None:
            self.arms = self.arms.tell(self.problem.numbers[past.scope], past.outcome.cost)

    def _row(self, outcome: Outcome) -> tuple[np.ndarray, float]:
        return self.space.encode([outcome.realised])[0], self.problem.sign * outcome.value

    def refit(self, history: History) -> Mapping[str, Any] | None:
        """Learn the hyperparameters anew where the schedule says so."""
        if not refit_due(self.fitted_at, len(self.model)):
            return None
        return {"objective": self.model.fit().to_plain()}

    # -- money ---------------------------------------------------------------------------------------------------------

    def mean_costs(self) -> np.ndarray:
        """The mean cost of each set, stated or observed, (m,); NaN for a set whose cost nobody knows yet."""
        if self.problem.costs is not None:
            return np.array(self.problem.costs)
        return np.where(self.arms.counts > 0, self.arms.means, np.nan)

    def affordable(self, history: History) -> np.ndarray:
        """Which sets fit into what is left, (m,): a set whose cost nobody knows yet may."""
        return ~(self.mean_costs() > history.remaining + history.rounding)

    def finished(self, history: History) -> str:
        """Nothing fits any more."""
        return "" if self.affordable(history).any() else "no control set fits into what is left of the budget"

    # -- the model -----------------------------------------------------------------------------------------------------

    def outlook(self, history: History, request: Mapping[str, Any], pending: bool = True) -> Outlook:
        """What a choice is made on; with `pending`, points without an outcome shrink the process's variance."""
        points = self._unknown(history) if pending else np.empty((0, self.space.dimension))
        return self.looking(Standardised.of(self.model, points), request.get("context", {}))

    def _unknown(self, history: History) -> np.ndarray:
        """Encoded points of rounds without an outcome, (p, d)."""
        return np.array([self._imagined(played) for played in history.unknown]).reshape(-1, self.space.dimension)

    def _imagined(self, played: Round) -> np.ndarray:
        """An encoded point (d,): what nature chose, and nobody measured, is drawn once and for all."""
        known = {name: float(self.space[name].encode([value])[0]) for name, value in played.realised.items()}
        unit = self.streams(played.number, "nature").random((1, self.space.dimension))
        return drawn(parts_of(self.space.names, (), known, self.laws), unit)[0]

    def best_of(
        self, sets: Sequence[int], outlook: Outlook, number: int, beta: float
    ) -> tuple[np.ndarray, list[Maximum]]:
        """In round `number` the largest upper bound of each of `sets`, in units of `sign · value`, and where."""
        found = [one for (one,) in self.search(outlook, sets, [beta], self.streams.integer(number, "search"))]
        return np.array([self.raw(each.value) for each in found]), found

    def point_to_play(self, i: int, found: Maximum, outlook: Outlook, number: int, beta: float) -> np.ndarray:
        """What a search of set `i` found, polished. Bounds stay as the search found them."""
        seed = self.streams.integer(number, f"polish {i}")
        return polished(self.expectation(outlook, i), self.boxes[i], found, beta, seed).point

    def maximal(self, sets: Sequence[int]) -> list[int]:
        """Those of `sets` that lie in no other of them: what a set can reach, a larger one can."""
        return [i for i in sets if not any(set(self.sets[i]) < set(self.sets[j]) for j in sets)]

    def start(self, history: History) -> Choice | None:
        """Until `STARTING_POINTS` points are known or pending: the sets in turn, settings drawn uniformly."""
        if len(self.model) + len(history.pending) >= STARTING_POINTS:
            return None
        draw = self.streams(len(history) + 1, "start")
        affordable = np.flatnonzero(self.affordable(history))
        i = int(affordable[len(history) % len(affordable)])
        return self.play(i, self.boxes[i].place(draw.random((1, len(self.sets[i]))))[0])

    def play(self, i: int, point: np.ndarray, **note: Any) -> Choice:
        """Set `i` at an encoded point; `note` says why."""
        cost = self.mean_costs()[i]
        return Choice(
            self.problem.scopes[i],
            self.settings(i, point),
            expected_cost=None if np.isnan(cost) else float(cost),
            note=note,
        )

    def raw(self, standardised: float) -> float:
        """From standardised units to units of `sign · value`."""
        return float(self.model.raw(standardised))

    def worst(self, outlook: Outlook) -> float:
        """The smallest posterior mean at the data, in units of `sign · value`; 0 before there are any."""
        return float(self._means(outlook).min()) if len(self.model) else 0.0

    def seen_range(self, outlook: Outlook) -> float:
        """Largest less smallest posterior mean at the data: the objective's range without its noise."""
        return float(np.ptp(self._means(outlook))) if len(self.model) else 0.0

    def _means(self, outlook: Outlook) -> np.ndarray:
        """Posterior means at the data, (n,), moved to what is seen now: nobody chose how the other days were."""
        points = self.model.inputs.copy()
        for name, value in outlook.known.items():
            points[:, self.space.index(name)] = value
        return self.model.predict(points)[0]

    # -- the answer ----------------------------------------------------------------------------------------------------

    def recommend(self, history: History) -> Recommendation:
        """The cheapest control set whose best expected value is acceptable, and what the others would give.

        Where something is seen before choosing: what to do in typical contexts.
        """
        if not self.space.seen:
            return recommendation(self, self.outlook(history, {}, pending=False))
        return over_contexts(typical(self.space, history), lambda context: self._at(history, context))

    def policy(self, history: History, context: Mapping[str, Any], request: Mapping[str, Any]) -> PolicyStep:
        """What is recommended where this is seen."""
        self.check_informed(history)
        advice = self._at(history, context) if self.space.seen else self.recommend(history)
        return PolicyStep(advice.scope, advice.values, context=dict(context), note=advice.note)

    def _at(self, history: History, context: Mapping[str, Any]) -> Recommendation:
        return recommendation(self, self.outlook(history, {"context": context}, pending=False))

    def table_of_sets(self, history: History) -> Table:
        """Plays and mean cost of every set, "unknown" where no cost was told."""
        costs = self.mean_costs()
        rows = (
            (str(scope), int(self.plays[i]), "unknown" if np.isnan(costs[i]) else float(costs[i]))
            for i, scope in enumerate(self.problem.scopes)
        )
        return Table("Control sets", ("set", "plays", "mean cost"), tuple(rows))
