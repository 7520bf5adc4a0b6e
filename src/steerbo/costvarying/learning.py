"""What the methods know: one Gaussian process for all control sets, how it drifts if it does, and its surprises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..bandit import Calibration
from ..gp import Course, Regression, SquaredExponentialKernel
from ..rounds import (
    TIME,
    Added,
    Amended,
    Event,
    Extended,
    Failed,
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
from ..search import Box, Guarded
from ..surrogate import Following, Part
from .money import Paying
from .outcomes import Watched, margin_over
from .problem import CostVarying

STARTING_POINTS = 5
"""Points at random before the model has a say, as in the authors' program."""


class Learning(Paying[OptionsT]):
    """A method with a model of the objective. Where that may drift, time is one more column: the last.

    Attributes:
        model: in units of `sign · value`.
        following: how it drifts, and how far off it has lately been.
    """

    def __init__(self, problem: CostVarying, options: OptionsT, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.following = Following(problem.drift, first=STARTING_POINTS)
        self.model = self._fresh(self.course)
        self.fitted_at = 0
        self.watched = {name: Watched.of(limit, self._fresh, problem.drift) for name, limit in problem.further.items()}
        self._added: dict[str, float] = {}  # when data came that do not say when they were measured

    @property
    def course(self) -> Course | None:
        """How the objective changes with time; None: it does not."""
        return self.following.course

    @property
    def calibration(self) -> Calibration:
        """How far off the model has lately been."""
        return self.following.calibration

    def _fresh(self, course: Course | None) -> Regression[Any]:
        space = SquaredExponentialKernel.over(self.space.categorical)
        return Regression(space if course is None else course.over(space, self.space.dimension))

    # -- outcomes ------------------------------------------------------------------------------------------------------

    def learn(self, event: Event, history: History) -> None:
        """Take one event in; what is told is first compared with what was expected."""
        match event:
            case Refitted():
                self.model = self.following.take(self._fresh, self.model, event.hyperparameters["objective"])
                self.fitted_at = len(self.model)
                for name, each in self.watched.items():
                    each.model = each.following.take(self._fresh, each.model, event.hyperparameters[name])
            case Told():
                point, value = self._row(event.outcome, event.token, history[event.token])
                self.following.hear(self.model, point, value, event.token)
                self.model.add(point, value)
                for name, each in self.watched.items():
                    each.hear(point, event.outcome.realised[name], event.token)
            case Added():
                if self.problem.timed:
                    self._added[history.latest_data] = now(history)
                point, value = self._row(event.outcome, history.latest_data, None)
                self.model.add(point, value)
                for name, each in self.watched.items():
                    if name in event.outcome.realised:
                        each.model.add(point, event.outcome.realised[name])
            case Amended():
                rows = [self._row(outcome, name, played) for name, outcome, played in history.outcomes()]
                points = np.array([x for x, _ in rows]).reshape(-1, len(self.columns_of_model))
                self.model.replace(points, np.array([y for _, y in rows]))
                names = (name for name, _, _ in history.outcomes())
                self.following.correct({name: y for name, (_, y) in zip(names, rows, strict=True)})
                self._begin_anew(history)
            case Failed():  # what broke may have been measured all the same
                for name, each in self.watched.items():
                    if (found := self._seen(history[event.token], name)) is not None:
                        each.hear(*found, event.token)
            case Extended():
                for following in (self.following, *(each.following for each in self.watched.values())):
                    following.correct({})
            case _:
                pass

    def _begin_anew(self, history: History) -> None:
        """Further outcomes as they stand now: of plays, also of those that failed, and of data."""
        for name, each in self.watched.items():
            rows = [(r.suggestion.token, *seen) for r in history if (seen := self._seen(r, name)) is not None]
            for token, data in history.data.items():
                if name in data.outcome.realised:
                    rows.append((token, self._row(data.outcome, token, None)[0], data.outcome.realised[name]))
            each.begin_anew(rows, len(self.columns_of_model))

    def _seen(self, played: Round, name: str) -> tuple[np.ndarray, float] | None:
        """Where a further outcome was measured in a round, and what it was; None: it was not, or nobody knows where."""
        known = played.realised if played.state in ("told", "failed") else {}
        if name not in known or any(each not in known for each in self.space.names):
            return None
        point, _ = self._row(Outcome(0.0, None, dict(known)), played.suggestion.token, played)
        return point, float(known[name])

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

    # -- hyperparameters -----------------------------------------------------------------------------------------------

    def refit(self, history: History) -> Mapping[str, Any] | None:
        """Learn the hyperparameters anew where that is due; and how the objective drifts."""
        if not self.following.due(self.fitted_at, len(self.model)):
            return None
        until = partial(horizon, history)
        further = {n: each.following.fit(self._fresh, each.model, until) for n, each in self.watched.items()}
        return {"objective": self.following.fit(self._fresh, self.model, until), **further}

    # -- limits on further outcomes ------------------------------------------------------------------------------------

    def guarded(self, box: Box, parts: Sequence[Part]) -> Box | None:
        """A box of which only plays are allowed that keep to what is asked of further outcomes, as far as is known.

        None: nothing is to be set there, and the only play does not.
        """
        watched = [each for each in self.watched.values() if each.informed]
        if not watched:
            return box
        margin = margin_over(watched, parts)
        if box.dimension:
            return Guarded(box, margin)
        return box if margin(np.zeros((1, 0)))[0] >= 0.0 else None
