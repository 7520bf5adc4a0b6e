"""Trust region of distributions: suggestions stay where outcomes carry information and rounds are likely to work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .._arrays import Bool, Float
from ..core import History, Round, context_of
from ..gp import drift_over
from ..surrogate import FIRST_STEP, FURTHER, Controlled, FailureModel, Feasibility, Observed, Part
from ._rounding import Bound
from .acquisition import AveragePayoffUCB, Tables, Values
from .problem import MeanField

Feasible = Callable[[Tables], Bool[np.ndarray, " r"]]
"""Function of tables (r, C, A) to whether each is likely to work."""

_PARTS = 40  # points compared on the way to a table
_ANY = 1e-9  # smallest share, which projections can enlarge
_ROUNDING = 1e-6  # of a share: more than `_ANY` in each of hundreds of actions


def everywhere(tables: Tables) -> Bool[np.ndarray, " r"]:
    """Return that all tables are likely to work."""
    return np.ones(len(tables), dtype=bool)


class TableFeasibility:
    """Failure model of distributions: regions where rounds kept failing are closed, see `surrogate._feasibility`.

    A point is a table, laid out flat, followed by the encoded seen variables.
    """

    def __init__(self, problem: MeanField, history: History) -> None:
        self._points, self._drift = _TablePoints(problem), drift_over(problem.drift, 0)
        unordered = np.zeros(self._points.dimension, dtype=bool)
        self._model = Feasibility(
            FailureModel(
                unordered,
                self._points.of,
                history,
                lasting=self._lasting if problem.timed else None,
            )
        )

    def _lasting(
        self, times: Float[np.ndarray, " n"], others: Float[np.ndarray, " m"]
    ) -> Float[np.ndarray, "n m"]:
        assert self._drift is not None
        return self._drift(times[:, None], others[:, None])

    def at(self, seen: Mapping[str, Any]) -> Feasible:
        """Return the feasibility of tables to play at seen values."""
        return self._by(self._model, seen)

    def of_answers(self, seen: Mapping[str, Any]) -> Feasible:
        """Return the feasibility of tables to recommend at seen values: see `Feasibility.for_answers`."""
        return self._by(self._model.for_answers, seen)

    def _by(self, model: Feasibility, seen: Mapping[str, Any]) -> Feasible:
        points, space = self._points, self._points.problem.space
        known = points.scaled(space.encode([seen])[0]) if len(space) else np.zeros(0)
        parts: list[Part] = [*([Controlled()] * points.cells), *map(Observed, known.tolist())]
        margin = model.margin(parts)
        if margin is None:
            return everywhere
        return lambda tables: margin(points.scaled(tables.reshape(len(tables), -1))) >= 0.0


@dataclass(frozen=True, eq=False)
class _TablePoints:
    """Tables as points of the failure model; a class, because processes receive pickled copies."""

    problem: MeanField

    @property
    def cells(self) -> int:
        """Number of cells of a table."""
        return int(np.prod(self.problem.simplex.shape))

    @property
    def dimension(self) -> int:
        """Number of coordinates of a point."""
        return self.cells + len(self.problem.space)

    def scaled(self, values: Float[np.ndarray, "*n k"]) -> Float[np.ndarray, "*n k"]:
        """Scale coordinates so that disjoint tables are as far apart as opposite corners of the unit cube."""
        return values * np.sqrt(self.dimension / (2.0 * self.problem.simplex.shape[0]))

    def of(
        self, realised: Mapping[str, Any], name: str, played: Round | None
    ) -> Float[np.ndarray, " k"]:
        """Return the point of a round, or of external data (`played` is None)."""
        known = {**({} if played is None else context_of(played.request)), **realised}
        seen = self.problem.space.encode([known])[0] if len(self.problem.space) else np.zeros(0)
        return self.scaled(np.append(self.problem.table(known["distribution"]).ravel(), seen))


@dataclass(frozen=True, eq=False)
class TrustRegion:
    """Tables whose average has lost a share `least` of its prior variance to the data, within a radius.

    Optimism prefers distributions nothing is known about: the corners, where all agents do the
    same, for which congested populations pay dearly. The region grows with the outcomes and with
    their lengthscale. Because a lengthscale may be wrong, tables must also lie within twice the
    distance from the best that was ever played; because the metric may be wrong, the variance must
    have been reduced under every model in `known`. One agent may always move: of five it is a fifth
    of the population, about which no outcome tells enough beforehand.

    Args:
        ucb: posterior by the likeliest model.
        known: posteriors, without pending rounds, under every model that is asked.
        least: share of the prior variance; zero: no restriction but feasibility.
        played: (n, C, A) distributions played.
        project: projects tables (r, C, A) to the nearest feasible ones.
        works: feasibility by past failures.
        agent: share of a context's agents that one of them is, where they are fewest.
    """

    ucb: AveragePayoffUCB
    known: tuple[AveragePayoffUCB, ...]
    least: float
    played: Float[np.ndarray, "n C A"]
    project: Callable[[Tables], Tables]
    works: Feasible = everywhere
    agent: float = 0.0

    @cached_property
    def origin(self) -> Float[np.ndarray, "C A"]:
        """Centre of the region, (C, A): the played table with the largest lower bound, projected to the constraints."""
        mean, sd = self.ucb.moments(self.played)
        best = self.played[int((mean - sd).argmax())]
        return self.project(np.maximum(best, _ANY)[None])[0]

    @property
    def open(self) -> Tables:
        """Played tables that lie in the region, projected to the constraints, (k, C, A)."""
        tables = self.project(np.maximum(self.played, _ANY))
        return tables[self.contains(tables)]

    def contains(self, tables: Tables) -> Bool[np.ndarray, " r"]:
        """Return whether each table (r, C, A) lies in the region."""
        kept = self.works(tables)
        if not self.least:
            return kept
        away = self._distance(tables)
        known = away <= self._radius
        for ucb in self.known:
            known &= ucb.variance_reduction(tables) >= self.least
        return np.asarray(kept & (known | (away <= self.agent + _ROUNDING)))

    @cached_property
    def _radius(self) -> float:
        return max(FURTHER * float(self._distance(self.played).max()), FIRST_STEP)

    def _distance(self, tables: Tables) -> Values:
        """Return the total variation distance from the origin, of the context where it is largest."""
        return np.asarray(0.5 * np.abs(tables - self.origin).sum(axis=2).max(axis=1))

    def shortened(self, tables: Tables) -> Tables:
        """Return each table, or the furthest point in the region on the line to it: a fortieth of the way at least."""
        if not self.least and self.works is everywhere:
            return tables
        parts = np.linspace(0.0, 1.0, _PARTS + 1)[1:, None, None]
        found = tables.copy()
        for i, table in enumerate(tables):
            way = self.origin + parts * (table - self.origin)
            kept = self.contains(way)
            if not kept.all():
                found[i] = way[max(int(kept.argmin()) - 1, 0)]
        return found

    def restrict(self, bound: Bound) -> Bound:
        """Return the bound with value −∞ outside the region."""

        def restricted(tables: Tables) -> tuple[Values, Tables]:
            values, slopes = bound(tables)
            return np.where(self.contains(tables), values, -np.inf), slopes

        return restricted
