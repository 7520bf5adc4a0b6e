"""Base of the methods for time-varying problems: data and surrogate, feasible places, choices, and answers.

Each method keeps the posteriors of one or more candidate priors, all in units of `sign · value`. In
a round it maximises the upper confidence bound `μ_p(x, t) + β_p σ_p(x, t)` over the available
feasible points x and the priors p that it still believes. Methods differ in which priors these are
(`believed`), in the surrogate that they use (`surrogate_at`), and in how outcomes compare priors
(`Comparison`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from .._arrays import Float, Int
from .._evidence import BOUND
from ..bandit import Calibration
from ..core import (
    TIME,
    Choice,
    DataAdded,
    Finding,
    Fold,
    History,
    Method,
    OptionsT,
    OutcomeTold,
    PolicyStep,
    Reason,
    Recommendation,
    Result,
    Round,
    Scope,
    Streams,
    Suggestion,
    Table,
    cached_until_next_event,
    finding,
    horizon,
    now,
    read_note,
    reason,
    time_of,
)
from ..errors import InvalidProblem, InvalidStudy
from ..gp import AnyDrift, DriftModel, GPRegression, SquaredExponentialKernel, correlation
from ..records import record, to_dict
from ..space import OutcomeConstraint, violated
from ..surrogate import (
    OUTCOMES_FIT,
    SURE,
    ConstraintModels,
    Controlled,
    FailureModel,
    Feasibility,
    Lasting,
    Margins,
    Observed,
    Part,
    build_model,
    feasible,
    read_likely,
    rows_at,
)
from ._comparison import PriorComparison, Surrogate
from ._units import unit_of
from ._validation import UnlikelyLengthscale
from .confidence import Confidence, Width
from .data import Maximiser, PendingPoint, Places, RoundView
from .problem import TimeVarying, place_of, settings
from .surrogates import BoxSurrogate, FailedPoints, finite_surrogate

SHOWN = 20
"""Largest number of priors in a table."""
_WITHOUT = "Without priors take ‹learned-drift›, the default: it learns how the objective drifts."


@record
class Belief:
    """Expectation behind a choice, in the user's units; it is logged as the note of the round.

    Args:
        prior: number of the prior behind the choice.
        mean: mean of the objective by that prior.
        band: half-width of its confidence band, β posterior standard deviations.
        upper: upper confidence bound, which was maximised.
    """

    prior: int
    mean: float
    band: float
    upper: float


def belief_behind(asked: Suggestion) -> Belief | None:
    """Read the expectation behind a choice; None where no prior was behind it."""
    return read_note(Belief, asked.note) if "prior" in asked.note else None


def time_and_seen(context: Mapping[str, Any]) -> tuple[float, dict[str, Any]]:
    """Split the context of an answer into its time and the values seen before choosing."""
    return context[TIME.name], {name: x for name, x in context.items() if name != TIME.name}


def _count_play(plays: Int[np.ndarray, " P"], asked: Suggestion) -> Int[np.ndarray, " P"]:
    """Add a choice to the plays of the prior behind it."""
    expected = belief_behind(asked)
    return plays if expected is None else plays + (np.arange(len(plays)) == expected.prior)


def _take(comparison: PriorComparison, result: Result) -> PriorComparison:
    comparison.take(result)
    return comparison


@record
class CandidatePriorsOptions:
    """Options of the methods that use all priors, and the base of the other methods' options.

    Args:
        confidence: a number for β, or the word "theory" (Theorem 4.1: safe, and far wider than
            pays).
        delta: δ, the probability with which the theory may fail.
    """

    confidence: Width = "theory"
    delta: float = Field(0.1, gt=0, lt=1)


class Candidates:
    """Places that can be chosen in a round: available, allowed in its context, and feasible.

    Args:
        problem: the problem.
        history: of the study, whatever it is by then.
        lasting: correlations of the objective between times, as known by now.

    Attributes:
        feasibility: models of the constrained outcomes, which may drift like the objective, and of
            failures.
    """

    def __init__(self, problem: TimeVarying, history: History, lasting: Lasting) -> None:
        self.problem, self._history = problem, history
        self._drifts = problem.automatic or any(prior.drift is not None for prior in problem.given)
        drift: AnyDrift = "learned" if self._drifts else None
        self._constraints = ConstraintModels(
            problem.further,
            self._regression,
            drift,
            problem.space.names,
            self._row,
            history=history,
        )
        self.feasibility = Feasibility(
            FailureModel(
                problem.space.categorical,
                self._row,
                history,
                lasting=lasting if self._drifts else None,
            ),
            self._constraints,
        )

    def _regression(self, drift: DriftModel | None) -> GPRegression[Any]:
        kernel = SquaredExponentialKernel.over(self.problem.space.categorical)
        return build_model(self.problem.space, drift, kernel, unseen=True)

    def _row(
        self, realised: Mapping[str, Any], name: str, played: Round | None
    ) -> Float[np.ndarray, " d"]:
        """Encode realised values, with the time where constrained outcomes drift."""
        point = self.problem.space.encode([realised])[0]
        if not self._drifts:
            return point
        when = (
            time_of(played)
            if played is not None
            else realised.get("time", self._history.clock_at(name))
        )
        return np.append(point, when)

    def view(
        self,
        time: float,
        left: Places,
        unknown: Sequence[PendingPoint] | None = None,
    ) -> RoundView:
        """View of a round: those of some places that are feasible at this time.

        Where no listed place is feasible, the one nearest to it is kept; a box is searched for it.

        Args:
            time: time of the round.
            left: places that can be chosen then.
            unknown: places tried without an outcome. None: the view is for an answer, which no
                pending place shrinks and which must be surer to work.
        """
        feasibility = self.feasibility.for_answers if unknown is None else self.feasibility
        unknown = unknown or ()
        likely = feasibility.margin(self._parts(time))
        if likely is None:
            return RoundView(time, left, unknown)
        if self.problem.sites is not None:
            numbers = range(len(self._sites)) if left.sites is None else left.sites
            kept = feasible(likely(self._sites[np.array(numbers)]))
            some = Places(sites=numbers).only(kept)
            return RoundView(time, some, unknown, lambda some: likely(self._sites[some]))
        if left.points is None:
            return RoundView(time, left, unknown, likely, likely.gradients)
        return RoundView(time, left.only(feasible(likely(left.points))), unknown, likely)

    def _parts(self, time: float) -> list[Part]:
        return [
            *(Controlled() for _ in self.problem.space),
            *([Observed(time)] if self._drifts else []),
        ]

    @cached_property
    def _sites(self) -> Float[np.ndarray, "X d"]:
        names = self.problem.space.names
        return self.problem.space.encode(
            [dict(zip(names, site, strict=True)) for site in self.problem.sites or ()]
        )

    def slack(self, name: str, values: Mapping[str, Any], time: float) -> float | None:
        """Slack of the constraint on one outcome at values of all variables; None where too little is known."""
        return self.feasibility.slack(name, self._rows(values, time))

    def limit_probabilities(self, values: Mapping[str, Any], time: float) -> dict[str, float]:
        """Probability to keep each limit of which enough is known, by outcome, at values of all variables."""
        return self.feasibility.probability_of_play(
            self._parts(time), self.problem.space.encode([values])
        )

    def margins(
        self, told: Sequence[Result], offsets: Float[np.ndarray, "n d"], time: float
    ) -> Margins:
        """See `Feasibility.margins`: of results at this time, and of settings, which theirs exceed by offsets."""
        rows = self.problem.space.encode([each.realised for each in told])
        others = rows - offsets
        if self._drifts:
            when = np.full((len(rows), 1), time)
            rows, others = np.hstack([rows, when]), np.hstack([others, when])
        return self.feasibility.margins(rows, others)

    def fits(self, values: Mapping[str, Any], time: float, *, answer: bool = False) -> bool:
        """Whether values of all variables are as likely to work, and to keep limits, as a play or an answer must be."""
        feasibility = self.feasibility.for_answers if answer else self.feasibility
        margin = feasibility.margin(self._parts(time))
        return margin is None or bool(margin(self.problem.space.encode([values]))[0] >= 0.0)

    def expected_further(self, event: OutcomeTold) -> Mapping[str, tuple[float, float]]:
        """See `Method.expected_further`."""
        played = self._history[event.token]
        return self._constraints.expected(self._row(event.outcome.realised, event.token, played))

    def success_probability(self, values: Mapping[str, Any], time: float) -> float | None:
        """Probability to work at values of all variables; None where too few have failed near them."""
        if not self.feasibility.failures.failures:
            return None
        return self.feasibility.failures.probability(self._rows(values, time), self._parts(time))

    def _rows(self, values: Mapping[str, Any], time: float) -> Float[np.ndarray, "1 e"]:
        """Encoded row of values of all variables, with the time where outcomes may drift."""
        return rows_at(self._parts(time), dict(enumerate(self.problem.space.encode([values])[0])))


class TimeVaryingMethod(Method[TimeVarying, OptionsT]):
    """Base of the methods for time-varying problems. It has a surrogate, candidates, and a confidence width.

    Attributes:
        candidates: places that can be chosen in a round.
    """

    complete: ClassVar[bool] = True

    solves = TimeVarying
    Comparison: ClassVar[type[PriorComparison]] = PriorComparison
    needs_priors: ClassVar[bool] = True
    """Whether it compares priors, which the user then has to give."""

    def __init__(
        self, problem: TimeVarying, options: OptionsT, streams: Streams, history: History
    ) -> None:
        if self.needs_priors and problem.automatic:
            raise InvalidProblem(
                "priors", problem.priors, "a list of priors: this method compares them", _WITHOUT
            )
        super().__init__(problem, options, streams, history)
        self.candidates = Candidates(problem, history, self.lasting)
        self._pose()
        self._comparison = Fold(_take, self.not_compared)
        self._tries = Fold(self._add_failed, FailedPoints)
        self._plays = Fold(_count_play, partial(np.zeros, len(self.names), dtype=int))

    def sem_unused(self) -> str:
        """See `Method.sem_unused`: models take it into account."""
        return ""

    def expected_further(self, event: OutcomeTold | DataAdded) -> Mapping[str, tuple[float, float]]:
        """See `Method.expected_further`; external data may come from any time, and are not compared."""
        return {} if isinstance(event, DataAdded) else self.candidates.expected_further(event)

    def _pose(self) -> None:
        """Name the priors, and say how wide bounds are."""
        priors = self.problem.given
        self.names = [p.name or f"prior {i + 1}" for i, p in enumerate(priors)]
        width, delta = getattr(self.options, "confidence", 0.0), getattr(self.options, "delta", 0.1)
        self.confidence = Confidence(self.problem, width, delta)

    def empty_surrogate(self) -> Surrogate:
        """Make a surrogate without data: finite or continuous, as the domain is."""
        return (
            finite_surrogate(self.problem)
            if self.problem.points is not None
            else BoxSurrogate(self.problem)
        )

    def lasting(
        self, times: Float[np.ndarray, " n"], others: Float[np.ndarray, " m"]
    ) -> Float[np.ndarray, "n m"]:
        """Correlations of the objective between times by the priors in use, averaged by their weights."""
        elapsed = np.abs(times[:, None] - others)
        found = [
            correlation(prior.drift, elapsed.ravel()).reshape(elapsed.shape)
            for prior in self.problem.given
        ]
        return np.tensordot(self.weights(), np.array(found), axes=1)

    # -- outcomes ----------------------------------------------------------------------------------

    @property
    def plays(self) -> Int[np.ndarray, " P"]:
        """Plays of each prior."""
        return self._plays.of(tuple(each.suggestion for each in self.history))

    @property
    def now(self) -> float:
        """Time of the last round that holds the clock, or of later data."""
        return now(self.history)

    @cached_until_next_event
    def outcomes(self) -> tuple[Result, ...]:
        """Outcomes that priors are compared by, in the order in which they came.

        Data of a time far ahead of all others are left out until another time is near: filters,
        which are of the latest time, would follow them.
        """
        far = {each.name for each in self.history.far_dated if each.time > now(self.history)}
        return tuple(
            each
            for each in self.history.results
            if each.outcome is not None and each.name not in far
        )

    @property
    def comparison(self) -> PriorComparison:
        """Comparison of the priors by the outcomes as they stand."""
        return self._comparison.of(self.outcomes())

    def not_compared(self) -> PriorComparison:
        """Comparison of the priors before any outcome."""
        return self.Comparison(self.problem, self.options, self.confidence, self.empty_surrogate())

    @property
    def surrogate(self) -> Surrogate:
        """Posteriors of all priors given the outcomes."""
        return self.comparison.surrogate

    @property
    def calibration(self) -> Calibration:
        """Distance of the latest outcomes from their predictions."""
        return self.comparison.calibration

    def check_fit(self) -> None:
        """See `Method.check_fit`."""
        hyperparameters = self.history.fits[-1].hyperparameters
        if not hyperparameters.keys() <= {"objective", OUTCOMES_FIT, *self.problem.further}:
            raise InvalidStudy(
                "hyperparameters", dict(hyperparameters), "those of the objective and of limits"
            )
        _ = self.candidates.feasibility.models

    def refit(self) -> Mapping[str, Any] | None:
        """Hyperparameters of the constrained outcomes, where they are due."""
        feasibility = self.candidates.feasibility
        return feasibility.fit(partial(horizon, self.history)) if feasibility.due else None

    @property
    def _failed(self) -> FailedPoints:
        """Places of rounds that failed, or whose outcomes are void."""
        results = self.history.results
        return self._tries.of(
            [each.played for each in results if each.outcome is None and each.played is not None]
        )

    def _add_failed(self, failed: FailedPoints, played: Round) -> FailedPoints:
        failed.add(place_of(self.problem, played.realised), played.request["time"])
        return failed

    # -- choosing ----------------------------------------------------------------------------------

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Maximise the upper confidence bound over feasible points and believed priors; ties are drawn."""
        if (today := self.todays_play(request)) is not None:
            return today
        t = self.history.next_round
        random, view = self.streams(t, "ties"), self.view(request)
        priors = self.believed(request, random)
        betas = self.confidence.betas(self.width_round(t))
        pick = self.maximise(self.surrogate_at(view.time), view, betas, priors, random)
        return self.play(pick, view, float(betas[pick.prior]))

    def todays_play(self, request: Mapping[str, Any]) -> Choice | None:
        """Choose today's settings where they are held; None where they are not, or cannot be set."""
        context, time = request.get("context", {}), request[TIME.name]
        if self.problem.today is None or not self.holds_today(time):
            return None
        values = self.problem.today({**context, TIME.name: time})
        everything = {**context, **values}
        if violated(self.problem.limits or (), everything):
            return None
        if place_of(self.problem, everything) not in self.view(request).available:
            return None
        if not self.candidates.fits(everything, time):
            return None
        return Choice(self.problem.scope, values, note={"current": True})

    def holds_today(self, time: float) -> bool:
        """Whether today's settings are played: in the first round, unless there are data."""
        return not len(self.history) and not self.history.data

    def believed(
        self, request: Mapping[str, Any], random: np.random.Generator
    ) -> Int[np.ndarray, " k"]:
        """Numbers of the priors over which a choice is optimistic."""
        return np.arange(len(self.names))

    def width_round(self, number: int) -> int:
        """Number of rounds for which the confidence width β_t is computed."""
        return number

    def surrogate_at(self, time: float) -> Surrogate:
        """Surrogate for choices and answers at a time."""
        return self.surrogate

    def maximise(
        self,
        surrogate: Surrogate,
        view: RoundView,
        betas: Float[np.ndarray, " P"],
        priors: Int[np.ndarray, " k"],
        random: np.random.Generator,
    ) -> Maximiser:
        """Maximise the acquisition over the places of a view."""
        return surrogate.optimistic(view, betas, priors, random)

    def view(self, request: Mapping[str, Any]) -> RoundView:
        """View of the round that is asked for, with failed and pending places."""
        waiting = (
            PendingPoint(place_of(self.problem, r.realised), r.request["time"], 1)
            for r in self.history.waiting
        )
        time, context = request["time"], request.get("context", {})
        left = self.places(time, context, request.get("available"))
        return self.candidates.view(time, left, [*self._failed, *waiting])

    def places(self, time: float, context: Mapping[str, Any], asked: Any = None) -> Places:
        """Places that a choice or an answer may take, of those asked for: see `TimeVarying.within`."""
        return self.problem.within(asked, context)

    def play(self, pick: Maximiser, view: RoundView, beta: float) -> Choice:
        """Turn a maximiser into a choice, whose note says the prior and its expectation."""
        sign = self.problem.sign
        expected = Belief(pick.prior, sign * pick.mean, beta * pick.sd, sign * pick.upper)
        values = settings(self.problem, pick.place, view.available)
        return Choice(self.problem.scope, values, note=to_dict(expected))

    # -- answers -----------------------------------------------------------------------------------

    def weights(self) -> Float[np.ndarray, " P"]:
        """Posterior probabilities of the priors now."""
        return self.comparison.weights(self.now)

    def trusted(self) -> list[int]:
        """Numbers of the priors that an answer may rest on now, most probable first."""
        return self.comparison.trusted(self.now)

    def likely_priors(self) -> Int[np.ndarray, " k"]:
        """Numbers of the trusted priors that together hold nearly all of their weight, most probable first.

        That is the share that lies within the bounds of an answer.
        """
        trusted = np.array(self.trusted())
        held = np.cumsum(self.weights()[trusted])
        return trusted[: 1 + int(np.searchsorted(held, (2.0 * SURE - 1.0) * held[-1]))]

    def recommend_at(self, context: Mapping[str, Any]) -> Recommendation:
        """The point of largest mean by the most probable trusted prior; alternatives are those of the next three."""
        return self._answer(self.view_to_answer(*time_and_seen(context)))

    def view_to_answer(self, time: float, seen: Mapping[str, Any], asked: Any = None) -> RoundView:
        """View of an answer at a time, where values were seen before, among places asked for."""
        return self.candidates.view(time, self.places(time, seen, asked))

    def _answer(self, view: RoundView) -> Recommendation:
        surrogate = self.surrogate_at(view.time)
        first, *others = (self._best_point(p, surrogate, view) for p in self.trusted()[:4])
        return replace(first, alternatives=tuple(others))

    def predict_at(self, values: Mapping[str, Any], context: Mapping[str, Any]) -> Recommendation:
        """Expected value at a place, by the most probable trusted prior."""
        time, seen = time_and_seen(context)
        place = place_of(self.problem, {**seen, **values})
        only = (
            Places(sites=[place])
            if self.problem.sites is not None
            else Places(points=np.array([place]), given=[values])
        )
        return self._best_point(self.trusted()[0], self.surrogate_at(time), RoundView(time, only))

    def _best_point(self, p: int, surrogate: Surrogate, view: RoundView) -> Recommendation:
        """The point of largest mean by prior p, with bounds."""
        random = self.streams(0, f"recommend {p}")
        pick = surrogate.optimistic(view, np.zeros(len(self.names)), np.array([p]), random)
        mean, band = self.problem.sign * pick.mean, BOUND * self.deviation(p, pick.sd)
        reasons = [reason("believing", belief=self.names[p])] if len(self.names) > 1 else []
        if view.margin is not None and view.margin(np.array([pick.place]))[0] < 0.0:
            reasons.append(reason("none-keeps"))
        values = settings(self.problem, pick.place, view.available)
        return Recommendation(
            self.problem.scope, values, mean, mean - band, mean + band, reasons=tuple(reasons)
        )

    def deviation(self, p: int, sd: float) -> float:
        """Standard deviation of the objective where prior p says σ, inflated by the calibration.

        Priors state the noise R. Where predictions were c times as far off as they said, the excess
        beyond the noise counts as error of the function: its variance is `c² (σ² + R²) − R²`.
        """
        more = self.calibration.factor**2 - 1.0
        return math.sqrt(sd**2 + more * (sd**2 + self.problem.given[p].noise ** 2))

    def gain_at(self, context: Mapping[str, Any]) -> float:
        """Largest upper bound at the time of the last round, less the lower bound of the recommended point."""
        width = BOUND * self.calibration.factor * self.bound_inflation(self.problem.scope)
        if not width < np.inf:
            return np.inf
        time, seen = time_and_seen(context)
        view = self.view_to_answer(time, seen)
        surrogate, priors = self.surrogate_at(view.time), self.likely_priors()
        betas = np.full(len(self.names), width)
        best = surrogate.optimistic(view, betas, priors, self.streams(0, "gain"))
        sure = surrogate.optimistic(
            view, 0 * betas, priors[:1], self.streams(0, f"recommend {priors[0]}")
        )
        known = self.deviation(int(priors[0]), sure.sd) / self.calibration.factor
        return best.upper - sure.mean + width * known

    def bound_inflation(self, scope: Scope) -> float:
        """1: priors state a scale; infinite where surprises say nothing yet."""
        return math.inf if self.calibration.lost else 1.0

    def policy(self, context: Mapping[str, Any], request: Mapping[str, Any]) -> PolicyStep:
        """Recommend for another time and other available places. Priors allow that before any outcome."""
        view = self.view_to_answer(request.get("time", self.now), context, request.get("available"))
        advice = self._answer(view)
        if "available" not in request:
            advice = self.tried(advice, {**context, TIME.name: view.time}) or advice
        step = PolicyStep.of(advice, context)
        return replace(step, reasons=(reason("as-of", time=view.time), *step.reasons))

    def read_logged(self, asked: Suggestion) -> None:
        """See `Method.read_logged`: the only scope, and the number of a prior."""
        if asked.scope != self.problem.scope:
            raise InvalidStudy("scope", str(asked.scope), str(self.problem.scope))
        read_likely(asked.note)
        behind, priors = belief_behind(asked), len(self.names)
        if behind is not None and not 0 <= behind.prior < priors:
            allowed = f"the number of a prior, from 0 to {priors - 1}"
            raise InvalidStudy("note.prior", behind.prior, allowed)

    def outliers(self) -> Sequence[str]:
        """See `Method.outliers`."""
        return list(self.comparison.doubts.inflations)

    def why(self, asked: Suggestion) -> Sequence[Reason]:
        """Say how far the play may reach by the prior behind it, or that it is one of the first plays."""
        if not self.chooses_by_model:
            return []
        if (behind := belief_behind(asked)) is None:
            return [reason("current-play" if asked.note.get("current") else "first-play")]
        named = {"belief": self.names[behind.prior]} if len(self.names) > 1 else {}
        return [reason("best-bound", bound=behind.upper, **named)]

    def findings(self) -> Sequence[Finding]:
        """Find lengthscales in another unit, and that outcomes contradict even the most probable of the priors."""
        found = [self._unlikely_lengthscale(each) for each in self.problem.unlikely_lengthscales]
        since = self.comparison.misfit.since
        if since and (best := self.trusted()[0]) in since:
            found.append(finding("priors-misfit", time=since[best], prior=self.names[best]))
        return found

    def _unlikely_lengthscale(self, found: UnlikelyLengthscale) -> Finding:
        """Name the prior and the variable of a lengthscale, or the coordinate where points have some of their own."""
        axis = self.problem.axes.variables[found.coordinate]
        about = {"lengthscale": found.lengthscale, "range": found.range, "unit": unit_of(axis)}
        return finding(
            "lengthscale-unlikely",
            self.names[found.prior],
            prior=self.names[found.prior],
            name=axis.name,
            **about,
        )

    def success_probability(self, answer: Recommendation | PolicyStep) -> float | None:
        """See `Method.success_probability`; at the time of the last round."""
        known = {**answer.context, **answer.values}
        if not known.keys() >= {*self.problem.space.names}:
            return None
        return self.candidates.success_probability(known, self.now)

    def limit_probabilities(
        self, scope: Scope, known: Mapping[str, Any], request: Mapping[str, Any]
    ) -> Mapping[str, float | None]:
        """See `Method.limit_probabilities`."""
        found = dict(super().limit_probabilities(scope, known, request))
        return found | self.candidates.limit_probabilities(known, request[TIME.name])

    def constraint_slack(self, advice: Recommendation | Suggestion) -> Sequence[float | None]:
        """See `Method.constraint_slack`; of constrained outcomes at the time of the last round."""
        slack = list(super().constraint_slack(advice))
        known = {**advice.context, **advice.values}
        for k, limit in enumerate(self.problem.limits or ()):
            if isinstance(limit, OutcomeConstraint):
                slack[k] = self.candidates.slack(limit.name, known, self.now)
        return slack

    # -- explanations ------------------------------------------------------------------------------

    def table_of_priors(
        self, more: Mapping[int, tuple[Any, ...]], columns: tuple[str, ...]
    ) -> Table:
        """Table of plays and posterior weight of each prior, with further columns; only the heaviest of many."""
        weights, kept = self.weights(), self.surrogate.kept
        shown = self.trusted() + [p for p in range(len(self.names)) if p not in set(self.trusted())]
        rows = [
            (self.names[p], int(self.plays[p]), float(weights[p]), *more.get(p, ()))
            for p in shown[:SHOWN]
        ]
        if kept is not None:
            columns = (*columns, "outcomes it uses")
            rows = [(*row, int(kept[p])) for p, row in zip(shown, rows, strict=False)]
        title = (
            "Priors"
            if len(shown) <= SHOWN
            else f"Priors ({SHOWN} of {len(shown)}, most probable first)"
        )
        return Table(title, ("prior", "rounds", "weight", *columns), tuple(rows))

    def table_of_present_choice(self) -> Table:
        """Table of the prior behind the latest choice, and its expectation then: a card's averages all, by now."""
        rows = []
        if (last := self.history.latest) is not None and (
            told := belief_behind(last.suggestion)
        ) is not None:
            values = self.problem.shown(last.suggestion.values)
            rows.append((last.number, values, self.names[told.prior], told.mean, told.band))
        columns = ("round", "values", "prior", "expected", "give or take")
        return Table("Present choice, by the model it was chosen by", columns, tuple(rows))
