"""Switching costs: whether a move of a hard-to-change variable is worth its switching cost, by `cheap-first`.

Every set has arms that keep hard-to-change variables in place. N plays are to come
(`plays_to_come`). A move to settings x, with the hard-to-change ones at h, costs m once. After n
plays there the posterior mean μ has changed to μ′, and the plays that are left go where that is
best: at h, or elsewhere for another switching cost m′. Beside N plays at the present position h₀
that is worth, in units of the objective,

    L(x) = max_n E[max_h′ {(N − n) max_e μ′(h′, e) − R m′}] + μ(x) + (n − 1) max_e μ(h, e) − N max_e μ(h₀, e),

where m′ = 0 at h′ = h, e are the settings that are easy to change, and R is the worth of a unit of
money. Plays that stay teach, too: with x₀ the best settings there, a move gains
G = L(x) − R m − max(L(x₀), 0). (Without the last term a move by next to nothing was paid for, as it
was credited with lessons that staying teaches for nothing.) L is the knowledge gradient of n plays
(Frazier & Powell 2010), where plays after them have to be moved to. It is averaged over all draws
of the hyperparameters: under a few of them far settings are worth most. Maxima are over a grid of
positions and of settings that are easy to change. Of every set the best move with G > 0 competes
with the arms that stay, at the price of its set alone. That takes long, and only moves on which the
choice hangs are valued.

Unless `value_of_one` states the worth of a unit of money, it buys 1/p plays at the price p of the
set. Those of a budget are worth the range of posterior means at the data; without one, where no
play is lost by a move, the lead of the best over their average. Under drift a play to come
counts by the correlation that then remains. Where contexts are seen, only as many plays as a
context usually lasts (`persistence`) are in this one; the others are an average over past contexts,
in each of which variables that are easy to change are set anew.

Where nothing that stays is likely to keep the limits and to work, its value does not count: plays
that do are worth a move at any price, and others come nearer by as many deviations as values would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Bool, Float
from ..bandit import ArmBounds, Judging
from ..core import TIME, History, last_time, time_of
from ..optim import Box, Maximum, sobol_in_box
from ..records import record
from ..space import Categorical, Space
from ..surrogate import (
    Axis,
    Expectation,
    Part,
    ProductKernelPosterior,
    Uncontrolled,
    most_within,
    parts_of,
)
from .method import CostVaryingMethod
from .search_space import Arm, Candidates

ASSUMED = 20
"""Plays still to come where neither money nor rounds are limited; from so many rounds on, as many as there were."""
TESTS = (1, 2, 4, 8)
"""Numbers of plays n after which a move may be undone."""
CONTEXTS = 8
"""Number of past contexts that later plays are an average over."""
LATEST = 200
"""Number of latest rounds whose contexts count: all pairs of them are compared."""
# positions, and settings easy to change, beside known ones; in contexts or limits
_MANY, _FEW = (32, 64), (8, 32)
_NODES, _SHARES = np.polynomial.hermite_e.hermegauss(15)  # of the outcomes of a test
_SHARES /= _SHARES.sum()
_LEAST = 1e-12  # variance
# mean of what constraints forbid: below all others, and finite, since a move and staying may both
# lack an allowed setting in some context
_FORBIDDEN = -1e9
_FAR = 1000  # plays to come after these do not count under drift


@record
class Switching:
    """Comparison of the best switch, of those that might be chosen, with staying, as logged.

    Args:
        stay: best expected value without a switch, in the user's units.
        move: expected value of the best switch.
        price: its switching cost.
        better: expected improvement of a play to come by it, over staying; plays may go on
            elsewhere.
        needed: expected improvement that would pay for it.
        plays: plays to come, as far as drift lets them count.
    """

    stay: float
    move: float
    price: float
    better: float
    needed: float
    plays: float


class Move(NamedTuple):
    """A play that switches, and its worth.

    Attributes:
        to: where it goes.
        price: m, its switching cost.
        plays: N, plays to come with it, as far as they count.
        better: improvement of each of these, on average, in units of the objective.
        mean: expected value of the play, in units of `sign · value`.
        needed: improvement that would pay for the switching cost.
        gain: G; infinite where what stays is not likely to keep the limits or to work, and this is.
    """

    to: Maximum
    price: float
    plays: float
    better: float
    mean: float
    needed: float
    gain: float

    @property
    def rank(self) -> tuple[float, float]:
        """The gain; of infinite ones, what a play to come is worth."""
        return self.gain, self.mean - self.needed


class PayingMoves:
    """Moves of a round, each compared with staying when it is asked for: that takes long.

    Args:
        method: whose model values them.
        candidates: the plays that are open to the round.
        arms: numbers of those that are affordable.
        plays: from some arms to their next plays, by bounds.

    Attributes:
        moving: arms that may move something; none where nothing can stay.
        best: comparison of the best move that was asked for with staying; None: of none yet, or
            staying is unlikely to keep the limits and to work.
    """

    def __init__(
        self,
        method: CostVaryingMethod[Any],
        candidates: Candidates,
        arms: Sequence[int],
        plays: Callable[[Sequence[int]], Sequence[Maximum]],
    ) -> None:
        self._method, self._candidates = method, candidates
        self._plays = plays
        self._staying = [a for a in arms if self._moves_nothing(candidates.arms[a])]
        self.moving = frozenset(arms if self._staying else ()) - {*self._staying}
        self._known: dict[int, dict[int, Maximum]] = {}  # plays that are left, by set and arm
        self._most: Move | None = None

    @property
    def best(self) -> Switching | None:
        """See the class."""
        if self._most is None or self._worth.must_leave:
            return None
        return self._worth.compared(self._most)

    def play_of(self, a: int) -> Maximum | None:
        """Next play of an arm; None where that is a move which gains less than it costs, or than another of its set."""
        if a not in self.moving:
            return self._plays([a])[0]
        i = self._candidates.arms[a].set
        if i not in self._known:
            self._known[i] = self._left_of_set(
                [each for each in sorted(self.moving) if self._candidates.arms[each].set == i]
            )
        return self._known[i].get(a)

    def _left_of_set(self, arms: list[int]) -> dict[int, Maximum]:
        """Plays of a set's arms that are left: those that move nothing, and the best move, if it gains anything."""
        left, moves = dict[int, Maximum](), list[tuple[Move, int]]()
        plays = dict(zip(arms, self._plays(arms), strict=True))
        moved = [a for a in arms if self._price(a, plays[a])]
        for a, best in zip(moved, self._best_means(self._candidates, moved), strict=True):
            tried = (self._worth.to(a, one) for one in (plays[a], best))
            moves.append((max(tried, key=lambda move: move.rank), a))
        left.update((a, plays[a]) for a in arms if a not in moved)
        if moves:
            move, a = max(moves, key=lambda each: each[0].rank)
            if self._most is None or move.rank > self._most.rank:
                self._most = move
            if move.gain > 0:
                left[a] = move.to
        return left

    def _moves_nothing(self, arm: Arm) -> bool:
        """Whether all that is hard to change in an arm stays."""
        hard = self._method.problem.space.changes
        names = self._method.problem.control_sets[arm.set]
        return all(name in arm.keep for name in names if name in hard)

    def _price(self, a: int, play: Maximum) -> float:
        """Switching cost of a play."""
        settings = self._method.search_space.settings(self._candidates.arms[a], play.point)
        return self._method.problem.change_cost(settings, self._method.history) or 0.0

    def _best_means(self, candidates: Candidates, arms: Sequence[int]) -> list[Maximum]:
        """Settings at which expected values of arms are largest."""
        return self._method.search_space.search(
            candidates.narrow, arms, 0.0, self._method.search_seed
        )

    @cached_property
    def _worth(self) -> _Moves:
        """Worth of moves beside the best of the arms that stay, by its mean net of its cost."""
        method, candidates, arms = self._method, self._candidates, self._staying
        ends = self._best_means(candidates.without_limits(), arms)
        prices = method.costs.in_value()[[candidates.arms[a].set for a in arms]]

        def net(k: int, value: float) -> float:
            return float(method.surrogate.unstandardised(value) - prices[k])

        def judged(k: int) -> Judging:
            domain = candidates.narrow.domains[arms[k]]
            for most in most_within(
                candidates.posterior, domain, ends[k], 0.0, seed=self._method.search_seed
            ):
                yield net(k, most)
            known = candidates.narrow.knowing({arms[k]: ends[k]})
            (ends[k],) = self._best_means(known, [arms[k]])
            return net(k, ends[k].value)

        every = range(len(arms))
        free = np.array([net(k, ends[k].value) for k in every])
        bounds = ArmBounds(free, judged if candidates.limited else None)
        here = bounds.highest(every)
        if bounds.upper[here] == -np.inf:  # the likeliest
            bounds.exact(every)
            here = max(every, key=lambda k: ends[k].rank)
        return _Moves(method, candidates, ends[here], arms[here])


