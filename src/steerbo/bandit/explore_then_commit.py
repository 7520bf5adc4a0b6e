"""Algorithm 1 of Hoang et al. (2025) as a bandit's: turns of every arm, bounds that only close in, the cheapest left.

It sees bounds on what every arm may give, and the statistics of its costs; see `costvarying.explore_then_commit` for
where the bounds come from, and for what is done where the paper is silent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float

from .arms import Arms
from .confidence import bernstein_radius, hoeffding_radius

_WITHOUT_LIMIT = 10  # turns of every arm where neither money nor rounds are limited


@dataclass(frozen=True)
class Limits:
    """Budget of a study in money and rounds (None: unlimited), and the amounts used."""

    budget: float | None
    used: float
    rounds: int | None
    played: int


def explores(played: int, m: int, limits: Limits, fraction: float, cycles: int | None = None) -> bool:
    """Whether another arm is explored (lines 2–3), after `played` turns of m arms. A cycle, once begun, is ended.

    Args:
        played: turns so far.
        m: the number of arms.
        limits: what exploration may use a share of.
        fraction: that share: a cycle that would carry the use beyond it is not begun (the paper gives no rule).
        cycles: a fixed number of cycles instead.

    >>> [explores(6, 3, Limits(budget, 6.0, None, 6), fraction=0.5) for budget in (17.0, 18.0)]
    [False, True]
    """
    if played < m or played % m:
        return True
    done = played // m
    if cycles is not None:
        return done < cycles
    if limits.budget is not None:
        return limits.used + limits.used / done <= fraction * limits.budget
    if limits.rounds is not None:
        return limits.played + m <= fraction * limits.rounds
    return done < _WITHOUT_LIMIT


@dataclass(frozen=True, eq=False)
class Intersected:
    """Bounds on the best value of arms, intersected over rounds: they only shrink.

    Attributes:
        guaranteed: the largest lower bound there ever was.
        possible: the smallest upper bound of every arm, (m,).
    """

    guaranteed: float
    possible: Float[np.ndarray, " m"]

    @classmethod
    def nothing_known(cls, m: int) -> Intersected:
        """Start with infinite bounds on m arms."""
        return cls(-np.inf, np.full(m, np.inf))

    def explored(self, arm: int, lower: float, upper: float) -> Intersected:
        """Intersect with the bounds from exploring an arm (lines 10–11)."""
        possible = self.possible.copy()
        possible[arm] = min(possible[arm], upper)
        return Intersected(max(self.guaranteed, lower), possible)

    def exploited(
        self,
        lower: Float[np.ndarray, " m"],
        upper: Float[np.ndarray, " m"],
        least: Callable[[float], float],
    ) -> tuple[Intersected, Bool[np.ndarray, " m"]]:
        """Intersect with present bounds of all arms; S₁ marks the arms that may be acceptable (lines 14–21).

        `least` answers the least acceptable value where so much is guaranteed. Where no arm is acceptable, bounds of
        the past are forgotten; where still none is, the one with the largest bound stands alone.
        """
        found = Intersected(max(self.guaranteed, float(lower.max())), np.minimum(self.possible, upper))
        acceptable = found.possible > least(found.guaranteed)
        if not acceptable.any():
            found = replace(found, guaranteed=float(lower.max()), possible=upper)
            acceptable = found.possible > least(found.guaranteed)
        if not acceptable.any():
            acceptable = found.possible == found.possible.max()
        return found, acceptable


def cost_bounds(costs: Arms, horizon: float, radius: Literal["hoeffding", "bernstein"]) -> Float[np.ndarray, " m"]:
    """Lower bounds on mean costs, (m,): lines 22–24 for T = `horizon`.

    Costs are divided by the largest one seen, since the radius of line 23 assumes costs in [0, 1].
    """
    if radius == "hoeffding":
        largest = float(np.max(costs.highest, initial=0.0, where=costs.counts > 0)) or 1.0
        return costs.lower_bounds(hoeffding_radius(costs.counts, horizon, largest))
    return costs.lower_bounds(bernstein_radius(costs.counts, costs.spreads, max(horizon, 2.0) ** -4, costs.spans))
