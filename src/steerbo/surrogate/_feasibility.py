"""Feasibility of plays: how likely they are to work, and to satisfy the constraints on outcomes.

By the failure model regions that keep failing are closed to a search, until outcomes open them
again.

Whether an evaluation works, w, is 1 or 0. Several explanations compete. By the first it is luck
alone, everywhere the same. By some it depends on the place, or on one coordinate of it: w(x) = c +
g(x) + noise, with g a Gaussian process (Matérn, ν = 3/2). Each counts by how well it has foretold
the evaluations, one after another, times its prior, most of which is for luck. So one failure
closes nothing.

A place is closed where the probability to work, over nature's draws, is less than τ times that at
the best of the places that have worked. Failures wherever one goes, by bad luck or by the
weather, therefore close nothing. In the literature that is a hidden, or crash, constraint (Gramacy
& Lee 2011; Bachoc, Helbert & Picheny 2020, who also classify by a Gaussian process).

Failures may also depend on which variables are controlled: a program that needs a value fails
wherever nature draws it, a pump that some sets need fails every other time. Then every variable
that some plays control and others do not has one more coordinate, 1 or 0. By these explanations it
is luck, with another rate for the evaluations that differ in all such coordinates, or in one. (A
Gaussian process of them believes that a set works or not: noise of half of its variance at most. A
set that fails every other time is then explained by luck alone, at the cost of all sets.)

Where the objective drifts, g does, too: an evaluation of long ago counts as much as the objective
of then says of now, and less with every round.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from typing import Any

import numpy as np

from .._arrays import Bool, Float, Int
from ..core import (
    TIME,
    DataAdded,
    Fold,
    History,
    Result,
    Round,
    now,
    time_of,
)
from ..optim import Box, FeasibleRegion
from ._constraints import (
    ROUGHLY,
    ConstraintModel,
    ConstraintModels,
    FeasibilityMargin,
    Nature,
    chances_over,
    draws_of,
    kept_of,
    margin_over,
    required_now,
)
from ._parts import Controlled, Observed, Part, set_columns

SHARE, OF_ANSWERS = 0.9, 0.97
"""τ, of plays and of answers: a play that fails teaches something, an answer that does is none."""
PLACE, SCOPES = 0.1, 0.3
"""Prior probabilities that failures depend on the place, and on which variables are controlled."""
REACHES, NOISES = (0.1, 0.3, 1.0), (0.05, 0.5)
"""Lengthscales of g, as shares of the diagonal; variances of the noise, in units of g's."""
_HOPE = 0.95  # c
_LUCK = 2.0, 0.5  # plays that are imagined to have worked, and to have failed, where that is luck
FADES = 100.0
"""Rounds until a failure says little of now, where the objective drifts, however slowly."""
_END = 0.02  # an explanation's foretold probability is no nearer to 0 and 1 than this
_BLOCK = 2**19  # numbers in arrays of rows and evaluations that are held at a time
_LEAST_SAID = 1e-3  # the same of the probabilities that are shown
_SINGLES = 12  # columns at most of which each is an explanation by itself
_SLIGHT = 0.01  # explanations of the place that count for less are left out


Foretold = tuple[float, Float[np.ndarray, " n"]]
"""The logarithm of the probability of the evaluations, and their weights for statements about other places."""
Lasting = Callable[[Float[np.ndarray, " n"], Float[np.ndarray, " m"]], Float[np.ndarray, "n m"]]
"""From two vectors of times to the correlations of the objective between them, (n, m)."""


@dataclass(frozen=True, eq=False)
class Recency:
    """Moments at which evaluations were made.

    Attributes:
        times: (n,) in units of time.
        rounds: (n,) number of rounds before each.
        lasting: correlations of the objective between times.
    """

    times: Float[np.ndarray, " n"]
    rounds: Float[np.ndarray, " n"]
    lasting: Lasting

    def of(self, other: Recency) -> Float[np.ndarray, "n m"]:
        """Correlations with evaluations at other moments."""
        passed = np.abs(self.rounds[:, None] - other.rounds)
        return np.asarray(
            np.maximum(self.lasting(self.times, other.times), 0.0) * np.exp(-passed / FADES)
        )


