"""Contexts: the latest ones an arm has met, and their empirical distribution given the part that was observed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from .._arrays import Bool, Float
from ..core import History, Round, Scope, context_of
from ..surrogate import Rows, kernel_herding, similarity_shares
from ._arms import Arm

MOST_ROWS = 100
"""Most contexts, the latest, that an expectation is taken over."""
_POLICY_ROWS = 16  # contexts that a policy's value is averaged over
_CANDIDATES = 64  # latest contexts, of which the nearest to the known ones are taken
_SUBSAMPLE = 32  # rows that an action is averaged over


def known_in(played: Round) -> dict[str, Any]:
    """Known values of a round: contexts, settings and measurements, and its time if effects change with it."""
    return {**context_of(played.request), **played.suggestion.context, **played.realised}


def latest_contexts(
    history: History,
    arms: Sequence[Arm],
    number: Mapping[Scope, int],
    i: int,
    seen: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """Latest contexts of arm `i`, latest first: from its own rounds, and from rounds of arms that do not affect them.

    Where these are few, external data without an action that affects them follow: the average over
    a few contexts depends on which these are. Rounds come first since they are of those that the
    study is about. Where effects change with time, data count only where there is no such round:
    they may be of another time.

    All rows have the values `seen` before choosing, and the rest of a row comes from a round in
    which they were similar. At most 16 rows of values by name; a single row in the middle of all
    ranges if there is no such round and no such data.
    """
    arm = arms[i]
    if seen and not set(arm.contexts) - set(seen):
        return [{name: seen[name] for name in arm.contexts}]
    found = list(islice(_met(arm, history, arms, number), _CANDIDATES if seen else _POLICY_ROWS))
    found = found or [{name: arm.problem_space[name].decode([0.5])[0] for name in arm.contexts}]
    return [{**row, **seen} for row in _nearest(arm, found, seen)]


def _met(
    arm: Arm, history: History, arms: Sequence[Arm], number: Mapping[Scope, int]
) -> Iterator[dict[str, Any]]:
    """Contexts of an arm from rounds, latest first, then from external data, latest first."""
    wanted, free = frozenset(arm.contexts), not arm.affected
    affected, any_round = _affecting(arm, wanted), False
    for played in reversed(list(history)) if wanted else ():
        other = arms[number[played.suggestion.scope]]
        alike = free and wanted <= frozenset(other.contexts) and not wanted & other.affected
        known = known_in(played) if other is arm or alike else {}
        if wanted <= known.keys():
            any_round = True
            yield {name: known[name] for name in arm.contexts}
    counted = wanted and not (arm.timed and any_round)
    for data in reversed(list(history.data.values())) if counted else ():
        alike = data.scope == arm.scope or (
            free and (data.scope is None or not affected(data.scope))
        )
        if alike and wanted <= data.outcome.realised.keys():
            yield {name: data.outcome.realised[name] for name in arm.contexts}


def _nearest(arm: Arm, rows: list[dict[str, Any]], seen: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows nearest to the values known before choosing, nearest first."""
    space = arm.problem_space.subset(seen)
    gaps = _squared_gaps(space.encode(rows), space.encode([seen]), space.categorical)
    return [rows[k] for k in np.argsort(gaps, kind="stable")[:_POLICY_ROWS]]


def _squared_gaps(
    points: np.ndarray, at: np.ndarray, categorical: np.ndarray
) -> Float[np.ndarray, " m"]:
    gaps = np.where(categorical, points != at, points - at)
    return np.asarray((gaps**2).sum(axis=1))


