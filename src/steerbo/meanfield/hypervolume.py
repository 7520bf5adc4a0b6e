"""Method `hypervolume`: several outcomes of a population, by the volume of outcomes that distributions dominate.

Each outcome has the models that `mf-gp-ucb` has of the payoff. Each round plays where the volume
that the distributions so far dominate is expected to grow most (Emmerich, Giannakoglou & Naujoks
2006; see `surrogate._trade_off`), within the trust region of one of the outcomes: near its best
distribution, as far as that is known.

The answer is a trade-off: of the distributions played, and of those that models expect to be best
for weights spread evenly, the ones that no other is expected to better in everything.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from .._arrays import Float
from ..core import (
    Choice,
    ExpectedOutcome,
    Explanation,
    Fit,
    History,
    NoOptions,
    Recommendation,
    Result,
    Streams,
    context_of,
)
from ..records import to_dict
from ..surrogate import (
    OUTCOMES_FIT,
    Gain,
    Rising,
    Scalarised,
    Trades,
    Units,
    VolumeGained,
    answer_weights,
    undominated,
)
from ._region import Region
from ._rounding import Bound
from .acquisition import AveragePayoffUCB, Tables
from .method import TableArray, ToldAverage
from .mf_gp_ucb import MFGPUCB, Learned, MFGPUCBOptions
from .models import PayoffMixture, Surrogate
from .problem import MeanField


class _OfOutcome(MFGPUCB):
    """Models of a further outcome: learned as those of the payoff are, of the same distributions."""

    softens: ClassVar[bool] = False

    def __init__(self, problem: MeanField, name: str, streams: Streams, history: History) -> None:
        self._name = name
        alone = replace(problem, outcomes=None, minimize=problem.traded[name] < 0.0)
        super().__init__(alone, MFGPUCBOptions(), streams, history)

    @property
    def learned(self) -> Learned:
        """All that the fits so far have found of this outcome."""
        parts = ((fit, fit.part(OUTCOMES_FIT, self._name)) for fit in self.history.fits)
        fits: list[Fit] = [replace(fit, hyperparameters=part) for fit, part in parts if part]
        return self._learned.of(fits)

    def told_of(self, results: Sequence[Result]) -> list[ToldAverage]:
        """See `MeanFieldMethod.told_of`: where this outcome was measured."""
        return super().told_of([each for each in results if self._name in each.realised])

    def _told(self, result: Result) -> ToldAverage:
        assert result.outcome is not None
        measured = replace(result.outcome, value=float(result.realised[self._name]), sem=None)
        return super()._told(replace(result, outcome=measured))


class _Spread:
    """An expected outcome of a distribution, laid flat: see `surrogate.Rises`."""

    def __init__(self, ucb: AveragePayoffUCB, shape: tuple[int, int]) -> None:
        self._ucb, self._shape = ucb, shape

    def _tables(self, points: Float[np.ndarray, "r c"]) -> Tables:
        return points.reshape(-1, *self._shape)

    def moments(
        self, points: Float[np.ndarray, "r c"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, " r"]]:
        """Mean and deviation, standardised (r,)."""
        return self._ucb.moments(self._tables(points))

    def values(self, points: Float[np.ndarray, "r c"]) -> Float[np.ndarray, " r"]:
        """Mean, standardised (r,)."""
        return self.moments(points)[0]

    def rising_moments(self, points: Float[np.ndarray, "r c"]) -> tuple[Rising, Rising]:
        """Mean and deviation with gradients (r, c)."""
        tables = self._tables(points)
        (mean, rise), (upper, above) = (self._ucb.average(tables, beta) for beta in (0.0, 1.0))
        flat = rise.reshape(points.shape)
        return (mean, flat), (upper - mean, above.reshape(points.shape) - flat)


class Hypervolume(Trades, MFGPUCB):
    """Several outcomes of a population: play where the dominated volume is expected to grow most."""

    name: ClassVar[str] = "hypervolume"
    Options: ClassVar[type[Any]] = NoOptions
    softens: ClassVar[bool] = False  # a bad value of one outcome is an end of the trade-off

    def __init__(
        self, problem: MeanField, options: Any, streams: Streams, history: History
    ) -> None:
        super().__init__(problem, MFGPUCBOptions(), streams, history)
        self._others = {
            name: _OfOutcome(problem, name, streams, history) for name in problem.traded
        }

    # -- models ------------------------------------------------------------------------------------

    @property
    def _measured(self) -> dict[str, _OfOutcome]:
        """Models of the further outcomes that were told, by name."""
        return {name: each for name, each in self._others.items() if each.outcomes}

    @property
    def _models(self) -> list[MFGPUCB]:
        """Models of the payoff, and of each further outcome that was told."""
        return [self, *self._measured.values()]

    def check_fit(self) -> None:
        """See `Method.check_fit`."""
        super().check_fit()
        for each in self._others.values():
            each.check_fit()

    def refit(self) -> Mapping[str, Any] | None:
        """Fit the models of all outcomes; those of the further ones stand under `OUTCOMES_FIT`."""
        found = super().refit()
        if found is None:
            return None
        others = {name: each.refit() for name, each in self._measured.items()}
        learned = {name: part for name, part in others.items() if part}
        return {**found, OUTCOMES_FIT: learned} if learned else found

    def _expected(self, surrogates: Sequence[Surrogate]) -> list[_Spread]:
        """Each expected outcome of a distribution."""
        shape = len(self.problem.contexts), len(self.problem.actions)
        return [_Spread(each.ucb, shape) for each in surrogates]

    def _plays(self, surrogates: Sequence[Surrogate], tables: Tables) -> Float[np.ndarray, "n k"]:
        """Outcomes that are expected of distributions, in units in which larger is better."""
        return np.column_stack(
            [each.offset + each.unit * each.ucb.moments(tables)[0] for each in surrogates]
        )

    def _bound(self, function: Scalarised | VolumeGained) -> Bound:
        """Function of flat distributions as one of tables, with its gradient."""

        def bound(tables: Tables) -> tuple[Float[np.ndarray, " r"], Tables]:
            values, slopes = function.rising(tables.reshape(len(tables), -1))
            return values, slopes.reshape(tables.shape)

        return bound

    # -- choosing ----------------------------------------------------------------------------------

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose the distribution that is expected to add most to the volume that others dominate."""
        number, region, seen = self.history.next_round, self.region(request), context_of(request)
        start = self._start(request, region)
        if start is not None or len(self._measured) < len(self._others):
            return start or self._anything(request, region)
        surrogates = [each.surrogate(seen) for each in self._models]
        played = np.array(self.tables)
        waiting = [self.suggested(each)[None] for each in self.history.unresolved]
        gained = VolumeGained(
            self._expected(surrogates),
            [each.unit for each in surrogates],
            [each.offset for each in surrogates],
            Units.of(self._plays(surrogates, played)),
            self._plays(surrogates, np.concatenate([played, *waiting])),
        )
        pending = self.played(request, pending_only=True)
        tried = pending if self.problem.timed else self.played(request)
        bound, found = self._bound(gained), []
        for model, surrogate in zip(self._models, surrogates, strict=True):
            trust = model.trust_region(surrogate, region, seen)
            counts = self._optimistic(bound, trust, region, tried, pending, number=number)
            value = bound((counts / self.problem.agents_in[:, None])[None])[0]
            found.append((float(value[0]), counts))
        best, counts = max(found, key=lambda each: each[0])
        gain = Gain(math.exp(best) / gained.dominated)
        return self.choice(counts, phase="gain", **to_dict(gain))

    def _anything(self, request: Mapping[str, Any], region: Region) -> Choice:
        """Choose a spread at random, while an outcome was never told."""
        random = self.streams(self.history.next_round, "choose")
        counts = self.fresh(region, random, self.played(request))
        return self.choice(counts, phase="start")

    # -- answers -----------------------------------------------------------------------------------

    def recommend_at(self, context: Mapping[str, Any]) -> Recommendation:
        """Recommend the middle of the trade-off; its other distributions are the alternatives."""
        if not self.outcomes:
            return self.unknowing()
        models = self._models
        surrogates = [each.surrogate(context, pending=False) for each in models]
        predicted = self._predicted(surrogates, context)
        new = [
            table
            for table, keeps in zip(predicted, self._keep(predicted, context), strict=True)
            if keeps
        ]
        old = [table for table, kept in zip(*self.playable(), strict=True) if kept]
        tables = [*{table.tobytes(): table for table in (*old, *new)}.values()]
        if not tables:
            return self.unknowing()
        mixtures = [
            model.mixture(context, surrogate)
            for model, surrogate in zip(models, surrogates, strict=True)
        ]
        expected = [
            surrogate.offset + surrogate.unit * mixture.moments(np.array(tables))[0]
            for surrogate, mixture in zip(surrogates, mixtures, strict=True)
        ]
        left = np.flatnonzero(undominated(np.column_stack(expected)))
        rows = [self._traded(surrogates, mixtures, tables[i]) for i in left]
        return self.middle(rows)

    def _keep(self, tables: Sequence[TableArray], context: Mapping[str, Any]) -> Sequence[bool]:
        return self.feasibility.of_answers(context)(np.array(tables)).tolist()

    def _predicted(
        self, surrogates: Sequence[Surrogate], context: Mapping[str, Any]
    ) -> list[TableArray]:
        """Distributions that are expected to be best by weights spread evenly, in whole agents, as far as is known."""
        region, seed = self.problem.region, self.streams.integer(0, "recommend")
        units = Units.of(self._plays(surrogates, np.array(self.tables))).from_the_best
        scales = [each.unit for each in surrogates], [each.offset for each in surrogates]
        regions = [
            model.trust_region(surrogate, region, context)
            for model, surrogate in zip(self._models, surrogates, strict=True)
        ]
        found = []
        for weights in answer_weights(len(surrogates)):
            weighed = Scalarised(self._expected(surrogates), *scales, units, 1.0 / weights)
            best = self.search(self._bound(weighed), region, seed)[:1]
            found += [region.whole(trust.shortened(best)[0]) for trust in regions]
        return [counts / self.problem.agents_in[:, None] for counts in found]

    def predict_at(self, values: Mapping[str, Any], context: Mapping[str, Any]) -> Recommendation:
        """Expected outcomes of a distribution."""
        surrogates = [each.surrogate(context, pending=False) for each in self._models]
        mixtures = [
            model.mixture(context, surrogate)
            for model, surrogate in zip(self._models, surrogates, strict=True)
        ]
        return self._traded(surrogates, mixtures, self.problem.table(values["distribution"]))

    def _traded(
        self,
        surrogates: Sequence[Surrogate],
        mixtures: Sequence[PayoffMixture],
        table: TableArray,
    ) -> Recommendation:
        """Answer of a distribution, with all outcomes."""
        models = zip(self._models, surrogates, mixtures, strict=True)
        payoff, *others = (
            model._described(surrogate, mixture, table) for model, surrogate, mixture in models
        )
        further = dict.fromkeys(self.problem.traded, ExpectedOutcome())
        for name, each in zip(self._measured, others, strict=True):
            further[name] = ExpectedOutcome(each.mean, each.lower, each.upper)
        return replace(payoff, outcomes=further)

    def explain(self) -> Explanation:
        """State the rule; then as `mf-gp-ucb` does, of the payoff."""
        told = super().explain()
        return replace(told, summary=f"{self.rule}; of the payoff: {told.summary}")