@dataclass(frozen=True, eq=False)
class _Grid:
    """Plays of one control set that may follow a move: contexts, positions, and settings that are easy to change.

    Attributes:
        parts: of every column; seen ones are set, too.
        axes: contexts, of which the first is this one; positions, first that of the move, then the
            present one where it is known; and settings easy to change, first those of the move.
        allowed: (c, p, e), by the constraints.
        prices: (p,) switching costs from the position of the move.
        present: whether the second position is the present one.
    """

    parts: Sequence[Part]
    axes: tuple[Axis, Axis, Axis]
    allowed: Bool[np.ndarray, "c p e"]
    prices: Float[np.ndarray, " p"]
    present: bool

    def over(self, posterior: ProductKernelPosterior) -> tuple[Expectation, np.ndarray, float]:
        """Expectation over nature's part, the point of the move, and nature's addition to the noise of its outcome."""
        expectation = Expectation.of_value(posterior, self.parts)
        place = {
            d: x
            for columns, settings in self.axes
            for d, x in zip(columns, settings[0].tolist(), strict=True)
        }
        point = np.array([place[d] for d in expectation.controlled.tolist()])
        if not any(isinstance(part, Uncontrolled) for part in self.parts):
            return expectation, point, 0.0
        _, whole = Expectation.over(posterior, self.parts).moments(point[None])
        _, of_mean = expectation.moments(point[None])
        return expectation, point, max(float(whole[0] ** 2 - of_mean[0] ** 2), 0.0)

    def means(self, expectation: Expectation) -> Float[np.ndarray, "c p e"]:
        """Means on the grid; `_FORBIDDEN` where constraints forbid."""
        return np.where(self.allowed, expectation.mean_on_grid(self.axes), _FORBIDDEN)


