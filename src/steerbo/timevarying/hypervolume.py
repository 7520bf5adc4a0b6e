"""Method `hypervolume`: several outcomes that may drift, by the volume of outcomes that plays dominate now.

Each outcome has a model of places and times as `learned-drift` has one of the value, whose drift is
learned by itself. Each round plays where the volume that plays so far would dominate *now* is
expected to grow most (Emmerich, Giannakoglou & Naujoks 2006; see `surrogate._trade_off`): plays of
long ago dominate no more than is still expected there.

The answer is the trade-off at a time: the places that no other one is expected to better in
everything.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from .._arrays import Float
from .._evidence import BOUND
from ..core import Choice, ExpectedOutcome, Explanation, NoOptions, Recommendation, reason
from ..gp import Averaged, GPRegression
from ..records import to_dict
from ..surrogate import (
    STARTING_POINTS,
    VALUE,
    Gain,
    Rising,
    Scalarised,
    Trades,
    Units,
    VolumeGained,
    answer_weights,
    expected_at_data,
    expected_outcome,
    scales_of,
)
from .data import ANYWHERE, Place, Places, RoundView
from .learned_drift import DriftingSurrogate, LearnedDrift
from .method import time_and_seen
from .problem import place_of, settings


class _Placed:
    """An expected outcome of a place at a time, averaged over draws of hyperparameters: see `surrogate.Rises`."""

    def __init__(self, model: Averaged[Any], surrogate: DriftingSurrogate, time: float) -> None:
        self.model, self._surrogate, self._time = model, surrogate, time

    def moments(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and deviation, standardised (r,)."""
        mean, variance = self.model.marginals(self._surrogate.rows(places, self._time))
        return mean, np.sqrt(np.maximum(variance, 1e-16))

    def values(self, places: np.ndarray) -> Float[np.ndarray, " r"]:
        """Mean, standardised (r,)."""
        return self.model.means(self._surrogate.rows(places, self._time))

    def rising_moments(self, points: Float[np.ndarray, "r d"]) -> tuple[Rising, Rising]:
        """Mean and deviation with gradients (r, d)."""
        rows = self._surrogate.rows(points, self._time)
        mean, variance, rise, widening = self.model.moments_and_gradients(rows)
        sd = np.sqrt(np.maximum(variance, 1e-16))
        steep = widening / (2.0 * sd)[:, None]
        return (mean, rise[:, :-1]), (sd, steep[:, :-1])


