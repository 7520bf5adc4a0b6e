"""Outcome constraints: a model of each constrained outcome, learned from events, and probabilities to satisfy them.

A constraint holds for each play with its probability p or, `on_average`, for the mean over plays:
the next play then needs `p (n + 1) − kept` (`required_now`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np

from .._arrays import Bool, Float
from .._evidence import COMPARABLE
from ..core import History, Result, Round, read_note
from ..gp import (
    LOG_2PI,
    CrossedMoments,
    CrossedOutcomes,
    DriftModel,
    GPRegression,
    PooledOutcomes,
)
from ..gp.drift import AnyDrift
from ..optim import MarginsAndGradients, sobol_points
from ..records import record
from ..space import OutcomeConstraint
from ._model import STARTING_POINTS, DriftTracker
from ._parts import Controlled, Part, Uncontrolled, drawn
from ._rows import Data, RowsModel

DRAWS, SURE_DRAWS, MANY_DRAWS = 32, 128, 1024
"""Of nature's draws: in a search, in one with a probability above `_SURELY`, and for the slack of one answer."""
_SUREST = 1e-15  # nearer to one probabilities are not told apart
_MEMBERS = 4  # draws of hyperparameters that probabilities are averaged over
ROUGHLY = 0.3
"""Deviations by which a margin by pooled variances is taken to be too low at most. No proof: of 153 000
settings of five studies with 4 to 60 outcomes it was at most .19, and .304 where 99 % are asked for;
of an outcome that jumps, as behind a valve, .45.
Where it were more, settings that are likely enough would be passed over."""
_ABSURD = 30.0  # largest distances within a limit, as far beyond it: see `doubtable`
_SURELY = 0.97  # probability asked for, above which more draws are taken
# deviations among the draws of nature: 1.06 s^(−1/5) of them for s = 32 (Silverman 1986)
_SMOOTH = 0.5
_TAILS = 0.05  # share of the variance that evenly spread draws lack: see `smoothed`
_NEARER = math.sqrt(1.0 + _TAILS - _SMOOTH**2)  # see `smoothed`
# deviations up to which a tail is believed. Where a limit is out of reach, late plays exceed the least by .06
# with 3, by .11 with 5 (20 studies): the less is known of a setting, the better it looked
_TAIL_BELIEVED = 3.0
# deviations up to which a density and a probability, both by their logarithms, differ by digits that are known
_FURTHEST = 1e6

Fresh = Callable[[DriftModel | None], GPRegression[Any]]


class LogProbability(Protocol):
    """Logarithm of the probability that a play meets a requirement, as a function of its settings."""

    @property
    def pooled(self) -> LogProbability:
        """Values that are nearly the same, for a small part of the time; it itself where none are known."""

    def values(self, points: Float[np.ndarray, "n c"]) -> Float[np.ndarray, " n"]:
        """Values at n settings, (n,)."""

    def values_and_gradients(
        self, points: Float[np.ndarray, "n c"]
    ) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, "n c"]]:
        """Values (n,) and gradients (n, c); zero along a category."""


class ProbabilisticConstraint(Protocol):
    """Requirement that a play must meet with a probability."""

    @property
    def required_probability(self) -> float:
        """Probability that is required."""

    def log_probability(self, nature: Nature, held: Sequence[int]) -> LogProbability:
        """Logarithm of the probability of plays, which set the columns `held`, to meet it."""


