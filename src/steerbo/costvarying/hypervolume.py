"""Method `hypervolume`: several outcomes at once, by the volume of outcomes that plays dominate.

Each round plays where that volume is expected to grow most (the expected hypervolume improvement of
Emmerich, Giannakoglou & Naujoks 2006; see `surrogate._trade_off`), so that nothing is played again while
something else may add to the trade-off. All is a function of the outcomes.

The answer is a trade-off: the plays that no other one is expected to better in everything, the price
among it. They are found by weights spread evenly, in every control set.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from .._arrays import Float
from ..core import Choice, ExpectedOutcome, NoOptions, Recommendation, Scope, reason
from ..gp import GPRegression
from ..optim import Maximum
from ..records import to_dict
from ..surrogate import (
    BEYOND,
    SURE,
    VALUE,
    Expectation,
    Gain,
    Mixture,
    ProductKernelPosterior,
    Scalarised,
    Trades,
    Units,
    VolumeGained,
    answer_weights,
    expected_at_data,
    expected_outcome,
    highest_of,
    posteriors_of,
    scales_of,
)
from ._starting import starting_play
from .method import CostVaryingMethod
from .search_space import Arm, Candidates


class Hypervolume(Trades, CostVaryingMethod[Any]):
    """Several outcomes: play where the dominated volume is expected to grow most (Emmerich et al. 2006)."""

    name: ClassVar[str] = "hypervolume"
    Options: ClassVar[type[Any]] = NoOptions

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose the control set and settings that are expected to add most to the volume that plays dominate."""
        if (start := starting_play(self, request)) is not None:
            return start
        candidates = self.candidates(request, mixed=True)
        pending = self.surrogate.pending_points()
        posteriors = self._posteriors(candidates, pending)
        sets, prices = np.flatnonzero(self.affordable(request)).tolist(), self._prices()
        units, plays = self._units(prices), self._plays(pending, prices)
        seed, found = self.search_seed, {}
        for i in sets:
            outcomes = self._mixtures(candidates, i, posteriors)
            price = None if prices is None else float(prices[i])
            gained = VolumeGained(outcomes, *scales_of(self._models), units, plays, price)
            found[i] = highest_of(gained, candidates.domains[i].box, seed)
        best = max(sets, key=lambda i: found[i].rank)
        gain = Gain(math.exp(found[best].value) / gained.dominated)
        return self.play(Arm(best), found[best].point, request, **to_dict(gain))

    # -- models ------------------------------------------------------------------------------------

    @property
    def _models(self) -> dict[str, GPRegression[Any]]:
        """Models of the value and of the further outcomes, by name; the value first."""
        return {VALUE: self.surrogate.model, **self.surrogate.outcomes.by_name}

    def _posteriors(
        self, candidates: Candidates, pending: Float[np.ndarray, "p d"]
    ) -> dict[str, list[ProductKernelPosterior]]:
        """Posteriors of the value and of each further outcome, under every draw of the hyperparameters."""
        value = [*candidates.posteriors] or [candidates.posterior]
        return {
            VALUE: value,
            **{
                name: posteriors_of(model, pending)
                for name, model in self.surrogate.outcomes.by_name.items()
            },
        }

    @staticmethod
    def _mixtures(
        candidates: Candidates,
        a: int,
        posteriors: Mapping[str, Sequence[ProductKernelPosterior]],
    ) -> list[Mixture]:
        """Each expected outcome of an arm as a function of its settings."""
        parts = candidates.domains[a].parts
        return [
            Mixture([Expectation.of_value(one, parts) for one in each])
            for each in posteriors.values()
        ]

    def _prices(self) -> Float[np.ndarray, " m"] | None:
        """Minus the price of each control set; None where they are alike, or one is unknown."""
        costs = self.costs.means()
        return None if np.isnan(costs).any() or np.ptp(costs) == 0.0 else -costs

    def _prices_of(
        self, scopes: Sequence[Scope | None], prices: Float[np.ndarray, " m"]
    ) -> Float[np.ndarray, " n"]:
        """Minus the price of each scope; data without one cost as the dearest."""
        of_data = prices.min()
        return np.array(
            [of_data if scope is None else prices[self.problem.number(scope)] for scope in scopes]
        )

    def _plays(
        self,
        pending: Float[np.ndarray, "p d"],
        prices: Float[np.ndarray, " m"] | None,
    ) -> Float[np.ndarray, "n K"]:
        """Expected outcomes (n, K) of all plays, pending ones included, with minus their price where it counts."""
        points = np.concatenate([self.model.inputs, pending])
        expected = expected_at_data(self._models, points)
        if prices is None:
            return expected
        scopes = [each.scope for each in self.surrogate.told]
        scopes += [each.suggestion.scope for each in self.history.unresolved]
        return np.column_stack([expected, self._prices_of(scopes, prices)])

    def _units(self, prices: Float[np.ndarray, " m"] | None) -> Units:
        """Worst and best of each outcome, and of the price where it counts, among plays so far."""
        expected = expected_at_data(self._models, self.model.inputs)
        if prices is None:
            return Units.of(expected)
        scopes = [each.scope for each in self.surrogate.told]
        units = Units.of(np.column_stack([expected, self._prices_of(scopes, prices)]))
        return Units(
            np.append(units.worst[:-1], prices.min() - BEYOND * np.ptp(prices)),
            np.append(units.best[:-1], prices.max()),
        )

    # -- answers -----------------------------------------------------------------------------------

    def recommend_at(self, context: Mapping[str, Any]) -> Recommendation:
        """Recommend the middle of the trade-off; the other plays of it are its alternatives, by their value."""
        candidates = self.answers.candidates(context)
        posteriors = self._posteriors(candidates, np.empty((0, len(self.search_space.columns))))
        found = self._best_by_weights(candidates, posteriors)
        kept = [row for row, best in found if best.likely]
        if kept:
            return self.middle(kept)
        # infeasible settings are no answer, unless all are: then the likeliest
        likeliest, _ = max(found, key=lambda each: each[1].rank)
        return replace(likeliest, reasons=(reason("none-keeps"),))

    def _best_by_weights(
        self, candidates: Candidates, posteriors: Mapping[str, Sequence[ProductKernelPosterior]]
    ) -> list[tuple[Recommendation, Maximum]]:
        """Best play of every control set for each weighing of the outcomes, and what the search found there."""
        every, units = answer_weights(len(posteriors)), self._units(None).from_the_best
        seed, found = self.streams.integer(0, "recommend"), list[tuple[Recommendation, Maximum]]()
        for i in range(len(candidates.arms)):
            expected = self._mixtures(candidates, i, posteriors)
            for weights in every:
                weighed = Scalarised(expected, *scales_of(self._models), units, 1.0 / weights)
                best = highest_of(weighed, candidates.domains[i].box, seed)
                row = self._described_with(candidates, i, best.point, expected)
                found.append((row, best))
        return found

    def _described_with(
        self,
        candidates: Candidates,
        i: int,
        point: Float[np.ndarray, " c"],
        expected: Sequence[Mixture],
    ) -> Recommendation:
        """Answer of a control set at a point, with all outcomes."""
        value, *others = expected
        further = {}
        for name, mixture in zip(self.problem.traded, others, strict=True):
            if not self.surrogate.outcomes.measured(name):
                further[name] = ExpectedOutcome()
                continue
            mean, ends = mixture.mean_and_quantiles(point, (1.0 - SURE, SURE))
            model, sign = self._models[name], self.problem.traded[name]
            further[name] = expected_outcome(model, sign, mean, ends)
        return replace(self.answers.described(candidates, Arm(i), point, value), outcomes=further)

    def predict_at(self, values: Mapping[str, Any], context: Mapping[str, Any]) -> Recommendation:
        """Expected outcomes of the control set of these variables at these settings."""
        candidates = self.answers.candidates(context)
        posteriors = self._posteriors(candidates, np.empty((0, len(self.search_space.columns))))
        i = self.problem.number(Scope([*values]))
        expected = self._mixtures(candidates, i, posteriors)
        return self._described_with(candidates, i, self.search_space.point(i, values), expected)
