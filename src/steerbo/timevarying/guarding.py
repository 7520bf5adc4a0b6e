"""Limits on further outcomes: what is likely enough to keep to them, now and where this is seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from jaxtyping import Float

from ..core import Event, History, Method, OptionsT, Recommendation, Round, Streams, horizon, time_of
from ..gp import AnyDrift, DriftModel, GPRegression, SquaredExponentialKernel
from ..optim import Margin
from ..space import Categorical, OutcomeConstraint
from ..surrogate import ConstraintModels, Controlled, FailureModel, Observed, Part, feasibility_margin, rows_at
from .acquisition import Unknown, View
from .problem import TimeVarying


class Guarding(Method[TimeVarying, OptionsT]):
    """A method that learns the further outcomes which are limited, and sees of what is available what keeps to them.

    Attributes:
        watching: what is known of them; they may drift like the objective.
    """

    def __init__(self, problem: TimeVarying, options: OptionsT, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.now = 0.0
        self._added: dict[str, tuple[float, float]] = {}  # when data that nobody suggested came: time and number
        drifts = problem.automatic or any(prior.drift is not None for prior in problem.given)
        drift: AnyDrift = "learned" if drifts else None
        self.watching = ConstraintModels(problem.further, self._regression, drift, problem.space.names, self._measured)
        self.failing = FailureModel(problem.space.categorical, self._measured, fading=drifts)

    def _regression(self, course: DriftModel | None) -> GPRegression[Any]:
        kernel = SquaredExponentialKernel.over(self.problem.space.categorical)
        return GPRegression(kernel if course is None else course.over(kernel, self.problem.space.dimension))

    def _measured(self, realised: Mapping[str, Any], name: str, played: Round | None) -> Float[np.ndarray, " d"]:
        point = self.problem.space.encode([realised])[0]
        if not self._timed:
            return point
        now = time_of(played) if played is not None else realised.get("time", self._added.get(name, (0.0, 0.0))[0])
        return np.append(point, now)

    @property
    def _timed(self) -> bool:
        return any(each.following.course is not None for each in self.watching.by_name.values())

    def learn(self, event: Event, history: History) -> None:
        """Take one event in."""
        self.watching.learn(event, history)
        self.failing.learn(event, history)

    def refit(self, history: History) -> Mapping[str, Any] | None:
        """Hyperparameters of the further outcomes, where they are due."""
        return self.watching.fit(partial(horizon, history)) if self.watching.due else None

    # -- choosing ------------------------------------------------------------------------------------------------------

    def looking(
        self, time: float, available: Any, context: Mapping[str, Any], unknown: Sequence[Unknown] | None = None
    ) -> View:
        """A round: what is available then, where this is seen, and likely to keep to the limits on outcomes.

        Where no point is, the likeliest one is available; a box is searched for it. `unknown` is what was tried and
        gave nothing; None: it is for an answer, which nothing shrinks, and which is to be surer to work.
        """
        answering, unknown = unknown is None, unknown or ()
        left = self.problem.within(available, context)
        likely = feasibility_margin(self.watching.informed, self.failing, self._parts(time), answering)
        if likely is None:
            return View(time, left, unknown)
        if self.problem.sites is not None:
            numbers = np.arange(len(self._sites)) if left is None else np.array(left)
            return _among(numbers, lambda some: likely(self._sites[some]), time, unknown)

        def margin(points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
            return likely(self._encoded(points))

        if left is None or "points" not in left:
            return View(time, left, unknown, margin)
        view = _among(np.array(left["points"], dtype=float), margin, time, unknown)
        return replace(view, available={"points": view.available})

    def _parts(self, time: float) -> list[Part]:
        return [*(Controlled() for _ in self.problem.space), *([Observed(time)] if self._timed else [])]

    @cached_property
    def _sites(self) -> Float[np.ndarray, "X d"]:
        names = self.problem.space.names
        return self.problem.space.encode([dict(zip(names, site, strict=True)) for site in self.problem.sites or ()])

    def _encoded(self, points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """Coordinates of a box, in the user's units and numbers of categories, encoded."""
        found = points.astype(float)
        for j, variable in enumerate(self.problem.variables):
            if isinstance(variable, Categorical):
                continue
            low, high, x = float(variable.low), float(variable.high), points[:, j]
            found[:, j] = np.log(x / low) / np.log(high / low) if variable.scale == "log" else (x - low) / (high - low)
        return found

    # -- answers -------------------------------------------------------------------------------------------------------

    def constraint_slack(self, history: History, advice: Recommendation) -> Sequence[float | None]:
        """See `Method.rooms`; of further outcomes as they are now."""
        rooms = list(super().constraint_slack(history, advice))
        known = {**advice.context, **advice.values}
        for k, limit in enumerate(self.problem.limits or ()):
            if isinstance(limit, OutcomeConstraint) and (each := self.watching.by_name[limit.name]).informed:
                encoded = self.problem.space.encode([known])[0]
                rooms[k] = each.room(rows_at(self._parts(self.now), dict(enumerate(encoded))))
        return rooms


def _among(places: np.ndarray, margin: Margin, time: float, unknown: Sequence[Unknown]) -> View:
    """Of places those that are likely enough; where none is, the likeliest."""
    margins = margin(places)
    kept = places[margins >= 0.0] if (margins >= 0.0).any() else places[[int(margins.argmax())]]
    return View(time, kept.tolist(), unknown, margin)
