"""Choice among arms by bounds, widths, prices and counts alone; confidence radii and calibration.

Arms are numbered. A price is the cost of a play, or a lower bound on it; an arm of unknown price
(NaN) counts as free.

Bounds are inflated where a model's scale rests on few outcomes, or outcomes have surprised the
model. Rules by play counts: initial plays, margins for few plays, and the least played arm when it
is overdue; pending plays count as plays. `ArmStatistics` keeps every arm's plays, mean and spread,
updated one value at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from ._arrays import Bool, Float, Int
from ._evidence import BOUND
from .errors import InvalidOption, InvalidOutcome

Counts = np.ndarray  # whole numbers, any shape
MISFIT = 1.2
"""Factor by which bounds are wider than a fitted model says, since functions are not quite of the model's class.

Without it bounds hold in 92, 90, 89 and 89 of a hundred cases after 10, 20, 40 and 80 rounds: 1312
plays on functions drawn for five registrations, none of them a Gaussian process; with it in 96, 95,
95 and 94. Half of the misses are by less than .06 of the function's standard deviations from 40
rounds on. No single belief was found behind it: other kernels, priors of lengthscales, noise laws
and learning rates were played or compared on stored histories, and cover no more
(evidence/calibration.md). Of a function of the model's own class, 98 % would be covered.
"""
RECENT = 25
"""Outcomes that the calibration looks back on."""
TRUSTED = 5
"""Imagined outcomes, as far off as the model says, that the calibration starts from."""
BEYOND = 1e6
"""Deviations that a surprise counts as at most: an outcome of 1e100 is no more of one."""
# of the largest outcome: a smaller difference is rounding
_OUTCOME_ROUNDING = 4.0 * float(np.finfo(np.float64).eps)
_PRICE_ROUNDING = 1e-9  # prices that differ by less, as a share, are equal

Prices = Float[np.ndarray, " m"]


# -- widths of bounds ------------------------------------------------------------------------------


def hoeffding_radius(counts: Counts, rounds: float, span: float = 1.0) -> Float[np.ndarray, "*m"]:
    """`span · sqrt(2 ln T / N)`: β_i(t) of Algorithm 1, line 22 (Bayesian optimisation with unknown costs, 2025).

    For values that spread over at most `span`, a mean of N plays is further than this from the
    truth, to one given side, with probability at most `T⁻⁴` (Hoeffding 1963). Infinite for an arm
    never played.

    Args:
        counts: plays of each arm N, any shape.
        rounds: the number of rounds T, at least one; an estimate will do, and need not be whole.
        span: the width of the interval that values lie in, in their units.

    Raises:
        InvalidOption: `rounds` below one or not a number, `span` negative or not finite.

    >>> hoeffding_radius(np.array([0, 12]), rounds=400).round(3)
    array([  inf, 0.999])
    """
    if not rounds >= 1 or math.isinf(rounds):
        raise InvalidOption("rounds", rounds, "a finite number of at least one")
    _check_span(span)
    radii: Float[np.ndarray, "*m"] = span * np.sqrt(
        _over(2.0 * math.log(rounds), np.asarray(counts))
    )
    return radii


def _over(numerator: float, counts: np.ndarray) -> Float[np.ndarray, "*m"]:
    shares: Float[np.ndarray, "*m"] = np.divide(
        numerator, counts, out=np.full(counts.shape, np.inf), where=counts > 0
    )
    return shares


def _check_span(span: float | Float[np.ndarray, "*m"]) -> None:
    if not (np.isfinite(span) & (np.asarray(span) >= 0)).all():
        raise InvalidOption("span", span, "a finite width of at least zero")


def scale_inflation(points: Float[np.ndarray, "n d"], outcomes: Float[np.ndarray, " n"]) -> float:
    """Factor by which bounds are wider as the scale is estimated from these outcomes; infinite without a scale.

    With k different points the scale is a root mean square with k − 1 degrees of freedom, so that a
    bound of two standard deviations becomes the quantile of Student's t: `√(k/(k−1)) t_{k−1} / 2`.
    One point, or outcomes that are all alike, tell no scale at all. Without columns (d = 0) every
    outcome is one more of the same mean.

    >>> scale_inflation(np.array([[0.1], [0.5], [0.9]]), np.array([3.0, 4.0, 8.0])).__round__(2)
    2.77
    >>> scale_inflation(np.array([[0.1], [0.1]]), np.array([3.0, 4.0]))
    inf
    """
    k = len(np.unique(points, axis=0)) if points.shape[1] else len(points)
    if k < 2 or all_equal(outcomes):
        return math.inf
    return (
        math.sqrt(k / (k - 1))
        * float(scipy.special.stdtrit(k - 1, scipy.special.ndtr(BOUND)))
        / BOUND
    )


def all_equal(outcomes: Float[np.ndarray, " n"]) -> bool:
    """Whether outcomes differ by no more than rounding.

    >>> all_equal(np.array([0.3, 0.1 + 0.2])), all_equal(np.array([0.3, 0.31]))
    (True, False)
    """
    # halves: the difference may not fit
    low, high = 0.5 * float(outcomes.min()), 0.5 * float(outcomes.max())
    return bool(high - low <= _OUTCOME_ROUNDING * max(abs(low), abs(high)))


@dataclass(frozen=True)
class Calibration:
    """Recent standardised residuals of a model's predictions.

    Args:
        surprises: of the latest outcomes, the last one at the end.

    >>> surprised = Calibration().after(4.0)
    >>> round(surprised.factor, 2), surprised.lost
    (1.87, False)
    """

    surprises: tuple[float, ...] = ()

    def after(self, deviations: float) -> Calibration:
        """Add one residual in predictive deviations; NaN changes nothing."""
        if math.isnan(deviations):
            return self
        return Calibration((*self.surprises, float(np.clip(deviations, -BEYOND, BEYOND)))[-RECENT:])

    @property
    def factor(self) -> float:
        """c: root mean square of the latest surprises and of `TRUSTED` ones of one deviation; at least 1."""
        squares = np.square(self.surprises)
        mean = (squares.sum() + TRUSTED) / (len(squares) + TRUSTED)
        return max(1.0, float(np.sqrt(mean)))

    @property
    def lost(self) -> bool:
        """Whether a surprise was `BEYOND`: of a model that is as far off nothing can be said."""
        return max(map(abs, self.surprises), default=0.0) >= BEYOND


# -- which arm -------------------------------------------------------------------------------------


class Selection(NamedTuple):
    """Chosen arm, and the uncertainty of its next play; None where it is enough whatever that is."""

    arm: int
    width: float | None


Judging = Generator[float, None, float]
"""Yields numbers that an arm's upper bound is not above, each found in longer than the last; returns the bound."""


