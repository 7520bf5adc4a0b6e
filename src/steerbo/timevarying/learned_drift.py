"""Method `learned-drift`: no priors are given, and one Gaussian process learns how the objective drifts.

Points and times have one process, as in cost-varying problems with `drift="learned"`. Its
hyperparameters, and whether the objective stands still, changes, returns with a season, slides or
began anew, are learned from the outcomes (`gp.fit_drift`). Hyperparameters are drawn from their
posterior, and each round maximises `μ + β σ`, over available and feasible points: by one of the
draws while nothing drifts, by all of them together where the objective does. β is halved: what
may drift is tried again anyway, and the ends of a range are dear. Answers and their bounds average
over the draws, so that no calibration is needed afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from .._arrays import Float, Int
from .._evidence import COMPARABLE
from ..bandit import Calibration
from ..core import (
    TIME,
    Choice,
    DataAdded,
    Explanation,
    Finding,
    History,
    OutcomeTold,
    Problem,
    Recommendation,
    Result,
    Scope,
    Streams,
    horizon,
    reason,
    time_of,
)
from ..errors import InvalidProblem
from ..gp import (
    AnovaKernel,
    Averaged,
    DriftModel,
    GPRegression,
    OutlierRule,
    PriorKnowledge,
)
from ..optim import maximise
from ..records import record
from ..surrogate import (
    FLEETING,
    STARTING_POINTS,
    Data,
    DriftTracker,
    Margins,
    OutcomeModels,
    RowsModel,
    average_gain,
    better,
    drift_correlations,
    first_steps,
    is_told,
    reach,
    rows_told,
    subset_used,
    undecided,
)
from ._today import TodaysPlaces
from .data import Maximiser, Place, Places, RoundView, draw_largest
from .method import Candidates, TimeVaryingMethod, time_and_seen
from .problem import TimeVarying, place_of, settings
from .surrogates import any_point, any_site, best_site, box_of


class DriftingSurrogate:
    """Posterior of the objective over places and times, in units of `sign · value`, with a learned drift.

    It answers as surrogates of several priors do, with one row. Where today's settings are told, it
    sees by how much a place differs from them at its time: whoever follows a curve over the weather
    is always at the same place, of which every outcome tells.

    Args:
        problem: the problem.
        seed: of draws of the hyperparameters.
        history: of the study, whatever it is by now.

    Attributes:
        drift: how the objective changes with time, and when hyperparameters are due.
    """

    def __init__(self, problem: TimeVarying, seed: int, history: History) -> None:
        self.problem, self._seed = problem, seed
        self.today = TodaysPlaces(problem)
        self.drift, self._history = DriftTracker("learned"), history
        self._rows = RowsModel(self.drift, self.empty, is_told, self._rows_of)
        others = partial(self._empty, noise=None)
        self.outcomes = OutcomeModels(problem.traded, others, self.points_of, history, "learned")

    @property
    def model(self) -> GPRegression[Any]:
        """Gaussian process over encoded points, and the time, given all outcomes as they stand."""
        return self._given.model

    @property
    def _given(self) -> RowsModel:
        return self._rows.given(self._history.results, self._history.fit("objective"))

    def empty(self, drift_model: DriftModel | None) -> GPRegression[Any]:
        """Make a model without data for a drift."""
        return self._empty(drift_model, self.problem.noise)

    def _empty(self, drift_model: DriftModel | None, noise: float | None) -> GPRegression[Any]:
        kernel = AnovaKernel.over(self.problem.axes.categorical)
        assert drift_model is not None  # it is learned
        drifting = drift_model.over(kernel, len(self.problem.axes))
        known = PriorKnowledge(noise, outliers=OutlierRule(timed=True))
        return GPRegression(drifting, seed=self._seed, known=known)

    # -- outcomes ----------------------------------------------------------------------------------

    def _rows_of(self, told: Sequence[Result]) -> Data:
        """Points, values and stated errors of outcomes."""
        return rows_told(self.points_of(told), told, self.problem.sign)

    def points_of(self, told: Sequence[Result]) -> Float[np.ndarray, "n e"]:
        """Rows of the model for results."""
        rows = [self.row(each) for each in told]
        return np.array(rows).reshape(-1, len(self.problem.axes) + 1)

    def row(self, result: Result) -> Float[np.ndarray, " e"]:
        """Row of the model for a result; data that say no time are of the clock when they came."""
        played, said = result.played, result.realised.get("time", result.time)
        time = said if played is None else played.request["time"]
        return self.rows(np.array([place_of(self.problem, result.realised)]), time)[0]

    def rows(self, places: np.ndarray, time: float) -> Float[np.ndarray, "r e"]:
        """Rows of the model for places, all at one time."""
        points = places if self.problem.points is None else self.problem.points[places]
        if self.today.known:
            points = self.today.away(points, time)
        return np.column_stack([points, np.full(len(points), time)])

    def reach(
        self, time: float, limits: Candidates
    ) -> tuple[Float[np.ndarray, " d"], Float[np.ndarray, " d"]]:
        """Encoded distances below and above today's settings within which a play at this time lies: see `reach`."""
        rows, offsets, margins = self._beside_today(time, limits)
        good = better(self.model, rows, rows - offsets, margins)
        anywhere = limits.feasibility.nothing_near(margins)
        least = first_steps(self.problem.space, anywhere=anywhere)
        return reach(offsets[:, :-1], good, least)

    def undecided(self, time: float, limits: Candidates) -> bool:
        """Whether the latest play's settings may be better or worse than today's at this time, and none is better."""
        rows, offsets, margins = self._beside_today(time, limits)
        if limits.feasibility.nothing_near(margins):
            return False
        return undecided(self.model, rows, rows - offsets, margins)

    def _beside_today(
        self, time: float, limits: Candidates
    ) -> tuple[Float[np.ndarray, "n e"], Float[np.ndarray, "n e"], Margins]:
        """The model's rows as of this time, their differences from today's settings, and the margins of both."""
        rows = self.model.inputs.copy()
        rows[:, -1] = time
        offsets = np.where(np.append(self.today.settable, False), rows, 0.0)
        return rows, offsets, limits.margins(self._given.told, offsets[:, :-1], time)

    def refit(self) -> Mapping[str, Any] | None:
        """Learn hyperparameters and drift of all outcomes anew, where that is due for one of them."""
        rows, until = self._given, partial(horizon, self._history)
        if not rows.due() and not self.outcomes.due:
            return None
        return {"objective": rows.fit(until), **self.outcomes.fit(until)}

    @property
    def outliers(self) -> list[str]:
        """See `RowsModel.outliers`."""
        return self._given.outliers

    # -- posteriors --------------------------------------------------------------------------------

    def posterior(self, time: float) -> tuple[Float[np.ndarray, "1 X"], Float[np.ndarray, "1 X"]]:
        """Means and standard deviations at all points of a finite domain, (1, X) each."""
        assert self.problem.points is not None
        mean, sd = Averaged(self.model).predict(
            self.rows(np.arange(len(self.problem.points)), time)
        )
        return mean[None], sd[None]

    def joint(
        self, prior: int, sites: Int[np.ndarray, " J"], time: float
    ) -> tuple[Float[np.ndarray, " J"], Float[np.ndarray, "J J"]]:
        """Means and covariances among some points of a finite domain, by the likeliest hyperparameters."""
        rows = self.rows(sites, time)
        mean, _ = self.model.predict(rows)
        half = self.model.factor.half_solve(
            self.model.kernel(self.model.inputs[self.model.counted], rows)
        )
        return mean, self.model.scale**2 * (self.model.kernel(rows, rows) - half.T @ half)

    # -- choices -----------------------------------------------------------------------------------

    def optimistic(
        self,
        view: RoundView,
        betas: Float[np.ndarray, " 1"],
        priors: Int[np.ndarray, " k"],
        random: np.random.Generator,
        draw: int | None = None,
    ) -> Maximiser:
        """Maximise `μ + β σ` over the places of a view; ties are drawn.

        Args:
            view: of the round.
            betas: β, (1,).
            priors: number 0.
            random: to draw ties.
            draw: number of the draw of hyperparameters; None: the average over all.
        """
        model = Averaged(self.model) if draw is None else self.model.member(draw)
        beta = float(betas[0])
        pending = [self.rows(np.array([u.place]), u.time)[0] for u in view.unknown]

        def moments(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return model.predict(self.rows(places, view.time))

        def upper(places: np.ndarray) -> np.ndarray:
            mean, sd = moments(places)
            return np.asarray(mean + beta * sd)

        with model.with_fantasies(np.array(pending).reshape(-1, len(self.problem.axes) + 1)):
            if (sites := self.problem.points) is not None:
                mean, sd = (each[None] for each in moments(np.arange(len(sites))))
                return best_site(view, (mean, sd), mean + beta * sd, np.array([0]), random)
            place = self._search(view, model, beta, upper, random)
            best = float(upper(place[None])[0])
        mean, sd = moments(place[None])
        return Maximiser(place, 0, float(mean[0]), float(sd[0]), best)

    def _search(
        self, view: RoundView, model: Any, beta: float, upper: Any, random: np.random.Generator
    ) -> np.ndarray:
        """Find the place of a box with the largest upper bound, as exactly whatever its unit and origin are."""
        origin = float(model.unstandardise(np.zeros(1))[0])

        def standardised(points: np.ndarray) -> np.ndarray:
            return np.asarray((upper(points) - origin) / model.scale)

        def rising(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            mean, variance, rise, widening = model.moments_and_gradients(
                self.rows(points, view.time)
            )
            sd = np.sqrt(np.maximum(variance, 1e-16))
            slope = (rise + beta * widening / (2 * sd)[:, None])[:, :-1]
            return np.asarray(mean + beta * sd), slope

        return np.asarray(self.highest(view, standardised, rising, random))

    def highest(self, view: RoundView, upper: Any, rising: Any, random: np.random.Generator) -> Any:
        """Find the available place where a function is largest; ties are drawn.

        Args:
            view: of the round.
            upper: function of places (n,) or (n, d) to its values (n,).
            rising: the same of points of a box, with gradients; it is not asked on a finite domain.
            random: to draw ties, and where the search begins.
        """
        listed = view.available
        if (sites := self.problem.points) is not None:
            places = np.arange(len(sites)) if listed.sites is None else np.array(listed.sites)
        elif listed.points is not None:
            places = listed.points
        else:
            seed = int(random.integers(2**32))
            return maximise(upper, rising, box_of(self.problem, view), seed).point
        return places[draw_largest(upper(places), random)]

    def anywhere(self, view: RoundView, random: np.random.Generator) -> Place:
        """Draw an available place."""
        if (sites := self.problem.points) is not None:
            return any_site(view, len(sites), random)
        return any_point(view, box_of(self.problem, view), random)


@record
class LearnedDriftOptions:
    """Options of `learned-drift`.

    Args:
        beta: β, width of the bound in posterior standard deviations; half as much where the
            objective drifts, or the whole range may be played.
    """

    beta: float = Field(2.0, ge=0, allow_inf_nan=False)


class LearnedDrift(TimeVaryingMethod[LearnedDriftOptions]):
    """Learn from the outcomes whether and how the objective drifts, seasons included; for problems without priors."""

    name: ClassVar[str] = "learned-drift"
    Options: ClassVar[type[Any]] = LearnedDriftOptions
    needs_priors: ClassVar[bool] = False
    takes_priors: ClassVar[bool] = False
    """Whether priors may be given, which it leaves out."""

    def __init__(
        self, problem: TimeVarying, options: LearnedDriftOptions, streams: Streams, history: History
    ) -> None:
        if not (problem.automatic or self.takes_priors):
            raise InvalidProblem(
                "priors", len(problem.given), "no priors: this method learns how the objective drifts",
                "Leave ‹priors› out, or take ‹tempered-elimination›.",
            )  # fmt: skip
        super().__init__(problem, options, streams, history)

    @classmethod
    def is_default_for(cls, problem: Problem) -> bool:
        """Whether no priors are given."""
        return isinstance(problem, TimeVarying) and problem.automatic

    def _pose(self) -> None:
        self.names = ["learned drift"]
        self._drifting = DriftingSurrogate(
            self.problem, self.streams.integer(0, "hyperparameters"), self.history
        )

    @property
    def surrogate(self) -> DriftingSurrogate:  # type: ignore[override]
        """Posterior of the objective given the outcomes."""
        return self._drifting

    calibration = Calibration()
    """Bounds average over draws of the hyperparameters: nothing is calibrated afterwards."""

    def weights(self) -> Float[np.ndarray, " 1"]:
        """One: the only posterior there is, (1,)."""
        return np.ones(1)

    def trusted(self) -> list[int]:
        """Number of the only posterior there is."""
        return [0]

    def lasting(
        self, times: Float[np.ndarray, " n"], others: Float[np.ndarray, " m"]
    ) -> Float[np.ndarray, "n m"]:
        """Correlations of the objective between times, as known by now."""
        return drift_correlations(self.surrogate.model, times, others)

    # -- learning ----------------------------------------------------------------------------------

    def check_fit(self) -> None:
        """See `Method.check_fit`."""
        super().check_fit()
        _ = self.surrogate.model, self.surrogate.outcomes.by_name

    def refit(self) -> Mapping[str, Any] | None:
        """Hyperparameters of the objective and of the constrained outcomes, where they are due."""
        return {**(self.surrogate.refit() or {}), **(super().refit() or {})} or None

    def expected_outcome(self, event: OutcomeTold | DataAdded) -> tuple[float, float, float] | None:
        """See `Method.expected_outcome`; external data may come from any time, and are not compared."""
        if len(self.surrogate.model) < COMPARABLE or isinstance(event, DataAdded):
            return None
        place = place_of(self.problem, event.outcome.realised)
        rows = self.surrogate.rows(np.array([place]), time_of(self.history[event.token]))
        mean, deviation = self.surrogate.model.predictive(rows[0])
        return event.outcome.value, self.problem.sign * mean, deviation

    def outliers(self) -> Sequence[str]:
        """See `Method.outliers`."""
        return self.surrogate.outliers

    def findings(self) -> Sequence[Finding]:
        """Find that there are more outcomes than the model uses."""
        return subset_used(len(self.surrogate.model), len(self.surrogate.model.counted))

    # -- choosing ----------------------------------------------------------------------------------

    @property
    def beta(self) -> float:
        """β, as things stand; plays within reach of today's settings are near ones until a drift is seen."""
        wide = self.surrogate.today.known and not self.surrogate.drift.drifts
        return self.options.beta * (1.0 if wide else FLEETING)

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Maximise the upper bound by one draw of the hyperparameters; at first, choose at random.

        Where the objective drifts the bound is that of all draws together: one draw explores beside
        its width, and knowledge does not last.
        """
        if (today := self.todays_play(request)) is not None:
            return today
        t, view = self.history.next_round, self.view(request)
        if len(self.surrogate.model) + len(self.history.pending) < STARTING_POINTS:
            return self._start(view, t)
        drifts = self.surrogate.drift.drifts
        draw = None if drifts else self.streams.integer(t, "hyperparameters")
        pick = self.surrogate.optimistic(
            view, np.array([self.beta]), np.array([0]), self.streams(t, "ties"), draw
        )
        return self.play(pick, view, self.beta)

    def holds_today(self, time: float) -> bool:
        """See `TimeVaryingMethod.holds_today`; and after a play that is undecided: see `surrogate._reach`."""
        if (latest := self.history.latest) is None or not self.surrogate.today.known:
            return super().holds_today(time)
        return not latest.suggestion.note.get("current") and self.surrogate.undecided(
            time, self.candidates
        )

    def places(self, time: float, context: Mapping[str, Any], asked: Any = None) -> Places:
        """See `TimeVaryingMethod.places`; those within reach of today's settings, where there are any.

        Beyond it nothing was played, and the model returns to the mean of what is good.
        """
        left, today = super().places(time, context, asked), self.surrogate.today
        if not today.known:
            return left
        near = today.within(left, context, time, self.surrogate.reach(time, self.candidates))
        return left if near is None else near

    def _start(self, view: RoundView, number: int) -> Choice:
        place = self.surrogate.anywhere(view, self.streams(number, "start"))
        return Choice(self.problem.scope, settings(self.problem, place, view.available))

    # -- answers -----------------------------------------------------------------------------------

    def recommend_at(self, context: Mapping[str, Any]) -> Recommendation:
        """See `TimeVaryingMethod`; with the gain over today's settings."""
        return self._beside_today(super().recommend_at(context), context)

    def gain_at(self, context: Mapping[str, Any]) -> float:
        """See `TimeVaryingMethod`; infinite while places are drawn at random: two outcomes alike tell a small scale."""
        if len(self.surrogate.model) < STARTING_POINTS:
            return math.inf
        return super().gain_at(context)

    def _beside_today(self, best: Recommendation, context: Mapping[str, Any]) -> Recommendation:
        """Add to an answer by how much it is expected to be better than today's settings, and how sure that is."""
        if self.problem.today is None:
            return best
        time, seen = time_and_seen(context)
        today = self.problem.today({**seen, TIME.name: time})
        rows = (
            self.surrogate.rows(np.array([place_of(self.problem, {**seen, **values})]), time)
            for values in (best.values, today)
        )
        gain = average_gain(Averaged(self.surrogate.model), *rows)
        fit = self.candidates.fits({**seen, **today}, time, answer=True)
        unfit = [] if fit else [reason("today-unfit")]
        return replace(best, reasons=(*best.reasons, gain, *unfit))

    def deviation(self, p: int, sd: float) -> float:
        """Standard deviation of the objective, as the posterior has it."""
        return sd

    def bound_inflation(self, scope: Scope) -> float:
        """Infinite until outcomes tell a scale; then that of a model that is not quite right: see `bandit.MISFIT`."""
        return self.surrogate.drift.widening

    def explain(self) -> Explanation:
        """Explain how the objective drifts, and the value that the latest choice expected."""
        drift = self.surrogate.drift.model
        assert drift is not None  # it is learned
        summary = f"drift, as the outcomes show it: {drift.said(self.surrogate.model.kernel)}"
        return Explanation(summary, (self.table_of_present_choice(),))
