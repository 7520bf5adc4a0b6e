"""Method `cheap-first`: play the cheapest control set that lags behind the best by no more than its next play teaches.

One Gaussian process is shared by all sets, so that plays of a cheap set inform the expensive ones,
and do so where nature really is. Money goes into an expensive set only once the cheap ones are
understood. Each round:

0. Draw hyperparameters from their posterior and choose by that draw. Now and then a draw doubts the
   likeliest values, so that no play is repeated for ever by mistake.
1. `u_i` is the largest upper bound `E μ + β sd[g_i]` on the expected value `g_i` of set `i`, and
   `U = max_i u_i`.
2. A play of set `i` would go to `x_i`, the maximiser of the wide bound `E μ + β sqrt(E σ²)`: within
   a set the narrow bound closes over one basin before the others are known.
3. `w_i = 2 β sd[g_i(x_i)]` is the uncertainty of that play's expected value. Set `i` is *enough* if
   `u_i + κ w_i ≥ U`. The cheapest set that is enough is played.
4. Where an answer serves plays after the study (`afterwards`), β is wider, and the play goes within
   that set where the bound `m + β √v` is largest, with mean and variance of the mixture of *all*
   draws: one draw would explore once more.

In step 3 the acceptable value takes the place of `U`: by the problem's tolerance, or else a
twentieth of the range below `U`. (With `U` itself, half of the later money went to larger sets
where a nested smaller one was as good.) Where a unit of value has a price (`value_of_one`), all
bounds are those of the net value, and the set with the largest one is played.

Moves are in `_switching.py`, limits that hold on average in `_risk_budget.py`. The guarantee, and
where it ends: `docs/how-it-works/kinds.md`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import scipy
from pydantic import Field

from .._arrays import Float
from .._evidence import BOUND
from ..core import (
    Choice,
    Explanation,
    History,
    Reason,
    Scope,
    Streams,
    Suggestion,
    Table,
    bound_reason,
    numeral,
    read_note,
    reason,
)
from ..errors import ModelFailure
from ..records import record, to_dict
from ..surrogate import (
    FLEETING,
    Except,
    Mixture,
    Uncontrolled,
    highest_of,
    sources_said,
    uneven_noise_said,
)
from ._comparison import ArmComparison, upper_by_set
from ._risk_budget import spend_risk
from ._starting import starting_play
from ._switching import Switching, plays_to_come
from .method import CostVaryingMethod
from .problem import CostVarying
from .search_space import Arm, Candidates

_HALVINGS = 40  # in the search for a width
WIDER = 1.5
"""Factor of the width of bounds where a variable is hard to change; where none is, it is `FLEETING` under drift."""

MOST_AFTERWARDS = 3.0
"""Plays afterwards that count in the width of bounds, at most, as a multiple of those of the study."""


def plays_served(history: History, left: float, afterwards: float) -> float:
    """Number of plays that a lesson serves: those left, and those afterwards.

    Of these no more count than three times the study's own plays. A wide bound pays only as far as
    the rounds of the study can narrow it down again: with two thousand plays for sixty rounds
    answers were no better than with two hundred, and plays far worse.
    """
    return left + min(afterwards, MOST_AFTERWARDS * (len(history) + left))


def worthwhile_width(plays: float) -> float:
    """Deviations below the best known value at which one play of something uncertain still pays: z of `z = N h(z)`.

    A normal variable with mean z deviations below a known value exceeds it by
    `h(z) = φ(z) − z Φ(−z)` deviations on average, and N plays to come profit from that; the play
    itself costs z. So z is the width of upper bounds that N plays pay for. It grows like
    `sqrt(2 ln N)`.

    Args:
        plays: N, plays to come, at least one: fewer count as one.

    >>> [round(worthwhile_width(n), 2) for n in (1, 10, 60, 200)]
    [0.28, 0.94, 1.55, 1.95]
    """
    least, most = 0.0, math.sqrt(2.0 * math.log(max(plays, 1.0))) + 1.0
    for _ in range(_HALVINGS):
        z = 0.5 * (least + most)
        exceeded = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) - z * float(
            scipy.special.ndtr(-z)
        )
        least, most = (z, most) if z < max(plays, 1.0) * exceeded else (least, z)
    return 0.5 * (least + most)


@record
class CheapFirstOptions:
    """Options of `cheap-first`.

    Args:
        beta: largest width of all bounds, in posterior standard deviations, less where few plays
            are to come; half as much again where a variable is hard to change, else half as much
            where the objective drifts.
        patience: κ, how much of a play's uncertainty makes up for lagging behind. 0: cost decides
            among equals only, as it does where the objective drifts, unless a variable is hard to
            change.
        alike: factor within which prices count as equal; sets of equal price compete by their
            bounds.
    """

    beta: float = Field(2.0, ge=0, allow_inf_nan=False)
    patience: float = Field(1.0, ge=0, allow_inf_nan=False)
    alike: float = Field(1.0, ge=1, allow_inf_nan=False)


@record
class Reasons:
    """Reasons of a choice, as logged.

    Args:
        upper: upper bound of each set, in the user's units, or of its net value, in money, where
            costs depend on settings; None for one that is not affordable.
        width: uncertainty of the play's expected value.
        moving: comparison of switching with staying; None: there was no such choice.
        likely: the play's probability to satisfy each constrained outcome; None: none is
            constrained on average.
        mean: of a play below a required probability, the average over all plays that it leaves, by
            outcome.
        least: value that is good enough, in the user's units; None: the net value counts, or no
            play is likely to keep the limits and to work.
        untried: whether the play stands for one that would teach nothing.
    """

    upper: Sequence[float | None]
    width: float
    moving: Switching | None = None
    likely: Mapping[str, float] | None = None
    mean: Mapping[str, float] | None = None
    least: float | None = None
    untried: bool = False

    def trade_offs(self, asked: Suggestion, risky_plays: int) -> list[Reason]:
        """State the worth of a move beside staying, and the risk that is taken; empty where neither was in question.

        Args:
            asked: the suggestion.
            risky_plays: number of plays that risk to break a limit so far, this one included.

        >>> asked = Suggestion("t", 7, Scope(["heat"]), {"heat": 1.0})
        >>> (risk,) = Reasons([1.0], 0.5, likely={"heat": 0.4}, mean={"heat": 0.92}).trade_offs(asked, 2)
        >>> "it keeps the limit on heat with probability 0.4 (all rounds: 0.92 on average)" in risk.text
        True
        """
        found = list[Reason]()
        if (moving := self.moving) is not None:
            worth = {"better": moving.better, "needed": moving.needed, "plays": moving.plays}
            paid = {"scope": str(asked.scope), "paid": asked.change_cost, "price": moving.price}
            found.append(reason("moving", **paid, **worth))
        if self.mean is not None and self.likely is not None:
            found.append(
                reason("risk", likely=dict(self.likely), mean=dict(self.mean), plays=risky_plays)
            )
        return found


class CheapFirst(CostVaryingMethod[CheapFirstOptions]):
    """Play the cheapest set that lags behind the best by no more than its next play may teach."""

    name: ClassVar[str] = "cheap-first"
    Options: ClassVar[type[Any]] = CheapFirstOptions

    def __init__(
        self, problem: CostVarying, options: CheapFirstOptions, streams: Streams, history: History
    ) -> None:
        super().__init__(problem, options, streams, history)
        self._switches = bool(problem.space.changes)

    def beta(self) -> float:
        """Width of all bounds in the next round: that which the plays to come pay for, at most the option.

        Where moves cost it is `WIDER`, as a wrong bound is not corrected by the next round, which
        stays; under drift it is half, as information does not last, so that less is paid for it.
        """
        left = self._left()
        width = min(
            self.options.beta,
            worthwhile_width(plays_served(self.history, left, self._afterwards())),
        )
        return width * (WIDER if self._switches else FLEETING if self._fleeting else 1.0)

    def _afterwards(self) -> float:
        """Plays after the study that its knowledge still serves; as many as its own where nothing is stated."""
        if self._switches or self._fleeting:
            return 0.0
        stated = self.problem.afterwards
        return len(self.history) + self._left() if stated is None else stated

    def _left(self) -> float:
        """Plays of the cheapest set that are left in the study."""
        price = self.costs.cheapest
        return plays_to_come(self.history, price if price < np.inf else 0.0, 0.0)

    @property
    def patience(self) -> float:
        """κ, as things stand; 0 under drift.

        A model that is always unsure of settings not played for long would replay a cheap set that
        is not good enough again and again, and lose more by that than by the drift.
        """
        return 0.0 if self._fleeting else self.options.patience

    @property
    def _fleeting(self) -> bool:
        """Whether information does not last, nor do mistakes: the next round may correct them."""
        return not self._switches and self.surrogate.drift.drifts

    # -- choosing ----------------------------------------------------------------------------------

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose the cheapest set that is enough; among equally cheap ones the one with the largest bound."""
        if (start := starting_play(self, request)) is not None:
            return start
        if (repeat := self.repeat(request)) is not None:
            return repeat
        if self.costs.of_settings.active:
            return self._choose_by_net_value(request)
        return self._choose_by_bounds(request)

    def _choose_by_net_value(self, request: Mapping[str, Any]) -> Choice:
        """Choose the largest upper bound of the net value, where a play's cost depends on its settings, too."""
        beta, seed = self.beta(), self.search_seed
        candidates = self.candidates(request, mixed=True)
        sets = np.flatnonzero(self.affordable(request)).tolist()
        found = {i: self.answers.best(candidates, i, seed, beta)[0] for i in sets}
        upper = dict(
            zip(sets, self.upper_values(candidates, sets, [*found.values()]).tolist(), strict=True)
        )
        best = max(sets, key=lambda i: (upper[i], found[i].margin))
        play = spend_risk(self.surrogate, candidates, sets, best, found[best].point)
        width = self.width(candidates, best, found[best].point, beta)
        factor = self.problem.sign * (self.problem.value_of_one or 1.0)
        bounds = [
            None if bound is None else factor * bound
            for bound in upper_by_set(self, candidates, upper, found)
        ]
        why = Reasons(bounds, width, **play.note)
        return self.play(play.arm, play.point, request, **to_dict(why))

    def _choose_by_bounds(self, request: Mapping[str, Any]) -> Choice:
        beta, mixed = self.beta(), self._afterwards() > 0.0
        compared = ArmComparison(self, request, beta=beta, patience=self.patience, mixed=mixed)
        compared.search()
        best = compared.cheapest_sufficient(self.options.alike)
        arm = compared.arms[best.arm]
        point, untried = self._place(compared, arm, beta)
        play = spend_risk(self.surrogate, compared.candidates, compared.arms, arm, point)
        enough = (
            None
            if self.problem.value_of_one is not None or compared.least == -np.inf
            else self.problem.sign * compared.least
        )
        width = best.width
        if width is None:
            width = self.width(compared.candidates, arm, point, beta)
        bounds, switching = compared.upper_by_set(), compared.switching
        compared.close()
        why = Reasons(bounds, width, switching, **play.note, least=enough, untried=untried)
        return self.play(play.arm, play.point, request, **to_dict(why))

    def _place(self, compared: ArmComparison, arm: int, beta: float) -> tuple[np.ndarray, bool]:
        """Place a play of an arm; and whether it stands for one that would teach nothing."""
        candidates = compared.candidates
        if candidates.posteriors:
            point, untried = self._point_of_mixture(candidates, arm, beta)
        else:
            (found,) = compared.plays([arm])
            point = self.point_to_play(candidates, arm, found, beta)
            untried = False
        if self._switches and not self.fits(candidates.arms[arm], point):
            return compared.plays([arm])[0].point, False
        return point, untried

    def _point_of_mixture(
        self, candidates: Candidates, a: int, beta: float
    ) -> tuple[np.ndarray, bool]:
        """Place a play of arm `a` where the upper bound by all draws of the hyperparameters is largest.

        Of listed settings a play that teaches nothing gives way, for the share of all plays that
        come after the study, to the best one that was not tried. That is an insurance against a
        model that is surely wrong.

        Returns:
            The encoded point, and whether it is such an untried one.
        """
        box, seed = candidates.domains[a].box, self.search_seed
        mixture = candidates.mixture(a, beta)
        best = highest_of(mixture, box, seed)
        tried = self._tried_settings(candidates.arms[a])
        played_before = len(tried) > 0 and (tried == best.point).all(axis=1).any()
        drawn = any(isinstance(part, Uncontrolled) for part in candidates.domains[a].parts)
        # where nature draws, the same play is another one
        if not played_before or drawn or box.size == np.inf:
            return best.point, False
        after = self._afterwards()
        share = after / (after + len(self.history) + self._left())
        if self.streams(self.history.next_round, "untried").random() >= share:
            return best.point, False
        try:
            other = highest_of(Except(mixture, best.point[None]), box, seed)
            if not self._teaches_nothing(mixture, best.point, other.value):
                return best.point, False
            return highest_of(Except(mixture, tried), box, seed).point, True
        except ModelFailure:  # there is no other setting
            return best.point, False

    def _tried_settings(self, arm: Arm) -> Float[np.ndarray, "k c"]:
        """Encoded settings of all plays of an arm's control set."""
        plays = (
            each.suggestion
            for each in self.history
            if self.problem.number(each.suggestion.scope) == arm.set
        )
        found = [self.search_space.point(arm.set, each.values) for each in plays]
        return np.array(found).reshape(len(found), len(self.search_space.sets[arm.set]))

    def _teaches_nothing(
        self, mixture: Mixture, point: Float[np.ndarray, " c"], other: float
    ) -> bool:
        """Whether one more outcome at a point, even a bad one, leaves it ahead of the bound of every other setting.

        An outcome of noise variance λ moves an expected value of deviation σ by `σ² / √(σ² + λ)`
        deviations.
        """
        (mean,), (deviation,) = mixture.moments(point[None])
        moved = deviation**2 / math.sqrt(deviation**2 + self.model.noise)
        return bool(mean - BOUND * moved >= other)

    # -- why ---------------------------------------------------------------------------------------

    def read_logged(self, asked: Suggestion) -> None:
        """See `Method.read_logged`; with the bounds of all sets."""
        super().read_logged(asked)
        if "upper" in asked.note:
            self.check_each_set("upper", read_note(Reasons, asked.note).upper)

    def why(self, asked: Suggestion) -> Sequence[Reason]:
        """State how far the play's set may reach beside dearer ones, the worth of a move, and the risk taken."""
        if "upper" not in asked.note:
            return super().why(asked) or [reason("first-play")]
        logged: Reasons = read_note(Reasons, asked.note)
        reasons = (
            [reason("untried")] if logged.untried else self._place_among_sets(asked.scope, logged)
        )
        return [
            *reasons,
            *logged.trade_offs(asked, sum("mean" in each.suggestion.note for each in self.history)),
        ]

    def _place_among_sets(self, scope: Scope, logged: Reasons) -> list[Reason]:
        """Say how far a set may reach beside the one that may reach most, by the bounds when it was chosen."""
        if all(upper is None for upper in logged.upper):
            return [reason("none-keeps")]
        if self.problem.value_of_one is not None:
            return [reason("best-net-bound")]
        problem = self.problem
        found = bound_reason(
            problem.number(scope),
            problem.scopes,
            logged.upper,
            self.costs.means().tolist(),
            minimize=problem.minimize,
            least=logged.least,
            width=logged.width,
        )
        return [] if found is None else [found]

    def explain(self) -> Explanation:
        """Explain the latest choice: the rule, each set's upper bound at that time, any switching, risk and drift."""
        table = self.control_set_table()
        asked = [played.suggestion for played in self.history if "upper" in played.suggestion.note]
        if not asked:
            return Explanation(
                "the first settings are drawn at random, to have something to learn from", (table,)
            )
        why: Reasons = read_note(Reasons, asked[-1].note)
        rows = tuple((*row, why.upper[i]) for i, row in enumerate(table.rows))
        goal = "the best" if self.problem.tolerance is None else "good enough"
        rule = (
            f"each round holds the cheapest set that may still turn out to be {goal}; a more expensive one only when "
            "outcomes have ruled out those that are cheaper"
        )
        if (worth := self.problem.value_of_one) is not None:
            net = f"{self.problem.sign * worth:g} times its value, less its cost"
            rule = f"each round holds the set whose net value may be largest: {net}"
        if self.costs.of_settings.active:
            learned = " and is learned over them" if self.costs.of_settings.learns else ""
            rule += f", which depends on its settings{learned}; bounds here are of the net value"
        none_likely = all(upper is None for upper in why.upper)
        if none_likely:
            rule = (
                "no set had settings that were likely to keep the limits and to work: the likeliest "
                "of all were played"
            )
        summary = (
            f"{rule}. For round {asked[-1].round} that was {asked[-1].scope}, whose expected "
            f"value was uncertain by {numeral(why.width, 3)}."
        )
        if self.options.alike > 1:
            summary += f" Costs within a factor of {numeral(self.options.alike, 3)} count as equal."
        for each in why.trade_offs(asked[-1], sum("mean" in each.note for each in asked)):
            summary += f" {each.text[0].upper()}{each.text[1:]}."
        if (latest := self.history.latest) is not None and (
            doubted := latest.suggestion.note.get("repeats")
        ):
            summary += (
                f" Round {latest.number} repeats {doubted}, whose outcome was better than all others and is probably "
                "wrong: one more round will tell."
            )
        if (drift_model := self.surrogate.drift.model) is not None:
            summary += f" Drift: {drift_model.said(self.model.kernel)}."
        summary += uneven_noise_said(self.model, self.problem.space.names)
        summary += sources_said(self.model, [*self.history.sources], self.problem.sign)
        if None in why.upper and not none_likely:
            summary += (
                " A set without a bound (–) could not be played then: it costs more than was left, or none of its "
                "settings is likely to keep the limits and to work."
            )
        bound = f"at best, before round {asked[-1].round}"
        return Explanation(summary, (Table(table.title, (*table.columns, bound), rows),))
