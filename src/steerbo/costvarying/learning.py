"""What the methods know: one Gaussian process for all control sets, and how it drifts if it does."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..core import (
    TIME,
    Amended,
    BoundsExtended,
    DataAdded,
    Event,
    History,
    OptionsT,
    Outcome,
    OutcomeTold,
    Refitted,
    Round,
    Streams,
    horizon,
    now,
    time_of,
)
from ..gp import AnovaKernel, DriftModel, GPRegression, describe_subset, replace_outcomes
from ..optim import Box, FeasibleRegion
from ..surrogate import (
    ConstraintModels,
    DriftTracker,
    EncodingCache,
    FailureModel,
    Part,
    feasibility_margin,
    set_columns,
)
from .control_sets import Arm
from .money import Paying
from .problem import CostVarying

STARTING_POINTS = 5
"""Points at random before the model has a say, as in the authors' program."""
LATEST = 256
"""Plays around which a search looks for what keeps to limits that are learned."""


class Learning(Paying[OptionsT]):
    """A method with a model of the objective. Where that may drift, time is one more column: the last.

    Attributes:
        model: in units of `sign · value`.
        following: how it drifts.
    """

    def __init__(self, problem: CostVarying, options: OptionsT, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.following = DriftTracker(problem.drift)
        self.model = self._objective(self.course)
        self.fitted_at = 0
        self._points_at = EncodingCache(self._in_space)
        self.watching = ConstraintModels(problem.further, self._fresh, problem.drift, self.space.names, self._point)
        self.failing = FailureModel(self.space.categorical, self._tried, fading=problem.timed)
        self._added: dict[str, float] = {}  # when data came that do not say when they were measured

    @property
    def course(self) -> DriftModel | None:
        """How the objective changes with time; None: it does not."""
        return self.following.course

    def _objective(self, course: DriftModel | None) -> GPRegression[Any]:
        return self._fresh(course, self.problem.noise)

    def _fresh(self, course: DriftModel | None, noise: float | None = None) -> GPRegression[Any]:
        space = AnovaKernel.over(self.space.categorical)
        kernel = space if course is None else course.over(space, self.space.dimension)
        return GPRegression(kernel, known_noise=noise, seed=self.streams.integer(0, "hyperparameters"))

    # -- outcomes ------------------------------------------------------------------------------------------------------

    def learn(self, event: Event, history: History) -> None:
        """Take one event in."""
        match event:
            case Refitted():
                self.model = self.following.set_hyperparameters(
                    self._objective, self.model, event.hyperparameters["objective"]
                )
                self.fitted_at = len(self.model)
            case OutcomeTold():
                self.model.add(*self._row(event.outcome, event.token, history[event.token]))
            case DataAdded():
                if self.problem.timed:
                    self._added[history.latest_data] = now(history)
                point, value = self._row(event.outcome, history.latest_data, None)
                self.model.add(point, value)
            case Amended():
                rows = [self._row(outcome, name, played) for name, outcome, played in history.outcomes()]
                points = np.array([x for x, _ in rows]).reshape(-1, len(self.columns_of_model))
                replace_outcomes(self.model, points, np.array([y for _, y in rows]))
                self.following.correct()
            case BoundsExtended():
                self.following.correct()
            case _:
                pass
        self.watching.learn(event, history)
        self.failing.learn(event, history)

    def _row(self, outcome: Outcome, name: str, played: Round | None) -> tuple[np.ndarray, float]:
        """A point of the model (d,), with its time where that matters, and an outcome."""
        return self._point(outcome.realised, name, played), self.problem.sign * outcome.value

    def _in_space(self, realised: Mapping[str, Any]) -> np.ndarray:
        return self.space.encode([realised])

    def _point(self, realised: Mapping[str, Any], name: str, played: Round | None) -> np.ndarray:
        point = self._points_at.of(name, realised)
        if self.course is None:
            return point
        when = time_of(played) if played is not None else realised.get(TIME.name, self._added.get(name, 0.0))
        return np.append(point, when)

    def _when(self, name: str, data: Outcome) -> float:
        """When data that nobody suggested were measured: as they say, else when they came."""
        return float(data.realised[TIME.name] if TIME.name in data.realised else self._added[name])

    # -- hyperparameters -----------------------------------------------------------------------------------------------

    def refit(self, history: History) -> Mapping[str, Any] | None:
        """Learn the hyperparameters anew where that is due; and how the objective drifts."""
        if not self.following.due(self.model, self.fitted_at, len(self.model)):
            return None
        until = partial(horizon, history)
        return {"objective": self.following.fit(self._objective, self.model, until), **self.watching.fit(until)}

    def note(self, history: History) -> str:
        """Whether there are more outcomes than are counted."""
        return describe_subset(len(self.model), len(self.model.counted))

    # -- what is likely to work, and to keep to limits on further outcomes ---------------------------------------------

    @property
    def guarding(self) -> bool:
        """Whether what is found may be unlikely to work, or to keep to limits."""
        return bool(self.watching.by_name or self.failing.failures)

    def guarded(self, box: Box, parts: Sequence[Part], answering: bool = False) -> Box | None:
        """A box of which only plays are allowed that are likely to work and to keep to limits, as far as is known.

        None: nothing is to be set there, and the only play is not.
        """
        margin = feasibility_margin(self.watching.informed, self.failing, parts, answering)
        if margin is None:
            return box
        if box.dimension:
            return FeasibleRegion(box, margin, self.model.inputs[-LATEST:, set_columns(parts)])
        return box if margin(np.zeros((1, 0)))[0] >= 0.0 else None

    def likely(self, arm: Arm, context: Mapping[str, Any], units: np.ndarray) -> np.ndarray:
        """Of points of the unit cube, placed where an arm may go, the first likely to work, or the likeliest."""
        known = self._encoded(context) | ({TIME.name: 0.0} if self.problem.timed else {})
        domain = self.domain(arm, known, self.nature.at(known))
        assert domain is not None  # something was placed there
        points, margin = domain.box.place(units), feasibility_margin((), self.failing, domain.parts)
        if margin is None:
            return np.asarray(points[0])
        kept = margin(points)
        return np.asarray(points[int(np.argmax(kept >= 0.0) if (kept >= 0.0).any() else np.argmax(kept))])

    def _tried(self, realised: Mapping[str, Any], name: str, played: Round | None) -> np.ndarray:
        """Where an evaluation was made that worked, or failed: what nobody measured is drawn as elsewhere."""
        if played is not None and played.state == "failed":
            return self.imagined(played)
        return self._point(realised, name, played)

    @abstractmethod
    def imagined(self, played: Round) -> np.ndarray:
        """Where a round without an outcome was made, encoded (d,)."""
