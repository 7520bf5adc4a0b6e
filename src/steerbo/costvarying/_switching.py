"""Switching costs: whether a move of a hard-to-change variable is worth its switching cost, by `cheap-first`.

Every set has arms that keep hard-to-change variables in place. A switch costs `m` once, and its
benefit lasts for the `N` plays to come (`plays_to_come`). A move is worth it if `N (EI + R/p · saved) > R/p · m`, where
EI is the expected improvement of a play there over the best mean of the arms that stay (its deviation multiplied by
`INFLATION`, and no more unsure than the difference to the same settings in place: the rest can be found out without a
move), p the price of a play, R the range of posterior means, and `saved` the difference of the prices of a play:
a unit of money buys 1/p plays, each worth the difference of best and worst. Of every set the best such move competes
with the arms that stay, at the price of its set alone. Under drift a play to come counts by the correlation that then
remains, and `m` is paid once more with the probability that the move turns out worse: what is unsure there is so again
later, and without that, moves went to and fro. Without limits on money and rounds, N is the number of plays so far.
Where contexts are seen, plays to come are in other ones: only as many as a context usually lasts (`persistence`) gain
what a play does in this one. The others gain the expected improvement of the average over past contexts, in each of
which what is easy to change is set anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy

from .._arrays import Float
from ..core import TIME, History, Suggestion, last_time, numeral, time_of
from ..optim import Maximum, sobol_in_box
from ..records import record
from ..space import Categorical, Space
from ..surrogate import ROUGH, Expectation, expected_improvement
from .method import CostVaryingMethod
from .search_space import Arm, Candidates

INFLATION = 2.0
"""Factor of a mean's deviation in the expected improvement of a move, since the plays that follow look for better
settings nearby. On drawn problems 1 stayed for ever in one of ten, 2 in none. Under drift it is 1: settings are doubted
again and again, and so nothing stays for ever."""
CONTEXTS = 8
"""Number of past contexts that the later gain of a move is an average over."""
LATEST = 200
"""Number of latest rounds whose contexts count: all pairs of them are compared."""
ASSUMED = 20
"""Plays still to come where neither money nor rounds are limited; from so many rounds on, as many as there were."""
_FAR = 1000  # plays to come after these do not count under drift


def plays_to_come(history: History, price: float, switching: float) -> float:
    """Number of plays at a price that remain after a switching cost is paid, by the money and the rounds left.

    Where neither is limited: as many as there were, and at least `ASSUMED`.
    """
    left = [] if history.limit is None else [float(history.limit - len(history))]
    if history.budget is not None and price > 0:
        left.append((history.remaining - switching) / price)
    return max(min(left, default=float(max(len(history), ASSUMED))), 0.0)


def time_between_rounds(history: History) -> float:
    """Mean time between two rounds; 1 where the time of fewer than two is known."""
    times = [time_of(played) for played in history if TIME.name in played.request]
    last = last_time(history)
    times = [time for time in times if time <= last]  # a later one was mistyped: its round is void or abandoned
    return (max(times) - min(times)) / (len(times) - 1) if len(times) > 1 else 1.0


def persistence(contexts: Sequence[Mapping[str, float]], space: Space) -> float:
    """Likeness of successive encoded contexts: 0 as any two, 1 all the same.

    It is 1 less their mean distance, as a share of that of any two. O(n²) for n contexts.

    >>> from steerbo.space import Float
    >>> wind = Space([Float("wind", 0, 1, seen=True)])
    >>> [persistence([{"wind": x} for x in winds], wind) for winds in ([0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1])]
    [0.0, 0.5, 1.0]
    """
    apart = np.zeros((len(contexts), len(contexts)))
    for name in space.seen:
        at = np.array([context.get(name, np.nan) for context in contexts])  # nature draws a missing one
        distances = np.nan_to_num(np.abs(np.subtract.outer(at, at)))
        apart += np.sign(distances) if isinstance(space[name], Categorical) else distances
    if not apart.any():
        return 1.0
    successive, pairs = np.diagonal(apart, 1).mean(), len(apart) * (len(apart) - 1)
    return float(np.clip(1.0 - successive * pairs / apart.sum(), 0.0, 1.0))


@record
class Switching:
    """Comparison of the best switch with staying, as logged.

    Args:
        stay: best expected value without a switch, in the user's units.
        move: expected value of the best switch.
        price: its switching cost.
        better: expected improvement of a play there over staying.
        needed: expected improvement that would pay for it.
        plays: plays to come, as far as drift lets them count.
    """

    stay: float
    move: float
    price: float
    better: float
    needed: float
    plays: float

    def said(self, asked: Suggestion) -> str:
        """Explain why a suggestion stays, or moves.

        >>> from steerbo.core import Scope
        >>> asked = Suggestion("t", 7, Scope(["speed"], keep=["oven"]), {"oven": 150.0, "speed": 0.3})
        >>> print(Switching(7.5, 7.4, 5.0, 0.02, 0.1, 40).said(asked))
        It moves nothing that is hard to change: that would cost 5, and a play there is expected to be better by 0.02; \
