"""A model that follows what it is a model of: how that changes with time, and when to look for it anew.

A schedule of fits finds out late that all is different. So where a drift is to be learned, it is looked for after every
surprise, too, as long as that is among the latest outcomes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from ..bandit import RECENT, Calibration, doubt_of_scale
from ..gp import AnyDrift, Course, Hyperparameters, Regression, learn_course, refit_due, settle
from .surprise import Awaited, Expected, awaited, expected

STARTLED, WITHIN = 3.0, 5
"""Deviations that startle, and of how many latest outcomes."""
PATIENT = 100
"""Of this many outcomes, and more, not every one that startles is followed by a fit: one is O(n³)."""


class Following:
    """What is known of a model beside its data and hyperparameters: its course, and how it was surprised of late.

    Args:
        drift: of the problem.
        first: outcomes that the model must have before choices go by how far off it is.

    Attributes:
        course: how the objective changes with time; None: it does not.
        scale_doubt: how well that is known, as the latest fit found it; see `doubt_of_scale`.
    """

    def __init__(self, drift: AnyDrift, first: int = 0) -> None:
        self._learns = isinstance(drift, str)
        self._first = first
        self._doubted = False  # an outcome was put right since the last fit: what began anew for it did perhaps not
        self.course = None if drift is None else Course.of(drift)
        self._heard: list[Expected | Awaited] = []  # the latest, as they were told
        self._expected: dict[str, Expected | Awaited] = {}  # by the round's token, in the order in which they were told
        self.scale_doubt = math.inf

    @property
    def doubt(self) -> float:
        """How many times wider bounds are to be than the model says; infinite: it does not know a scale."""
        return self.reliability.doubt * self.scale_doubt

    @property
    def calibration(self) -> Calibration:
        """How far off the model has lately been; choices go by it."""
        return self._off(self._heard)

    @property
    def reliability(self) -> Calibration:
        """How far off the model has been about outcomes as they stand now, since it knows a scale: answers go by it."""
        return self._off(self._expected.values())

    def _off(self, some: Iterable[Expected | Awaited]) -> Calibration:
        every = [*self._heard, *self._expected.values()]
        settle(each.later for each in every if isinstance(each, Awaited))
        found = Calibration()
        for each in some:
            found = found.after(each.surprise)
        return found

    def hear(
        self,
        model: Regression[Any],
        point: Float[np.ndarray, " d"],
        value: float,
        token: str = "",
        *,
        put_off: bool = False,
    ) -> None:
        """An outcome that is not yet in the model: it is compared with what was expected.

        Args:
            model: without it.
            point: where it was made.
            value: in units of the model's outcomes.
            token: the round's; without one, answers do not go by it.
            put_off: whether what was expected may be computed when somebody wants to know, where that takes a factor.
                The model's outcomes must not be revised then.
        """
        begun, kept = len(model) >= self._first, bool(token) and self.scale_doubt < math.inf
        if not begun and not kept:
            return
        known = (awaited if put_off else expected)(model, point, value)
        if begun:
            self._heard = [*self._heard, known][-RECENT:]
        if kept:
            self._expected[token] = known
            if len(self._expected) > RECENT:
                del self._expected[next(iter(self._expected))]

    def correct(self, now: Mapping[str, float]) -> None:
        """Outcomes were put right: they may have been the surprise.

        Args:
            now: outcomes as they stand, by the round's token, in units of the model's.
        """
        self._heard, self._doubted = [], self._learns
        self._expected = {token: replace(each, outcome=now.get(token)) for token, each in self._expected.items()}

    def due(self, fitted_at: int, n: int) -> bool:
        """Whether hyperparameters learned at so many of n outcomes are due again."""
        if refit_due(fitted_at, n):
            return True
        if n - fitted_at < max(1.0, fitted_at / PATIENT):
            return False
        looked_at = WITHIN if self._learns else min(n - fitted_at, WITHIN)  # without a drift a fit settles a surprise
        startled = any(abs(s) > STARTLED for s in self.calibration.surprises[-looked_at:])
        return startled or (self._learns and self._doubted)

    def fit(
        self,
        fresh: Callable[[Course], Regression[Any]],
        model: Regression[Any],
        horizon: Callable[[float], float],
    ) -> dict[str, Any]:
        """Hyperparameters learned anew, and the course where it is learned, as plain data: see `take`.

        Args:
            fresh: makes a regression without data for a course.
            model: holds all outcomes; time is the last column.
            horizon: from the time that has passed to how much the study is about.
        """
        if not self._learns or self.course is None:
            return model.fit().to_plain()
        before = replace(self.course, cuts=()) if self._doubted else self.course
        times = model.inputs[:, -1]
        elapsed = float(np.ptp(times)) if len(times) else 0.0
        course, found = learn_course(fresh, model, before, horizon(elapsed))
        return {**found.to_plain(), "drift": course.to_plain()}

    def take(
        self, fresh: Callable[[Course], Regression[Any]], model: Regression[Any], plain: Mapping[str, Any]
    ) -> Regression[Any]:
        """The model with what was learned: the same one, or one of another course with the same outcomes."""
        if self._learns and self.course is not None:
            before, self.course = self.course, Course.from_plain(plain.get("drift", {}))
            if before.cuts != self.course.cuts:
                self._heard, self._expected = [], {}  # surprises are why all began anew
            points, outcomes, model = model.inputs, model.outcomes, fresh(self.course)
            model.replace(points, outcomes)
            self._doubted = False
        model.set(Hyperparameters.from_plain({name: given for name, given in plain.items() if name != "drift"}))
        self.scale_doubt = doubt_of_scale(model.inputs, model.outcomes)
        return model
