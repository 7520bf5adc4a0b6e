"""Failure model: regions that keep failing are closed to a search, until outcomes open them again.

Whether an evaluation works, w, is 1 or 0. Several explanations compete. By the first it is luck alone, everywhere the
same. By the others it depends on the place, or on one coordinate of it: w(x) = c + g(x) + noise, with g a Gaussian
process (Matérn, ν = 3/2). Each counts by how well it has foretold what happened, one evaluation after another, times
what was believed in it beforehand: luck, for the most part. So one failure closes nothing.

A place is closed where the probability to work, over nature's draws, is less than τ of what it is at the best of the
places that have worked. What fails wherever one goes, by bad luck or by the weather, therefore closes nothing. In the
literature that is a hidden, or crash, constraint (Gramacy & Lee 2011; Bachoc, Helbert & Picheny 2020, who also classify
by a Gaussian process).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, product
from operator import itemgetter
from typing import Any

import numpy as np

from .._arrays import Bool, Float
from ..core import Amended, Asked, DataAdded, Event, Failed, History, OutcomeTold, Round
from ..optim import Margin
from ._constraints import ProbabilisticConstraint, draws_of, margin_over
from ._parts import Controlled, Part, set_columns

SHARE, OF_ANSWERS = 0.9, 0.97
"""τ, of what is played and of what is recommended: a play that fails teaches something, an answer that does is none."""
PLACE = 0.1
"""What is believed beforehand in failures that depend on the place."""
REACHES, NOISES = (0.1, 0.3, 1.0), (0.05, 0.5)
"""Lengthscales of g, as shares of the diagonal; variances of the noise, in units of g's."""
_HOPE = 0.95  # c
_LUCK = 2.0, 0.5  # plays that are imagined to have worked, and to have failed, by the first explanation
FADES = 100.0
"""Rounds until what failed says little of now, where the objective moves."""
_END = 0.02  # what an explanation foretells is no nearer to 0 and 1 than this
_LEAST = 1e-3  # the same of what is said
_SINGLES = 12  # columns at most of which each is an explanation by itself
_SLIGHT = 0.01  # explanations of the place that count for less are left out


Foretold = tuple[float, Float[np.ndarray, " n"]]
"""The logarithm of the probability of what happened, and weights of evaluations for what is said of other places."""


@dataclass(frozen=True, eq=False)
class Evaluations:
    """Evaluations that worked or failed, in the order they were made.

    Attributes:
        points: (n, d) where, encoded.
        worked: (n,) which of them gave an outcome.
        ages: (n,) rounds since; 0 where that does not matter.
        unordered: (d,) which columns are categories.
        more: how many outcomes are left out: those far from all failures.
    """

    points: Float[np.ndarray, "n d"]
    worked: Bool[np.ndarray, " n"]
    ages: Float[np.ndarray, " n"]
    unordered: Bool[np.ndarray, " d"]
    more: int = 0
    _found: dict[tuple[tuple[int, ...], float, float], Foretold] = field(default_factory=dict, init=False, repr=False)

    @property
    def share(self) -> float:
        """Success probability by chance alone; old evaluations count less under drift."""
        counts = np.exp(-self.ages / FADES)
        gave = float(counts[self.worked].sum()) + self.more
        return (gave + _LUCK[0]) / (float(counts.sum()) + self.more + sum(_LUCK))

    def held(self, parts: Sequence[Part]) -> tuple[int, ...]:
        """Controlled columns of the evaluations; `parts` may have more, such as the time."""
        return tuple(d for d in set_columns(parts) if d < len(self.unordered))

    def by_luck(self) -> float:
        """Log evidence of the evaluations if success is chance alone."""
        before = np.arange(len(self.worked)) + self.more
        kept = np.cumsum(self.worked) - self.worked + self.more
        return self._score((kept + _LUCK[0]) / (before + sum(_LUCK)))

    def by_place(self, columns: tuple[int, ...], reach: float, noise: float) -> Foretold:
        """Log evidence if success depends on some columns, and weights for predictions; cached."""
        key = (columns, reach, noise)
        if key not in self._found:
            self._found[key] = self._by_place(columns, reach, noise)
        return self._found[key]

    def _by_place(self, columns: tuple[int, ...], reach: float, noise: float) -> Foretold:
        covariance = self.similarity(self.points, columns, reach) * np.exp(
            -np.abs(self.ages[:, None] - self.ages) / FADES
        )
        covariance[np.diag_indices_from(covariance)] += noise
        root = np.linalg.cholesky(covariance)
        ahead = np.linalg.solve(root, self.worked - _HOPE)
        score = self._score(self.worked - np.diagonal(root) * ahead)  # each is foretold by those before it
        return score, np.linalg.solve(root.T, ahead) * np.exp(-self.ages / FADES)

    def similarity(
        self, rows: Float[np.ndarray, "m e"], columns: Sequence[int], reach: float
    ) -> Float[np.ndarray, "m n"]:
        """Matérn's correlations of rows with the points, by some columns."""
        return _correlated(apart(rows, self.points, self.unordered, columns), reach)

    def _score(self, foretold: Float[np.ndarray, " n"]) -> float:
        likely = np.clip(foretold, _END, 1.0 - _END)
        return float(np.log(np.where(self.worked, likely, 1.0 - likely)).sum())