over the 40 plays still to come it would have to be 0.1.
        """
        better, needed = numeral(self.better, 3), numeral(self.needed, 3)
        held = f"over the {self.plays:.0f} plays still to come it would have to be {needed}."
        if asked.change_cost:
            paid = numeral(asked.change_cost, 4)
            return f"It pays {paid} to move: a play there is expected to be better by {better}; {held}"
        price = numeral(self.price, 4)
        return (
            f"It moves nothing that is hard to change: that would cost {price}, and a play there is expected to be "
            f"better by {better}; {held}"
        )


class Move(NamedTuple):
    """A play that switches, and its worth.

    Attributes:
        to: where it goes.
        price: m, its switching cost.
        plays: N, plays to come after it, as far as they count.
        better: EI of a play, in units of the objective.
        mean: its expected value, in units of `sign · value`.
        needed: EI that would pay for it.
        gain: improvement of all plays to come, less the worth of the switching cost.
    """

    to: Maximum
    price: float
    plays: float
    better: float
    mean: float
    needed: float
    gain: float


def without_poor_moves(
    method: CostVaryingMethod[Any],
    history: History,
    candidates: Candidates,
    arms: Sequence[int],
    next_points: dict[int, Maximum],
) -> tuple[list[int], Switching | None]:
    """Drop the arms whose move is not worth its switching cost, or less than another move of the same set.

    Returns:
        Indices into `arms` of those left, whose points are updated in `next_points`; and the best move beside staying.
    """
    values = [method.search_space.settings(candidates.arms[a], next_points[a].point) for a in arms]
    moved = np.array([method.problem.change_cost(each, history) or 0.0 for each in values])
    stays = np.flatnonzero(moved == 0)
    if len(stays) in {0, len(arms)}:
        return list(range(len(arms))), None
    seed = method.streams.integer(len(history) + 1, "moves")
    found = [one for (one,) in method.search_space.search(candidates, arms, [0.0], seed, of_mean=True)]
    in_value = method.costs.in_value()
    nets = [method.unstandardised(found[k].value) - in_value[candidates.arms[arms[k]].set] for k in stays.tolist()]
    here = int(stays[np.argmax(nets)])
    moves = _Moves(method, history, candidates, found[here], arms[here])
    best: dict[int, tuple[Move, int]] = {}
    for k in np.flatnonzero(moved > 0).tolist():
        move = max((moves.to(arms[k], one) for one in (next_points[arms[k]], found[k])), key=lambda move: move.gain)
        i = candidates.arms[arms[k]].set
        if i not in best or move.gain > best[i][0].gain:
            best[i] = move, k
    worth_it = [(move, k) for move, k in best.values() if move.gain > 0]
    next_points.update((arms[k], move.to) for move, k in worth_it)
    most = max((move for move, _ in best.values()), key=lambda move: move.gain)
    return sorted([*stays.tolist(), *(k for _, k in worth_it)]), moves.compared(most)


class _Moves:
    """Worth of the moves of one round, compared with the best mean of the arms that `stay`, that of arm `here`."""

    def __init__(
        self, method: CostVaryingMethod[Any], history: History, candidates: Candidates, stay: Maximum, here: int
    ) -> None:
        self.method, self.history, self.candidates, self.stay = method, history, candidates, stay.value
        self._here = candidates.arms[here], stay.point
        costs = method.costs.means()
        self._costs = np.where(np.isnan(costs), np.nanmean(costs) if np.isfinite(costs).any() else 0.0, costs)
        self._price_here = float(self._costs[candidates.arms[here].set])

    def to(self, a: int, to: Maximum) -> Move:
        """Value a move of arm `a` to a point."""
        method, arm = self.method, self.candidates.arms[a]
        switching = method.problem.change_cost(method.search_space.settings(arm, to.point), self.history) or 0.0
        price = float(self._costs[arm.set])
        plays = self._plays(price, switching)
        expectation = self.candidates.expectation(a, product=False).of_mean()
        mean, deviation = expectation.moments(to.point[None])
        if (stays := self._in_place(arm, to.point)) is not None:  # what is unsure there, too, is found without a move
            deviation = np.minimum(deviation, expectation.deviation_of_difference(to.point, stays))
        better = self._improvement(float(mean[0]), float(deviation[0]), self.stay)
        if plays and (alike := self._persistence) < 1.0:
            today = min((1.0 - alike**plays) / (1.0 - alike), plays)
            better = (today * better + (plays - today) * self._later(arm, to.point)) / plays
        paid = switching
        if self._drifts:  # what turns out worse is moved back
            paid *= 1.0 + float(scipy.special.ndtr((self.stay - mean[0]) / max(float(deviation[0]), 1e-12)))
        worth = method.problem.value_of_one
        money = self._range / (price or switching or 1.0) if worth is None else 1 / worth
        saved = max(self._price_here - price, 0.0) if worth is None else self._price_here - price
        gain = plays * (better + money * saved) - money * paid
        needed = money * (paid / plays - saved) if plays else np.inf
        return Move(to, switching, plays, better, method.unstandardised(float(mean[0])), needed, gain)

    def _improvement(self, mean: float, deviation: float, stay: float) -> float:
        """Expected improvement of a play over staying, in units of the objective; moments are standardised."""
        inflated, flat = (1.0 if self._drifts else INFLATION) * deviation, np.zeros((1, 1))
        found, _ = expected_improvement(stay)((np.array([mean]), np.array([inflated]), flat, flat))
        return self.method.model.scale * float(found[0])

    def _later(self, arm: Arm, point: Float[np.ndarray, " c"]) -> float:
        """Expected improvement of a play after this move over staying, on average over past contexts."""
        moved = [self._settled(arm, point, k) for k in range(len(self._contexts))]
        pairs = [(there, here) for there, here in zip(moved, self._stays, strict=True) if there and here]
        if not pairs:
            return 0.0
        mean, deviation, stay = np.mean([(there[0], there[1], here[0]) for there, here in pairs], axis=0)
        return self._improvement(float(mean), float(deviation), float(stay))

    @cached_property
    def _stays(self) -> list[tuple[float, float] | None]:
        """`_settled` of the best arm that stays, in past contexts."""
        return [self._settled(*self._here, k) for k in range(len(self._contexts))]

    def _settled(self, arm: Arm, point: Float[np.ndarray, " c"], k: int) -> tuple[float, float] | None:
        """Highest mean in context `k` with all that is hard to change as at a point, and its deviation from staying.

        None where constraints leave nothing there.
        """
        space, known = self.method.search_space, self._contexts[k]
        keep = {name: x for name, x in space.settings(arm, point).items() if name in space.space.changes}
        whole, laws = Arm(arm.set), space.nature.at(known)
        every, kept = space.domain(whole, known, laws), space.domain(Arm(arm.set, keep), known, laws)
        if every is None or kept is None:
            return None
        easy = sobol_in_box(kept.box, ROUGH, len(self.history)) if kept.box.dimension else np.zeros((1, 0))
        names = [space.space.names[d] for d in space.searched(whole)]
        points = np.empty((len(easy), len(names)))
        points[:, [j for j, name in enumerate(names) if name not in keep]] = easy
        for name, position in space.encoded(keep).items():
            points[:, names.index(name)] = position
        expectation = Expectation.over(self.candidates.posterior, every.parts, product=False).of_mean()
        best = points[int(np.argmax(expectation.mean(points)))]
        mean, deviation = expectation.moments(best[None])
        if (stays := self._in_place(whole, best)) is not None:
            deviation = np.minimum(deviation, expectation.deviation_of_difference(best, stays))
        return float(mean[0]), float(deviation[0])

    @cached_property
    def _seen(self) -> list[dict[str, float]]:
        """Encoded contexts of the latest rounds, and of this one."""
        latest = self.history.last(LATEST)
        past = (self.method.search_space.encoded(played.suggestion.context) for played in latest)
        seen = self.method.problem.space.seen
        return [*past, {name: x for name, x in self.candidates.known.items() if name in seen}]

    @cached_property
    def _contexts(self) -> list[dict[str, float]]:
        """Some of the contexts, at the time of the choice."""
        some = np.unique(np.linspace(0, len(self._seen) - 1, CONTEXTS).astype(int))
        time = {name: x for name, x in self.candidates.known.items() if name == TIME.name}
        return [self._seen[k] | time for k in some]

    @cached_property
    def _persistence(self) -> float:
        return persistence(self._seen, self.method.problem.space)

    def _in_place(self, arm: Arm, point: Float[np.ndarray, " c"]) -> Float[np.ndarray, " c"] | None:
        """The same settings with all that is hard to change where it is; None where that is not known."""
        space = self.method.search_space
        names = [space.space.names[d] for d in space.searched(arm)]
        hard = [j for j, name in enumerate(names) if name in space.space.changes]
        if any(names[j] not in self._positions for j in hard):
            return None
        stays = point.copy()
        stays[hard] = [self._positions[names[j]] for j in hard]
        return stays

    @cached_property
    def _positions(self) -> Mapping[str, float]:
        """Encoded positions of all that is hard to change."""
        return self.method.search_space.encoded(self.method.problem.keepable_positions(self.history))

    @property
    def _drifts(self) -> bool:
        return self.method.surrogate.drift.drifts

    @cached_property
    def _range(self) -> float:
        return self.method.surrogate.range_of_means(self.candidates.known)

    def _plays(self, price: float, switching: float) -> float:
        """N: plays that profit from a switch, each weighted by the correlation that drift leaves."""
        n = plays_to_come(self.history, price, switching)
        drift, time = self.candidates.posterior.drift, self.candidates.known.get(TIME.name)
        if drift is None or time is None or n < 1:
            return n
        later = np.zeros((min(int(n), _FAR), self.candidates.posterior.inputs.shape[1]))
        column = self.method.search_space.columns.index(TIME.name)
        later[:, column] = time + np.arange(len(later)) * time_between_rounds(self.history)
        return float(np.maximum(drift(later, later[:1])[:, 0], 0.0).sum() / drift(later[:1], later[:1])[0, 0])

    def compared(self, most: Move) -> Switching:
        """Compare the best move with staying, for the log."""
        sign = self.method.problem.sign
        return Switching(
            sign * self.method.unstandardised(self.stay),
            sign * most.mean,
            most.price,
            most.better,
            max(most.needed, 0.0),
            most.plays,
        )
