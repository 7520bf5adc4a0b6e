"""A trust region: go only where outcomes have something to say, and further as they say more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from .acquisition import PayoffBounds, Tables, Values
from .failures import Works, everywhere

Bound = Callable[[Tables], tuple[Values, Tables]]
_PARTS = 40  # of the way to a table, at whose ends is looked
_ANY = 1e-9  # a share that projections can enlarge
_FURTHER, _NEAR = 2.0, 0.1  # reach, against the furthest table played; and the least reach


@dataclass(frozen=True, eq=False)
class TrustRegion:
    """Tables about whose average outcomes took away at least a share `least` of the prior variance, within reach.

    An optimist prefers what nobody knows anything about: among distributions those are the corners, where all agents do
    the same, which congested populations pay for dearly. The set grows as outcomes come in, and with their lengthscale.
    As a lengthscale may be wrong, tables may also lie only twice as far from the best as any that was played; and as
    distances may be, every model that is asked must find that enough is known.

    Args:
        bounds: what is believed.
        known: what outcomes say, under each model that is asked; suggestions that are out say nothing yet.
        least: of the prior variance; zero: every table.
        played: (n, C, A) what was played.
        project: tables (r, C, A) to the nearest ones within the limits.
        works: which tables are likely to work.
    """

    bounds: PayoffBounds
    known: tuple[PayoffBounds, ...]
    least: float
    played: Float[np.ndarray, "n C A"]
    project: Callable[[Tables], Tables]
    works: Works = everywhere

    @cached_property
    def origin(self) -> Float[np.ndarray, "C A"]:
        """(C, A) where to go from: the table on whose average there is the best word, within the limits."""
        mean, sd = self.bounds.average(self.played)
        best = self.played[int((mean - sd).argmax())]
        return self.project(np.maximum(best, _ANY)[None])[0]

    def keeps(self, tables: Tables) -> Bool[np.ndarray, " r"]:
        """Which tables are known well enough, and likely to work."""
        kept = self.works(tables)
        if not self.least:
            return kept
        kept = kept & (self._moved(tables) <= self._reach)
        for bounds in self.known:
            kept &= bounds.learned(tables) >= self.least
        return np.asarray(kept)

    @cached_property
    def _reach(self) -> float:
        return max(_FURTHER * float(self._moved(self.played).max()), _NEAR)

    def _moved(self, tables: Tables) -> Values:
        """The share of agents that act differently than at the origin, in the context where it is largest."""
        return np.asarray(0.5 * np.abs(tables - self.origin).sum(axis=2).max(axis=1))

    def shortened(self, tables: Tables) -> Tables:
        """Each table, or as far on the straight way to it as is kept to: a fortieth at least."""
        if not self.least and self.works is everywhere:
            return tables
        parts = np.linspace(0.0, 1.0, _PARTS + 1)[1:, None, None]
        found = tables.copy()
        for i, table in enumerate(tables):
            way = self.origin + parts * (table - self.origin)
            kept = self.keeps(way)
            if not kept.all():
                found[i] = way[max(int(kept.argmin()) - 1, 0)]
        return found

    def of(self, bound: Bound) -> Bound:
        """The bound, −∞ at tables that are not kept."""

        def cautious(tables: Tables) -> tuple[Values, Tables]:
            values, slopes = bound(tables)
            return np.where(self.keeps(tables), values, -np.inf), slopes

        return cautious
