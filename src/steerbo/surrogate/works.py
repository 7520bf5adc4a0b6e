"""How likely evaluations are to work: what failed, and where, is explained by luck or by the place.

Whether an evaluation works, w, is 1 or 0. Several explanations compete. By the first it is luck alone, everywhere the
same. By the others it depends on the place, or on one coordinate of it: w(x) = c + g(x) + noise, with g a Gaussian
process (Matérn, ν = 3/2). Each counts by how well it has foretold what happened, one evaluation after another, times
what was believed in it beforehand: luck, for the most part. So one failure closes nothing.

A place is closed where the probability to work, over what nature draws, is less than τ of what it is at the best of the
places that have worked. What fails wherever one goes, by bad luck or by the weather, therefore closes nothing. In the
literature that is a hidden, or crash, constraint (Gramacy & Lee 2011; Bachoc, Helbert & Picheny 2020, who also classify
by a Gaussian process).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby, product
from operator import itemgetter

import numpy as np
from jaxtyping import Bool, Float

from .outcomes import draws_of
from .parts import Part, set_columns

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
        """The probability to work, by luck alone; what was long ago counts for less, where that matters."""
        counts = np.exp(-self.ages / FADES)
        gave = float(counts[self.worked].sum()) + self.more
        return (gave + _LUCK[0]) / (float(counts.sum()) + self.more + sum(_LUCK))

    def held(self, parts: Sequence[Part]) -> tuple[int, ...]:
        """Which of the columns of evaluations are set; there may be more, such as the time."""
        return tuple(d for d in set_columns(parts) if d < len(self.unordered))

    def by_luck(self) -> float:
        """The logarithm of the probability of what happened, by luck alone."""
        before = np.arange(len(self.worked)) + self.more
        kept = np.cumsum(self.worked) - self.worked + self.more
        return self._score((kept + _LUCK[0]) / (before + sum(_LUCK)))

    def by_place(self, columns: tuple[int, ...], reach: float, noise: float) -> Foretold:
        """The same by some columns of the place; computed once, for all that is set."""
        key = (columns, reach, noise)
        if key not in self._found:
            self._found[key] = self._by_place(columns, reach, noise)
        return self._found[key]

    def _by_place(self, columns: tuple[int, ...], reach: float, noise: float) -> Foretold:
        covariance = self.alike(self.points, columns, reach) * np.exp(-np.abs(self.ages[:, None] - self.ages) / FADES)
        covariance[np.diag_indices_from(covariance)] += noise
        root = np.linalg.cholesky(covariance)
        ahead = np.linalg.solve(root, self.worked - _HOPE)
        score = self._score(self.worked - np.diagonal(root) * ahead)  # each is foretold by those before it
        return score, np.linalg.solve(root.T, ahead) * np.exp(-self.ages / FADES)

    def alike(self, rows: Float[np.ndarray, "m e"], columns: Sequence[int], reach: float) -> Float[np.ndarray, "m n"]:
        """Matérn's correlations of rows with the points, by some columns."""
        return _correlated(apart(rows, self.points, self.unordered, columns), reach)

    def _score(self, foretold: Float[np.ndarray, " n"]) -> float:
        likely = np.clip(foretold, _END, 1.0 - _END)
        return float(np.log(np.where(self.worked, likely, 1.0 - likely)).sum())


@dataclass(frozen=True, eq=False)
class Works:
    """The probability to work, by all explanations together, for plays that set some columns.

    Attributes:
        made: the evaluations.
        luck: how much luck counts.
        places: the other explanations: columns, reach, weights of the evaluations, and how much each counts.
        sure: the probability that is asked for.
    """

    made: Evaluations
    luck: float
    places: Sequence[tuple[Sequence[int], float, Float[np.ndarray, " n"], float]]
    sure: float = 0.0

    @classmethod
    def of(cls, made: Evaluations, parts: Sequence[Part], share: float = SHARE) -> Works:
        """What evaluations, of which some worked, tell of plays that set these columns.

        What fails may hang on all columns, on those that are set, or on one. `share` is τ.
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
