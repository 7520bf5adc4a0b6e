"""Feasibility of plays: how likely they are to work, and to satisfy the constraints on outcomes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .._arrays import Float, Int
from ..core import Event, History, Round
from ..optim import Box, FeasibleRegion, Margin
from ._constraints import ConstraintModel, ConstraintModels, chances_over, kept_of, required_now
from ._failures import FailureModel, feasibility_margin
from ._parts import Part


class Feasibility:
    """Models of the constrained outcomes and of failures. A method has one; a causal method has one for each model.

    Pass every event to `learn`. `margin` and `region` tell a search where plays are feasible, `feasible` picks among
    listed points, `slack` describes an answer. Where a constraint holds on average over plays, `required` is the
    probability that the next play still needs, `probabilities` the one that a play has.

    Args:
        failures: the model of failures.
        constraints: the models of constrained outcomes; None where no outcome is constrained.

    >>> feasibility = Feasibility(FailureModel(np.zeros(1, dtype=bool), lambda realised, name, played: realised["x"]))
    >>> feasibility.active, feasibility.margin([])  # nothing has failed
    (False, None)
    """

    def __init__(self, failures: FailureModel, constraints: ConstraintModels | None = None) -> None:
        self.failures, self.constraints = failures, constraints

    @property
    def models(self) -> list[ConstraintModel]:
        """Models of the constrained outcomes of which enough is known."""
        return self.constraints.informed if self.constraints else []

    @property
    def active(self) -> bool:
        """Whether any play may count as infeasible."""
        return bool(self.models or self.failures.failures)

    # -- learning ------------------------------------------------------------------------------------------------------

    def learn(self, event: Event, history: History) -> None:
        """Take in one event; `Refitted` sets the hyperparameters of constrained outcomes by their names."""
        if self.constraints:
            self.constraints.learn(event, history)
        self.failures.learn(event, history)

    def begin_anew(self, history: History) -> None:
        """Replace all data by the outcomes and failures of `history`, as after a correction."""
        if self.constraints:
            self.constraints.begin_anew(history)
        self.failures.begin_anew(history)

    @property
    def due(self) -> bool:
        """Whether hyperparameters of a constrained outcome are to be learned anew."""
        return self.constraints is not None and self.constraints.due

    def fit(self, until: Callable[[float], float]) -> dict[str, Any]:
        """Learn hyperparameters anew and return them by outcome; `until`: see `DriftTracker.fit`."""
        return self.constraints.fit(until) if self.constraints else {}

    # -- choosing ------------------------------------------------------------------------------------------------------

    def margin(
        self, parts: Sequence[Part], *, answering: bool = False, outcomes: bool = True, scope: Sequence[float] = ()
    ) -> Margin | None:
        """Feasibility margin: settings (n, c) → (n,) normal deviations of the least likely requirement; ≥ 0: feasible.

        Args:
            parts: the part of every column; c of them are set, and columns that nature draws are averaged over.
            answering: for a recommendation, which must be surer to work than a play.
            outcomes: whether constraints on outcomes count, or failures alone.
            scope: which variables the plays control, see `FailureModel`.

        Returns:
            None where every setting is feasible, as far as is known.
        """
        return feasibility_margin(self.models if outcomes else (), self.failures, parts, answering, scope)

    def region(
        self,
        box: Box,
        parts: Sequence[Part],
        *,
        near: Float[np.ndarray, "k c"] | None = None,
        columns: Sequence[int] | None = None,
        answering: bool = False,
        scope: Sequence[float] = (),
    ) -> Box | None:
        """Restrict a box to feasible settings; None where nothing is to be set and the only play is infeasible.

        Args:
            box: of the variables that are searched.
            parts: see `margin`.
            near: played settings, around which a feasible region may lie that is too small to be found otherwise.
            columns: the columns of the box that `parts` sets; None: all.
            answering: see `margin`.
            scope: see `margin`.
        """
        margin = self.margin(parts, answering=answering, scope=scope)
        if margin is None:
            return box
        if not box.dimension:
            return box if margin(np.zeros((1, 0)))[0] >= 0.0 else None
        return FeasibleRegion(box, margin if columns is None else lambda points: margin(points[:, columns]), near)

    # -- answers -------------------------------------------------------------------------------------------------------

    def slack(self, name: str, rows: Float[np.ndarray, "m d"]) -> float | None:
        """Slack of the constraint on one outcome at encoded rows, in its units; None where too little is known."""
        return next((each.room(rows) for each in self.models if each.limit.name == name), None)

    # -- constraints that hold on average over plays -------------------------------------------------------------------

    @property
    def on_average(self) -> bool:
        """Whether a constraint of which enough is known holds on average over plays."""
        return any(each.limit.on_average for each in self.models)

    def probabilities(
        self, parts: Sequence[Part], points: Float[np.ndarray, "n c"]
    ) -> dict[str, Float[np.ndarray, " n"]]:
        """Probability of settings to satisfy each constraint, by outcome."""
        chances = chances_over(self.models, parts)(points)
        return {each.limit.name: np.exp(logs) for each, logs in zip(self.models, chances, strict=True)}

    def required(self, rounds: Iterable[Round], least: float = 0.0) -> dict[str, float]:
        """Probability that the next play needs of each constraint, by outcome.

        On average over plays that is what earlier plays left over, `p (n + 1) − kept`, but no less than `least`.
        """
        played = [*rounds]
        return {
            m.limit.name: max(required_now(m.limit, played), least) if m.limit.on_average else m.required_probability
            for m in self.models
        }

    def averages(self, rounds: Iterable[Round], next_play: Mapping[str, float]) -> dict[str, float]:
        """Mean over plays of the constraints that hold on average, with the next play's probabilities, by outcome."""
        played, found = [*rounds], {}
        for limit in (each.limit for each in self.models if each.limit.on_average):
            n, kept = kept_of(limit, played)
            found[limit.name] = (kept + next_play[limit.name]) / (n + 1)
        return found


def feasible(margins: Float[np.ndarray, " n"]) -> Int[np.ndarray, " k"]:
    """Indices of the feasible points by their margins; where no point is, of the one nearest to it.

    >>> feasible(np.array([-2.0, 0.1, 0.3])).tolist(), feasible(np.array([-2.0, -0.1])).tolist()
    ([1, 2], [1])
    """
    return np.flatnonzero(margins >= 0.0) if (margins >= 0.0).any() else np.array([int(margins.argmax())])