@dataclass(frozen=True, eq=False)
class SuccessProbability:
    """Success probability of plays that control some columns, averaged over explanations.

    Attributes:
        made: the evaluations.
        luck: how much luck counts.
        places: the other explanations: columns, reach, weights of the evaluations, and how much each counts.
        sure: the probability that is asked for.
    """

    made: Evaluations
    luck: float
    places: Sequence[tuple[Sequence[int], float, Float[np.ndarray, " n"], float]]
    required_probability: float = 0.0

    @classmethod
    def of(cls, made: Evaluations, parts: Sequence[Part], share: float = SHARE) -> SuccessProbability:
        """Fit the success probability of plays that control some columns, averaging over explanations of past failures.

        Failures may depend on all columns, on the controlled ones, or on one. `share` is τ.
        """
        every = tuple(range(len(made.unordered)))
        singles = [(d,) for d in every] if len(every) <= _SINGLES else []
        kinds = dict.fromkeys([every, made.held(parts), *singles])
        tried = [*product(kinds, REACHES, NOISES)]
        found = [made.by_place(*each) for each in tried]
        scores = np.array(
            [made.by_luck() + np.log1p(-PLACE), *(score + np.log(PLACE / len(tried)) for score, _ in found)]
        )
        counts = np.exp(scores - scores.max())
        counts[1:][counts[1:] < _SLIGHT * counts.sum()] = 0.0
        luck, *others = (counts / counts.sum()).tolist()
        places = [(t[0], t[1], f[1], n) for t, f, n in zip(tried, found, others, strict=True) if n]
        works = cls(made, luck, places)
        return cls(made, luck, places, share * works.best(parts))

    def best(self, parts: Sequence[Part]) -> float:
        """The probability at the best of the places that worked, set by such plays."""
        base, best = draws_of(parts), self.made.points[self.made.worked]
        held, rows = self.made.held(parts), np.repeat(base[None], len(best), axis=0)
        rows[:, :, held] = best[:, None, held]
        means = self.mean(rows.reshape(len(best) * len(base), base.shape[1])).reshape(len(best), -1).mean(axis=1)
        return float(means.max())

    def mean(self, rows: Float[np.ndarray, "m e"]) -> Float[np.ndarray, " m"]:
        """The probability to work, now; of more columns than the evaluations have the first ones count."""
        total = np.full(len(rows), self.luck * self.made.share)
        made = self.made
        for columns, some in groupby(self.places, key=itemgetter(0)):  # distances are what takes the time
            gaps = apart(rows, made.points, made.unordered, columns)
            for reach, same in groupby(some, key=itemgetter(1)):
                alike = _correlated(gaps, reach)
                for *_, weights, counts in same:
                    total += counts * (_HOPE + alike @ weights)
        return np.clip(total, _LEAST, 1.0 - _LEAST)

    def log_probability(self, rows: Float[np.ndarray, "m e"]) -> Float[np.ndarray, " m"]:
        """Its logarithm."""
        return np.asarray(np.log(self.mean(rows)))


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
_MOST = 40  # failures that count: the latest
_LATE = 500  # evaluations that are held where what was long ago says little: see `works.FADES`
_OLDER = 5  # rounds in which evaluations grow older, where they do
_GAVE, _NEAREST = 128, 3  # outcomes that count; where there are more, those nearest to each failure

Place = Callable[[Mapping[str, Any], str, Round | None], Float[np.ndarray, " e"]]
"""What happened, the token or the name of the data, and the round if it was one, to a point, encoded."""
Tells = Callable[[Round | DataAdded], bool]
"""A round, or data that nobody suggested, to whether it counts here."""


