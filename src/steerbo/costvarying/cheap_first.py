"""Method `cheap-first`: play the cheapest control set that lags behind the best by no more than its next play teaches.

One Gaussian process is shared by all sets, so that plays of a cheap set inform the expensive ones, and do so where
nature really is. Money goes into an expensive set only once the cheap ones are understood. Each round:

0. Draw hyperparameters from their posterior and choose by that draw. Now and then a draw doubts the likeliest values,
   so that no play is repeated for ever by mistake.
1. `u_i` is the largest upper bound `E μ + β sd[g_i]` on the expected value `g_i` of set `i`, and `U = max_i u_i`.
2. A play of set `i` would go to `x_i`, the maximiser of the wide bound `E μ + β sqrt(E σ²)`: within a set the narrow
   bound closes over one basin before the others are known.
3. `w_i = 2 β sd[g_i(x_i)]` is the uncertainty of that play's expected value. Set `i` is *enough* if `u_i + κ w_i ≥ U`.
   The cheapest set that is enough is played.

In step 3 the acceptable value takes the place of `U`: by the problem's tolerance, or else a twentieth of the range
below `U`. An expensive set is then played only to find out whether it is so much better. (With `U` itself, half of the
later money went to larger sets where a nested smaller one was as good.) Where a unit of value has a price
(`value_of_one`), all bounds are those of the net value, and the set with the largest one is played.

A cheap set that cannot be the best is left as soon as its bounds show that, and one that may be the best is not left
for a difference that only the model imagines.

**Horizon.** Exploration is paid for by the plays that are left. β is the width that N plays to come pay for
(`worthwhile_width`: 1.9 for 200 plays, 1.5 for 60, .9 for 10), at most the option. N is counted in plays of the
cheapest set, by money and rounds (`plays_to_come`); without limits it is the number of plays so far, and at least 20.

**Drift.** Bounds have half the width, and κ is 0: information does not last, so less is paid for it. (With patience, a
model under drift, always unsure of settings that were not played for long, replays a cheap set that is not good enough
again and again, and loses more by that than by the drift itself.)

**Switching costs.** Every set has arms that keep hard-to-change variables in place. A switch costs `m` once, and its
benefit lasts for the `N` plays to come (`plays_to_come`). A move is worth it if `N (EI + R/p · saved) > R/p · m`, where
EI is the expected improvement of a play there over the best mean of the arms that stay (its deviation multiplied by
`INFLATION`), p the price of a play, R the range of posterior means, and `saved` the difference of the prices of a play:
a unit of money buys 1/p plays, each worth the difference of best and worst. Of every set the best such move competes
with the arms that stay, at the price of its set alone. Under drift a play to come counts by the correlation that then
remains, and `m` is paid once more with the probability that the move turns out worse: what is unsure there is so again
later, and without that, moves went to and fro. Without limits on money and rounds, N is the number of plays so far.
Bounds are `WIDER`: a wrong bound is not corrected by the next round, which stays.

**Guarantee.** While the bounds hold, a play at `x_i` falls short of the best (or acceptable) value by at most
`2 (1 + κ) β sqrt(E σ²(x_i))`, since `g* ≤ U ≤ u_i + κ w_i`, `u_i ≤ E μ(x_i) + β sqrt(E σ²(x_i))` and, by Jensen,
`sd[g_i] ≤ sqrt(E σ²)`. That is UCB-PSQ's bound times `1 + κ`, so that the quality regret grows no faster, whatever the
costs, while no round is pending. Near the horizon β is too small for bounds to hold. The point that is played, `x'`, is
`x_i` polished on `A = E[μ + βσ]` where the set leaves a variable to nature. It falls short by at most
`2 β E σ(x') + κ w_i + β J` with `J = sqrt(E σ²(x_i)) − E σ(x_i)`. The last two terms belong to `x_i`, which is not
played; their decrease is not bounded, so the growth of the regret is not proven for polished plays.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy
from pydantic import Field

from .._arrays import Float
from ..bandit import cheapest_sufficient
from ..core import (
    TIME,
    Choice,
    Explanation,
    History,
    Streams,
    Suggestion,
    Table,
    batch_position,
    now,
    numeral,
    time_of,
)
from ..optim import FeasibleRegion, Maximum, sobol_in_box
from ..records import from_dict, record, to_dict
from ..surrogate import FLEETING, expected_improvement, margin_over, uneven_noise_said
from ._surrogate import Surrogate
from .method import CostVaryingMethod
from .problem import CostVarying
from .search_space import Arm, Candidates, SearchSpace

WIDER = 1.5
"""Factor of the width of bounds where a variable is hard to change; where none is, it is `FLEETING` under drift."""
INFLATION = 2.0
"""Factor of a mean's deviation in the expected improvement of a move, since the plays that follow look for better
settings nearby. On drawn problems 1 stayed for ever in one of ten, 2 in none. Under drift it is 1: settings are doubted
again and again, and so nothing stays for ever."""
ASSUMED = 20
"""Plays still to come where neither money nor rounds are limited; from so many rounds on, as many as there were."""
_HALVINGS = 40  # in the search for a width
_FAR = 1000  # plays to come after these do not count under drift
BOLD, LEAST = 0.6, 0.1
"""Probability of feasibility down to which the budget must allow a play before it is spent, and the least of a play."""
WORTH, SHARE = 1.5, 0.002
"""How many times the promise of the feasible play a risky one needs, and at least which share of the range of means."""
_TRIED = 1024  # points over the whole box
DEVIATION_MARGIN = 2.0
"""How many times `Candidates.rough_deviation` a play's deviation is taken to be at most. No proof: in 592 searches
on four functions, with 12 to 150 outcomes, it was at most 1.43 times. Where it were more, a cheap set that would have
been enough could be passed over for a dearer one."""


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
    times = [time for time in times if time <= now(history)]  # a later one was mistyped: its round is void or abandoned
    return (max(times) - min(times)) / (len(times) - 1) if len(times) > 1 else 1.0


def worthwhile_width(plays: float) -> float:
    """Deviations below the best known value at which one play of something uncertain still pays: z of `z = N h(z)`.

    A normal variable with mean z deviations below what is known exceeds it by `h(z) = φ(z) − z Φ(−z)` deviations on
    average, and N plays to come profit from that; the play itself costs z. So z is the width of upper bounds that N
    plays pay for. It grows like `sqrt(2 ln N)`.

    Args:
        plays: N, plays to come, at least one: fewer count as one.

    >>> [round(worthwhile_width(n), 2) for n in (1, 10, 60, 200)]
    [0.28, 0.94, 1.55, 1.95]
    """
    least, most = 0.0, math.sqrt(2.0 * math.log(max(plays, 1.0))) + 1.0
    for _ in range(_HALVINGS):
        z = 0.5 * (least + most)
        exceeded = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) - z * float(scipy.special.ndtr(-z))
        least, most = (z, most) if z < max(plays, 1.0) * exceeded else (least, z)
    return 0.5 * (least + most)


@dataclass(frozen=True)
class RiskyPlay:
    """A play, and its probabilities to satisfy the constraints on outcomes.

    Args:
        arm: to be played.
        point: encoded settings.
        likely: probability by outcome; empty where no constraint holds on average.
        mean: of a play below a required probability, the average over all plays that it leaves, by outcome.
    """

    arm: Arm
    point: Float[np.ndarray, " c"]
    likely: dict[str, float]
    mean: dict[str, float] | None = None

    @property
    def note(self) -> dict[str, Any]:
        """Part of the log's note."""
        return {"likely": self.likely, "mean": self.mean} if self.likely else {}