@dataclass(frozen=True, eq=False)
class Nature:
    """Draws of nature, over which probabilities are averaged.

    Attributes:
        rows: (s, d) encoded: observed columns at their values, uncontrolled ones drawn, controlled
            ones zero.
        shares: (s,) probabilities, which sum to 1.
        continuous: whether each stands for its neighbourhood: see `smoothed`.
    """

    rows: Float[np.ndarray, "s d"]
    shares: Float[np.ndarray, " s"]
    continuous: bool

    @classmethod
    def of(cls, parts: Sequence[Part], surest: float) -> Nature:
        """Draw for requirements up to a probability; of laws with few values, rare ones are among them."""
        rows = draws_of(parts, MANY_DRAWS)
        if all(len(np.unique(column)) <= DRAWS for column in rows.T):  # else so are the rows
            rows, counts = np.unique(rows, axis=0, return_counts=True)
            if len(rows) <= DRAWS:
                return cls(rows, counts / counts.sum(), False)
        rows = draws_of(parts, DRAWS if surest <= _SURELY else SURE_DRAWS)
        return cls(rows, np.full(len(rows), 1.0 / len(rows)), True)

    def average(self, logs: Float[np.ndarray, "*k n s"]) -> Float[np.ndarray, "*k n"]:
        """Logarithm of the mean of probabilities, given their logarithms."""
        most = logs.max(axis=-1, keepdims=True)
        return np.asarray(most[..., 0] + np.log(np.exp(logs - most) @ self.shares))

    def with_settings(
        self, points: Float[np.ndarray, "n c"], held: Sequence[int]
    ) -> Float[np.ndarray, "n s d"]:
        """Rows of n plays, which set the columns `held`."""
        rows = np.repeat(self.rows[None], len(points), axis=0)
        rows[:, :, held] = points[:, None]
        return rows


