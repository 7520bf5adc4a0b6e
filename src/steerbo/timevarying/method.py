"""What the methods of this wing share: one surrogate for all priors, what is still unknown, and the final answer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float
from pydantic import Field

from ..bandit import Calibration
from ..core import (
    Amended,
    Asked,
    Choice,
    DataAdded,
    Event,
    Failed,
    History,
    OptionsT,
    Outcome,
    OutcomeTold,
    PolicyStep,
    Recommendation,
    Round,
    Scope,
    Streams,
    average_recommendation,
    typical,
)
from ..errors import ModelFailure
from ..records import record, to_dict
from .acquisition import Datum, Pick, Unknown, View
from .automatic import RECENT, Standard, candidates, due
from .best_point import best_point
from .boxes import Boxes
from .confidence import Confidence, Width
from .finite import Sites
from .gain import possible_gain
from .guarding import Guarding
from .places import place_of, settings
from .prediction import Prediction, predicted
from .priors import Prior
from .problem import TimeVarying
from .tries import Tries


@record
class CandidatePriorsOptions:
    """Options of the methods that use all priors.

    Args:
        confidence: a number for β, or the word "theory" (Theorem 4.1: safe, and far wider than pays).
        delta: δ, the probability with which the theory may fail.
    """

    confidence: Width = "theory"
    delta: float = Field(0.1, gt=0, lt=1)


class CandidatePriors(Guarding[OptionsT]):
    """A method that keeps the posteriors of all candidate priors. Everything inside is in units of `sign · value`."""

    solves = TimeVarying

    def __init__(self, problem: TimeVarying, options: OptionsT, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self._held = 0  # outcomes in the surrogate
        self._standardised_at = 0  # outcomes, where priors are made of them
        self._standard, self.calibration = Standard(), Calibration()
        self._pose(candidates(problem, self._standard) if problem.automatic else problem.given)
        self.names = [p.name or f"prior {i + 1}" for i, p in enumerate(self.posed.given)]
        self.plays = np.zeros(len(self.names), dtype=int)
        self._tries = Tries()  # failed and voided

    def _pose(self, priors: Sequence[Prior]) -> None:
        """Begin with these priors, knowing nothing yet."""
        self.posed = replace(self.problem, priors=tuple(priors)) if self.problem.automatic else self.problem
        width, delta = getattr(self.options, "confidence", 0.0), getattr(self.options, "delta", 0.1)
        self.confidence = Confidence(self.posed, width, delta)
        self.surrogate = self.fresh()

    def fresh(self) -> Sites | Boxes:
        """A surrogate that knows nothing yet."""
        return Sites(self.posed) if self.problem.points is not None else Boxes(self.posed)

    # -- learning ------------------------------------------------------------------------------------------------------

    def learn(self, event: Event, history: History) -> None:
        """Take one event in. An amended outcome starts over: O(rounds), all else is O(1)."""
        match event:
            case Asked():
                self.now = event.request["time"]
                if (expected := predicted(event)) is not None:
                    self.plays[expected.prior] += 1
            case OutcomeTold():
                told, believed = history[event.token], self.trusted()[0]
                if self._condition(self._datum(told), history):
                    self._compare(believed)
                    self.learn_from_round(told)
            case DataAdded():
                self._added[history.latest_data] = self.now, len(history) + 0.5
                self._condition(self._past(history.latest_data, event.outcome), history)
            case Failed():
                self._try(history[event.token])
            case Amended():
                self.calibration = Calibration()  # as all outcomes stand now
                self._start_over(history, comparing=not self.problem.automatic)
            case _:
                pass
        super().learn(event, history)

    def _compare(self, believed: int | None) -> None:
        """The outcome taken in last with what this prior had expected, where it states a scale that means anything."""
        if believed is not None and (not self.problem.automatic or self._standard.doubt < np.inf):
            with suppress(ModelFailure):  # an outcome is taken in whatever kernels say of it: who chooses next says so
                self.calibration = self.calibration.after(float(self.surrogate.surprise[believed]))

    def learn_from_datum(self, datum: Datum) -> None:
        """What an outcome does beside conditioning the surrogate, whoever suggested it."""

    def learn_from_round(self, told: Round) -> None:
        """What the outcome of a round does beside that."""

    def forget(self) -> None:
        """Undo everything that `learn_from_datum` and `learn_from_round` ever did."""

    def _condition(self, datum: Datum, history: History) -> bool:
        """Take an outcome in; False where all began anew, and it is booked already."""
        if self.problem.automatic and due(self._standardised_at, history.n_completed + len(history.data)):
            self._start_over(history)
            return False
        if not self.take(datum):
            self.surrogate.rewrite([datum for datum, _ in self._everything(history)[-self._held :]])
        self.learn_from_datum(datum)
        return True

    def take(self, datum: Datum) -> bool:
        """Condition the surrogate on an outcome; False if it is too old for that."""
        self._held += 1
        return self.surrogate.add(datum)

    def _start_over(self, history: History, comparing: bool = False) -> None:
        rows = self._everything(history)
        if self.problem.automatic:
            self._standardised_at, rows = len(rows), rows[-RECENT:]
            self._standard = Standard.of([datum for datum, _ in rows])
            self._pose(candidates(self.problem, self._standard))
        else:
            self.surrogate.rewrite([])
        self._held = 0
        self.forget()
        self._tries = Tries()
        for played in history.unresolved:
            if not played.waiting:
                self._try(played)
        for datum, told in rows:
            believed = self.trusted()[0] if comparing else None
            self.take(datum)
            self.learn_from_datum(datum)
            if told is not None:
                self._compare(believed if comparing else None)
                self.learn_from_round(told)

    def _everything(self, history: History) -> list[tuple[Datum, Round | None]]:
        """All outcomes in order of time, with the rounds they belong to."""
        rows = [
            (self._datum(played) if played is not None else self._past(name, outcome), played)
            for name, outcome, played in history.outcomes()
        ]
        return sorted(rows, key=lambda row: row[0][:2])

    def _datum(self, told: Round) -> Datum:
        assert told.outcome is not None
        return self._row(told.outcome, told.request["time"], told.number)

    def _past(self, name: str, outcome: Outcome) -> Datum:
        now, number = self._added[name]
        return self._row(outcome, outcome.realised.get("time", now), number)

    def _row(self, outcome: Outcome, time: float, number: float) -> Datum:
        return Datum(time, number, place_of(self.problem, outcome.realised), self.problem.sign * outcome.value)

    def _try(self, played: Round) -> None:
        self._tries.add(place_of(self.problem, played.realised), played.request["time"])

    # -- choosing ------------------------------------------------------------------------------------------------------

    def view(self, history: History, request: Mapping[str, Any]) -> View:
        """The round as the surrogate sees it."""
        waiting = (Unknown(place_of(self.problem, r.realised), r.request["time"], 1) for r in history.waiting)
        unknown = [*self._tries, *waiting]
        return self.looking(request["time"], request.get("available"), request.get("context", {}), unknown)

    def play(self, pick: Pick, beta: float) -> Choice:
        """A pick as a choice, with the prior behind it and what that expects."""
        sign = self.problem.sign
        expected = Prediction(pick.prior, sign * pick.mean, beta * pick.sd, sign * pick.upper)
        return Choice(self.problem.scope, settings(self.problem, pick.place), note=to_dict(expected))

    def weights(self) -> Float[np.ndarray, " P"]:
        """Posterior probabilities of the priors, all equally likely beforehand."""
        likely = np.exp(self.surrogate.evidence - self.surrogate.evidence.max())
        return likely / likely.sum()

    # -- answers -------------------------------------------------------------------------------------------------------

    def trusted(self) -> list[int]:
        """The priors that the answer may rest on, most probable first."""
        return [int(p) for p in np.argsort(-self.weights(), kind="stable")]

    def recommend(self, history: History) -> Recommendation:
        """The point with the largest mean now, everything being available, by the most probable prior that is left.

        Where something is seen before choosing: the points for typical contexts.
        """
        if not self.problem.space.seen:
            return self.answer(history, self.looking(self.now, None, {}))

        def at(seen: dict[str, Any]) -> Recommendation:
            return self.answer(history, self.looking(self.now, None, seen))

        return average_recommendation(typical(self.problem.space, history), at)

    def bound_inflation(self, history: History, scope: Scope) -> float:
        """Who gives priors states a scale; else it is that of the outcomes."""
        if math.isinf(self.calibration.doubt):
            return math.inf
        return self._standard.doubt if self.problem.automatic else 1.0

    def gain(self, history: History) -> float:
        """See `possible_gain`."""
        return possible_gain(self, history, self.surrogate)

    def policy(self, history: History, context: Mapping[str, Any], request: Mapping[str, Any]) -> PolicyStep:
        """The same at another time, and among what is available then. Priors know something before any outcome."""
        view = self.looking(request.get("time", self.now), request.get("available"), context)
        advice = self.answer(history, view)
        return PolicyStep(advice.scope, advice.values, context=dict(context), note=advice.note)

    def answer(self, history: History, view: View) -> Recommendation:
        """The points with the largest means, as the priors that are trusted most see the round."""
        first, *others = (best_point(self, p, self.surrogate, view) for p in self.trusted()[:4])
        return replace(first, alternatives=tuple(others))
