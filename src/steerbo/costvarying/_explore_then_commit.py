"""Algorithm 1 of Hoang et al. (2025), *BO for Unknown Cost-Varying Variable Subsets with No-Regret Costs*.

Explore all control sets in turn; then, each round, keep the sets whose best expected value may
still be acceptable, and play the cheapest of them. Where the paper is silent or wrong:

- exploration ends before a cycle that would carry the spend beyond `explore_fraction` of the budget
  (the paper gives
no rule);
- bounds are `E μ ± β sqrt(E σ²)` where the paper has `E[μ ± βσ]`, so in lines 10 and 14–26: no
  samples are needed, and by Jensen `E σ ≤ sqrt(E σ²)`, so that they hold wherever the paper's do,
  but are wider: sets stay acceptable for longer. Only the point that is played is polished on `E σ`
  itself;
- line 10 evaluates E[l] at the point played while exploring, and over all sets from the first
  exploitation round on;
- line 11 intersects the acquisition maxima of set i over its own turns;
- if S₁ is still empty after its reset, the set with the largest upper bound is played;
- bounds are kept in the user's units and forgotten at a refit: never mixed across hyperparameters;
  where a variable is seen before each choice, or the objective drifts, they are those of the round
  alone: bounds of another context or time say nothing of this one;
- costs are divided by the largest one seen, since the radius of line 23 assumes costs in [0, 1].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from .._arrays import Bool, Float
from .._wording import counted
from ..bandit import ArmStatistics, cheapest, hoeffding_radius
from ..core import Choice, Explanation, Fold, History, Streams, Suggestion, Table, read_note
from ..core.tolerance import Fraction, Tolerance
from ..errors import InvalidStudy
from ..records import record, to_dict
from ..surrogate import STARTING_POINTS
from .method import CostVaryingMethod
from .problem import CostVarying
from .search_space import Arm, Candidates

Phase = Literal["explore", "exploit"]


@record
class ExploreThenCommitOptions:
    """Options of `explore-then-commit`; defaults are the paper's.

    Args:
        beta: width of the bounds `μ ± βσ`.
        explore_fraction: share of the budget (or of the rounds) that exploration may take.
        explore_cycles: number of turns of each set; None: as many as `explore_fraction` allows, 10
            without any limit.
        alpha: share of quality that may be given up when exploitation begins, unless the problem
            has a `tolerance`; it is halved every d exploitation rounds.
    """

    beta: float = Field(2.0, ge=0, allow_inf_nan=False)
    explore_fraction: float = Field(0.6, ge=0, le=1)
    explore_cycles: int | None = Field(None, ge=1)
    alpha: float = Field(0.1, ge=0, lt=1)


_WITHOUT_LIMIT = 10  # turns of every arm where neither money nor rounds are limited


@dataclass(frozen=True)
class BudgetUse:
    """Budget of a study in money and rounds (None: unlimited), and the amounts used."""

    budget: float | None
    used: float
    rounds: int | None
    played: int


def explores(
    played: int, m: int, use: BudgetUse, fraction: float, cycles: int | None = None
) -> bool:
    """Whether another arm is explored (lines 2–3), after `played` turns of m arms. A cycle, once begun, is ended.

    Args:
        played: turns so far.
        m: the number of arms.
        use: the budget that exploration may use a share of.
        fraction: that share: a cycle that would carry the use beyond it is not begun (the paper
            gives no rule).
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
        self,
        lower: Float[np.ndarray, " m"],
        upper: Float[np.ndarray, " m"],
        least: Callable[[float], float],
    ) -> tuple[Intersected, Bool[np.ndarray, " m"]]:
        """Intersect with present bounds of all arms; S₁ marks the arms that may be acceptable (lines 14–21).

        `least` answers the least acceptable value where so much is guaranteed. Where no arm is
        acceptable, bounds of the past are forgotten; where still none is, the one with the largest
        bound stands alone.
        """
        found = Intersected(
            max(self.guaranteed, float(lower.max())), np.minimum(self.possible, upper)
        )
        acceptable = found.possible > least(found.guaranteed)
        if not acceptable.any():
            found = replace(found, guaranteed=float(lower.max()), possible=upper)
            acceptable = found.possible > least(found.guaranteed)
        if not acceptable.any():
            acceptable = found.possible == found.possible.max()
        return found, acceptable


def cost_bounds(costs: ArmStatistics, horizon: float) -> Float[np.ndarray, " m"]:
    """Lower bounds on mean costs, (m,): lines 22–24 for T = `horizon`.

    Costs are divided by the largest one seen, since the radius of line 23 assumes costs in [0, 1].
    """
    largest = float(np.max(costs.highest, initial=0.0, where=costs.counts > 0)) or 1.0
    return costs.lower_bounds(hoeffding_radius(costs.counts, horizon, largest))


