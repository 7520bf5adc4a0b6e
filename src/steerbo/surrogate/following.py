"""How a model follows what it is a model of: how that changes with time, and when hyperparameters are learned anew.

A schedule of fits finds out late that all is different. So a fit follows every surprise, too: an outcome that is far
from what all others say of it, among the latest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..bandit import alike
from ..gp import (
    AnovaKernel,
    AnyDrift,
    Constant,
    Course,
    Hyperparameters,
    Kernel,
    Regression,
    learn_course,
    refit_due,
)
from ..space import Space

STARTLED, WITHIN = 3.0, 5
"""Deviations that startle, and of how many latest outcomes."""
PATIENT = 100
"""Of this many outcomes, and more, not every one that startles is followed by a fit: one is O(n³)."""


class Following:
    """What is known of a model beside its data and hyperparameters: how the objective changes with time.

    Args:
        drift: of the problem.

    Attributes:
        course: how the objective changes with time; None: it does not.
        scaled: whether the outcomes of the latest fit tell a scale: one alone, or all alike, tell none.
    """

    def __init__(self, drift: AnyDrift) -> None:
        self._learns = isinstance(drift, str)
        self._corrected = False  # an outcome was put right since the last fit: what began anew for it did perhaps not
        self.course = None if drift is None else Course.of(drift)
        self.scaled = False

    @property
    def widening(self) -> float:
        """See `Method.widening`: infinite until outcomes tell a scale."""
        return 1.0 if self.scaled else math.inf

    def correct(self) -> None:
        """Take note that outcomes were put right: they may have been the surprise."""
        self._corrected = self._learns

    def due(self, model: Regression[Any], fitted_at: int, n: int) -> bool:
        """Whether hyperparameters learned at so many of n outcomes are due again.

        Without a drift a fit settles a surprise, so that only outcomes since then count.
        """
        if refit_due(fitted_at, n):
            return True
        if n - fitted_at < max(1.0, fitted_at / PATIENT) or not isinstance(model, Regression):
            return False
        if self._learns and self._corrected:
            return True
        latest = WITHIN if self._learns else min(n - fitted_at, WITHIN)
        return bool((np.abs(model.left_out(latest)) > STARTLED).any())

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
        before = replace(self.course, cuts=()) if self._corrected else self.course
        times = model.inputs[:, -1]
        elapsed = float(np.ptp(times)) if len(times) else 0.0
        course, found = learn_course(fresh, model, before, horizon(elapsed))
        return {**found.to_plain(), "drift": course.to_plain()}

    def take(
        self, fresh: Callable[[Course], Regression[Any]], model: Regression[Any], plain: Mapping[str, Any]
    ) -> Regression[Any]:
        """The model with what was learned: the same one, or one of another course with the same outcomes."""
        if self._learns and self.course is not None:
            self.course = Course.from_plain(plain.get("drift", {}))
            points, outcomes, model = model.inputs, model.outcomes, fresh(self.course)
            model.replace(points, outcomes)
            self._corrected = False
        model.set(Hyperparameters.from_plain({name: given for name, given in plain.items() if name != "drift"}))
        told = len(np.unique(model.inputs, axis=0)) if model.inputs.shape[1] else len(model)
        self.scaled = told > 1 and not alike(model.outcomes)
        return model


def build_model(
    space: Space | None, course: Course | None, kernel: Kernel | None = None, **options: Any
) -> Regression[Any]:
    """Build an empty Gaussian process over a space's variables and, where the objective drifts, time as last column.

    Args:
        space: of the variables; None: over none.
        course: how the objective changes with time; None: it does not.
        kernel: over the variables; None: an ANOVA kernel, or a constant without variables.
        options: of `gp.Regression`: `known_noise`, `likely_noise`, `warp`, `transform`, `seed`.
    """
    if kernel is None:
        kernel = Constant() if space is None else AnovaKernel.over(space.categorical)
    if course is not None:
        kernel = course.over(kernel, 0 if space is None else space.dimension)
    return Regression(kernel, **options)
