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

There is no schedule and no horizon. A cheap set that cannot be the best is left as soon as it is known well enough to
say so, and one that may be the best is not left for a hair's breadth that the model only imagines.

Where the objective is known to drift, or was found to, bounds have half that width, and κ is 0: what is found out does
not last, so less is paid for finding out. (A model that is told of a drift never stops being unsure of what it has not
seen for long. With patience for that it plays a cheap set again and again of which it knows, again and again, that it
is not good enough; and loses more by that than the drift itself costs.)

Where moving variables has a price, every set has twin arms of which some of these stay where they are; an arm's price
is that of its set and of what its next play would move. Bounds are `WIDER` there: a bound that is wrong is not put
right by the next round, which stays.

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
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from ..bandit import cheap_first
from ..record import from_plain, record, to_plain
from ..rounds import (
    Choice,
    Explanation,
    History,
    Place,
    Streams,
    Table,
    numeral,
    place_in_batch,
)
from ..rounds.tolerance import Fraction
from ..search import Maximum
from .control_sets import Arm, Outlook
from .method import PartialControl
from .problem import CostVarying
from .reasons import Moving, Reasons
from .venturing import Venturing

WIDER, FLEETING = 1.5, 0.5
"""By what factor bounds are wider where something is hard to change, and narrower where, but for that, it drifts."""


NEARLY = Fraction(0.05)
"""What is not worth a dearer play where the problem does not say: see docs/results/costvarying-registered.md."""


@record
class CheapFirstOptions:
    """Options of `cheap-first`.

    Args:
        beta: width of all bounds, in posterior standard deviations; half as much again where something is hard to
            change, else half as much where the objective drifts.
        patience: κ: how much of what is not known about a play makes up for lagging behind. 0: cost counts among equals
            only, as it does where the objective drifts, unless something is hard to change.
    """

    beta: float = Field(2.0, ge=0, allow_inf_nan=False)
    patience: float = Field(1.0, ge=0, allow_inf_nan=False)


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
        place = place_in_batch(request)
        arms, prices, plays = self._arms(history, outlook, number, place)
        upper = self._upper(outlook, number, arms)

        def widths(some: Sequence[int]) -> np.ndarray:
            """w_i of arms that are tried, after finding where a play of them would go."""
            tried = [arms[k] for k in some]
            if not self.problem.space.changes:
                plays.update(zip(tried, self.best_of(tried, outlook, number, beta)[1], strict=True))
            return np.array([self._width(outlook, i, plays[i]) for i in tried])

        best = cheap_first(upper, prices, self._least(float(upper.max()), outlook), widths, self.patience)
        a = arms[best.arm]
        arm, point = outlook.arms[a], self.point_to_play(a, plays[a], outlook, number, beta)
        if self.problem.space.changes and not self.fits(history, arm, point):
            point = plays[a].point
        moving = self._moving(history, outlook, arms, upper, plays) if self._hard else None
        play = Venturing(self, history, outlook, arms).instead(a, point)
        why = Reasons(self._at_best(outlook, arms, upper), best.width, moving, **play.note)
        return self.play(history, play.arm, play.point, request, **to_plain(why))

    def _arms(
        self, history: History, outlook: Outlook, number: int, place: Place
    ) -> tuple[list[int], np.ndarray, dict[int, Maximum]]:
        """The arms that fit into what is left, what a play of each costs, and where it would go if that matters."""
        affordable, costs = self.affordable(history), self.mean_costs()
        arms = [a for a, arm in enumerate(outlook.arms) if affordable[arm.set]]
        if not self.problem.space.changes:
            return arms, costs[arms], {}
        if place.number > 1:
            present = self.problem.present(history)
            arms = [a for a in arms if self._shares(outlook.arms[a], present)] or arms
        found = self.best_of(arms, outlook, number, self.beta)[1]
        plays = dict(zip(arms, found, strict=True))
        prices = np.array([self.price_at(history, outlook.arms[a], plays[a].point) for a in arms])
        fits = ~(prices > history.remaining + history.rounding)
        if place.number == 1:  # all of the batch is held at what the first one moves
            prices += (place.of - 1) * costs[[outlook.arms[a].set for a in arms]]
        return [a for a, fit in zip(arms, fits, strict=True) if fit], prices[fits], plays

    def _shares(self, arm: Arm, present: Mapping[str, Any]) -> bool:
        """Whether an arm holds those hard-to-change variables that are held, where they are, and no others."""
        hard = {name for name in self.problem.control_sets[arm.set] if name in self.problem.space.changes}
        return hard == arm.keep.keys() == present.keys()

    def _moving(
        self, history: History, outlook: Outlook, arms: Sequence[int], upper: np.ndarray, plays: Mapping[int, Maximum]
    ) -> Moving | None:
        settings = [self.settings(outlook.arms[a], plays[a].point) for a in arms]
        prices = np.array([self.problem.change_cost(values, history) or 0.0 for values in settings])
        stays = prices == 0
        if stays.all() or not stays.any():
            return None
        k, sign = int(np.where(stays, -np.inf, upper).argmax()), self.problem.sign
        return Moving(sign * float(upper[stays].max()), sign * float(upper[k]), float(prices[k]))

    def _at_best(self, outlook: Outlook, arms: Sequence[int], upper: np.ndarray) -> tuple[float | None, ...]:
        """The largest upper bound of each set, in the user's units."""
        found: dict[int, float] = {}
        for a, bound in zip(arms, upper.tolist(), strict=True):
            i = outlook.arms[a].set
            found[i] = max(found.get(i, bound), bound)
        return tuple(self.problem.sign * found[i] if i in found else None for i in range(len(self.sets)))

    def _least(self, highest: float, outlook: Outlook) -> float:
        """What a set must be able to come near, where the best may reach `highest`."""
        tolerance = self.problem.tolerance or NEARLY
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
        why: Reasons = from_plain(Reasons, asked[-1].note)
        rows = tuple((*row, why.upper[i]) for i, row in enumerate(table.rows))
        goal = "the best" if self.problem.tolerance is None else "good enough"
        summary = (
            f"each round plays the cheapest set that may still turn out to be {goal}; a dearer one only when outcomes "
            f"have ruled out those that are cheaper. Round {asked[-1].round} played {asked[-1].scope}, whose expected "
            f"value was uncertain by {numeral(why.width, 3)}."
        )
        if why.moving is not None:
            summary += f" {why.moving.said(asked[-1])}"
        summary += why.said_of_limits(sum("mean" in each.note for each in asked))
        if self.course is not None:
            summary += f" Of drift it says: {self.course.said(self.model.kernel)}."
        return Explanation(summary, (Table(table.title, (*table.columns, "at best"), rows),))
