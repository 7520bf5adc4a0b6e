"""Successive elimination: active candidates, the reasons of those ruled out, and the rule when none is left.

Algorithm 1 of Hoang et al. (2025) as a bandit's: turns of every arm, bounds that only close in, the cheapest left.

It sees bounds on every arm's value, and the statistics of its costs; see `costvarying._explore_then_commit` for
the source of the bounds, and for the choices that the paper leaves open.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from .._arrays import Bool, Float, Int
from ._confidence import bernstein_radius, hoeffding_radius
from ._selection import ArmStatistics

WhenExhausted = Literal["keep-last", "restart", "raise"]
"""What to do when all candidates are rejected: go on with one of them, take all back, or stop."""


@dataclass(frozen=True, eq=False)
class ActiveArms:
    """Active candidates; `drop` returns new ones and changes nothing.

    Attributes:
        alive: (m,).
        dropped: by candidate, the round after which it was dropped, and by how much it had overrun its band.
        exhausted: rounds after which no arm was left; warned of once where the method goes on.

    >>> some = ActiveArms.all_of(3).drop({1: 0.5}, number=7, likeliest=0)
    >>> some.candidates, some.dropped
    (array([0, 2]), {1: (7, 0.5)})
    """

    alive: Bool[np.ndarray, " m"]
    dropped: Mapping[int, tuple[int, float]] = field(default_factory=dict)
    exhausted: tuple[int, ...] = ()

    @classmethod
    def all_of(cls, m: int) -> ActiveArms:
        """Start with all candidates active."""
        return cls(np.ones(m, dtype=bool))

    @property
    def candidates(self) -> Int[np.ndarray, " k"]:
        """Numbers of the active candidates."""
        return np.flatnonzero(self.alive)

    def drop(
        self, overrun: Mapping[int, float], number: int, likeliest: int, then: WhenExhausted = "keep-last"
    ) -> ActiveArms:
        """Arms left after round `number`; `overrun` says by how much each of the dropped ones left its band.

        `likeliest` goes on where none is left, also if it was rejected long ago; `then` is the rule for that. Sums
        begin anew where all are back.
        """
        alive = self.alive.copy()
        alive[list(overrun)] = False
        dropped = {**self.dropped, **{p: (number, excess) for p, excess in overrun.items()}}
        if alive.any():
            return ActiveArms(alive, dropped, self.exhausted)
        if then == "restart":
            return ActiveArms(np.ones(len(alive), dtype=bool), dropped, (*self.exhausted, number))
        alive[likeliest] = True
        if self.exhausted and (self.alive == alive).all():
            return self  # it is kept already, and was rejected once more
        return ActiveArms(alive, dropped, self.exhausted or (number,))

    def restarted(self, before: ActiveArms) -> bool:
        """Whether all are back that were not before."""
        return len(self.exhausted) > len(before.exhausted) and bool(self.alive.all())


def summed_error_excess(error: float, band: float, count: int, xi: float) -> float:
    """Excess of summed errors over their band: `|Σ η| − sqrt(ξ n) − Σ β σ` (Ziomek et al. 2025, Algorithm 1, 13).

    >>> summed_error_excess(error=-5.0, band=1.0, count=4, xi=1.0)
    2.0
    """
    return abs(error) - (math.sqrt(xi * count) + band)


def tempered_excess(evidence: Float[np.ndarray, " m"], temper: float, delta: float) -> Float[np.ndarray, " m"]:
    """`ln M_p − ln 1/δ` with `M_p = mean over q of (L_q / L_p)^η`: above 0 the evidence speaks against candidate p.

    The evidence is ln L, `temper` is η; the true candidate is dropped with probability δ at most.

    >>> tempered_excess(np.array([0.0, 10.0]), temper=1.0, delta=0.1).round(2)
    array([ 7., -3.])
    """
    tempered = temper * evidence
    top = float(tempered.max())
    mixture = top + math.log(float(np.exp(tempered - top).mean()))
    excess: Float[np.ndarray, " m"] = mixture - tempered - math.log(1 / delta)
    return excess


_WITHOUT_LIMIT = 10  # turns of every arm where neither money nor rounds are limited


@dataclass(frozen=True)
class BudgetUse:
    """Budget of a study in money and rounds (None: unlimited), and the amounts used."""

    budget: float | None
    used: float
    rounds: int | None
    played: int


def explores(played: int, m: int, use: BudgetUse, fraction: float, cycles: int | None = None) -> bool:
    """Whether another arm is explored (lines 2–3), after `played` turns of m arms. A cycle, once begun, is ended.

    Args:
        played: turns so far.
        m: the number of arms.
        use: the budget that exploration may use a share of.
        fraction: that share: a cycle that would carry the use beyond it is not begun (the paper gives no rule).
        cycles: a fixed number of cycles instead.

    >>> [explores(6, 3, BudgetUse(budget, 6.0, None, 6), fraction=0.5) for budget in (17.0, 18.0)]
    [False, True]
    """
    if played < m or played % m:
        return True
    done = played // m
    if cycles is not None:
        return done < cycles
    if use.budget is not None:
        return use.used + use.used / done <= fraction * use.budget
    if use.rounds is not None:
        return use.played + m <= fraction * use.rounds
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
        self, lower: Float[np.ndarray, " m"], upper: Float[np.ndarray, " m"], least: Callable[[float], float]
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


def cost_bounds(
    costs: ArmStatistics, horizon: float, radius: Literal["hoeffding", "bernstein"]
) -> Float[np.ndarray, " m"]:
    """Lower bounds on mean costs, (m,): lines 22–24 for T = `horizon`.

    Costs are divided by the largest one seen, since the radius of line 23 assumes costs in [0, 1].
    """
    if radius == "hoeffding":
        largest = float(np.max(costs.highest, initial=0.0, where=costs.counts > 0)) or 1.0
        return costs.lower_bounds(hoeffding_radius(costs.counts, horizon, largest))
    return costs.lower_bounds(bernstein_radius(costs.counts, costs.spreads, max(horizon, 2.0) ** -4, costs.spans))
