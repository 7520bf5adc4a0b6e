"""Choosing among arms with a price: the cheapest of those that are good enough.

Rules by play counts: initial plays, margins for few plays, and the least played arm when it is overdue; pending plays
count as plays. `ArmStatistics` keeps every arm's plays, mean and spread, updated one value at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .._arrays import Bool, Float, Int
from ..errors import InvalidOption, InvalidOutcome

_ROUNDING = 1e-9  # prices that differ by less, as a share, are equal

Prices = Float[np.ndarray, " m"]


class Selection(NamedTuple):
    """Chosen arm, and the uncertainty of its next play."""

    arm: int
    width: float


def cheapest_sufficient(
    upper: Float[np.ndarray, " m"],
    prices: Prices,
    least: float,
    widths: Callable[[Sequence[int]], Float[np.ndarray, " k"]],
    patience: float = 1.0,
    *,
    alike: float = 1.0,
    at_most: Callable[[Sequence[int]], Float[np.ndarray, " k"]] | None = None,
) -> Selection:
    """Choose the cheapest arm that lags behind `least` by no more than the uncertainty of its next play.

    Arm i is *enough* if `u_i + κ w_i ≥ least`. Among equally cheap ones the one with the largest bound is played.

    Args:
        upper: upper bounds u_i, (m,).
        prices: (m,); NaN where unknown.
        least: the value that an arm must be able to come near, at most the largest upper bound.
        widths: from some arms to w_i, the uncertainty about their next plays. It is asked for the cheapest arms
            first, and no further than needed, since a width may take a search.
        patience: κ.
        alike: prices that differ by no more than this factor count as equal.
        at_most: from some arms to numbers (k,) that take no search and that w_i should not exceed: arms that would not
            be enough with these are left out. None: no such numbers are known.

    Raises:
        InvalidOption: no arm comes near: `least` is above all upper bounds.

    >>> upper, prices = np.array([1.0, 1.5, 2.0]), np.array([1.0, 3.0, 9.0])
    >>> cheapest_sufficient(upper, prices, 2.0, lambda arms: np.array([0.2, 0.6, 0.1])[arms])
    Selection(arm=1, width=0.6)
    """
    for rung in cost_tiers(prices, alike):
        best = max(rung, key=lambda i: float(upper[i]))
        if upper[best] >= least:  # whatever its width, and no other one has a larger bound
            return Selection(best, float(widths([best])[0]))
        some = rung if patience else []
        if at_most is not None and some:
            some = [i for i, most in zip(rung, at_most(rung), strict=True) if upper[i] + patience * most >= least]
        known = zip(some, widths(some), strict=True) if some else ()
        enough = [Selection(i, float(width)) for i, width in known if upper[i] + patience * width >= least]
        if enough:
            return max(enough, key=lambda one: float(upper[one.arm]))
    raise InvalidOption("least", least, f"at most {float(upper.max())}, the largest upper bound")


def cost_tiers(prices: Prices, alike: float = 1.0) -> list[list[int]]:
    """Group arms by price, ascending: a tier holds prices within a factor of its cheapest.

    >>> cost_tiers(np.array([2.0, 1.0, np.nan, 1.4, 1.0])), cost_tiers(np.array([2.0, 1.0, np.nan, 1.4]), alike=1.5)
    ([[2], [1, 4], [3], [0]], [[2], [1, 3], [0]])
    """
    known = np.nan_to_num(prices)
    found: list[list[int]] = []
    for i in np.argsort(known, kind="stable").tolist():
        if found and known[i] <= alike * (1 + _ROUNDING) * known[found[-1][0]]:
            found[-1].append(i)
        else:
            found.append([i])
    return found


def cheapest_near(upper: Float[np.ndarray, " m"], prices: Prices, slack: float) -> int:
    """UCB-CVS (Tay et al. 2023, Algorithm 1): of the arms whose bound is within `slack` of the largest, the cheapest.

    >>> cheapest_near(np.array([1.0, 1.8, 2.0]), np.array([1.0, 3.0, 9.0]), slack=0.5)
    1
    """
    return cheapest(upper >= upper.max() - slack, prices, upper)


def cheapest(among: Bool[np.ndarray, " m"], prices: Prices, upper: Float[np.ndarray, " m"]) -> int:
    """The cheapest of some arms, at least one; of several equally cheap ones the one with the largest bound.

    >>> cheapest(np.array([True, True, False]), np.array([2.0, 2.0, 1.0]), np.array([0.5, 0.7, 0.9]))
    1
    """
    some = np.flatnonzero(among)
    known = np.nan_to_num(prices[some])
    equals = some[known <= known.min()]
    return int(equals[upper[equals].argmax()])


def underexplored(
    plays: Int[np.ndarray, " m"] | Float[np.ndarray, " m"],
    many: bool = False,
    likely: Float[np.ndarray, " m"] | None = None,
) -> int | None:
    """Return the arm played least, where it is played less often than the rounds have doubled; else None.

    A model of a few points can be surely wrong; this many plays cost regret of the order of log T only. Where arms are
    `many` they would be all that is played for long: then it is how often the rounds *of an average arm* have doubled.
    What is unlikely to work is due that much less often.

    >>> underexplored(np.array([30, 2])), underexplored(np.array([30, 6])), underexplored(np.array([30, 3]), many=True)
    (1, None, 1)
    """
    rounds = int(plays.sum())
    due = plays if likely is None else plays / likely
    arm = int(np.argmin(due))
    least = math.floor(math.log2(1 + rounds / len(plays))) if many else math.log2(1 + rounds)
    return arm if due[arm] < least else None


def split_initial_plays(wanted: Int[np.ndarray, " m"], most: int) -> Int[np.ndarray, " m"]:
    """Split initial plays among arms: the wanted numbers or, if they exceed `most`, shares of it.

    Each has one at least, as long as there are so many: else some arms have one, spread over the list.

    >>> split_initial_plays(np.array([3, 4]), 10), split_initial_plays(np.array([9, 3, 3]), 10)
    (array([3, 4]), array([5, 2, 2]))
    >>> split_initial_plays(np.array([2, 2, 2, 2]), 2)
    array([1, 0, 1, 0])
    """
    m, total = len(wanted), int(wanted.sum())
    if total <= most:
        return wanted
    if m > most:
        shares = np.zeros(m, dtype=np.int64)
        shares[(np.arange(most) * m) // most] = 1
        return shares
    rest = most - m  # beside the one that each has
    return 1 + (rest * (wanted - 1)) // max(total - m, 1)


def needs_initial_plays(
    plays: Int[np.ndarray, " m"], told: Int[np.ndarray, " m"], needed: Int[np.ndarray, " m"]
) -> int | None:
    """Return the least played arm with fewer than `needed` outcomes `told`; None where no arm has. Pending plays count.

    >>> needs_initial_plays(np.array([2, 1]), np.array([2, 1]), np.array([2, 2]))
    1
    """
    waiting = np.flatnonzero(((plays == 0) & (needed > 0)) | ((told < needed) & (plays < needed)))
    return int(waiting[plays[waiting].argmin()]) if len(waiting) else None


def expected_with_failure(
    worths: Float[np.ndarray, " k"], likely: Float[np.ndarray, " k"], told: Float[np.ndarray, " n"]
) -> Float[np.ndarray, " k"]:
    """Value of arms with failures counted as the worst outcome w: `w + p (v − w)`.

    A play that fails brings nothing. Without failures p is 1.

    Args:
        worths: values v of arms that work, in units of `sign · value`; infinite without outcomes. An arm without
            outcomes that has failed counts as the best of the others.
        likely: their probabilities p to work.
        told: all outcomes, in the same units.

    >>> worths, likely = np.array([5.0, 4.0, np.inf]), np.array([0.25, 1.0, 0.5])
    >>> expected_with_failure(worths, likely, told=np.array([1.0, 3.0, 2.0])).tolist()
    [2.0, 4.0, 3.0]
    """
    some = (likely < 1.0) & (worths > -np.inf)
    if not some.any():
        return worths
    worst = float(told.min()) if len(told) else 0.0
    best = max(worths[np.isfinite(worths)], default=worst + 1.0)
    known = np.where(np.isfinite(worths), worths, best)
    least = np.minimum(worst, known)
    return np.where(some, least + likely * (known - least), worths)


@dataclass(frozen=True, eq=False)
class ArmStatistics:
    """Running statistics of `m` arms; `tell` answers new ones and changes nothing.

    Attributes:
        counts: plays of each arm, `(m,)`.
        means: mean value of each arm, `(m,)`, zero where never played.
        norms: root of the sum of squared deviations from the mean, `(m,)`: unlike the sum itself it cannot overflow.
        lowest: smallest value of each arm, `(m,)`, `inf` where never played.
        highest: largest value of each arm, `(m,)`, `-inf` where never played.

    >>> arms = ArmStatistics.new(2).tell(0, 1.0).tell(0, 3.0)
    >>> arms.means, arms.spreads.round(3)
    (array([2., 0.]), array([1.414,   inf]))
    """

    counts: Int[np.ndarray, " m"]
    means: Float[np.ndarray, " m"]
    norms: Float[np.ndarray, " m"]
    lowest: Float[np.ndarray, " m"]
    highest: Float[np.ndarray, " m"]

    @classmethod
    def new(cls, m: int) -> ArmStatistics:
        """`m` arms never played."""
        return cls(np.zeros(m, dtype=np.int64), np.zeros(m), np.zeros(m), np.full(m, np.inf), np.full(m, -np.inf))

    def tell(self, arm: int, value: float) -> ArmStatistics:
        """The statistics after one more value of one arm (Welford 1962).

        Raises:
            InvalidOutcome: no such arm, or a value that is not a finite number.
        """
        if not 0 <= arm < len(self.counts):
            raise InvalidOutcome("arm", arm, f"a whole number from 0 to {len(self.counts) - 1}")
        if not math.isfinite(value):
            raise InvalidOutcome("value", value, "a finite number")
        n, mean, value = int(self.counts[arm]), float(self.means[arm]), float(value)
        away = value - mean
        return ArmStatistics(
            _with(self.counts, arm, n + 1),
            _with(self.means, arm, mean + away / (n + 1)),
            _with(self.norms, arm, math.hypot(self.norms[arm], away * math.sqrt(n / (n + 1)))),
            _with(self.lowest, arm, min(float(self.lowest[arm]), value)),
            _with(self.highest, arm, max(float(self.highest[arm]), value)),
        )

    @property
    def spreads(self) -> Float[np.ndarray, " m"]:
        """Sample standard deviations with N − 1 below the line, `(m,)`; infinite where N < 2: nothing is known."""
        known = self.counts >= 2
        return np.where(known, self.norms / np.sqrt(np.maximum(self.counts - 1, 1)), np.inf)

    @property
    def spans(self) -> Float[np.ndarray, " m"]:
        """Largest less smallest value of each arm, `(m,)`; infinite where N < 2: nothing is known."""
        unknown = np.full(len(self.counts), np.inf)
        spans: Float[np.ndarray, " m"] = np.subtract(self.highest, self.lowest, out=unknown, where=self.counts >= 2)
        return spans

    def lower_bounds(self, radii: Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
        """`max(mean − radius, 0)`, `(m,)`: c_i^LCB(t) of Algorithm 1, line 23, for costs, which are never negative.

        >>> ArmStatistics.new(2).tell(1, 0.5).lower_bounds(np.array([np.inf, 0.2]))
        array([0. , 0.3])
        """
        bounds: Float[np.ndarray, " m"] = np.maximum(self.means - radii, 0.0)
        return bounds


def _with(values: np.ndarray, arm: int, value: float) -> np.ndarray:
    changed = values.copy()
    changed[arm] = value
    return changed