@dataclass(frozen=True, eq=False)
class ContextSample:
    """Contexts that no action affected, the latest first: a sample of their joint distribution.

    Attributes:
        points: (m, c) encoded, one column for each of `Arm.measured`, at least one row.
        categorical: (c,) which columns hold categories.
    """

    points: Float[np.ndarray, "m c"]
    categorical: Bool[np.ndarray, " c"]

    @classmethod
    def of(cls, arm: Arm, history: History, seen: Mapping[str, Any]) -> ContextSample:
        """Collect contexts from rounds, and from external data, in which no action affects them.

        Rows most similar to the values `seen` before choosing come first, and all rows take these
        values. Without any data there is a single row in the middle of all ranges.
        """
        space = arm.problem_space.subset(arm.measured)
        found = list(islice(_unaffected(arm, history), 2 * MOST_ROWS if seen else MOST_ROWS))
        points = (
            space.encode(found) if found else np.array([[0.5] * len(space)]).reshape(1, len(space))
        )
        if not found:
            points = space.encode(space.decode(points))
        if held := [name for name in arm.measured if name in seen]:
            columns = [arm.measured.index(name) for name in held]
            now = arm.problem_space.subset(held).encode([seen])
            gaps = _squared_gaps(points[:, columns], now[0], space.categorical[columns])
            points = points[np.argsort(gaps, kind="stable")[:MOST_ROWS]]
            points[:, columns] = now
        return cls(points, space.categorical)

    def latest(self, most: int) -> ContextSample:
        """The `most` latest contexts."""
        return ContextSample(self.points[:most], self.categorical)

    def weights(
        self, columns: Sequence[int], at: Float[np.ndarray, " k"]
    ) -> Float[np.ndarray, " m"]:
        """Weights of the rows, with sum 1, where the values of some columns are known to be `at`.

        See `similarity_shares`.
        """
        some = list(columns)
        return similarity_shares(self.points[:, some], np.asarray(at), self.categorical[some])

    def conditional(
        self, columns: Sequence[int], at: Float[np.ndarray, " k"], drawn: Sequence[int]
    ) -> Rows:
        """Conditional distribution of the columns `drawn` given that others are `at`, as weighted rows.

        Dependent columns are shifted: row j becomes `r_j + B (at − z_j)` with the slope B of a
        linear regression on the same weighted rows; without the shift a few rows would make
        dependent contexts look independent.
        """
        weights, rows = self.weights(columns, at), self.points[:, list(drawn)].copy()
        seen = [j for j in columns if not self.categorical[j]]
        moved = [j for j, d in enumerate(drawn) if not self.categorical[d]]
        if seen and moved:
            away = self.points[:, seen] - np.asarray(at)[[list(columns).index(j) for j in seen]]
            rows[:, moved] -= away @ _slope(away, rows[:, moved], weights)
        return Rows(rows, weights)

    def draw(
        self, columns: Sequence[int], at: Float[np.ndarray, " k"], uniform: float
    ) -> Float[np.ndarray, " c"]:
        """Draw a row by its weight where some columns are known to be `at`, with a uniform number."""
        edges = np.cumsum(self.weights(columns, at))
        return np.asarray(
            self.points[min(int(np.searchsorted(edges, uniform * edges[-1])), len(edges) - 1)]
        )


def subsample(law: Rows, categorical: Bool[np.ndarray, " k"], most: int = _SUBSAMPLE) -> Rows:
    """Reduce a distribution to at most `most` rows: representative ones if weights are equal, else the heaviest."""
    if len(law.weights) <= most:
        return law
    if np.ptp(law.weights) == 0.0:
        return kernel_herding(law.points, categorical, most)
    kept = np.argsort(-law.weights, kind="stable")[:most]
    return Rows(law.points[kept], law.weights[kept] / law.weights[kept].sum())


def _slope(
    seen: Float[np.ndarray, "m k"],
    drawn: Float[np.ndarray, "m u"],
    weights: Float[np.ndarray, " m"],
) -> Float[np.ndarray, "k u"]:
    """Slope of the weighted linear regression of columns on others; near 0 if the others hardly vary."""
    gaps, far = seen - weights @ seen, drawn - weights @ drawn
    spread = (gaps * weights[:, None]).T @ gaps
    ridge = 1e-3 * np.maximum(np.diag(spread), 1e-9)
    return np.asarray(np.linalg.solve(spread + np.diag(ridge), (gaps * weights[:, None]).T @ far))


def _unaffected(arm: Arm, history: History) -> Iterator[dict[str, Any]]:
    """Contexts of an arm's model from rounds and external data without an action that affects them, latest first."""
    wanted = frozenset(arm.measured)
    affected = _affecting(arm, wanted)
    for played in reversed(list(history)):
        known = {**played.suggestion.context, **played.realised}
        scope = played.suggestion.scope
        if wanted <= known.keys() and (scope == arm.scope or not affected(scope)):
            yield {name: known[name] for name in arm.measured}
    for data in reversed(history.data.values() if not arm.affected else ()):
        known = data.outcome.realised
        if wanted <= known.keys() and (data.scope is None or not affected(data.scope)):
            yield {name: known[name] for name in arm.measured}


def _affecting(arm: Arm, wanted: frozenset[str]) -> Callable[[Scope], bool]:
    """Function that tells whether a scope sets or affects any of some variables, by the graphs of an arm."""
    below: dict[tuple[str, ...], frozenset[str]] = {}

    def affected(scope: Scope) -> bool:
        actions = tuple(scope.set)
        if actions not in below:
            reached = (graph.descendants(actions) for graph in arm.graphs)
            below[actions] = frozenset().union(*reached)
        return bool(wanted & below[actions])

    return affected