class _Moves:
    """Worth of the moves of one round, compared with the best mean of the arms that `stay`, that of arm `here`."""

    def __init__(
        self,
        method: CostVaryingMethod[Any],
        candidates: Candidates,
        stay: Maximum,
        here: int,
    ) -> None:
        self.method = method
        self.candidates = candidates
        self.stay = stay
        self.space, self._changes = method.search_space, method.problem.space.changes
        arm = candidates.arms[here]
        self._here, self._settings_here = arm.set, self.space.settings(arm, stay.point)
        self._lessons: dict[tuple[float, float], float] = {}  # by plays to come, and by R
        costs = method.costs.means()
        self._costs = np.where(
            np.isnan(costs), np.nanmean(costs) if np.isfinite(costs).any() else 0.0, costs
        )
        self._positions = self.space.encoded(method.problem.keepable_positions(method.history))

    @property
    def must_leave(self) -> bool:
        """Whether no play that stays is likely to keep the limits and to work."""
        return not self.stay.likely

    def to(self, a: int, to: Maximum) -> Move:
        """Value a move of arm `a` to a point."""
        method, arm = self.method, self.candidates.arms[a]
        settings = self.space.settings(arm, to.point)
        switching = method.problem.change_cost(settings, method.history) or 0.0
        price = float(self._costs[arm.set])
        plays, worth = self._plays(price, switching), method.problem.value_of_one
        money = self._play / (price or switching or 1.0) if worth is None else 1 / worth
        saved = float(self._costs[self._here]) - price
        saved = max(saved, 0.0) if worth is None else saved
        if self.must_leave:
            nearer = method.model.scale * (to.margin - self.stay.margin)
            gain = np.inf if to.likely else max(plays, 1.0) * nearer - money * switching
        elif plays > 1.0:
            beside = self._beside_staying(arm.set, settings, plays, money, saved)
            gain = beside - money * switching - self._learned_by_staying(plays, money)
        else:
            gain = -np.inf
        better = (gain + money * switching) / plays if plays > 1.0 else 0.0
        mean = float(self.candidates.expected_mean(a).mean(to.point[None])[0])
        needed = money * switching / plays if plays else np.inf
        return Move(
            to, switching, plays, better, method.surrogate.unstandardised(mean), needed, gain
        )

    def _learned_by_staying(self, plays: float, money: float) -> float:
        """Worth of what plays that stay teach, L(x₀), in units of the objective."""
        if (plays, money) not in self._lessons:
            found = self._beside_staying(self._here, self._settings_here, plays, money, 0.0)
            self._lessons[plays, money] = max(found, 0.0)
        return self._lessons[plays, money]

    def _beside_staying(
        self, i: int, settings: Mapping[str, Any], plays: float, money: float, saved: float
    ) -> float:
        """L of settings of set `i`, in units of the objective; `saved` is the saving of a play."""
        scale, grid = self.method.model.scale, self._grid(i, settings)
        prices = money / scale * grid.prices
        bonus = money / scale * saved
        weights = self._weights(plays)
        tests, found = [n for n in TESTS if n < plays], list[float]()
        back = prices[1] if grid.present else prices.max()
        for posterior, stay in zip(self._posteriors, self._stays, strict=True):
            expectation, point, nature = grid.over(posterior)
            means = grid.means(expectation)
            if grid.present:  # where this set stays
                stay = max(stay, float(weights @ means[:, 1].max(axis=1)) + bonus)
            play = float(expectation.mean(point[None])[0]) + bonus
            later = float(weights @ means[:, 0].max(axis=1)) + bonus
            towards = expectation.covariance_on_grid(point, grid.axes)
            variance = max(float(towards.flat[0]), _LEAST)  # the grid begins at the move
            for n in tests:
                left, seen = plays - n, variance + (float(self.method.model.noise) + nature) / n
                changes = _NODES[:, None, None, None] * (towards / np.sqrt(seen))
                # μ′ by position
                reached = bonus + np.einsum("c,qcp->qp", weights, (means + changes).max(axis=3))
                best = (left * reached - prices).max(axis=1)
                if self._here != i:
                    best = np.maximum(best, left * stay - back)
                found.append(play + (n - 1) * later + float(_SHARES @ best) - plays * stay)
        return scale * float(np.mean(np.reshape(found, (-1, len(tests))), axis=0).max())

    @cached_property
    def _posteriors(self) -> list[ProductKernelPosterior]:
        """Posteriors by all draws of the hyperparameters; of few or very many outcomes the one there is."""
        points = self.method.surrogate.pending_points()
        time = self.candidates.known.get(TIME.name)
        members = self.method.model.members
        return ProductKernelPosterior.of_each(members, points, time) or [self.candidates.posterior]

    @cached_property
    def _stays(self) -> list[float]:
        """Value of a play to come of the best arm that stays, by every posterior, on average over contexts."""
        grid = self._grid(self._here, self._settings_here)
        weights = self._weights(self._plays(float(self._costs[self._here]), 0.0))
        found = (grid.means(grid.over(posterior)[0])[:, 0] for posterior in self._posteriors)
        return [float(weights @ means.max(axis=1)) for means in found]

    def _grid(self, i: int, settings: Mapping[str, Any]) -> _Grid:
        """Grid of control set `i` about the settings of a play."""
        space, now = self.space, self.candidates.known
        names = [space.space.names[d] for d in space.sets[i]]
        hard = [name for name in names if name in self._changes]
        easy = [name for name in names if name not in self._changes]
        seen = [name for name in space.space.seen if name in now]
        known = [
            space.encoded(each)
            for each in (settings, *([self._settings_here] if i == self._here else []))
        ]
        present = all(name in self._positions for name in hard)
        places = [known[0], *([self._positions] if present else [])]
        count, more = _FEW if len(self._contexts) > 1 or self.method.problem.limits else _MANY
        some = sobol_in_box(space.boxes[i], count + more, len(self.method.history))
        positions = _settings(hard, places, some[:count, [names.index(name) for name in hard]])
        rest = _settings(easy, known, some[count:, [names.index(name) for name in easy]])
        contexts = _settings(seen, self._contexts, np.zeros((0, len(seen))))
        shape = len(contexts), len(positions), len(rest)
        allowed = np.ones(shape, dtype=bool)
        if self.method.problem.limits:
            points = np.empty((*shape[1:], len(names)))
            points[:, :, [names.index(name) for name in hard]] = positions[:, None]
            points[:, :, [names.index(name) for name in easy]] = rest
            for mark, box in zip(allowed, self._boxes(i), strict=True):
                mark[...] = box is not None and box.allows(points.reshape(-1, len(names))).reshape(
                    shape[1:]
                )
            allowed[0, 0, 0] = True
        parts = parts_of(space.columns, [*names, *seen], now, space.nature.at(now))
        columns = [[*map(space.space.index, held)] for held in (seen, hard, easy)]
        axes = (columns[0], contexts), (columns[1], positions), (columns[2], rest)
        return _Grid(parts, axes, allowed, self._prices(hard, positions), present)

    def _boxes(self, i: int) -> Iterator[Box | None]:
        """Feasible settings of control set `i` in each context, wherever it is moved to; None: there are none."""
        whole, arms = Arm(i), self.candidates.arms
        yield self.candidates.domains[arms.index(whole)].box if whole in arms else None
        for context in self._contexts[1:]:
            domain = self.space.domain(whole, context, self.space.nature.at(context))
            yield None if domain is None else domain.box

    def _prices(
        self, hard: Sequence[str], positions: Float[np.ndarray, "p k"]
    ) -> Float[np.ndarray, " p"]:
        """Switching costs from the first of some encoded positions to each, (p,)."""
        prices = np.zeros(len(positions))
        for name, column in zip(hard, positions.T, strict=True):
            cost, moved = self._changes[name], column != column[0]
            prices += cost.fixed * moved
            if cost.per_unit:
                values = np.array(self.method.problem.space[name].decode(column), dtype=float)
                prices += cost.per_unit * np.abs(values - values[0])
        return prices

    # -- contexts ----------------------------------------------------------------------------------

    @cached_property
    def _seen(self) -> list[dict[str, float]]:
        """Encoded contexts of the latest rounds, and of this one."""
        latest = self.method.history.last(LATEST)
        past = (self.space.encoded(played.suggestion.context) for played in latest)
        seen = self.method.problem.space.seen
        return [*past, {name: x for name, x in self.candidates.known.items() if name in seen}]

    @cached_property
    def _contexts(self) -> list[Mapping[str, float]]:
        """This context, and unless it lasts some of the past ones, at the time of the choice."""
        now = self.candidates.known
        if self._persistence == 1.0:
            return [now]
        alike = [each for each in self._seen if each.keys() == self._seen[-1].keys()]
        some = np.unique(np.linspace(0, len(alike) - 1, CONTEXTS).astype(int))
        return [now, *({**now, **alike[k]} for k in some)]

    def _weights(self, plays: float) -> Float[np.ndarray, " c"]:
        """Shares of the plays to come that are in each context, (c,)."""
        others = len(self._contexts) - 1
        if not others:
            return np.ones(1)
        today = min((1.0 - self._persistence**plays) / (1.0 - self._persistence), plays) / max(
            plays, 1.0
        )
        return np.array([today, *[(1.0 - today) / others] * others])

    @cached_property
    def _persistence(self) -> float:
        return persistence(self._seen, self.method.problem.space)

    # -- plays to come -----------------------------------------------------------------------------

    @cached_property
    def _play(self) -> float:
        """Worth of a play that money could buy, in units of the objective."""
        if not len(self.method.model):
            return 0.0
        means = self.method.surrogate.means_at_data(self.candidates.known)
        worst = float(means.min() if self.method.history.budget is not None else means.mean())
        return max(float(means.max()) - worst, 0.0)

    def _plays(self, price: float, switching: float) -> float:
        """N: plays that profit from a switch, each weighted by the correlation that drift leaves."""
        n = plays_to_come(self.method.history, price, switching)
        drift, time = self.candidates.posterior.drift, self.candidates.known.get(TIME.name)
        if drift is None or time is None or n < 1:
            return n
        later = np.zeros((min(int(n), _FAR), self.candidates.posterior.inputs.shape[1]))
        column = self.space.columns.index(TIME.name)
        later[:, column] = time + np.arange(len(later)) * time_between_rounds(self.method.history)
        return float(
            np.maximum(drift(later, later[:1])[:, 0], 0.0).sum() / drift(later[:1], later[:1])[0, 0]
        )

    def compared(self, most: Move) -> Switching:
        """Compare the best move with staying, for the log."""
        sign = self.method.problem.sign
        return Switching(
            sign * self.method.surrogate.unstandardised(self.stay.value),
            sign * most.mean,
            most.price,
            most.better,
            max(most.needed, 0.0),
            most.plays,
        )


def _settings(
    names: Sequence[str], known: Sequence[Mapping[str, float]], others: Float[np.ndarray, "m c"]
) -> Float[np.ndarray, "n c"]:
    """Known settings of some variables, then others."""
    rows = np.array([[each[name] for name in names] for each in known])
    # without any known settings, or any names, it has no shape of its own
    return np.vstack([rows.reshape(len(known), len(names)), others])


# -- plays to come, how far apart in time, and in which contexts --------------------------------------


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
    # a later one was mistyped: its round is void or abandoned
    times = [time for time in times if time <= last]
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
        # nature draws a missing one
        at = np.array([context.get(name, np.nan) for context in contexts])
        distances = np.nan_to_num(np.abs(np.subtract.outer(at, at)))
        apart += np.sign(distances) if isinstance(space[name], Categorical) else distances
    if not apart.any():
        return 1.0
    successive, pairs = np.diagonal(apart, 1).mean(), len(apart) * (len(apart) - 1)
    return float(np.clip(1.0 - successive * pairs / apart.sum(), 0.0, 1.0))