@dataclass(eq=False)
class ConstraintModel:
    """Model of one constrained outcome, in its own units, with the limit on it and its drift."""

    limit: OutcomeConstraint
    model: GPRegression[Any]
    tracker: DriftTracker

    @classmethod
    def of(cls, limit: OutcomeConstraint, fresh: Fresh, drift: AnyDrift) -> ConstraintModel:
        """Build a model without data."""
        tracker = DriftTracker(drift)
        return cls(limit, cls.empty(limit, fresh, tracker.model), tracker)

    @staticmethod
    def empty(
        limit: OutcomeConstraint, fresh: Fresh, drift_model: DriftModel | None
    ) -> GPRegression[Any]:
        """Make a model without data, which does not doubt outcomes that break the limit: see `doubtable`.

        Of those that keep to it none is bad, on whichever side they lie. Whoever states a limit
        thinks that it may be reached: outcomes that are all alike, and far within it, do not say
        how much they differ elsewhere.
        """
        model = fresh(drift_model)
        outliers = replace(
            model.known.outliers, doubtable=partial(doubtable, limit), larger_is_better=False
        )
        model.known = replace(model.known, scale=partial(_room, limit), outliers=outliers)
        return model

    @property
    def informed(self) -> bool:
        """Whether there are `STARTING_POINTS` outcomes to predict the next one."""
        return len(self.model) >= STARTING_POINTS

    @property
    def required_probability(self) -> float:
        """Probability that the constraint asks for."""
        return self.limit.probability

    @property
    def _members(self) -> Sequence[GPRegression[Any]]:
        """The model under some draws of its hyperparameters, or the model itself."""
        members = getattr(self.model, "members", ())
        return members[:: max(1, len(members) // _MEMBERS)] or (self.model,)

    def log_probability(self, nature: Nature, held: Sequence[int]) -> KeepingProbability:
        """Logarithm of the probability that the next outcome of plays keeps to the limit."""
        forward = self.model.output.forward
        ends = [
            None if end is None else float(forward(np.array([end]))[0])
            for end in (self.limit.at_most, self.limit.at_least)
        ]
        outcomes = GPRegression.crossed(self._members, nature.rows, held)
        return KeepingProbability(outcomes, nature, at_most=ends[0], at_least=ends[1])

    def room(self, rows: Float[np.ndarray, "m d"]) -> float:
        """Slack of the constraint at its probability, over rows drawn by nature, in units of the outcome."""
        draws = np.concatenate([self._draws(member, rows) for member in self._members])
        sure, rooms = self.limit.probability, []
        if self.limit.at_most is not None:
            rooms.append(self.limit.at_most - float(np.quantile(draws, sure)))
        if self.limit.at_least is not None:
            rooms.append(float(np.quantile(draws, 1.0 - sure)) - self.limit.at_least)
        return min(rooms)

    @staticmethod
    def _draws(
        member: GPRegression[Any], rows: Float[np.ndarray, "m d"]
    ) -> Float[np.ndarray, " k"]:
        """Outcomes that one member expects at these rows, in units of the outcome."""
        mean, deviation = member.predict(rows)
        spread = np.hypot(deviation, member.scale * np.sqrt(member.noise_at(rows)))
        return np.asarray((mean[:, None] + spread[:, None] * _quantiles()).ravel())


@dataclass(frozen=True, eq=False)
class KeepingProbability:
    """Logarithm of the probability that an outcome keeps to its limit, as a function of settings.

    The predictive distribution is a mixture over draws of the hyperparameters, `smoothed` over
    those of nature.

    Attributes:
        outcomes: by k draws of the hyperparameters.
        nature: its draws.
        at_most: the upper end of the limit, standardised.
        at_least: the lower end.
    """

    outcomes: CrossedOutcomes
    nature: Nature
    at_most: float | None
    at_least: float | None

    def values(self, points: Float[np.ndarray, "n c"]) -> Float[np.ndarray, " n"]:
        """See `LogProbability`."""
        size = self.outcomes.at_once
        blocks = [points[k : k + size] for k in range(0, len(points), size)] or [points]
        return np.concatenate(
            [self._averaged(self._logs(self.outcomes.moments(block))) for block in blocks]
        )

    def values_and_gradients(
        self, points: Float[np.ndarray, "n c"]
    ) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, "n c"]]:
        """See `LogProbability`."""
        at = self.outcomes.moments(points)
        logs = self._logs(at)
        values = self._averaged(logs)
        # ∂value/∂log
        shares = np.exp(logs + np.log(self.nature.shares) - values[:, None]) / len(logs)
        of_mean, of_variance = self._slopes(at, logs)
        slopes = self._unsmoothed(at.mean, shares * of_mean, shares * of_variance)
        return values, self.outcomes.slopes(at, *slopes)

    @property
    def pooled(self) -> KeepingProbability:
        """See `LogProbability`: it has no gradients."""
        return replace(self, outcomes=PooledOutcomes(self.outcomes, self.nature.shares))

    def _averaged(self, logs: Float[np.ndarray, "k n s"]) -> Float[np.ndarray, " n"]:
        return np.asarray(
            np.logaddexp.reduce(self.nature.average(logs), axis=0) - np.log(len(logs))
        )

    def _gaps(
        self, at: CrossedMoments
    ) -> tuple[list[Float[np.ndarray, "k n s"] | None], np.ndarray]:
        """Distances of both ends, the upper one first, from the means, and deviations."""
        mean, variance = at.mean, at.variance
        if self.nature.continuous:
            mean, variance = smoothed(mean, variance)
        return [
            None if end is None else end - mean for end in (self.at_most, self.at_least)
        ], np.sqrt(variance)

    def _logs(self, at: CrossedMoments) -> Float[np.ndarray, "k n s"]:
        """Log probabilities by each member, at each draw of nature."""
        gaps, deviation = self._gaps(at)
        high, low = (None if gap is None else _deviates(gap, deviation) for gap in gaps)
        return _log_between(low, high)

    def _slopes(
        self, at: CrossedMoments, logs: Float[np.ndarray, "k n s"]
    ) -> tuple[Float[np.ndarray, "k n s"], Float[np.ndarray, "k n s"]]:
        """Derivatives of log probabilities by means and variances, both `smoothed`."""
        gaps, deviation = self._gaps(at)
        of_mean, of_deviation = np.zeros(logs.shape), np.zeros(logs.shape)
        for gap, sign in zip(gaps, (1.0, -1.0), strict=True):
            if gap is None:
                continue
            near = np.abs(gap) <= _TAIL_BELIEVED * deviation  # see `_deviates`
            density = sign * np.exp(_log_density(_deviates(gap, deviation)) - logs)
            of_mean -= density * np.where(near, 1.0 / deviation, 1.0)
            of_deviation -= density * np.where(
                near, gap / deviation**2, _TAIL_BELIEVED * np.sign(gap)
            )
        return of_mean, of_deviation / (2.0 * deviation)

    def _unsmoothed(
        self,
        mean: Float[np.ndarray, "k n s"],
        of_mean: Float[np.ndarray, "k n s"],
        of_variance: Float[np.ndarray, "k n s"],
    ) -> tuple[Float[np.ndarray, "k n s"], Float[np.ndarray, "k n s"]]:
        """Derivatives by means and variances, given those by `smoothed` ones."""
        if not self.nature.continuous:
            return of_mean, of_variance
        shrunk, away = _NEARER * of_mean, mean - mean.mean(axis=2, keepdims=True)
        shrunk += (1.0 - _NEARER) * of_mean.mean(axis=2, keepdims=True)
        return shrunk + 2.0 * _SMOOTH**2 * of_variance.mean(
            axis=2, keepdims=True
        ) * away, of_variance