class ArmBounds:
    """Upper bounds of arms, which are judged more exactly only where a choice depends on them.

    Args:
        upper: (m,) upper bounds or, where there is a judge, numbers that are not below them.
        judge: from an arm to how its bound is found; None: all are exact.

    Attributes:
        upper: (m,) as they stand.

    >>> def judge(i):
    ...     yield [3.0, 3.9, 1.5][i]
    ...     return [3.0, 3.5, 1.0][i]
    >>> bounds = ArmBounds(np.array([5.0, 4.0, 2.0]), judge)
    >>> bounds.highest(range(3)), bounds.upper
    (1, array([3. , 3.5, 2. ]))
    """

    def __init__(
        self, upper: Float[np.ndarray, " m"], judge: Callable[[int], Judging] | None = None
    ) -> None:
        self.upper = upper if judge is None else upper.copy()
        self._left = {} if judge is None else {i: judge(i) for i in range(len(upper))}

    def highest(self, among: Sequence[int]) -> int:
        """Arm with the largest bound: the highest ones are judged until one stays ahead of all others."""
        while True:
            best = max(among, key=lambda i: float(self.upper[i]))
            if best not in self._left:
                return best
            self._judge(best)

    def exact(self, some: Sequence[int]) -> None:
        """Judge those of some arms that are not exact yet."""
        for i in some:
            while i in self._left:
                self._judge(i)

    def at_most(self, some: Sequence[int], bound: float) -> None:
        """Lower the bounds of some arms that are not exact yet to one that is known to be above theirs."""
        for i in self._left.keys() & some:
            self.upper[i] = min(self.upper[i], bound)

    def close(self) -> None:
        """Judge no more arms. Who judges them may hold these bounds, and large arrays."""
        self._left.clear()

    def _judge(self, i: int) -> None:
        try:
            self.upper[i] = next(self._left[i])
        except StopIteration as exact:
            self.upper[i] = exact.value
            del self._left[i]


