"""Feasibility of actions: constraints on settings, and the probability to satisfy those on outcomes and to work.

A play that fails brings nothing, see `bandit.expected_with_failure`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from .._arrays import Float, Int
from ..bandit import expected_with_failure
from ..core import TIME, DataAdded, History, Round, Scope
from ..errors import InvalidProblem
from ..gp import DriftModel, GPRegression
from ..optim import Box, Margin, kronecker
from ..space import Limit, OutcomeConstraint
from ..surrogate import (
    ConstraintModels,
    Controlled,
    FailureModel,
    Feasibility,
    Part,
    Uncontrolled,
    drift_correlations,
)
from ._arms import Arm
from ._constraints import ScopeConstraints
from ._contexts import known_in
from ._observational import teaches
from .models import ArmModel, ArmModels, EmptyModel
from .problem import Causal

_GRID = 64  # settings of each action among which a feasible one is sought


class Reach(Protocol):
    """From actions and the values known by then to the encoded ends of some of them."""

    @property
    def reads(self) -> Collection[str]:
        """Variables that these ends hang on."""

    def __call__(
        self, names: tuple[str, ...], known: Mapping[str, Any]
    ) -> Mapping[str, tuple[float, float]]:
        """Ends by action; none for one that may lie anywhere."""


@dataclass(frozen=True, eq=False)
class ArmFeasibility:
    """Feasibility of the actions of one arm: by constraints on settings, and by learned outcomes and failures.

    `reach`: encoded ends of actions, given known values; None: they may lie anywhere.
    """

    arm: Arm
    constraints: ScopeConstraints | None = None
    learned: Feasibility | None = None
    reach: Reach | None = None

    @property
    def concerned(self) -> frozenset[str]:
        """Variables on whose values the settings hang that may be chosen."""
        limited = () if self.constraints is None else self.constraints.concerned
        return frozenset(limited).union(() if self.reach is None else self.reach.reads)

    @property
    def for_answers(self) -> ArmFeasibility:
        """The same of answers: see `Feasibility.for_answers`."""
        return self if self.learned is None else replace(self, learned=self.learned.for_answers)

    @property
    def probabilistic(self) -> bool:
        """Whether anything must be likely: to satisfy a constraint on an outcome, or to work."""
        return self.learned is not None and self.learned.active

    @property
    def constrained(self) -> bool:
        """Whether there is anything to satisfy."""
        return self.probabilistic or (
            self.constraints is not None and bool(self.constraints.limits)
        )

    def box(self, names: tuple[str, ...], known: Mapping[str, Any]) -> Box:
        """Region of actions by the constraints on settings; see `ScopeConstraints.region`."""
        near = {} if self.reach is None else self.reach(names, known)
        if self.constraints is None:
            return self.arm.box(names, near)
        return self.constraints.region(self.arm, names, known, near)

    def region(
        self, names: tuple[str, ...], known: Mapping[str, Any], unseen: Mapping[str, Uncontrolled]
    ) -> Box:
        """Region of actions that are also likely enough to satisfy constraints on outcomes, and to work.

        Settings and contexts known by then count as they are; other contexts are drawn as `unseen`
        says.
        """
        box, arm = self.box(names, known), self.arm
        if self.learned is None or not self.learned.active or not names:
            return box
        group = [name for name in names if name not in known]
        counted = {*arm.actions, *arm.looked_at(group), TIME.name}
        parts = arm.parts(
            group, {n: known[n] for n in arm.names if n in known and n in counted}, unseen
        )
        own = [names.index(name) for name in group]
        region = self.learned.region(box, parts, columns=own)
        return box if region is None else region

    def margin(self, parts: Sequence[Part]) -> Margin | None:
        """Margin by which actions are likely enough, as a function of them; None: all are, as far as is known."""
        return None if self.learned is None else self.learned.margin(parts)

    def margins_at(self, points: Float[np.ndarray, "m d"]) -> Float[np.ndarray, " m"] | None:
        """Margins at full points of the arm, (m,); None if all are likely enough."""
        margin = self.margin([Controlled()] * points.shape[1])
        return None if margin is None else margin(points)

    def grid(
        self, unit: Float[np.ndarray, "g k"], contexts: Sequence[Mapping[str, Any]]
    ) -> ActionGrid:
        """Place points of the unit cube in the region of all actions, at each of some contexts."""
        arm, looks = self.arm, self.arm.encode_contexts(contexts)
        moving = bool(self.concerned & set(arm.contexts))
        grids = [
            self.box(arm.actions, seen).place(unit)
            for seen in contexts[: len(looks) if moving else 1]
        ]
        grid = np.stack(grids) if moving else np.repeat(grids[0][None], len(looks), axis=0)
        rows = np.concatenate([grid, np.repeat(looks[:, None], grid.shape[1], axis=1)], axis=2)
        found = ActionGrid(rows)
        margins = self.margins_at(found.flat)
        return found if margins is None else ActionGrid(rows, margins.reshape(rows.shape[:2]))

    def infeasible_share_of(self, contexts: Callable[[], Sequence[Mapping[str, Any]]]) -> float:
        """Share of contexts in which no action is known that is likely enough; see `infeasible_share`.

        It counts as if every action looked at all contexts, which are computed only if anything
        must be likely.
        """
        if not self.probabilistic:
            return 0.0
        k = len(self.arm.actions)
        unit = kronecker(_GRID * k, k) if k else np.zeros((1, 0))
        return infeasible_share(infeasibility(self.grid(unit, contexts()).margins, 1))

    def slack(self, limit: Limit, cases: Sequence[Mapping[str, Any]]) -> float | None:
        """Slack of a constraint in cases with the same contexts and settings; None if it says nothing here."""
        if not isinstance(limit, OutcomeConstraint):
            return (
                None
                if self.constraints is None
                else self.constraints.slack(limit, self.arm, cases[0], cases[0])
            )
        rows = np.concatenate([self.arm.encode(case) for case in cases])
        return None if self.learned is None else self.learned.slack(limit.name, rows)


@dataclass(frozen=True, eq=False)
class ActionGrid:
    """Actions on a grid, at some contexts.

    Attributes:
        rows: (r, g, d) points of the arm.
        margins: (r, g) margins of feasibility; None: everything is feasible.
    """

    rows: Float[np.ndarray, "r g d"]
    margins: Float[np.ndarray, "r g"] | None = None

    @property
    def flat(self) -> Float[np.ndarray, "m d"]:
        """All rows, actions running fastest."""
        return self.rows.reshape(
            self.rows.shape[0] * self.rows.shape[1], -1 if self.rows.size else 0
        )

    def best(self, values: Float[np.ndarray, "r g"]) -> Int[np.ndarray, " r"]:
        """Index of the best feasible action at each context; see `best_feasible`."""
        return best_feasible(values, self.margins)


def best_feasible(
    values: Float[np.ndarray, "r g"], margins: Float[np.ndarray, "r g"] | None
) -> Int[np.ndarray, " r"]:
    """Index of the largest value with a margin not below 0, in each row; if there is none, of the largest margin.

    >>> best_feasible(np.array([[1.0, 3.0], [1.0, 3.0]]), np.array([[0.5, -1.0], [-1.0, -0.5]]))
    array([0, 1])
    """
    if margins is None:
        return np.asarray(values.argmax(axis=1))
    kept = np.where(margins >= 0.0, values, -np.inf).argmax(axis=1)
    return np.where(margins.max(axis=1) < 0.0, margins.argmax(axis=1), kept)


def infeasibility(margins: Float[np.ndarray, "r g"] | None, rows: int) -> Float[np.ndarray, " r"]:
    """Infeasibility of each row: 0 if an action is likely enough, else from 1 to 2, the less likely the more."""
    if margins is None:
        return np.zeros(rows)
    lacking = -margins.max(axis=1)
    return np.where(lacking > 0.0, 1.0 + lacking / (1.0 + np.abs(lacking)), 0.0)


def infeasible_share(rows: Float[np.ndarray, " r"]) -> float:
    """Share of rows that are infeasible; if all are, their mean infeasibility, from 1 to 2.

    >>> infeasible_share(np.array([0.0, 1.5])), infeasible_share(np.array([1.25, 1.75]))
    (0.5, 1.5)
    """
    return float(rows.mean() if (rows > 0.0).all() else (rows > 0.0).mean())


def required_without_failure(worth: float, likely: float, told: Float[np.ndarray, " n"]) -> float:
    """Value v that an arm must have where it works to count as `worth`: the inverse of `expected_with_failure`.

    >>> required_without_failure(2.0, 0.25, np.array([1.0, 3.0, 2.0]))
    5.0
    """
    worst = float(told.min())
    return worst + (worth - worst) / likely if likely < 1.0 and worth > worst else worth


class ArmsFeasibility:
    """Feasibility of all arms: constraints on settings, and for each model of arms `learned` outcomes and failures.

    Only plays inform the models of constrained outcomes: observations without intervention are
    licensed by the graph for the target alone.
    """

    def __init__(
        self,
        problem: Causal,
        models: ArmModels,
        constraints: ScopeConstraints,
        empty_model: EmptyModel,
        *,
        history: History,
        since: int = 0,
    ) -> None:
        self.constraints, self._models = constraints, models
        each = [_ModelData(models, k, empty_model) for k in range(len(models.typical))]
        self.learned = [data.feasibility(problem, history, since) for data in each]

    def of(self, i: int) -> ArmFeasibility:
        """Feasibility of arm `i`."""
        learned = self.learned[self._models.model_of[i]]
        return ArmFeasibility(self._models.arms[i], self.constraints, learned)

    # -- learning ----------------------------------------------------------------------------------

    def check_fit(self) -> None:
        """Condition all models of outcomes with the latest fit.

        Raises:
            InvalidStudy: it is not one of such models.
        """
        for each in self.learned:
            _ = each.models

    def refit(self, horizon: Callable[[float], float]) -> dict[str, Any]:
        """Fit hyperparameters of constrained outcomes where that is due; returns them by model, as plain data."""
        return {str(k): each.fit(horizon) for k, each in enumerate(self.learned) if each.due}

    # -- failures ----------------------------------------------------------------------------------

    @property
    def success_probabilities(self) -> Float[np.ndarray, " m"]:
        """Probability of each arm to work, at the best point of its model."""
        by_model = [each.failures.chance for each in self.learned]
        return np.array([by_model[k] for k in self._models.model_of])

    def failures_of(self, i: int) -> FailureModel | None:
        """Model of failures of arm `i`; None where nothing has failed."""
        failures = self.learned[self._models.model_of[i]].failures
        return failures if failures.failures else None

    def failed(self) -> np.ndarray:
        """Arms whose model has a failure, (m,) truth values."""
        return np.array([self.learned[k].failures.failures > 0 for k in self._models.model_of])

    def counted_plays(self, plays: Int[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
        """Plays of each arm less failures of long ago, if effects change; arms of a model share its failures."""
        of = np.array(self._models.model_of)
        every = np.bincount(of, weights=plays, minlength=len(self.learned))
        faded = np.array([each.failures.faded for each in self.learned])
        return np.asarray(plays * (1.0 - faded / np.maximum(every, 1.0))[of])

    def expected(
        self,
        worths: Float[np.ndarray, " k"],
        some: Iterable[int] | None = None,
        told: Float[np.ndarray, " n"] | None = None,
    ) -> Float[np.ndarray, " k"]:
        """Values of arms (`some`, or all) with failures counted; see `expected_with_failure`.

        `told` are all outcomes in units of `worths`, where these are not of the value alone.
        """
        likely = self.success_probabilities
        likely = likely if some is None else likely[np.array([*some], dtype=int)]
        told = self._models.outcomes if told is None else told
        return expected_with_failure(worths, likely, told)

    def check_open(self, scope: Scope) -> None:
        """Refuse rounds of a scope to which constraints leave nothing since bounds were widened.

        Raises:
            InvalidProblem: naming the scope.
        """
        if scope not in self._models.number:
            hint = "A variable left to nature counts at that end of its bounds which is worst for the limit."
            raise InvalidProblem(
                "bounds",
                str(scope),
                "bounds with feasible settings of every scope that was tried",
                hint,
            )


@dataclass(frozen=True, eq=False)
class _ModelData:
    """Data of model `k` for the models of constrained outcomes and failures; its methods can be pickled."""

    models: ArmModels
    k: int
    empty_model: EmptyModel

    def feasibility(self, problem: Causal, history: History, since: int) -> Feasibility:
        """Make the models of constrained outcomes and failures; the first `since` fits are of other models."""
        arm = self.models.typical[self.k]
        names = arm.actions + arm.measured
        unordered = np.zeros(0, dtype=bool) if arm.space is None else arm.space.categorical
        lasting = self.lasting if problem.timed else None
        failures = FailureModel(unordered, self.point, history, lasting=lasting, tells=self.ended)
        if not problem.further:
            return Feasibility(failures)
        logged = "further", str(self.k)
        outcomes = ConstraintModels(
            problem.further,
            self.fresh,
            problem.drift,
            names,
            self.point,
            history=history,
            tells=self.informs,
            logged=logged,
            since=since,
        )
        return Feasibility(failures, outcomes)

    def fresh(self, drift_model: DriftModel | None) -> ArmModel:
        """Make a model of a constrained outcome, without data."""
        return self.empty_model(self.models.typical[self.k].space, drift_model)

    def point(
        self, realised: Mapping[str, Any], name: str, played: Round | None
    ) -> Float[np.ndarray, " d"]:
        """Encoded point of a play, or of an external trial, (d,)."""
        if played is None:
            found: Float[np.ndarray, " d"] = self.models.typical[self.k].encode(realised)[0]
            return found
        return self.models.point(played)

    def lasting(
        self, times: Float[np.ndarray, " n"], others: Float[np.ndarray, " m"]
    ) -> Float[np.ndarray, "n m"]:
        """Correlations of the effects between times, by the model's drift; ones of a model from outside."""
        model = self.models.regressions[self.k]
        if not isinstance(model, GPRegression):
            return np.ones((len(times), len(others)))
        return drift_correlations(model, times, others)

    def ended(self, tried: Round | DataAdded) -> bool:
        """Whether a play, or an external trial, is of this model, and all its actions were set."""
        if isinstance(tried, DataAdded):
            return teaches(tried, self.models.typical[self.k])
        return self.informs(tried) and known_in(tried).keys() >= set(tried.suggestion.scope.set)

    def informs(self, played: Round | None) -> bool:
        """Whether a play is of this model; observations are not."""
        return played is not None and self.models.model_of[self.models.arm_of(played)] == self.k