class FailureModel:
    """Model of failed evaluations, learned from events. It holds nothing until the first failure.

    Args:
        unordered: (d,) which columns are categories.
        place: where an evaluation was made; of more than d columns the first d count.
        fading: whether settings that worked long ago may fail now.
        tells: which evaluations count; None: all.
    """

    def __init__(
        self, unordered: Bool[np.ndarray, " d"], place: Place, *, fading: bool = False, tells: Tells | None = None
    ) -> None:
        self._unordered, self._place, self._fading, self._told_by = unordered, place, fading, tells
        self._forget()

    def _forget(self) -> None:
        self._points: list[Float[np.ndarray, " d"]] = []
        self._worked: list[bool] = []
        self._rounds: list[int] = []
        self._now = 0
        self._made: Evaluations | None = None  # as they stand: what is found of them is kept

    @property
    def failures(self) -> int:
        """Number of failed evaluations."""
        return len(self._worked) - sum(self._worked)

    @property
    def faded(self) -> float:
        """Number of failures that count no longer, as they are old; 0 without drift."""
        if not self._fading:
            return 0.0
        ages = self._now - np.array(self._rounds, dtype=float)[~np.array(self._worked, dtype=bool)]
        return float((1.0 - np.exp(-ages / FADES)).sum())

    # -- learning ------------------------------------------------------------------------------------------------------

    def learn(self, event: Event, history: History) -> None:
        """Take one event in."""
        match event:
            case OutcomeTold() | Failed() if self._points:
                self._take(history[event.token], event.token, history)
            case DataAdded() if self._points:
                self._take(None, history.latest_data, history)
            case Failed() | Amended():
                self.begin_anew(history)
            case Asked() if self._points and self._fading and len(history) - self._now >= _OLDER:
                self._now, self._made = len(history), None  # rounds of others pass, too
            case _:
                pass

    def begin_anew(self, history: History) -> None:
        """Replace all evaluations by the history's."""
        self._forget()
        if not history.failed:
            return
        for name in history.data:
            self._take(None, name, history)
        for played in history:
            if played.state in ("told", "failed"):
                self._take(played, played.suggestion.token, history)

    def _take(self, played: Round | None, name: str, history: History) -> None:
        if self._told_by is not None and not self._told_by(history.data[name] if played is None else played):
            return
        realised = history.data[name].outcome.realised if played is None else played.realised
        self._points.append(self._place(realised, name, played)[: len(self._unordered)])
        self._worked.append(played is None or played.state == "told")
        self._rounds.append(len(history) if played is None else played.number)
        self._now, self._made = len(history), None
        if self._fading and len(self._points) > _LATE:  # a stream may go on for ever
            for held in (self._points, self._worked, self._rounds):
                del held[0]

    # -- what is closed ------------------------------------------------------------------------------------------------

    def works(self, parts: Sequence[Part], share: float = SHARE) -> SuccessProbability | None:
        """Success probability of plays that control these columns; None where no failed point is closed to them.

        Nothing is closed before an evaluation has worked: there is no better region to go to.
        """
        if self.failures < FEWEST or not any(self._worked):
            return None
        self._made = self._made or self._near()
        works = SuccessProbability.of(self._made, parts, share)
        failed = np.zeros((works.made.worked.size - works.made.worked.sum(), len(parts)))
        failed[:, : len(self._unordered)] = works.made.points[~works.made.worked]
        failed = failed[:, set_columns(parts)]
        return works if (margin_over([works], parts)(failed) < 0.0).any() else None

    @property
    def chance(self) -> float:
        """Success probability at the best point that worked; 1 with fewer than `FEWEST` failures."""
        if self.failures < FEWEST:
            return 1.0
        self._made = self._made or self._near()
        if not any(self._worked):
            return self._made.share
        every = [Controlled()] * len(self._unordered)
        return SuccessProbability.of(self._made, every).best(every)

    def _near(self) -> Evaluations:
        """Latest failures and the outcomes nearest to them."""
        points, worked = np.array(self._points), np.array(self._worked, dtype=bool)
        failed, gave = np.flatnonzero(~worked)[-_MOST:], np.flatnonzero(worked)
        if len(gave) > _GAVE:
            gaps = apart(points[failed], points[gave], self._unordered, range(points.shape[1]))
            gave = gave[np.unique(np.argsort(gaps, axis=1, kind="stable")[:, :_NEAREST])]
        some = np.sort(np.concatenate([failed, gave]))
        ages = (self._now - np.array(self._rounds, dtype=float)[some]) * self._fading
        return Evaluations(points[some], worked[some], np.abs(ages), self._unordered, int(worked.sum()) - len(gave))


def feasibility_margin(
    constraints: Sequence[ProbabilisticConstraint],
    failures: FailureModel | None,
    parts: Sequence[Part],
    answering: bool = False,
) -> Margin | None:
    """Feasibility margin of plays under failures and outcome constraints; None: all are feasible.

    Args:
        constraints: further outcomes that are limited.
        failures: the failure model; None: no failures.
        parts: every column's part.
        answering: whether a recommendation is made, and not the next play.
    """
    works = None if failures is None else failures.works(parts, OF_ANSWERS if answering else SHARE)
    likely = [*constraints, *([] if works is None else [works])]
    return margin_over(likely, parts) if likely else None
