"""Our own method: the cheapest set that still has as much to learn as it lags behind.

One Gaussian process is shared by all sets, so that a play of a cheap one teaches the dear ones too, and teaches it
where nature really is. Money is therefore spent on a dear set only once the cheap ones are understood:

0. each round draws hyperparameters from their posterior and chooses by that draw: now and then it doubts what the
   likeliest ones are sure of, so that no play is repeated for ever by mistake;
1. `u_i` is the largest upper bound `E μ + β sd[g_i]` on the expected value `g_i` itself, `U = max_i u_i`;
2. a play of set `i` would go to `x_i`, where the wide bound `E μ + β sqrt(E σ²)` is largest: within a set the narrow
   one closes over one basin before the others are known;
3. `w_i = 2 β sd[g_i(x_i)]` is the uncertainty of that play's expected value. Set `i` is *enough* if `u_i + κ w_i ≥ U`:
   it lags behind by no more than its next play may teach. The cheapest set that is enough is played.

What is acceptable where the best reaches `U` stands in the place of `U` in 3, by the problem's tolerance or, where none
is stated, by a twentieth of the range: a dear set is played only to find out whether it is so much better. (With `U`
itself, half of the later money went to larger sets where a nested smaller one was as good.)

Where a unit of value is worth a sum of money (`value_of_one`), bounds are those of the net value, what a play costs in
units of value taken off, and no price counts beside that: the set with the largest bound is played.

There is no schedule and no horizon. A cheap set that cannot be the best is left as soon as it is known well enough to
say so, and one that may be the best is not left for a hair's breadth that the model only imagines.

Where the objective is known to drift, or was found to, bounds have half that width, and κ is 0: what is found out does
not last, so less is paid for finding out. (A model that is told of a drift never stops being unsure of what it has not
seen for long. With patience for that it plays a cheap set again and again of which it knows, again and again, that it
is not good enough; and loses more by that than the drift itself costs.)

Where moving variables has a price, every set has twin arms of which some of these stay where they are. What a change
costs is paid once, and what it brings lasts: it is held against the plays still to come (`plays_to_come`). A move is
worth it if `N (EI + R/p · saved) > R/p · m`: EI is what a play there is expected to be better by than the best mean of
those that stay (`DOUBT` says how unsure that is), N the plays to come, m the price of the change, p that of a play, R
the range of what was seen: a unit of money buys 1/p plays, of which each is worth what the best differs from the worst.
`saved` is what a play costs less than one that stays. Of every set the move that is most worth it is an arm beside
those that stay, at the price of its set alone. Where it drifts, a play to come counts by what is then left of what is
known now; where neither money nor rounds are limited, as many plays are taken to come as there were.
Bounds are `WIDER` there: a bound that is wrong is not put right by the next round, which stays.

While the bounds hold, a play of `x_i` falls short of the best (or of what is acceptable) by at most
`2 (1 + κ) β sqrt(E σ²(x_i))`, since `g* ≤ U ≤ u_i + κ w_i`, `u_i ≤ E μ(x_i) + β sqrt(E σ²(x_i))`, and
`sd[g_i] ≤ sqrt(E σ²)` by Jensen. That is UCB-PSQ's bound but for the factor `1 + κ`, so that the quality regret grows
no faster, whatever the sets cost, as long as no round is pending: variances count pending points as if their outcomes
were known.

That is said of `x_i`. Where a set leaves something to nature, what is played is `x'`: `x_i` polished, that is, moved to
where `A = E[μ + βσ]` is no smaller (as averaged over the draws it is polished on). As `sd[g] ≤ E σ` too, and
`u_i ≤ A(x_i) + β J` with `J = sqrt(E σ²(x_i)) − E σ(x_i)`, a play of `x'` falls short by at most
`2 β E σ(x') + κ w_i + β J`. Its last two terms belong to `x_i`, which is not played: how fast they shrink is not
bounded, so that for polished plays the growth of the regret is not proven. Sets that control everything are not
polished.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from ..bandit import cheapest_sufficient
from ..core import TIME, BatchPosition, Choice, Explanation, History, Streams, Table, batch_position, numeral
from ..core.tolerance import UNSTATED
from ..optim import Maximum
from ..records import from_dict, record, to_dict
from ..surrogate import expected_improvement
from .changing import between, plays_to_come
from .control_sets import Arm, Outlook
from .method import PartialControl
from .problem import CostVarying
from .reasons import Moving, Reasons
from .venturing import Venturing

WIDER, FLEETING = 1.5, 0.5
"""By what factor bounds are wider where something is hard to change, and narrower where, but for that, it drifts."""


DOUBT = 2.0
"""By what factor a mean is less sure than a play there tells, where it is asked what a move may bring: the plays that
follow it look for better settings beside. On drawn problems 1 stayed for ever in one of ten; 2 in none."""
_FAR = 1000  # plays from now: what a change brings after these is not counted where it drifts


@record
class CheapFirstOptions:
    """Options of `cheap-first`.

    Args:
        beta: width of all bounds, in posterior standard deviations; half as much again where something is hard to
            change, else half as much where the objective drifts.
        patience: κ: how much of what is not known about a play makes up for lagging behind. 0: cost counts among equals
            only, as it does where the objective drifts, unless something is hard to change.
        alike: sets whose prices differ by no more than this factor count as equally cheap, and are chosen among by
            their promise. 1: only equal prices do.
    """

    beta: float = Field(2.0, ge=0, allow_inf_nan=False)
    patience: float = Field(1.0, ge=0, allow_inf_nan=False)
    alike: float = Field(1.0, ge=1, allow_inf_nan=False)


class Move(NamedTuple):
    """A play that moves something: what it costs to move, what it may bring, and what is gained in all.

    Attributes:
        to: where it goes.
        price: m, of the change alone.
        plays: N, still to come after it, as far as they count.
        better: EI a play, in units of the objective. mean: what it is expected to give, in units of `sign · value`.
        needed: what a play would have to be better by.
        gain: what all plays are better by, less what the money of the change would have bought.
    """

    to: Maximum
    price: float
    plays: float
    better: float
    mean: float
    needed: float
    gain: float


@dataclass(frozen=True, eq=False)
class Weighed:
    """What moving is held against: the best mean where nothing that is hard to change is moved, and money.

    Attributes:
        method: that chooses.
        history: before the choice.
        outlook: what it is made on.
        stay: that mean, in standardised units.
        here: the arm that has it.
    """

    method: CheapFirst
    history: History
    outlook: Outlook
    stay: float
    here: int

    def move(self, a: int, to: Maximum) -> Move:
        """A play of arm `a` there."""
        method, arm = self.method, self.outlook.arms[a]
        price = method.problem.change_cost(method.settings(arm, to.point), self.history) or 0.0
        held, stays = self._held(arm.set), self._held(self.outlook.arms[self.here].set)
        plays = self.plays(held, price)
        mean, deviation = method.expectation(self.outlook, a, product=False).of_mean().moments(to.point[None])
        flat = np.zeros((1, len(to.point)))
        better = method.model.scale * float(
            expected_improvement(self.stay)((mean, DOUBT * deviation, flat, flat))[0][0]
        )
        worth = method.problem.value_of_one
        money = self._range / (held or price or 1.0) if worth is None else 1 / worth
        saved = max(stays - held, 0.0) if worth is None else stays - held
        gain = plays * (better + money * saved) - money * price
        needed = money * (price / plays - saved) if plays else np.inf
        return Move(to, price, plays, better, method.raw(float(mean[0])), needed, gain)

    @cached_property
    def _range(self) -> float:
        return self.method.seen_range(self.outlook)

    @cached_property
    def _costs(self) -> np.ndarray:
        costs = self.method.mean_costs()
        return np.where(np.isnan(costs), np.nanmean(costs) if np.isfinite(costs).any() else 0.0, costs)

    def _held(self, i: int) -> float:
        return float(self._costs[i])

    def plays(self, held: float, change: float) -> float:
        """N: how many plays a change still serves, each counted by what drift leaves of what is known now."""
        n = plays_to_come(self.history, held, change)
        drift, time = self.outlook.process.drift, self.outlook.known.get(TIME.name)
        if drift is None or time is None or n < 1:
            return n
        later = np.zeros((min(int(n), _FAR), self.outlook.process.inputs.shape[1]))
        column = self.method.columns_of_model.index(TIME.name)
        later[:, column] = time + np.arange(len(later)) * between(self.history)
        return float(np.maximum(drift(later, later[:1])[:, 0], 0.0).sum() / drift(later[:1], later[:1])[0, 0])

    def said(self, most: Move) -> Moving:
        """For the log."""
        sign = self.method.problem.sign
        return Moving(
            sign * self.method.raw(self.stay),
            sign * most.mean,
            most.price,
            most.better,
            max(most.needed, 0.0),
            most.plays,
        )


class CheapFirst(PartialControl[CheapFirstOptions]):
    """Play the cheapest set that lags behind the best by no more than what its next play may teach."""

    name: ClassVar[str] = "cheap-first"
    Options: ClassVar[type[Any]] = CheapFirstOptions

    def __init__(self, problem: CostVarying, options: CheapFirstOptions, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self._hard = [problem.space.index(name) for name in problem.space.changes]

    @property
    def beta(self) -> float:
        """Width of all bounds, as things stand."""
        return self.options.beta * (WIDER if self._hard else FLEETING if self._fleeting else 1.0)

    @property
    def patience(self) -> float:
        """κ, as things stand."""
        return 0.0 if self._fleeting else self.options.patience

    @property
    def _fleeting(self) -> bool:
        """Whether what is found out does not last, and mistakes do not either: the next round may put them right."""
        return not self._hard and self.course is not None and self.course.drifts

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """The cheapest set that is enough; among equally cheap ones the most promising."""
        if (start := self.start(history, request)) is not None:
            return start
        number, beta = len(history) + 1, self.beta
        outlook = self.outlook(history, request, staying=True)
        place = batch_position(request)
        arms, plays = self._arms(history, outlook, number, place)
        upper, moving = self._upper(outlook, number, arms), None
        highest = self._at_best(outlook, arms, upper)
        if self._hard:
            worth_it, moving = self._moves(history, outlook, number, arms, plays)
            arms, upper = [arms[k] for k in worth_it], upper[worth_it]
        sets = [outlook.arms[a].set for a in arms]
        prices, priced = self.mean_costs()[sets], self.problem.value_of_one is not None
        if priced:
            upper, prices = upper - self.in_value()[sets], np.zeros(len(arms))

        def widths(some: Sequence[int]) -> np.ndarray:
            """w_i of arms that are tried, after finding where a play of them would go."""
            tried = [arms[k] for k in some]
            if not self.problem.space.changes:
                plays.update(zip(tried, self.best_of(tried, outlook, number, beta)[1], strict=True))
            return np.array([self._width(outlook, i, plays[i]) for i in tried])

        least = float(upper.max()) if priced else self._least(float(upper.max()), outlook)
        best = cheapest_sufficient(upper, prices, least, widths, self.patience, alike=self.options.alike)
        a = arms[best.arm]
        arm, point = outlook.arms[a], self.point_to_play(a, plays[a], outlook, number, beta)
        if self.problem.space.changes and not self.fits(history, arm, point):
            point = plays[a].point
        play = Venturing(self, history, outlook, arms).instead(a, point)
        why = Reasons(highest, best.width, moving, **play.note)
        return self.play(history, play.arm, play.point, request, **to_dict(why))

    def _arms(
        self, history: History, outlook: Outlook, number: int, place: BatchPosition
    ) -> tuple[list[int], dict[int, Maximum]]:
        """The arms that fit into what is left, and where a play of each would go if that matters."""
        affordable = self.affordable(history)
        arms = [a for a, arm in enumerate(outlook.arms) if affordable[arm.set]]
        if not self.problem.space.changes:
            return arms, {}
        if place.number > 1:
            present = self.problem.present(history)
            arms = [a for a in arms if self._shares(outlook.arms[a], present)] or arms
        plays = dict(zip(arms, self.best_of(arms, outlook, number, self.beta)[1], strict=True))
        return [a for a in arms if self.fits(history, outlook.arms[a], plays[a].point)], plays

    def _shares(self, arm: Arm, present: Mapping[str, Any]) -> bool:
        """Whether an arm holds those hard-to-change variables that are held, where they are, and no others."""
        hard = {name for name in self.problem.control_sets[arm.set] if name in self.problem.space.changes}
        return hard == arm.keep.keys() == present.keys()

    def _moves(
        self, history: History, outlook: Outlook, number: int, arms: Sequence[int], plays: dict[int, Maximum]
    ) -> tuple[list[int], Moving | None]:
        """Which of `arms` are to be chosen among: those that move nothing, and of each set the move most worth it.

        Where a play of these would go is put into `plays`.
        """
        moved = np.array([self._change(history, outlook, a, plays[a].point) for a in arms])
        stays = np.flatnonzero(moved == 0)
        if len(stays) in {0, len(arms)}:
            return list(range(len(arms))), None
        found = [
            one for (one,) in self.search(outlook, arms, [0.0], self.streams.integer(number, "moves"), of_mean=True)
        ]
        nets = [self.raw(found[k].value) - self.in_value()[outlook.arms[arms[k]].set] for k in stays.tolist()]
        here = int(stays[np.argmax(nets)])
        weighed = Weighed(self, history, outlook, found[here].value, arms[here])
        best: dict[int, tuple[Move, int]] = {}
        for k in np.flatnonzero(moved > 0).tolist():
            move = max((weighed.move(arms[k], one) for one in (plays[arms[k]], found[k])), key=lambda move: move.gain)
            i = outlook.arms[arms[k]].set
            if i not in best or move.gain > best[i][0].gain:
                best[i] = move, k
        worth_it = [(move, k) for move, k in best.values() if move.gain > 0]
        plays.update((arms[k], move.to) for move, k in worth_it)
        most = max((move for move, _ in best.values()), key=lambda move: move.gain)
        return sorted([*stays.tolist(), *(k for _, k in worth_it)]), weighed.said(most)

    def _change(self, history: History, outlook: Outlook, a: int, point: np.ndarray) -> float:
        return self.problem.change_cost(self.settings(outlook.arms[a], point), history) or 0.0

    def _at_best(self, outlook: Outlook, arms: Sequence[int], upper: np.ndarray) -> tuple[float | None, ...]:
        """The largest upper bound of each set, in the user's units."""
        found: dict[int, float] = {}
        for a, bound in zip(arms, upper.tolist(), strict=True):
            i = outlook.arms[a].set
            found[i] = max(found.get(i, bound), bound)
        return tuple(self.problem.sign * found[i] if i in found else None for i in range(len(self.sets)))

    def _least(self, highest: float, outlook: Outlook) -> float:
        """What a set must be able to come near, where the best may reach `highest`."""
        tolerance = self.problem.tolerance or UNSTATED
        return min(highest, tolerance.acceptable(highest, self.worst(outlook), self.problem.sign))

    def _upper(self, outlook: Outlook, number: int, sets: list[int]) -> np.ndarray:
        """u_i of some arms, in units of `sign · value`."""
        seed = self.streams.integer(number, "search")
        found = self.search(outlook, sets, [self.beta], seed, of_mean=True)
        return np.array([self.raw(one.value) for (one,) in found])

    def _width(self, outlook: Outlook, i: int, play: Maximum) -> float:
        """w_i: what is not known about a play of set `i`, in units of the objective."""
        _, deviation = self.expectation(outlook, i, product=False).of_mean().moments(play.point[None])
        return float(2 * self.beta * self.model.scale * float(deviation[0]))

    def explain(self, history: History) -> Explanation:
        """The upper bound of each set, and what decided."""
        table = self.table_of_sets(history)
        asked = [played.suggestion for played in history if "upper" in played.suggestion.note]
        if not asked:
            return Explanation("the first settings are drawn at random, to have something to learn from", (table,))
        why: Reasons = from_dict(Reasons, asked[-1].note)
        rows = tuple((*row, why.upper[i]) for i, row in enumerate(table.rows))
        goal = "the best" if self.problem.tolerance is None else "good enough"
        rule = (
            f"each round plays the cheapest set that may still turn out to be {goal}; a dearer one only when outcomes "
            "have ruled out those that are cheaper"
        )
        if (worth := self.problem.value_of_one) is not None:
            rule = f"each round plays the set whose net value may be largest: {worth:g} times its value, less its cost"
        summary = (
            f"{rule}. Round {asked[-1].round} played {asked[-1].scope}, whose expected "
            f"value was uncertain by {numeral(why.width, 3)}."
        )
        if self.options.alike > 1:
            summary += f" Prices within a factor of {numeral(self.options.alike, 3)} count as equal."
        if why.moving is not None:
            summary += f" {why.moving.said(asked[-1])}"
        summary += why.said_of_limits(sum("mean" in each.note for each in asked))
        if self.course is not None:
            summary += f" Of drift it says: {self.course.said(self.model.kernel)}."
        return Explanation(summary, (Table(table.title, (*table.columns, "at best"), rows),))