@record
class Turn:
    """Phase and bounds behind a choice, as logged: bounds on the sets' best expected values, in the user's units.

    Args:
        phase: whether the round explores or exploits.
        guaranteed: the intersected lower bound; None: nothing is guaranteed yet.
        possible: the intersected upper bound of each set; None: none is known yet.
        acceptable: S₁, the numbers of the sets that may be acceptable.
    """

    phase: Phase
    guaranteed: float | None = None
    possible: Sequence[float | None] = ()
    acceptable: Sequence[int] = ()

    @classmethod
    def of(
        cls,
        phase: Literal["explore", "exploit"],
        bounds: Intersected,
        acceptable: Sequence[int],
        sign: float,
    ) -> Turn:
        """Convert bounds in units of `sign · value`."""
        guaranteed = sign * bounds.guaranteed if np.isfinite(bounds.guaranteed) else None
        possible = tuple(float(sign * v) if np.isfinite(v) else None for v in bounds.possible)
        return cls(phase, guaranteed, possible, tuple(acceptable))

    def bounds(self, sign: float) -> Intersected:
        """Convert the bounds back to units of `sign · value`."""
        return Intersected(
            -np.inf if self.guaranteed is None else sign * self.guaranteed,
            np.array([np.inf if v is None else sign * v for v in self.possible]),
        )


@dataclass(frozen=True)
class _Course:
    """Course of the choices so far.

    Args:
        rounds: number of them.
        explored: how many explored.
        exploited: how many exploited.
        dropped: the round from which a set was held unacceptable.
        latest: the latest one.
    """

    rounds: int = 0
    explored: int = 0
    exploited: int = 0
    dropped: Mapping[int, int] = field(default_factory=dict)
    latest: Turn | None = None

    def after(self, suggestion: Suggestion) -> _Course:
        """The course after one more choice; a play that a person attached is none of the method's."""
        if "phase" not in suggestion.note:
            return self
        turn = read_note(Turn, suggestion.note)
        if turn.phase == "explore":
            return replace(self, rounds=suggestion.round, explored=self.explored + 1, latest=turn)
        out = [i for i in range(len(turn.possible)) if i not in turn.acceptable]
        dropped = {i: self.dropped.get(i, suggestion.round) for i in out}
        return _Course(suggestion.round, self.explored, self.exploited + 1, dropped, turn)