@dataclass(frozen=True, eq=False)
class Evaluations:
    """Evaluations that worked or failed, in the order they were made.

    Attributes:
        points: (n, d + s) where, encoded; and which of s variables were controlled, 1 or 0.
        worked: (n,) which of them gave an outcome.
        unordered: (d + s,) which columns are categories.
        scope: s, the number of variables that only some plays control.
        recency: when they were made; None: that does not matter.
        left_out: (k, s) which variables were controlled in outcomes that are left out: those far
            from all failures.
    """

    points: Float[np.ndarray, "n e"]
    worked: Bool[np.ndarray, " n"]
    unordered: Bool[np.ndarray, " e"]
    scope: int = 0
    recency: Recency | None = None
    left_out: Float[np.ndarray, "k s"] = field(default_factory=lambda: np.empty((0, 0)))
    _found: dict[tuple[tuple[int, ...], float, float], Foretold] = field(
        default_factory=dict, init=False, repr=False
    )

    @property
    def dimension(self) -> int:
        """d, the number of columns that say where."""
        return len(self.unordered) - self.scope

    def remaining(self, present: Recency | None) -> Float[np.ndarray, " n"]:
        """Share of its evidence that each evaluation keeps, (n,), from 0 to 1; `present`: one moment."""
        if self.recency is None or present is None:
            return np.ones(len(self.worked))
        return np.asarray(self.recency.of(present)[:, 0])

    def rate(
        self,
        columns: Sequence[int],
        scope: Float[np.ndarray, " s"],
        remaining: Float[np.ndarray, " n"],
    ) -> float:
        """Success probability by chance alone, of evaluations like `scope` in some columns; old ones count less."""
        alike, more = remaining * self.alike(columns, scope), self.left_alike(columns, scope)
        return (float(alike[self.worked].sum()) + more + _LUCK[0]) / (
            float(alike.sum()) + more + sum(_LUCK)
        )

    def alike(
        self, columns: Sequence[int], scope: Float[np.ndarray, " s"]
    ) -> Bool[np.ndarray, " n"]:
        """Which evaluations controlled the same as `scope` in some columns, (n,); without columns all."""
        own = [j - self.dimension for j in columns]
        return np.asarray((self.points[:, list(columns)] == scope[own]).all(axis=1))

    def left_alike(self, columns: Sequence[int], scope: Float[np.ndarray, " s"]) -> int:
        """Number of those among the outcomes that are left out."""
        own = [j - self.dimension for j in columns]
        return (
            int((self.left_out[:, own] == scope[own]).all(axis=1).sum())
            if len(self.left_out)
            else 0
        )

    def held(self, parts: Sequence[Part]) -> tuple[int, ...]:
        """Controlled columns of the evaluations; `parts` may have more, such as the time."""
        return tuple(d for d in set_columns(parts) if d < self.dimension)

    def explanations(self, parts: Sequence[Part]) -> list[tuple[int, ...]]:
        """Columns that failures may depend on: all places, those that plays set, single ones."""
        every = range(self.dimension)
        singles = [(j,) for j in every] if self.dimension <= _SINGLES else []
        return [*dict.fromkeys([tuple(every), self.held(parts), *singles])]

    def scopes(self) -> list[tuple[int, ...]]:
        """Controlled columns by which rates of failures may differ: all that vary, and single ones."""
        every = [
            j for j in range(self.dimension, len(self.unordered)) if np.ptp(self.points[:, j]) > 0
        ]
        singles = [(j,) for j in every] if len(every) <= _SINGLES else []
        return [*dict.fromkeys([tuple(every), *singles])] if every else []

    def by_luck(self, columns: Sequence[int] = ()) -> float:
        """Log evidence of the evaluations if success is chance alone, with another rate by each value of columns."""
        total, left = 0.0, np.ones(len(self.worked), dtype=bool)
        while left.any():
            scope = self.points[int(left.argmax()), self.dimension :]
            some = self.alike(columns, scope)
            worked, more = self.worked[some], self.left_alike(columns, scope)
            before = np.arange(len(worked)) + more
            gave = np.cumsum(worked) - worked + more
            total += _score(worked, (gave + _LUCK[0]) / (before + sum(_LUCK)))
            left &= ~some
        return total

    def by_place(self, columns: tuple[int, ...], reach: float, noise: float) -> Foretold:
        """Log evidence if success depends on some columns, and weights for predictions; cached."""
        key = (columns, reach, noise)
        if key not in self._found:
            self._found[key] = self._by_place(columns, reach, noise)
        return self._found[key]

    def _by_place(self, columns: tuple[int, ...], reach: float, noise: float) -> Foretold:
        covariance = self.similarity(self.points, columns, reach)
        if self.recency is not None:
            covariance *= self.recency.of(self.recency)
        covariance[np.diag_indices_from(covariance)] += noise
        root = np.linalg.cholesky(covariance)
        ahead = np.linalg.solve(root, self.worked - _HOPE)
        # each is foretold by those before it
        score = _score(self.worked, self.worked - np.diagonal(root) * ahead)
        return score, np.linalg.solve(root.T, ahead)

    def similarity(
        self, rows: Float[np.ndarray, "m e"], columns: Sequence[int], reach: float
    ) -> Float[np.ndarray, "m n"]:
        """Matérn's correlations of rows with the points, by some columns."""
        return _correlated(apart(rows, self.points, self.unordered, columns), reach)