class Hypervolume(Trades, LearnedDrift):
    """Several outcomes that may drift: play where the volume dominated now is expected to grow most."""

    name: ClassVar[str] = "hypervolume"
    Options: ClassVar[type[Any]] = NoOptions

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose the place that is expected to add most to the volume that plays dominate; at first, at random."""
        t, view = self.history.next_round, self.view(request)
        if len(self.surrogate.model) + len(self.history.pending) < STARTING_POINTS:
            return self._start(view, t)
        pending = [self.surrogate.rows(np.array([u.place]), u.time)[0] for u in view.unknown]
        with self._expected(view.time, pending) as outcomes:
            gained = VolumeGained(
                outcomes,
                *scales_of(self._models),
                self._units(view.time),
                self._plays_at(view.time, pending),
            )
            place = self.surrogate.highest(
                view, gained.values, gained.rising, self.streams(t, "ties")
            )
            gain = Gain(math.exp(float(gained.values(np.array([place]))[0])) / gained.dominated)
        return Choice(
            self.problem.scope, settings(self.problem, place, view.available), note=to_dict(gain)
        )

    # -- models ------------------------------------------------------------------------------------

    @property
    def _models(self) -> dict[str, GPRegression[Any]]:
        """Models of the value and of the further outcomes, by name; the value first."""
        return {VALUE: self.surrogate.model, **self.surrogate.outcomes.by_name}

    @contextmanager
    def _expected(
        self, time: float, pending: Sequence[Float[np.ndarray, " e"]] = ()
    ) -> Iterator[list[_Placed]]:
        """Each expected outcome of a place at a time; rows of pending places shrink their variances."""
        rows = np.array(pending).reshape(-1, len(self.problem.axes) + 1)
        with ExitStack() as stack:
            found = [Averaged(model) for model in self._models.values()]
            for each in found:
                stack.enter_context(each.with_fantasies(rows))
            yield [_Placed(each, self.surrogate, time) for each in found]

    def _plays_at(
        self, time: float, pending: Sequence[Float[np.ndarray, " e"]] = ()
    ) -> Float[np.ndarray, "n k"]:
        """Outcomes (n, k) that are expected of the places of all plays, if they are played at a time."""
        rows = np.vstack([self.surrogate.model.inputs, *pending])
        rows[:, -1] = time
        return expected_at_data(self._models, rows)

    def _units(self, time: float) -> Units:
        return Units.of(self._plays_at(time))

    # -- answers -----------------------------------------------------------------------------------

    def _answer(self, view: RoundView) -> Recommendation:
        """Recommend the middle of the trade-off at a time; its other places are the alternatives."""
        units, random = self._units(view.time).from_the_best, self.streams(0, "recommend")
        with self._expected(view.time) as outcomes:
            found = []
            for weights in answer_weights(len(outcomes)):
                weighed = Scalarised(outcomes, *scales_of(self._models), units, 1.0 / weights)
                place = self.surrogate.highest(view, weighed.values, weighed.rising, random)
                found.append((place, self._described(outcomes, place, view.available)))
        if view.margin is not None:
            kept = view.margin(np.array([place for place, _ in found])) >= 0.0
            if not kept.any():
                middle = self.middle([row for _, row in found])
                return replace(middle, reasons=(*middle.reasons, reason("none-keeps")))
            found = [each for each, keeps in zip(found, kept, strict=True) if keeps]
        return self.middle([row for _, row in found])

    def predict_at(self, values: Mapping[str, Any], context: Mapping[str, Any]) -> Recommendation:
        """Expected outcomes at a place."""
        time, seen = time_and_seen(context)
        with self._expected(time) as outcomes:
            return self._described(outcomes, place_of(self.problem, {**seen, **values}))

    def _described(
        self, outcomes: Sequence[_Placed], place: Place, among: Places = ANYWHERE
    ) -> Recommendation:
        """Answer at a place, with all outcomes and their bounds."""
        value, *others = outcomes
        bounds, further = self._bounds(value, place), dict[str, ExpectedOutcome]()
        for name, outcome in zip(self.problem.traded, others, strict=True):
            if self.surrogate.outcomes.measured(name):
                sign, (mean, *ends) = self.problem.traded[name], self._bounds(outcome, place)
                further[name] = expected_outcome(self._models[name], sign, mean, ends)
            else:
                further[name] = ExpectedOutcome()
        told = expected_outcome(self.surrogate.model, self.problem.sign, bounds[0], bounds[1:])
        expected = told.mean, told.lower, told.upper
        values = settings(self.problem, place, among)
        return Recommendation(self.problem.scope, values, *expected, outcomes=further)

    @staticmethod
    def _bounds(outcome: _Placed, place: Place) -> tuple[float, float, float]:
        """Mean and bounds of an outcome at a place, standardised."""
        mean, deviation = (float(each[0]) for each in outcome.moments(np.array([place])))
        return mean, mean - BOUND * deviation, mean + BOUND * deviation

    def explain(self) -> Explanation:
        """State the rule, and how each outcome drifts."""
        models = self._models
        drifts = {VALUE: self.surrogate.drift, **self.surrogate.outcomes.drifts}
        said = [
            f"drift of {'the value' if name == VALUE else name}: {model.said(models[name].kernel)}"
            for name, drift in drifts.items()
            if (model := drift.model) is not None  # it is learned
        ]
        return Explanation("; ".join([self.rule, *said]))