class ExploreThenCommit(CostVaryingMethod[ExploreThenCommitOptions]):
    """Explore every control set in turn, then play the cheapest that may be acceptable (Hoang et al. 2025)."""

    name: ClassVar[str] = "explore-then-commit"
    Options: ClassVar[type[Any]] = ExploreThenCommitOptions

    def __init__(
        self,
        problem: CostVarying,
        options: ExploreThenCommitOptions,
        streams: Streams,
        history: History,
    ) -> None:
        super().__init__(problem, options, streams, history)
        self._course = Fold(_Course.after, _Course)

    def read_logged(self, asked: Suggestion) -> None:
        """See `Method.read_logged`; with the bounds of all sets, and the numbers of some."""
        super().read_logged(asked)
        if "phase" not in asked.note:
            return
        turn = read_note(Turn, asked.note)
        if turn.possible:
            self.check_each_set("possible", turn.possible)
        for number in turn.acceptable:
            if not 0 <= number < self.m:
                allowed = f"the number of a control set, from 0 to {self.m - 1}"
                raise InvalidStudy("note.acceptable", number, allowed)

    @property
    def course(self) -> _Course:
        """The choices so far, by their notes."""
        return self._course.of(tuple(each.suggestion for each in self.history))

    @property
    def bounds(self) -> Intersected:
        """Bounds of the latest choice, in units of `sign · value`; a refit since then has forgotten them."""
        latest, space = self.course.latest, self.problem.space
        if (
            latest is None
            or space.seen
            or self.problem.timed
            or self.surrogate.fitted_for > self.course.rounds
        ):
            return Intersected.nothing_known(self.m)
        return latest.bounds(self.problem.sign)

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose by lines 3–8 while exploring, by lines 14–26 afterwards."""
        sets = self.working(range(self.m))
        i = sets[self.course.explored % len(sets)]
        if self._exploring() and self.affordable(request)[i]:
            return self._explore(request, i)
        return self._exploit(request)

    # -- exploration (lines 2–11) ------------------------------------------------------------------

    def _exploring(self) -> bool:
        """Whether lines 2–3 explore once more."""
        history = self.history
        if self.course.exploited:
            return False
        limits = BudgetUse(
            history.budget, history.spent + history.reserved, history.limit, len(history)
        )
        return explores(
            self.course.explored,
            self.m,
            limits,
            self.options.explore_fraction,
            self.options.explore_cycles,
        )

    def _explore(self, request: Mapping[str, Any], i: int) -> Choice:
        if len(self.model) + len(self.history.pending) < STARTING_POINTS:
            note = self._note("explore", self.bounds, range(self.m))
            point = self.random_point(i, request, self.streams(self.history.next_round, "start"))
            return self.play(Arm(i), point, request, **note)
        beta, seed = self.options.beta, self.search_seed
        candidates = self.candidates(request)
        known = self.candidates(request, pending=False) if self.history.unresolved else candidates
        (found,) = self.search_space.search(candidates, [i], beta, seed)
        point = self.point_to_play(candidates, i, found, beta)
        sure = known.expectation(i)
        upper = float(sure.bound(found.point[None], beta)[0][0])
        lower = float(sure.bound(point[None], -beta)[0][0])
        bounds = self.bounds.explored(
            i, self.surrogate.unstandardised(lower), self.surrogate.unstandardised(upper)
        )
        return self.play(Arm(i), point, request, **self._note("explore", bounds, range(self.m)))

    # -- exploitation (lines 12–30) ----------------------------------------------------------------

    def _exploit(self, request: Mapping[str, Any]) -> Choice:
        beta, seed, m = self.options.beta, self.search_seed, self.m
        candidates = known = self.candidates(request, pending=False)
        found = self.search_space.search(known, range(m), beta, seed)
        upper = self.upper_values(known, range(m), found)
        lowest = self.search_space.search(known, range(m), -beta, seed)
        lower = self.upper_values(known, range(m), lowest)
        bounds, acceptable = self.bounds.exploited(
            lower, upper, partial(self._least, candidates=known)
        )  # lines 14–21
        affordable = self.affordable(request)
        fitting = acceptable & affordable
        among = fitting if fitting.any() else affordable
        i = cheapest(among, self._cost_bounds(), upper)  # lines 22–26
        best = found[i]
        if (
            self.history.unresolved
        ):  # bounds rest on outcomes alone; the point also counts pending ones (GP-BUCB)
            candidates = self.candidates(request)
            (best,) = self.search_space.search(candidates, [i], beta, seed)
        point = self.point_to_play(candidates, i, best, beta)
        note = self._note("exploit", bounds, np.flatnonzero(acceptable).tolist())
        return self.play(Arm(i), point, request, **note)

    def present_tolerance(self) -> Tolerance:
        """Tolerance of the problem, or the paper's alpha, halved every d exploitation rounds."""
        if self.problem.tolerance is not None:
            return self.problem.tolerance
        halvings = self.course.exploited // self.problem.space.dimension
        return Fraction(self.options.alpha * 0.5**halvings)

    def _least(self, guaranteed: float, candidates: Candidates) -> float:
        worst = self.surrogate.smallest_mean(candidates.known)
        return self.present_tolerance().acceptable(guaranteed, worst, self.problem.sign)

    def _cost_bounds(self) -> np.ndarray:
        """Lower bounds on the mean costs, (m,): lines 22–24; stated costs are known exactly."""
        if (stated := self.problem.stated_costs) is not None:
            return stated.copy()
        return cost_bounds(self.costs.observed, self._horizon())

    def _horizon(self) -> float:
        """T, the number of rounds in all: by the cheapest set if only the budget limits them."""
        history = self.history
        rounds, cheapest = len(history) + 1.0, self.costs.cheapest
        if history.limit is not None:
            return float(history.limit)
        if history.budget is not None and cheapest > 0:
            return rounds + max(history.remaining, 0.0) / cheapest
        return rounds

    def _note(self, phase: Phase, bounds: Intersected, acceptable: Sequence[int]) -> dict[str, Any]:
        note: dict[str, Any] = to_dict(Turn.of(phase, bounds, acceptable, self.problem.sign))
        return note

    # -- why ---------------------------------------------------------------------------------------

    def explain(self) -> Explanation:
        """Explain the phase, and tabulate each set's bounds, costs and the round in which it was ruled out."""
        turn = Turn.of("explore", self.bounds, (), self.problem.sign)
        costs = self._cost_bounds()
        phase = "exploiting" if self.course.exploited else "exploring"
        explored = counted(self.course.explored, "round")
        summary = f"{phase}: {explored} of exploration, {self.course.exploited} of exploitation"
        if turn.guaranteed is not None:
            most = "at most" if self.problem.minimize else "at least"
            summary += f"; {most} {turn.guaranteed:.5g} can be expected"
        if None in turn.possible:
            summary += "; a set without a bound (–) is not explored yet"
        table = self.control_set_table()
        rows = []
        for i, row in enumerate(table.rows):
            cost = float(costs[i]) if isinstance(row[2], float) else "unknown"
            dropped = f"round {self.course.dropped[i]}" if i in self.course.dropped else None
            rows.append((*row, turn.possible[i], cost, dropped))
        bound = (
            "at best"
            if self.history.latest is None
            else f"at best, before round {self.history.latest.number}"
        )
        columns = (*table.columns, bound, "cost at least", "ruled out")
        return Explanation(summary, (Table(table.title, columns, tuple(rows)),))