class RiskBudget:
    """Decides whether a feasible play is replaced by a risky one, where a constraint holds on average over plays.

    Settings that are likely feasible may be one hill, and a better one may lie behind settings that are unexplored.
    Plays that satisfied the constraint leave a risk budget; it is saved for plays that promise more. Constants were
    found on eight drawn problems; results on others are in docs/results/limits.md.
    """

    def __init__(self, search_space: SearchSpace, surrogate: Surrogate) -> None:
        self.search_space, self.surrogate = search_space, surrogate

    def spend(
        self, history: History, candidates: Candidates, arms: Sequence[int], a: int, point: Float[np.ndarray, " c"]
    ) -> RiskyPlay:
        """Return the play of arm `a` at a point, or a more promising one that the constraints allow on average.

        `arms` are indices of the affordable candidates.
        """
        feasibility, arm = self.surrogate.feasibility, candidates.arms[a]
        models = feasibility.models
        if not feasibility.on_average:
            return RiskyPlay(arm, point, {})
        within = RiskyPlay(arm, point, self._probabilities(candidates, a, point))
        if any(
            within.likely[each.limit.name] < each.required_probability for each in models
        ):  # no play is known to be feasible
            return within
        required = feasibility.required(history, LEAST)
        if any(each.limit.on_average and required[each.limit.name] > BOLD for each in models):
            return within
        seed = self.surrogate.streams.integer(len(history) + 1, "venture")
        searched = self.search_space.search(candidates, arms, [0.0], seed, of_mean=True)
        best = max(found.value for (found,) in searched)
        found = [self._most_promising(candidates, i, [*required.values()], best, seed) for i in arms]
        value, i, place = max(found, key=lambda each: each[0])
        spread = self.surrogate.range_of_means(candidates.known) / self.surrogate.model.scale
        if value <= max(WORTH * self._promise(candidates, a, point[None], best)[0], SHARE * spread):
            return within
        likely = self._probabilities(candidates, i, place)
        if all(likely[each.limit.name] >= each.required_probability for each in models):
            return within
        return RiskyPlay(candidates.arms[i], place, likely, feasibility.averages(history, likely))

    def _most_promising(
        self, candidates: Candidates, i: int, required: Sequence[float], best: float, seed: int
    ) -> tuple[float, int, np.ndarray]:
        """Point of arm `i` with the largest promise times its probability of feasibility."""
        domain, feasibility = candidates.domains[i], self.surrogate.feasibility
        if not isinstance(domain.box, FeasibleRegion):
            return -np.inf, i, np.zeros(0)
        points = sobol_in_box(domain.box.plain, _TRIED, seed)
        chances = np.array([*feasibility.probabilities(domain.parts, points).values()])
        allowed = (chances >= np.array(required)[:, None]).all(axis=0)
        works = feasibility.failures.works(domain.parts, scope=self.search_space.controls(candidates.arms[i].set))
        if works is not None:
            allowed &= margin_over([works], domain.parts)(points) >= 0.0
        worth = np.where(allowed, self._promise(candidates, i, points, best) * chances.prod(axis=0), -np.inf)
        k = int(worth.argmax())
        return float(worth[k]), i, points[k]

    def _promise(
        self, candidates: Candidates, i: int, points: Float[np.ndarray, "n c"], best: float
    ) -> Float[np.ndarray, " n"]:
        """Expected improvement of the expected value over the best mean, in standardised units."""
        mean, deviation = candidates.expectation(i, product=False).of_mean().moments(points)
        flat = np.zeros(points.shape)
        return expected_improvement(best)((mean, deviation, flat, flat))[0]

    def _probabilities(self, candidates: Candidates, i: int, point: Float[np.ndarray, " c"]) -> dict[str, float]:
        found = self.surrogate.feasibility.probabilities(candidates.domains[i].parts, point[None])
        return {name: float(p[0]) for name, p in found.items()}