def doubtable(
    limit: OutcomeConstraint, outcomes: Float[np.ndarray, " n"]
) -> Bool[np.ndarray, " n"]:
    """Mark outcomes that may be probably wrong: all that keep to a limit, and those that break it absurdly.

    An outcome that breaks a limit has shown where not to go, and where it jumps, as behind a
    valve, it is far from all others. If it were doubted, the worst settings would count as the
    safest. Only one that is `_ABSURD` times as far beyond as the others are within is a slip of the
    pen; where none is within, as half of them are beyond.

    >>> limit = OutcomeConstraint("pressure", at_most=5)
    >>> doubtable(limit, np.array([3.2, 3.4, 7.3, 730.0])), doubtable(limit, np.array([6.0, 6.1, 9.0]))
    (array([ True,  True, False,  True]), array([False, False, False]))
    """
    excess = _excess(limit, outcomes)
    nearest = float(excess.min(initial=0.0))
    usual = -nearest if nearest < 0.0 else float(np.median(excess))
    return np.asarray((excess <= 0.0) | (excess > _ABSURD * usual))


def _excess(limit: OutcomeConstraint, outcomes: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Distance of outcomes beyond the nearer end of a limit, (n,); negative within."""
    above = -np.inf if limit.at_most is None else outcomes - limit.at_most
    below = -np.inf if limit.at_least is None else limit.at_least - outcomes
    return np.asarray(np.maximum(above, below))


def _room(limit: OutcomeConstraint, outcome: float) -> float:
    """Distance from an outcome that keeps to a limit to its nearest end; 0 from one that does not."""
    return max(-float(_excess(limit, np.array([outcome]))[0]), 0.0)


@dataclass(frozen=True, eq=False)
class FeasibilityMargin:
    """Normal deviations by which plays are likelier to meet requirements than they must be; below 0: too unlikely.

    Attributes:
        constraints: k requirements.
        parts: of every column; those that nature draws are averaged over.
        columns: of points, those that are settings; None: all.
    """

    constraints: Sequence[ProbabilisticConstraint]
    parts: Sequence[Part]
    columns: Sequence[int] | None = None

    @cached_property
    def each(self) -> Sequence[LogProbability]:
        """Log probabilities as functions of settings; of most scopes nobody asks for them."""
        return chances_over(self.constraints, self.parts)

    @cached_property
    def _pooled(self) -> Sequence[LogProbability]:
        return [each.pooled for each in self.each]

    @cached_property
    def wanted(self) -> Float[np.ndarray, " k"]:
        """Normal quantiles of the probabilities that are asked for."""
        return _deviations(np.log([each.required_probability for each in self.constraints]))

    def __call__(self, points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """Margins of the least likely requirement, (n,)."""
        return self._least(self.each, points)

    def roughly(self, points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """The same by pooled variances, for a small part of the time: see `ROUGHLY`."""
        return self._least(self._pooled, points)

    def _least(
        self, each: Sequence[LogProbability], points: Float[np.ndarray, "n d"]
    ) -> Float[np.ndarray, " n"]:
        settings = self._settings(points)
        logs = np.array([one.values(settings) for one in each])
        return np.asarray((_deviations(logs) - self.wanted[:, None]).min(axis=0))

    def gradients(self, points: Float[np.ndarray, "n d"]) -> MarginsAndGradients:
        """Margins of all requirements, and their gradients."""
        settings = self._settings(points)
        margins = np.zeros((len(points), len(self.each)))
        slopes = np.zeros((len(points), len(self.each), points.shape[1]))
        for i, one in enumerate(self.each):
            logs, rise = one.values_and_gradients(settings)
            deviations = _deviations(logs)
            margins[:, i] = deviations - self.wanted[i]
            # ∂deviation/∂log
            steep = np.where(logs < -_SUREST, np.exp(logs - _log_density(deviations)), 0.0)
            slope = steep[:, None] * rise
            slopes[:, i, slice(None) if self.columns is None else self.columns] = slope
        return margins, slopes

    def _settings(self, points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n c"]:
        return points if self.columns is None else points[:, self.columns]


def margin_over(
    constraints: Sequence[ProbabilisticConstraint], parts: Sequence[Part]
) -> FeasibilityMargin:
    """Feasibility margin as a function of settings; uncontrolled columns are averaged over."""
    return FeasibilityMargin(constraints, parts)


def chances_over(
    constraints: Sequence[ProbabilisticConstraint], parts: Sequence[Part]
) -> list[LogProbability]:
    """Log probabilities to meet each requirement, as functions of settings."""
    nature = Nature.of(parts, max(each.required_probability for each in constraints))
    held = [d for d, part in enumerate(parts) if isinstance(part, Controlled)]
    return [each.log_probability(nature, held) for each in constraints]


def rows_at(parts: Sequence[Part], held: Mapping[int, float]) -> Float[np.ndarray, "m d"]:
    """Draw encoded rows of all variables with some columns held at values, as many as a `room` needs."""
    rows = draws_of(parts, MANY_DRAWS)
    for column, value in held.items():
        rows[:, column] = value
    return rows


def draws_of(parts: Sequence[Part], draws: int = DRAWS) -> Float[np.ndarray, "s d"]:
    """Draw encoded rows: observed columns at their values, uncontrolled ones sampled, controlled ones zero."""
    count = draws if any(isinstance(part, Uncontrolled) for part in parts) else 1
    return drawn(parts, sobol_points(count, len(parts), 0))


def smoothed(
    mean: Float[np.ndarray, "*k n s"], variance: Float[np.ndarray, "*k n s"]
) -> tuple[Float[np.ndarray, "*k n s"], Float[np.ndarray, "*k n s"]]:
    """Means and variances of s predictions, smoothed over the draws of nature.

    So few draws have no tails: of 32 the outermost is at 98 %. Each therefore stands for its
    neighbourhood, a normal law with the share `_SMOOTH`² of the variance among the draws, and all
    are drawn together (the smoothed bootstrap with its variance kept: Silverman & Young 1987), but
    for `_TAILS` of the variance that evenly spread draws lack.

    >>> mean, variance = smoothed(np.array([[-1.0, 1.0]]), np.zeros((1, 2)))
    >>> (mean.var(axis=1) + variance.mean(axis=1)).round(6)
    array([1.05])
    """
    middle, among = mean.mean(axis=-1, keepdims=True), mean.var(axis=-1, keepdims=True)
    nearer = middle + _NEARER * (mean - middle)
    return nearer, variance + _SMOOTH**2 * among


def _deviates(
    gap: Float[np.ndarray, " m"], deviation: Float[np.ndarray, " m"]
) -> Float[np.ndarray, " m"]:
    """Gaps in deviations, up to `_TAIL_BELIEVED`; further out in deviations of the outcome itself, which are one.

    No tail is believed so far out: where all that is known breaks a constraint by far, the setting
    with the least excess is nearest to it, and not the one of which least is known.
    """
    beyond = np.clip(np.abs(gap) - _TAIL_BELIEVED * deviation, 0.0, _FURTHEST)
    return np.sign(gap) * (np.minimum(np.abs(gap) / deviation, _TAIL_BELIEVED) + beyond)


def _log_between(
    low: Float[np.ndarray, " m"] | None, high: Float[np.ndarray, " m"] | None
) -> Float[np.ndarray, " m"]:
    """The logarithm of a normal deviate's probability to lie between two numbers, in the tails, too."""
    from scipy.special import log_ndtr  # start-up time

    if low is None or high is None:
        return np.asarray(log_ndtr(-low if low is not None else high))
    right = low > 0  # there the mirror image has more digits
    low, high = np.where(right, -high, low), np.where(right, -low, high)
    above, below = log_ndtr(high), log_ndtr(low)
    return np.asarray(above + np.log1p(-np.exp(np.minimum(below - above, -_SUREST))))


def _deviations(logs: Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
    """Normal quantiles of probabilities, given their logarithms."""
    from scipy.special import ndtri_exp  # start-up time

    return np.asarray(ndtri_exp(np.minimum(logs, -_SUREST)))


def _log_density(deviates: Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
    """Logarithm of the normal density."""
    return -0.5 * (deviates**2 + LOG_2PI)


def _quantiles() -> Float[np.ndarray, " q"]:
    return _deviations(np.log((np.arange(256) + 0.5) / 256))


Row = Callable[[Mapping[str, Any], str, Round | None], Float[np.ndarray, " d"]]
"""From realised values, the token or the name of the data, and the round if it was one, to a point of the models."""
Tells = Callable[[Round | None], bool]
"""From a round, or None for external data, to whether models learn from it."""


class ConstraintModels:
    """Models of all constrained outcomes of a problem, derived from a history.

    Args:
        further: the limits on them, by the outcome's name.
        fresh: makes a regression without data for a drift model.
        drift: how all of them may change with time; time is then the last column.
        names: the models' columns, beside the time: all of them must be known of a round that
            broke, or it does not count.
        row: where something was measured.
        history: of the study, whatever it is by now.
        tells: whether a round, or external data (None), tells of them; None: all do.
        logged: keys under which their hyperparameters are in the log, by the outcome's name.
        since: number of the history's first fits that are of other models.
    """

    def __init__(
        self,
        further: Mapping[str, OutcomeConstraint],
        fresh: Fresh,
        drift: AnyDrift,
        names: tuple[str, ...],
        row: Row,
        *,
        history: History,
        tells: Tells | None = None,
        logged: tuple[str, ...] = (),
        since: int = 0,
    ) -> None:
        self._models = {
            name: ConstraintModel.of(limit, fresh, drift) for name, limit in further.items()
        }
        self._data = {
            name: RowsModel(
                each.tracker,
                partial(ConstraintModel.empty, each.limit, fresh),
                partial(self._informs, name),
                partial(self._rows, name, len(names) + (each.tracker.model is not None)),
            )
            for name, each in self._models.items()
        }
        self._history, self._since = history, since
        self._row, self._names, self._logged = row, names, logged
        self._told_by = tells

    @property
    def by_name(self) -> Mapping[str, ConstraintModel]:
        """Models by outcome, given all that was measured as it stands."""
        for name, data in self._data.items():
            fit = self._history.fit(*self._logged, name, since=self._since)
            self._models[name].model = data.given(self._history.results, fit).model
        return self._models

    @property
    def informed(self) -> list[ConstraintModel]:
        """Models with enough outcomes."""
        return [each for each in self.by_name.values() if each.informed]

    def expected(self, row: Float[np.ndarray, " d"]) -> dict[str, tuple[float, float]]:
        """Mean and standard deviation of outcomes at an encoded row (d,), by name; see `Method.expected_further`."""
        return {
            name: each.model.predictive(row)
            for name, each in self.by_name.items()
            # one of an outsider's promises no predictive distribution
            if isinstance(each.model, GPRegression) and len(each.model) >= COMPARABLE
        }

    def _informs(self, name: str, result: Result) -> bool:
        """Whether an outcome is known, and where. A play that broke may have been measured as well."""
        if not (result.outcome or result.failed) or not (
            self._told_by is None or self._told_by(result.played)
        ):
            return False
        known = self._known(result)
        return name in known and (not result.failed or all(each in known for each in self._names))

    @staticmethod
    def _known(result: Result) -> Mapping[str, Any]:
        return result.shown if result.failed else result.realised

    def _rows(self, name: str, width: int, some: Sequence[Result]) -> Data:
        """Points and values of an outcome; nothing is stated of their errors."""
        points = [self._row(self._known(each), each.name, each.played) for each in some]
        values = [float(self._known(each)[name]) for each in some]
        return np.array(points).reshape(len(some), width), np.array(values), np.zeros(len(some))

    # -- hyperparameters ---------------------------------------------------------------------------

    @property
    def due(self) -> bool:
        """Whether hyperparameters are to be learned anew."""
        models = self.by_name
        fitted_at = max((data.fitted_at for data in self._data.values()), default=0)
        return any(self._data[name].due(fitted_at) for name in models)

    @property
    def corrected(self) -> bool:
        """Whether values that hyperparameters were learned from are others now."""
        return any(self._data[name].corrected for name in self.by_name)

    def fit(self, until: Callable[[float], float]) -> dict[str, Any]:
        """Hyperparameters learned anew, by the outcome's name; `until`: see `DriftTracker.fit`."""
        return {name: self._data[name].fit(until) for name in self.by_name}


LIKELY = "likely"
"""Key of the probabilities to satisfy constraints, by outcome, in notes of suggestions."""


def required_now(limit: OutcomeConstraint, rounds: Iterable[Round]) -> float:
    """Least probability of the next play that keeps the mean over plays at the required one; may be below 0.

    Plays that a model chose count: by whether they kept or, where that is not known, by how likely
    they were to keep.

    >>> from types import SimpleNamespace as Some
    >>> note = {"likely": {"heat": 0.95}}
    >>> played = [Some(suggestion=Some(note=note), realised={"heat": heat}) for heat in (4, 4, 4)]
    >>> round(required_now(OutcomeConstraint("heat", at_most=5, probability=0.9), played), 6)
    0.6
    """
    n, kept = kept_of(limit, rounds)
    return limit.probability * (n + 1) - kept


@record
class _Likely:
    likely: Mapping[str, float] | None = None


def read_likely(note: Mapping[str, Any]) -> Mapping[str, float]:
    """Probabilities to keep each limit in the note of a suggestion, by the name of its outcome.

    Raises:
        InvalidStudy: there are none where they stand.
    """
    return (read_note(_Likely, note).likely or {}) if LIKELY in note else {}


def kept_of(limit: OutcomeConstraint, rounds: Iterable[Round]) -> tuple[int, float]:
    """Count plays chosen by a model, and those that satisfy a constraint; pending ones count by their probabilities."""
    n, kept = 0, 0.0
    for played in rounds:
        likely = read_likely(played.suggestion.note)
        if limit.name in likely:
            n += 1
            known = limit.name in played.realised
            kept += float(not limit.breaks(played.realised)) if known else likely[limit.name]
    return n, kept