def _score(worked: Bool[np.ndarray, " n"], foretold: Float[np.ndarray, " n"]) -> float:
    """Log probability of the evaluations, as it was foretold."""
    likely = np.clip(foretold, _END, 1.0 - _END)
    return float(np.log(np.where(worked, likely, 1.0 - likely)).sum())


@dataclass(frozen=True, eq=False)
class SuccessProbability:
    """Success probability of plays that control some columns, averaged over explanations.

    Attributes:
        made: the evaluations.
        luck: explanations by luck, with another rate by each value of some columns: these, and how
            much each counts.
        places: the other explanations: columns, reach, weights of the evaluations, and how much
            each counts.
        remaining: (n,) how much each evaluation still says.
        scope: (s,) which variables the plays control, see `Evaluations`.
        required_probability: the probability that is asked for.
    """

    made: Evaluations
    luck: Sequence[tuple[Sequence[int], float]]
    places: Sequence[tuple[Sequence[int], float, Float[np.ndarray, " n"], float]]
    remaining: Float[np.ndarray, " n"]
    scope: Float[np.ndarray, " s"]
    required_probability: float = 0.0

    @classmethod
    def of(
        cls,
        made: Evaluations,
        parts: Sequence[Part],
        share: float = SHARE,
        scope: Sequence[float] = (),
        present: Recency | None = None,
    ) -> SuccessProbability:
        """Fit the success probability of plays that control some columns, averaging over explanations of past failures.

        `share` is τ, `scope` says which variables the plays control (see `Evaluations`), `present`
        is their moment.
        """
        tried = [*product(made.explanations(parts), REACHES, NOISES)]
        found = [made.by_place(*each) for each in tried]
        scopes = made.scopes()
        lucky = 1.0 - PLACE - (SCOPES if scopes else 0.0)
        scores = np.array(
            [
                made.by_luck() + np.log(lucky),
                *(made.by_luck(columns) + np.log(SCOPES / len(scopes)) for columns in scopes),
                *(score + np.log(PLACE / len(tried)) for score, _ in found),
            ]
        )
        counts = np.exp(scores - scores.max())
        counts[1:][counts[1:] < _SLIGHT * counts.sum()] = 0.0
        shares = (counts / counts.sum()).tolist()
        luck = [
            (columns, n)
            for columns, n in zip([(), *scopes], shares[: 1 + len(scopes)], strict=True)
            if n
        ]
        others = shares[1 + len(scopes) :]
        remaining = made.remaining(present)
        places = [
            (t[0], t[1], f[1] * remaining, n)
            for t, f, n in zip(tried, found, others, strict=True)
            if n
        ]
        works = cls(made, luck, places, remaining, np.array(scope, dtype=float))
        return replace(works, required_probability=share * works.best(parts))

    def best(self, parts: Sequence[Part]) -> float:
        """The probability at the best of the places that worked, set by such plays."""
        base, best = draws_of(parts), self.made.points[self.made.worked]
        held, rows = self.made.held(parts), np.repeat(base[None], len(best), axis=0)
        rows[:, :, held] = best[:, None, held]
        means = (
            self.mean(rows.reshape(len(best) * len(base), base.shape[1]))
            .reshape(len(best), -1)
            .mean(axis=1)
        )
        return float(means.max())

    def mean(self, rows: Float[np.ndarray, "m e"]) -> Float[np.ndarray, " m"]:
        """The probability to work, now; of more columns than the evaluations have the first ones count."""
        blocks = np.array_split(rows, 1 + self._explanations[1].size * len(rows) // _BLOCK)
        return np.concatenate([self.mean_and_slope(block)[0] for block in blocks])

    @cached_property
    def _level(self) -> float:
        """Part of the luck that all places share."""
        lucky = (
            n * self.made.rate(columns, self.scope, self.remaining) for columns, n in self.luck
        )
        return math.fsum([*lucky, *(counts * _HOPE for *_, counts in self.places)])

    @cached_property
    def _explanations(self) -> tuple[Float[np.ndarray, "e g"], Float[np.ndarray, "n g"]]:
        """Pairs of columns and reach: 3/ρ²k of k columns, 0 of the others; and weights of the evaluations."""
        weights: dict[tuple[tuple[int, ...], float], Float[np.ndarray, " n"]] = {}
        for columns, reach, each, counts in self.places:
            key = tuple(columns), reach
            weights[key] = weights.get(key, 0.0) + counts * each
        closeness = np.zeros((len(self.made.unordered), len(weights)))
        for g, (columns, reach) in enumerate(weights):
            closeness[list(columns), g] = 3.0 / (reach**2 * max(len(columns), 1))
        return closeness, np.array([*weights.values()]).reshape(
            len(weights), len(self.made.worked)
        ).T

    def mean_and_slope(
        self, rows: Float[np.ndarray, "m e"]
    ) -> tuple[Float[np.ndarray, " m"], Float[np.ndarray, "m e"]]:
        """`mean`, and its gradients (m, e), zero along a category."""
        (closeness, weights), made = self._explanations, self.made
        away = self._completed(rows)[:, None] - made.points
        away[:, :, made.unordered] = away[:, :, made.unordered] != 0.0
        # u² = 3 Σ_d (x_d − z_d)²/ρ²k, and ∂(1 + u) exp(−u)/∂x_d = −3 exp(−u) (x_d − z_d)/ρ²k
        far = np.sqrt((away * away) @ closeness)
        decay = np.exp(-far) * weights
        total = self._level + ((1.0 + far) * decay).sum(axis=(1, 2))
        away[:, :, made.unordered] = 0.0
        slope = np.zeros(rows.shape)
        slope[:, : made.dimension] = -((decay @ closeness.T) * away).sum(axis=1)[
            :, : made.dimension
        ]
        slope[(total < _LEAST_SAID) | (total > 1.0 - _LEAST_SAID)] = 0.0
        return np.clip(total, _LEAST_SAID, 1.0 - _LEAST_SAID), slope

    def _completed(self, rows: Float[np.ndarray, "m e"]) -> Float[np.ndarray, "m e"]:
        """Rows with the columns of the evaluations: where, and which variables are controlled."""
        width = self.made.dimension
        return np.column_stack(
            [rows[:, :width], np.broadcast_to(self.scope, (len(rows), self.made.scope))]
        )

    def failures_near(self, rows: Float[np.ndarray, "m e"]) -> float:
        """Number of failures that the probability at rows rests on, on average; by luck all of them count.

        Where rates differ by controlled columns, all of those count that the rate is compared with.
        """
        made, rows, failed = self.made, self._completed(rows), ~self.made.worked
        remaining = self.remaining[failed]
        total = sum(n for _, n in self.luck) * float(remaining.sum())
        for columns, reach, _, counts in self.places:
            total += counts * float(
                (made.similarity(rows, columns, reach)[:, failed] @ remaining).mean()
            )
        return total

    def log_probability(self, nature: Nature, held: Sequence[int]) -> WorkingProbability:
        """Logarithm of the probability of plays to work."""
        return WorkingProbability(self, nature, held)


@dataclass(frozen=True, eq=False)
class WorkingProbability:
    """Logarithm of the probability of plays to work, averaged over nature, as a function of the columns `held`."""

    works: SuccessProbability
    nature: Nature
    held: Sequence[int]

    @property
    def pooled(self) -> WorkingProbability:
        """See `LogProbability`."""
        return self

    def values(self, points: Float[np.ndarray, "n c"]) -> Float[np.ndarray, " n"]:
        """See `LogProbability`."""
        rows = self.nature.with_settings(points, self.held)
        n, s, e = rows.shape
        return self.nature.average(np.log(self.works.mean(rows.reshape(n * s, e))).reshape(n, s))

    def values_and_gradients(
        self, points: Float[np.ndarray, "n c"]
    ) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, "n c"]]:
        """See `LogProbability`."""
        rows = self.nature.with_settings(points, self.held)
        n, s, e = rows.shape
        mean, slope = self.works.mean_and_slope(rows.reshape(n * s, e))
        values = self.nature.average(np.log(mean).reshape(n, s))
        # of the mean probability
        rise = (self.nature.shares[:, None] * slope.reshape(n, s, e)).sum(axis=1)
        return values, (np.exp(-values)[:, None] * rise)[:, self.held]