@record
class CheapFirstOptions:
    """Options of `cheap-first`.

    Args:
        beta: largest width of all bounds, in posterior standard deviations, less where few plays are to come; half as
            much again where a variable is hard to change, else half as much where the objective drifts.
        patience: κ, how much of a play's uncertainty makes up for lagging behind. 0: cost decides among equals only, as
            it does where the objective drifts, unless a variable is hard to change.
        alike: factor within which prices count as equal; sets of equal price compete by their bounds.
    """

    beta: float = Field(2.0, ge=0, allow_inf_nan=False)
    patience: float = Field(1.0, ge=0, allow_inf_nan=False)
    alike: float = Field(1.0, ge=1, allow_inf_nan=False)


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


@record
class Reasons:
    """Reasons of a choice, as logged.

    Args:
        upper: upper bound of each set, in the user's units; None for one that is not affordable.
        width: uncertainty of the play's expected value.
        moving: comparison of switching with staying; None: there was no such choice.
        likely: the play's probability to satisfy each constrained outcome; None: none is constrained on average.
        mean: of a play below a required probability, the average over all plays that it leaves, by outcome.
    """

    upper: Sequence[float | None]
    width: float
    moving: Switching | None = None
    likely: Mapping[str, float] | None = None
    mean: Mapping[str, float] | None = None

    def said_of_constraints(self, risky_plays: int) -> str:
        """Explain a risky play; empty for any other.

        Args:
            risky_plays: number of such plays so far, this one included.

        >>> text = Reasons([1.0], 0.5, likely={"heat": 0.4}, mean={"heat": 0.92}).said_of_constraints(2)
        >>> "it keeps to that on heat with probability 0.4, and all plays with 0.92 on average" in text
        True
        """
        if self.mean is None or self.likely is None:
            return ""
        each = [
            f"it keeps to that on {name} with probability {numeral(self.likely[name], 2)}, and all plays with "
            f"{numeral(mean, 3)} on average"
            for name, mean in self.mean.items()
        ]
        return (
            f" In place of the play within limits that was to follow, to learn more, it may break one: "
            f"{'; '.join(each)} (such plays: {risky_plays})."
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


class CheapFirst(CostVaryingMethod[CheapFirstOptions]):
    """Play the cheapest set that lags behind the best by no more than what its next play may teach."""

    name: ClassVar[str] = "cheap-first"
    Options: ClassVar[type[Any]] = CheapFirstOptions

    def __init__(self, problem: CostVarying, options: CheapFirstOptions, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.risk_budget = RiskBudget(self.search_space, self.surrogate)
        self._switches = bool(problem.space.changes)

    def beta(self, history: History) -> float:
        """Width of all bounds in the next round: that which the plays to come pay for, at most the option."""
        price = float(np.nanmin(self.costs.means(), initial=np.inf))
        plays = plays_to_come(history, price if price < np.inf else 0.0, 0.0)
        width = min(self.options.beta, worthwhile_width(plays))
        return width * (WIDER if self._switches else FLEETING if self._fleeting else 1.0)

    @property
    def patience(self) -> float:
        """κ, as things stand."""
        return 0.0 if self._fleeting else self.options.patience

    @property
    def _fleeting(self) -> bool:
        """Whether information does not last, nor do mistakes: the next round may correct them."""
        drift_model = self.surrogate.drift.model
        return not self._switches and drift_model is not None and drift_model.drifts

    # -- choosing ------------------------------------------------------------------------------------------------------

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """Choose the cheapest set that is enough; among equally cheap ones the one with the largest bound."""
        if (start := self.start(history, request)) is not None:
            return start
        number, beta = len(history) + 1, self.beta(history)
        candidates = self.candidates(history, request, staying=True)
        arms, plays = self._affordable_arms(history, candidates, number, request)
        (upper, bounds), switching = self._upper(candidates, number, arms, beta), None
        logged = self._upper_by_set(candidates, arms, upper)
        if self._switches:
            left, switching = self._without_poor_moves(history, candidates, number, arms, plays)
            arms, upper = [arms[k] for k in left], upper[left]
        sets = [candidates.arms[a].set for a in arms]
        likely = self.success_probabilities(candidates)[sets]
        prices, priced = self.costs.means()[sets], self.problem.value_of_one is not None
        if priced:
            upper, prices = upper - self.costs.in_value()[sets], np.zeros(len(arms))

        def widths(some: Sequence[int]) -> np.ndarray:
            """w_i of some arms, after a search for the points of their plays."""
            tried = [arms[k] for k in some]
            if not self._switches:
                plays.update(zip(tried, self.upper_bounds(candidates, tried, number, beta)[1], strict=True))
            return likely[some] * [self._width(candidates, i, plays[i], beta) for i in tried]

        def at_most(some: Sequence[int]) -> np.ndarray:
            """Numbers that the widths of some arms are taken not to exceed, (k,)."""
            seed = self.streams.integer(number, "search")
            factors, found = likely * (2 * beta * self.model.scale * DEVIATION_MARGIN), []
            for k in some:
                widest = bounds[k].widest  # no less than the rough deviation, and known already
                if widest == np.inf or upper[k] + self.patience * factors[k] * widest >= least:
                    widest = candidates.rough_deviation(arms[k], beta, seed)
                found.append(factors[k] * widest)
            return np.array(found)

        least = float(upper.max()) if priced else self._least(float(upper.max()), candidates)
        best = cheapest_sufficient(
            upper,
            prices,
            least,
            widths,
            self.patience,
            alike=self.options.alike,
            at_most=None if self._switches else at_most,
        )
        a = arms[best.arm]
        point = self.point_to_play(candidates, a, plays[a], number, beta)
        if self._switches and not self.fits(history, candidates.arms[a], point):
            point = plays[a].point
        play = self.risk_budget.spend(history, candidates, arms, a, point)
        why = Reasons(logged, best.width, switching, **play.note)
        return self.play(history, play.arm, play.point, request, **to_dict(why))

    def _affordable_arms(
        self, history: History, candidates: Candidates, number: int, request: Mapping[str, Any]
    ) -> tuple[list[int], dict[int, Maximum]]:
        """Arms that fit into the remaining budget; with switching costs also the points of their plays, by arm."""
        affordable = self.affordable(history, request)
        arms = [a for a, arm in enumerate(candidates.arms) if affordable[arm.set]]
        if not self._switches:
            return arms, {}
        if batch_position(request).number > 1:  # later plays of a batch switch nothing, if they can
            positions = self.problem.keepable_positions(history)
            arms = [a for a in arms if self._switches_nothing(candidates.arms[a], positions)] or arms
        plays = dict(zip(arms, self.upper_bounds(candidates, arms, number, self.beta(history))[1], strict=True))
        # where none fits at its best point, the best of those that fit in place is played there: see `play`
        return [a for a in arms if self.fits(history, candidates.arms[a], plays[a].point)] or arms, plays

    def _switches_nothing(self, arm: Arm, positions: Mapping[str, Any]) -> bool:
        """Whether an arm keeps exactly the hard-to-change variables that have positions."""
        hard = {name for name in self.problem.control_sets[arm.set] if name in self.problem.space.changes}
        return hard == arm.keep.keys() == positions.keys()

    def _upper(
        self, candidates: Candidates, number: int, arms: list[int], beta: float
    ) -> tuple[Float[np.ndarray, " k"], list[Maximum]]:
        """u_i of some arms, in units of `sign · value`, failures counted; and the search's results."""
        seed = self.streams.integer(number, "search")
        found = self.search_space.search(candidates, arms, [beta], seed, of_mean=True)
        upper = np.array([self.unstandardised(one.value) for (one,) in found])
        upper = self.with_failure(upper, candidates, [candidates.arms[a].set for a in arms])
        return upper, [one for (one,) in found]

    def _upper_by_set(self, candidates: Candidates, arms: Sequence[int], upper: np.ndarray) -> tuple[float | None, ...]:
        """Largest upper bound of each set, in the user's units; None for a set without an arm."""
        found: dict[int, float] = {}
        for a, bound in zip(arms, upper.tolist(), strict=True):
            i = candidates.arms[a].set
            found[i] = max(found.get(i, bound), bound)
        return tuple(self.problem.sign * found[i] if i in found else None for i in range(len(self.plays)))

    def _least(self, highest: float, candidates: Candidates) -> float:
        """Value that a set must come near, where the best may reach `highest`."""
        return min(highest, self.acceptable(highest, candidates))

    def _width(self, candidates: Candidates, i: int, play: Maximum, beta: float) -> float:
        """w_i, the uncertainty of the expected value of a play of arm `i`, in units of the objective."""
        _, deviation = candidates.expectation(i, product=False).of_mean().moments(play.point[None])
        return float(2 * beta * self.model.scale * float(deviation[0]))

    # -- switching -----------------------------------------------------------------------------------------------------

    def _without_poor_moves(
        self, history: History, candidates: Candidates, number: int, arms: Sequence[int], plays: dict[int, Maximum]
    ) -> tuple[list[int], Switching | None]:
        """Drop the arms whose move is not worth its switching cost, or less than another move of the same set.

        Returns:
            Indices into `arms` of those left, whose plays are updated in `plays`; and the best move beside staying.
        """
        values = [self.search_space.settings(candidates.arms[a], plays[a].point) for a in arms]
        moved = np.array([self.problem.change_cost(each, history) or 0.0 for each in values])
        stays = np.flatnonzero(moved == 0)
        if len(stays) in {0, len(arms)}:
            return list(range(len(arms))), None
        seed = self.streams.integer(number, "moves")
        found = [one for (one,) in self.search_space.search(candidates, arms, [0.0], seed, of_mean=True)]
        in_value = self.costs.in_value()
        nets = [self.unstandardised(found[k].value) - in_value[candidates.arms[arms[k]].set] for k in stays.tolist()]
        here = int(stays[np.argmax(nets)])
        moves = _Moves(self, history, candidates, found[here].value, arms[here])
        best: dict[int, tuple[Move, int]] = {}
        for k in np.flatnonzero(moved > 0).tolist():
            move = max((moves.to(arms[k], one) for one in (plays[arms[k]], found[k])), key=lambda move: move.gain)
            i = candidates.arms[arms[k]].set
            if i not in best or move.gain > best[i][0].gain:
                best[i] = move, k
        worth_it = [(move, k) for move, k in best.values() if move.gain > 0]
        plays.update((arms[k], move.to) for move, k in worth_it)
        most = max((move for move, _ in best.values()), key=lambda move: move.gain)
        return sorted([*stays.tolist(), *(k for _, k in worth_it)]), moves.compared(most)

    # -- why -----------------------------------------------------------------------------------------------------------

    def explain(self, history: History) -> Explanation:
        """Explain the latest choice: the rule, the upper bound of each set, and any switching, risk and drift."""
        table = self.control_set_table(history)
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
        summary += why.said_of_constraints(sum("mean" in each.note for each in asked))
        if (drift_model := self.surrogate.drift.model) is not None:
            summary += f" Of drift it says: {drift_model.said(self.model.kernel)}."
        summary += uneven_noise_said(self.model, self.problem.space.names)
        return Explanation(summary, (Table(table.title, (*table.columns, "at best"), rows),))


class _Moves:
    """Worth of the moves of one round, compared with the best mean of the arms that `stay`, that of arm `here`."""

    def __init__(self, method: CheapFirst, history: History, candidates: Candidates, stay: float, here: int) -> None:
        self.method, self.history, self.candidates, self.stay = method, history, candidates, stay
        costs = method.costs.means()
        self._costs = np.where(np.isnan(costs), np.nanmean(costs) if np.isfinite(costs).any() else 0.0, costs)
        self._price_here = float(self._costs[candidates.arms[here].set])

    def to(self, a: int, to: Maximum) -> Move:
        """Value a move of arm `a` to a point."""
        method, arm = self.method, self.candidates.arms[a]
        switching = method.problem.change_cost(method.search_space.settings(arm, to.point), self.history) or 0.0
        price = float(self._costs[arm.set])
        plays = self._plays(price, switching)
        mean, deviation = self.candidates.expectation(a, product=False).of_mean().moments(to.point[None])
        flat, inflation = np.zeros((1, len(to.point))), 1.0 if self._drifts else INFLATION
        better = method.model.scale * float(
            expected_improvement(self.stay)((mean, inflation * deviation, flat, flat))[0][0]
        )
        paid = switching
        if self._drifts:  # what turns out worse is moved back
            paid *= 1.0 + float(scipy.special.ndtr((self.stay - mean[0]) / max(float(deviation[0]), 1e-12)))
        worth = method.problem.value_of_one
        money = self._range / (price or switching or 1.0) if worth is None else 1 / worth
        saved = max(self._price_here - price, 0.0) if worth is None else self._price_here - price
        gain = plays * (better + money * saved) - money * paid
        needed = money * (paid / plays - saved) if plays else np.inf
        return Move(to, switching, plays, better, method.unstandardised(float(mean[0])), needed, gain)

    @property
    def _drifts(self) -> bool:
        drift_model = self.method.surrogate.drift.model
        return drift_model is not None and drift_model.drifts

    @cached_property
    def _range(self) -> float:
        return self.method.surrogate.range_of_means(self.candidates.known)

    def _plays(self, price: float, switching: float) -> float:
        """N: plays that profit from a switch, each weighted by the correlation that drift leaves."""
        n = plays_to_come(self.history, price, switching)
        drift, time = self.candidates.process.drift, self.candidates.known.get(TIME.name)
        if drift is None or time is None or n < 1:
            return n
        later = np.zeros((min(int(n), _FAR), self.candidates.process.inputs.shape[1]))
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