def cheapest_sufficient(
    bounds: ArmBounds,
    prices: Prices,
    least: float,
    widths: Callable[[Sequence[int]], Float[np.ndarray, " k"]],
    patience: float = 1.0,
    *,
    alike: float = 1.0,
    at_most: Callable[[Sequence[int]], Float[np.ndarray, " k"]] | None = None,
) -> Selection:
    """Choose the cheapest arm that lags behind `least` by no more than the uncertainty of its next play.

    Arm i is *enough* if `u_i + κ w_i ≥ least`. Among equally cheap ones the one with the largest
    bound is played.

    Args:
        bounds: upper bounds u_i.
        prices: (m,); NaN where unknown.
        least: the value that an arm must be able to come near, at most the largest upper bound.
        widths: from some arms to w_i, the uncertainty about their next plays. It is asked for the
            cheapest arms first, and no further than needed, since a width may take a search.
        patience: κ.
        alike: prices that differ by no more than this factor count as equal.
        at_most: from some arms to numbers (k,) that take no search and that w_i should not exceed:
            arms that would not be enough with these are left out. None: no such numbers are known.

    Raises:
        InvalidOption: no arm comes near: `least` is above all upper bounds.

    >>> upper, prices = np.array([1.0, 1.5, 2.0]), np.array([1.0, 3.0, 9.0])
    >>> cheapest_sufficient(ArmBounds(upper), prices, 2.0, lambda arms: np.array([0.2, 0.6, 0.1])[arms])
    Selection(arm=1, width=0.6)
    """
    for rung in cost_tiers(prices, alike):
        best = bounds.highest(rung)
        upper = bounds.upper
        if upper[best] >= least:  # whatever its width, and no other one has a larger bound
            return Selection(best, None)
        some = rung if patience else []
        if at_most is not None and some:
            most = dict(zip(rung, at_most(rung).tolist(), strict=True))
            some = [i for i in rung if upper[i] + patience * most[i] >= least]
            bounds.exact(some)
            some = [i for i in some if upper[i] + patience * most[i] >= least]
        bounds.exact(some)
        known = zip(some, widths(some), strict=True) if some else ()
        enough = [
            Selection(i, float(width)) for i, width in known if upper[i] + patience * width >= least
        ]
        if enough:
            return max(enough, key=lambda one: float(upper[one.arm]))
    raise InvalidOption(
        "least", least, f"at most {float(bounds.upper.max())}, the largest upper bound"
    )


def cost_tiers(prices: Prices, alike: float = 1.0) -> list[list[int]]:
    """Group arms by price, ascending: a tier holds prices within a factor of its cheapest.

    >>> cost_tiers(np.array([2.0, 1.0, np.nan, 1.4, 1.0])), cost_tiers(np.array([2.0, 1.0, np.nan, 1.4]), alike=1.5)
    ([[2], [1, 4], [3], [0]], [[2], [1, 3], [0]])
    """
    known = np.nan_to_num(prices)
    found: list[list[int]] = []
    for i in np.argsort(known, kind="stable").tolist():
        if found and known[i] <= alike * (1 + _PRICE_ROUNDING) * known[found[-1][0]]:
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

    A model of a few points can be surely wrong; this many plays cost regret of the order of log T
    only. Where arms are `many` they would be all that is played for long: then it is how often the
    rounds *of an average arm* have doubled. An arm that is unlikely to work is due that much less
    often.

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

    Each has one at least, as long as there are so many: else some arms have one, spread over the
    list.

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
        worths: values v of arms that work, in units of `sign · value`; infinite without outcomes.
            An arm without outcomes that has failed counts as the best of the others.
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
        highest: largest value of each arm, `(m,)`, `-inf` where never played.

    >>> arms = ArmStatistics.new(2).tell(0, 1.0).tell(0, 3.0)
    >>> arms.means, arms.highest
    (array([2., 0.]), array([  3., -inf]))
    """

    counts: Int[np.ndarray, " m"]
    means: Float[np.ndarray, " m"]
    highest: Float[np.ndarray, " m"]

    @classmethod
    def new(cls, m: int) -> ArmStatistics:
        """`m` arms never played."""
        return cls(np.zeros(m, dtype=np.int64), np.zeros(m), np.full(m, -np.inf))

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
        return ArmStatistics(
            _with(self.counts, arm, n + 1),
            _with(self.means, arm, mean + (value - mean) / (n + 1)),
            _with(self.highest, arm, max(float(self.highest[arm]), value)),
        )

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
