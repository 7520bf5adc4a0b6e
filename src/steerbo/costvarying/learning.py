"""What the methods know: one Gaussian process for all control sets, how it drifts if it does, and its surprises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ..bandit import Calibration
from ..gp import Course, Hyperparameters, Regression, SquaredExponentialKernel, learn_course, refit_due
from ..rounds import (
    TIME,
    Added,
    Amended,
    Event,
    Extended,
    History,
    OptionsT,
    Outcome,
    Refitted,
    Round,
    Streams,
    Told,
    horizon,
    now,
    time_of,
)
from .money import Paying
from .problem import CostVarying

STARTING_POINTS = 5
"""Points at random before the model has a say, as in the authors' program."""
STARTLED, WITHIN = 3.0, 5
"""Deviations that startle, as long as they are among so many latest outcomes: where the objective may drift, it is
looked at anew. A schedule alone finds out late."""


class Learning(Paying[OptionsT]):
    """A method with a model of the objective. Where that may drift, time is one more column: the last.

    Attributes:
        model: in units of `sign · value`.
        course: how it drifts; None where it does not.
        calibration: how far off it has lately been; kept where the method is `attentive`, or a drift is to be learned.
    """

    attentive: ClassVar[bool] = False

    def __init__(self, problem: CostVarying, options: OptionsT, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.learns_drift = problem.drift == "learned"
        self.course = (
            None if problem.drift is None else Course(None if isinstance(problem.drift, str) else problem.drift)
        )
        self.model = self._fresh(self.course)
        self.fitted_at = 0
        self.calibration = Calibration()
        self._doubted = False  # an outcome was put right since the last fit: what began anew for it did perhaps not
        self._added: dict[str, float] = {}  # when data came that do not say when they were measured

    def _fresh(self, course: Course | None) -> Regression[Any]:
        space = SquaredExponentialKernel.over(self.space.categorical)
        return Regression(space if course is None else course.over(space, self.space.dimension))

    # -- outcomes ------------------------------------------------------------------------------------------------------

    def learn(self, event: Event, history: History) -> None:
        """Take one event in; what is told is first compared with what was expected."""
        match event:
            case Refitted():
                self._take_over(event)
            case Told():
                point, value = self._row(event.outcome, event.token, history[event.token])
                if (self.attentive or self.learns_drift) and len(self.model) >= STARTING_POINTS:
                    self.calibration = self._surprised(point, value)
                self.model.add(point, value)
            case Added():
                if self.problem.timed:
                    self._added[history.latest_data] = now(history)
                self.model.add(*self._row(event.outcome, history.latest_data, None))
            case Amended():
                rows = [self._row(outcome, name, played) for name, outcome, played in history.outcomes()]
                points = np.array([x for x, _ in rows]).reshape(-1, len(self.columns_of_model))
                self.model.replace(points, np.array([y for _, y in rows]))
                self.calibration = Calibration()  # what was put right may have been the surprise
                self._doubted = self.learns_drift
            case Extended():
                self.calibration = Calibration()  # so may the old bounds
            case _:
                pass

    def _take_over(self, event: Refitted) -> None:
        if self.learns_drift:
            before, self.course = self.course, Course.from_plain(event.hyperparameters.get("drift", {}))
            if before is None or before.cuts != self.course.cuts:
                self.calibration = Calibration()  # surprises are why all began anew
            points, outcomes = self.model.inputs, self.model.outcomes
            self.model = self._fresh(self.course)
            self.model.replace(points, outcomes)
            self._doubted = False
        self.model.set(Hyperparameters.from_plain(event.hyperparameters["objective"]))
        self.fitted_at = len(self.model)

    def _row(self, outcome: Outcome, name: str, played: Round | None) -> tuple[np.ndarray, float]:
        """A point of the model (d,), with its time where that matters, and an outcome."""
        point = self.space.encode([outcome.realised])[0]
        if self.course is not None:
            when = (
                time_of(played) if played is not None else outcome.realised.get(TIME.name, self._added.get(name, 0.0))
            )
            point = np.append(point, when)
        return point, self.problem.sign * outcome.value

    def _when(self, name: str, data: Outcome) -> float:
        """When data that nobody suggested were measured: as they say, else when they came."""
        return float(data.realised[TIME.name] if TIME.name in data.realised else self._added[name])

    def _surprised(self, point: np.ndarray, value: float) -> Calibration:
        mean, deviation = self.model.predict(point[None])
        expected = np.hypot(deviation[0], self.model.scale * np.sqrt(self.model.noise))
        return self.calibration.after(value, float(mean[0]), float(expected))

    # -- hyperparameters -----------------------------------------------------------------------------------------------

    def refit(self, history: History) -> Mapping[str, Any] | None:
        """Learn the hyperparameters anew where the schedule says so, or surprises; and how the objective drifts."""
        if not refit_due(self.fitted_at, len(self.model)) and not self._startled():
            return None
        if not self.learns_drift or self.course is None:
            return {"objective": self.model.fit().to_plain()}
        before = replace(self.course, cuts=()) if self._doubted else self.course
        times = self.model.inputs[:, -1]
        course, found = learn_course(self._fresh, self.model, before, horizon(history, float(np.ptp(times))))
        return {"objective": found.to_plain(), "drift": course.to_plain()}

    def _startled(self) -> bool:
        """Whether a drift is looked for before its time; of many outcomes not after each: a fit is O(n³)."""
        if not self.learns_drift:
            return False
        more = len(self.model) - self.fitted_at
        waited = more >= max(1.0, self.fitted_at / 100)
        return waited and (self._doubted or any(abs(s) > STARTLED for s in self.calibration.surprises[-WITHIN:]))