def _correlated(gaps: Float[np.ndarray, "m n"], reach: float) -> Float[np.ndarray, "m n"]:
    far = np.sqrt(3.0) * gaps / reach
    return np.asarray((1.0 + far) * np.exp(-far))


def apart(
    rows: Float[np.ndarray, "m e"],
    points: Float[np.ndarray, "n d"],
    unordered: Bool[np.ndarray, " d"],
    columns: Sequence[int],
) -> Float[np.ndarray, "m n"]:
    """Distances by some columns, as shares of the diagonal; different categories are as far apart as the ends.

    >>> apart(np.array([[0.0, 1.0]]), np.array([[1.0, 1.0], [0.0, 0.0]]), np.array([False, True]), [0, 1]).round(3)
    array([[0.707, 0.707]])
    """
    numbers = [j for j in columns if not unordered[j]]
    a, b = rows[:, numbers], points[:, numbers]
    squares = np.maximum((a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2.0 * a @ b.T, 0.0)
    for j in columns:
        if unordered[j]:
            squares += rows[:, [j]] != points[:, j]
    return np.asarray(np.sqrt(squares / max(len(columns), 1)))


FEWEST = 2
"""Failures before anything is closed."""
_FAILURES_COUNTED = 40  # failures that count: the latest
_LATE = 500  # evaluations that are held where old ones say little: see `FADES`
_GAVE, _NEAREST = 128, 3  # outcomes that count; where there are more, those nearest to each failure

Place = Callable[[Mapping[str, Any], str, Round | None], Float[np.ndarray, " e"]]
"""From realised values, the token or the name of the data, and the round if it was one, to an encoded point."""
Tells = Callable[[Round | DataAdded], bool]
"""From a round, or external data, to whether it counts here."""


@dataclass(eq=False)
class _Tried:
    """Evaluations as they stand.

    Attributes:
        points: of plays that worked they are encoded when they are used.
        worked: whether each worked.
        when: time and round of each.
        count: how many there were, with those of long ago.
    """

    points: list[Float[np.ndarray, " e"] | Callable[[], Float[np.ndarray, " e"]]] = field(
        default_factory=list
    )
    worked: list[bool] = field(default_factory=list)
    when: list[tuple[float, float]] = field(default_factory=list)
    count: int = 0


class FailureModel:
    """Model of failed evaluations, derived from a history. It holds nothing until the first failure.

    Args:
        unordered: (d,) which columns are categories.
        place: where an evaluation was made; of more than d columns the first d count.
        history: of the study, whatever it is by now.
        lasting: correlations of the objective between times, as known by now; None: it does not
            drift, and settings that worked long ago still do.
        tells: which evaluations count; None: all.
        scope: (s,) which variables a round controls, of those that only some rounds do, 1 or 0; of
            external data (None) all. None: all rounds control the same.
    """

    def __init__(
        self,
        unordered: Bool[np.ndarray, " d"],
        place: Place,
        history: History,
        *,
        lasting: Lasting | None = None,
        tells: Tells | None = None,
        scope: Callable[[Round | None], Sequence[float]] | None = None,
    ) -> None:
        self._unordered = unordered
        self._place = place
        self._history = history
        self._lasting = lasting
        self._told_by = tells
        self._scope_of, self._scope = scope, 0 if scope is None else len(scope(None))
        self._fold = Fold(self._taken, _Tried)
        self._made: tuple[_Tried, object, Evaluations] | None = None  # kept while they stand

    @property
    def _tried(self) -> _Tried:
        return self._fold.of(self._history.results if self._history.failed else ())

    @property
    def _worked(self) -> list[bool]:
        return self._tried.worked

    @property
    def _points(self) -> list[Float[np.ndarray, " e"]]:
        """Points of the evaluations."""
        tried = self._tried
        tried.points[:] = found = [point() if callable(point) else point for point in tried.points]
        return found

    @property
    def failures(self) -> int:
        """Number of failed evaluations."""
        return len(self._worked) - sum(self._worked)

    @property
    def faded(self) -> float:
        """Number of failures too old to count; 0 without drift."""
        failed = ~np.array(self._worked, dtype=bool)
        if self._lasting is None or not failed.any():
            return 0.0
        then, present = self._recency_of(failed), self._present()
        assert then is not None
        assert present is not None
        return float((1.0 - then.of(present)).sum())

    # -- learning ----------------------------------------------------------------------------------

    def _taken(self, tried: _Tried, result: Result) -> _Tried:
        """Add one evaluation."""
        played, told = result.played, result.outcome is not None
        if not (told or result.failed):
            return tried
        if self._told_by is not None and not self._told_by(
            self._data(result.name) if played is None else played
        ):
            return tried
        point = partial(self._point, result.shown, result.name, played)
        tried.points.append(point if told else point())
        tried.worked.append(told)
        tried.count += 1
        if self._lasting is None:
            return tried
        when = (
            time_of(played)
            if played is not None
            else float(result.realised.get(TIME.name, result.time))
        )
        tried.when.append((when, float(result.number)))
        if len(tried.worked) > _LATE:  # a stream may go on for ever
            for held in (tried.points, tried.worked, tried.when):
                del held[0]
        return tried

    def _data(self, name: str) -> DataAdded:
        return self._history.data[name]

    def _point(
        self, realised: Mapping[str, Any], name: str, played: Round | None
    ) -> Float[np.ndarray, " e"]:
        point = self._place(realised, name, played)[: len(self._unordered)]
        return point if self._scope_of is None else np.append(point, self._scope_of(played))

    # -- closed places -----------------------------------------------------------------------------

    def works(
        self, parts: Sequence[Part], share: float = SHARE, scope: Sequence[float] = ()
    ) -> SuccessProbability | None:
        """Success probability of plays that control these columns; None where no failed point is closed to them.

        Nothing is closed before an evaluation has worked: there is no better region to go to. After
        the parts of the evaluations' columns the time may follow; `scope` says which variables the
        plays control, of those that only some do.
        """
        if self.failures < FEWEST or not any(self._worked):
            return None
        works = self._success(parts, share, scope)
        failed = np.zeros((works.made.worked.size - works.made.worked.sum(), len(parts)))
        failed[:, : works.made.dimension] = works.made.points[
            ~works.made.worked, : works.made.dimension
        ]
        failed = failed[:, set_columns(parts)]
        return works if (margin_over([works], parts)(failed) < 0.0).any() else None

    def _success(
        self, parts: Sequence[Part], share: float, scope: Sequence[float]
    ) -> SuccessProbability:
        return SuccessProbability.of(self._evaluations, parts, share, scope, self._present(parts))

    @property
    def _evaluations(self) -> Evaluations:
        """Evaluations that count; results about them are kept until there are others.

        Where the problem drifts, also until time has passed, or a fit knows the drift better.
        """
        tried, history = self._tried, self._history
        passed = None if self._lasting is None else (len(history), len(history.fits))
        key = tried.count, passed
        if self._made is None or self._made[0] is not tried or self._made[1] != key:
            self._made = tried, key, self._near()
        return self._made[2]

    @property
    def chance(self) -> float:
        """Success probability at the best point that worked; 1 with fewer than `FEWEST` failures."""
        if self.failures < FEWEST:
            return 1.0
        if not any(self._worked):
            return self._evaluations.rate(
                (), np.empty(0), self._evaluations.remaining(self._present())
            )
        every = [Controlled()] * len(self._unordered)
        return self._success(every, SHARE, ()).best(every)

    def chances(
        self, plays: Sequence[tuple[Sequence[Part], Sequence[float]]]
    ) -> Float[np.ndarray, " m"]:
        """Success probabilities of kinds of plays (parts, scope) at their best, as shares of the largest one, (m,).

        All are 1 with fewer than `FEWEST` failures, or before an evaluation has worked.
        """
        if self.failures < FEWEST or not any(self._worked):
            return np.ones(len(plays))
        found = np.array([self._success(parts, SHARE, scope).best(parts) for parts, scope in plays])
        return np.asarray(found / found.max())

    def probability(
        self, rows: Float[np.ndarray, "m e"], parts: Sequence[Part], scope: Sequence[float] = ()
    ) -> float | None:
        """Mean probability of plays at encoded rows to work; None where fewer than `FEWEST` failures near them tell.

        `parts` and `scope`: see `works`.
        """
        if self.failures < FEWEST or not any(self._worked):
            return None
        works = self._success(parts, SHARE, scope)
        return float(works.mean(rows).mean()) if works.failures_near(rows) >= FEWEST else None

    def _near(self) -> Evaluations:
        """Latest failures and the outcomes nearest to them."""
        points, worked = np.array(self._points), np.array(self._worked, dtype=bool)
        unordered = np.append(self._unordered, np.ones(self._scope, dtype=bool))
        failed, gave = np.flatnonzero(~worked)[-_FAILURES_COUNTED:], np.flatnonzero(worked)
        if len(gave) > _GAVE:
            gaps = apart(points[failed], points[gave], unordered, range(points.shape[1]))
            gave = gave[np.unique(np.argsort(gaps, axis=1, kind="stable")[:, :_NEAREST])]
        some = np.sort(np.concatenate([failed, gave]))
        left_out = points[np.setdiff1d(np.flatnonzero(worked), gave), len(self._unordered) :]
        return Evaluations(
            points[some], worked[some], unordered, self._scope, self._recency_of(some), left_out
        )

    def _recency_of(self, some: np.ndarray) -> Recency | None:
        if self._lasting is None:
            return None
        times, rounds = np.array(self._tried.when)[some].T
        return Recency(times, rounds, self._lasting)

    def _present(self, parts: Sequence[Part] = ()) -> Recency | None:
        """The moment of plays: that of the latest event, or of their parts, which may have the time last."""
        if self._lasting is None:
            return None
        time, number = now(self._history), float(len(self._history))
        last = parts[-1] if len(parts) > len(self._unordered) else None
        time = last.value if isinstance(last, Observed) else time
        return Recency(np.array([time]), np.array([number]), self._lasting)


# -- failures and constraints together -------------------------------------------------------------


class Feasibility:
    """Models of the constrained outcomes and of failures. A method has one; a causal method has one for each model.

    All are functions of the history as it stands. `margin` and `region` tell a search where plays are feasible,
    `feasible` picks among listed points, `slack` describes an answer. Where a constraint holds on
    average over plays, `required` is the probability that the next play still needs,
    `probabilities` the one that a play has.

    Args:
        failures: the model of failures.
        constraints: the models of constrained outcomes; None where no outcome is constrained.
        share: probability to work, as a share of the largest one, from which on a place is open.

    >>> from types import SimpleNamespace
    >>> nothing = SimpleNamespace(results=(), failed=())
    >>> place = lambda realised, name, played: realised["x"]
    >>> feasibility = Feasibility(FailureModel(np.zeros(1, dtype=bool), place, nothing))
    >>> feasibility.active, feasibility.margin([])  # nothing has failed
    (False, None)
    """

    def __init__(
        self,
        failures: FailureModel,
        constraints: ConstraintModels | None = None,
        share: float = SHARE,
    ) -> None:
        self.failures, self.constraints, self._share = failures, constraints, share

    @cached_property
    def for_answers(self) -> Feasibility:
        """The same of answers, which must be surer to work than plays."""
        return Feasibility(self.failures, self.constraints, OF_ANSWERS)

    @property
    def models(self) -> list[ConstraintModel]:
        """Models of the constrained outcomes of which enough is known."""
        return self.constraints.informed if self.constraints else []

    @property
    def active(self) -> bool:
        """Whether any play may count as infeasible."""
        return bool(self.models or self.failures.failures)

    @property
    def due(self) -> bool:
        """Whether hyperparameters of a constrained outcome are to be learned anew."""
        return self.constraints is not None and self.constraints.due

    def fit(self, until: Callable[[float], float]) -> dict[str, Any]:
        """Learn hyperparameters anew and return them by outcome; `until`: see `DriftTracker.fit`."""
        return self.constraints.fit(until) if self.constraints else {}

    # -- choosing ----------------------------------------------------------------------------------

    def margin(
        self,
        parts: Sequence[Part],
        *,
        outcomes: bool = True,
        scope: Sequence[float] = (),
    ) -> FeasibilityMargin | None:
        """Feasibility margin: settings (n, c) → (n,) normal deviations of the least likely requirement; ≥ 0: feasible.

        Args:
            parts: the part of every column; c of them are set, and columns that nature draws are
                averaged over.
            outcomes: whether constraints on outcomes count, or failures alone.
            scope: which variables the plays control, see `FailureModel`.

        Returns:
            None where every setting is feasible, as far as is known.
        """
        works = self.failures.works(parts, self._share, scope)
        likely = [*(self.models if outcomes else ()), *([] if works is None else [works])]
        return margin_over(likely, parts) if likely else None

    def margins(
        self,
        rows: Float[np.ndarray, "n e"],
        others: Float[np.ndarray, "n e"],
        scope: Sequence[float] = (),
    ) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
        """Margins of encoded rows, and of others beside them, (n,) each; `scope`: see `margin`.

        All columns count as set. Infinite where every setting is feasible, as far as is known.
        """
        n, both = len(rows), np.vstack([rows, others])
        margin = self.margin([Controlled()] * both.shape[1], scope=scope) if n else None
        if margin is None:
            return np.full(n, np.inf), np.full(n, np.inf)
        found = margin(both)
        return found[:n], found[n:]

    def nothing_near(self, margins: Sequence[Float[np.ndarray, " n"]]) -> bool:
        """Whether `FEWEST` plays have failed, and neither a row nor another beside it is feasible: see `margins`.

        There are no rows where no play has worked.
        """
        return self.failures.failures >= FEWEST and not any((each >= 0.0).any() for each in margins)

    def region(
        self,
        box: Box,
        parts: Sequence[Part],
        *,
        near: Float[np.ndarray, "k c"] | None = None,
        columns: Sequence[int] | None = None,
        scope: Sequence[float] = (),
    ) -> Box | None:
        """Restrict a box to feasible settings; None where nothing is to be set and the only play is infeasible.

        Args:
            box: of the variables that are searched.
            parts: see `margin`.
            near: played settings, around which a feasible region may lie that is too small to be
                found otherwise.
            columns: the columns of the box that `parts` sets; None: all.
            scope: see `margin`.
        """
        margin = self.margin(parts, scope=scope)
        if margin is None:
            return box
        if not box.dimension:
            return box if margin(np.zeros((1, 0)))[0] >= 0.0 else None
        margin = replace(margin, columns=columns)
        roughly = margin.roughly if self.models else None  # of failures nothing is quicker
        return FeasibleRegion(box, margin, near, margin.gradients, roughly=roughly, slack=ROUGHLY)

    # -- answers -----------------------------------------------------------------------------------

    def slack(self, name: str, rows: Float[np.ndarray, "m d"]) -> float | None:
        """Slack of the constraint on one outcome at encoded rows, in its units; None where too little is known."""
        return next((each.room(rows) for each in self.models if each.limit.name == name), None)

    # -- constraints that hold on average over plays -----------------------------------------------

    @property
    def on_average(self) -> bool:
        """Whether a constraint of which enough is known holds on average over plays."""
        return any(each.limit.on_average for each in self.models)

    def probabilities(
        self, parts: Sequence[Part], points: Float[np.ndarray, "n c"]
    ) -> dict[str, Float[np.ndarray, " n"]]:
        """Probability of settings to satisfy each constraint of which enough is known, by outcome."""
        if not self.models:
            return {}
        chances = chances_over(self.models, parts)
        return {
            each.limit.name: np.exp(logs.values(points))
            for each, logs in zip(self.models, chances, strict=True)
        }

    def probability_of_play(
        self, parts: Sequence[Part], points: Float[np.ndarray, "n c"]
    ) -> dict[str, float]:
        """Probability to satisfy each constraint of which enough is known, by outcome, the mean over n points."""
        return {
            name: float(each.mean()) for name, each in self.probabilities(parts, points).items()
        }

    def required(self, rounds: Iterable[Round], least: float = 0.0) -> dict[str, float]:
        """Probability that the next play needs of each constraint, by outcome.

        On average over plays that is the part that earlier plays left over, `p (n + 1) − kept`, but
        no less than `least`.
        """
        played, found = [*rounds], dict[str, float]()
        for model in self.models:
            limit = model.limit
            if limit.on_average:
                found[limit.name] = max(required_now(limit, played), least)
            else:
                found[limit.name] = model.required_probability
        return found

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
    return (
        np.flatnonzero(margins >= 0.0)
        if (margins >= 0.0).any()
        else np.array([int(margins.argmax())])
    )
