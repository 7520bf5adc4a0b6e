"""Contexts as they were realised, and how nature draws those that are not looked at, given those that are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from ..core import History, Scope
from ..surrogate import Rows, kernel_herding
from .arm import Arm

MOST_ROWS = 100
"""Contexts, the latest, that an expectation is taken over."""
_FEW = 32  # rows that an action is averaged over
_UNLIKE = 0.1  # what a row counts, for each category that differs


@dataclass(frozen=True, eq=False)
class Realised:
    """Contexts that were realised, the latest first.

    Attributes:
        points: (m, c) encoded, one column for each of `Arm.measured`, at least one row.
        categorical: (c,) which of these hold categories.
    """

    points: Float[np.ndarray, "m c"]
    categorical: Bool[np.ndarray, " c"]

    @classmethod
    def of(cls, arm: Arm, history: History, seen: Mapping[str, Any]) -> Realised:
        """From rounds, and data that nobody suggested, in which nothing that was set affects them.

        Where something is `seen` before choosing, those come first in which it was about the same, and all have it as
        it is seen now. Where nothing was realised yet, there is one row in the middle of all ranges.
        """
        space = arm.problem_space.subset(arm.measured)
        found = list(islice(_natural(arm, history), 2 * MOST_ROWS if seen else MOST_ROWS))
        points = space.encode(found) if found else np.array([[0.5] * len(space)]).reshape(1, len(space))
        if not found:
            points = space.encode(space.decode(points))
        if held := [name for name in arm.measured if name in seen]:
            columns = [arm.measured.index(name) for name in held]
            now = arm.problem_space.subset(held).encode([seen])
            gaps = _gaps(points[:, columns], now[0], space.categorical[columns])
            points = points[np.argsort(gaps, kind="stable")[:MOST_ROWS]]
            points[:, columns] = now
        return cls(points, space.categorical)

    def near(self, columns: Sequence[int], at: Float[np.ndarray, " k"]) -> Float[np.ndarray, " m"]:
        """What each row counts where these columns are seen to be `at`: shares with sum 1.

        Squared-exponential in the distance, with width `sd · m^(−1 / (4 + k))` in each of the k columns (Scott's rule).
        """
        m = len(self.points)
        if not columns:
            return np.full(m, 1 / m)
        rows, kinds = self.points[:, list(columns)], self.categorical[list(columns)]
        widths = np.maximum(rows.std(axis=0), 1e-9) * m ** (-1 / (4 + len(columns)))
        gaps = np.where(kinds, 0.0, (rows - at) / widths)
        exponents = -0.5 * (gaps**2).sum(axis=1) + np.log(_UNLIKE) * ((rows != at) & kinds).sum(axis=1)
        shares = np.exp(exponents - exponents.max())
        return np.asarray(shares / shares.sum())

    def latest(self, most: int) -> Realised:
        """Some of them."""
        return Realised(self.points[:most], self.categorical)

    def law(self, columns: Sequence[int], at: Float[np.ndarray, " k"], drawn: Sequence[int]) -> Rows:
        """How nature draws some columns where others are seen to be `at`: by rows that are near.

        What depends on what is seen is moved along with it: row j becomes `r_j + B (at − z_j)` with the slope B of a
        linear regression among the same weighted rows, else few rows would make dependent contexts look independent.
        """
        weights, rows = self.near(columns, at), self.points[:, list(drawn)].copy()
        seen = [j for j in columns if not self.categorical[j]]
        moved = [j for j, d in enumerate(drawn) if not self.categorical[d]]
        if seen and moved:
            away = self.points[:, seen] - np.asarray(at)[[list(columns).index(j) for j in seen]]
            rows[:, moved] -= away @ _slope(away, rows[:, moved], weights)
        return Rows(rows, weights)


def _slope(
    seen: Float[np.ndarray, "m k"], drawn: Float[np.ndarray, "m u"], weights: Float[np.ndarray, " m"]
) -> Float[np.ndarray, "k u"]:
    """Of the weighted linear regression of some columns on others; where these hardly differ, flat."""
    gaps, far = seen - weights @ seen, drawn - weights @ drawn
    spread = (gaps * weights[:, None]).T @ gaps
    ridge = 1e-3 * np.maximum(np.diag(spread), 1e-9)
    return np.asarray(np.linalg.solve(spread + np.diag(ridge), (gaps * weights[:, None]).T @ far))


def few(law: Rows, categorical: Bool[np.ndarray, " k"]) -> Rows:
    """Few rows in the place of many: where all count the same those that stand for them, else those that count most."""
    if len(law.weights) <= _FEW:
        return law
    if np.ptp(law.weights) == 0.0:
        return kernel_herding(law.points, categorical, _FEW)
    kept = np.argsort(-law.weights, kind="stable")[:_FEW]
    return Rows(law.points[kept], law.weights[kept] / law.weights[kept].sum())


def _natural(arm: Arm, history: History) -> Iterator[dict[str, Any]]:
    """Values of the contexts of an arm's model where nobody affected them, the latest first."""
    wanted = frozenset(arm.measured)
    below: dict[tuple[str, ...], frozenset[str]] = {}

    def affected(scope: Scope) -> bool:
        """Whether what this scope sets affects any of them."""
        actions = tuple(scope.set)
        if actions not in below:
            reached = (graph.descendants(actions) for graph in arm.graphs)
            below[actions] = frozenset().union(*reached) - frozenset(actions)
        return bool(wanted & below[actions])

    for played in reversed(list(history)):
        known = {**played.suggestion.context, **played.realised}
        scope = played.suggestion.scope
        if wanted <= known.keys() and (scope == arm.scope or not affected(scope)):
            yield {name: known[name] for name in arm.measured}
    for data in reversed(history.data.values() if not arm.affected else ()):
        known = data.outcome.realised
        if wanted <= known.keys() and (data.scope is None or not affected(data.scope)):
            yield {name: known[name] for name in arm.measured}


def _gaps(points: np.ndarray, at: np.ndarray, categorical: np.ndarray) -> Float[np.ndarray, " m"]:
    gaps = np.where(categorical, points != at, points - at)
    return np.asarray((gaps**2).sum(axis=1))
