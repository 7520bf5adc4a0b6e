"""Base of the wing's methods: learning, starting, choosing, answering and explaining; and the cost of a play.

A method has a search space, a cost model and a surrogate, and adds `choose`. `CostModel` decides
which sets are affordable.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from .._arrays import Bool, Float, Int
from .._wording import counted, spread_step
from ..bandit import BOUND, ArmStatistics, expected_with_failure
from ..core import (
    SEEN,
    TIME,
    Choice,
    DataAdded,
    Explanation,
    Finding,
    Fold,
    History,
    Method,
    OptionsT,
    OutcomeTold,
    PolicyStep,
    Reason,
    Recommendation,
    Scope,
    Streams,
    Suggestion,
    Table,
    batch_position,
    context_of,
    finding,
    good_enough,
    now,
    read_note,
    reason,
)
from ..core.tolerance import UNSTATED
from ..errors import InvalidContext, InvalidStudy
from ..gp import GPRegression
from ..optim import UNLIKELY, Maximum
from ..records import record
from ..space import Categorical, OutcomeConstraint
from ..surrogate import (
    STARTING_POINTS,
    SURE,
    Mixture,
    Part,
    ProductKernelPosterior,
    climb_from,
    highest_of,
    polished,
    read_likely,
    rows_at,
)
from ._costs_of_settings import CostsOfSettings
from ._plays_to_come import share_used
from ._surrogate import Surrogate
from ._today import Today
from .problem import CostVarying
from .search_space import Arm, Candidates, SearchSpace

POSITIONS, PLOT, START = 4, 3, 0.3
"""Moves of each hard-to-change variable at the start, plays at each position at most, and the share of all rounds, or
of the money, that the start takes at most."""
# plays, of a set or of all that were played, whose mean cost contradicts a stated one that is so far
# away, as a share of the larger
_SEVERAL, _OFF = 3, 0.25
_DRAWN = 64  # random starting points, of which the first that is likely to work is taken
_SPREAD = 16  # random starting points, of which the one that moves furthest is taken
_FAILS = 0.5  # probability to work, as a share of the likeliest set's, at which a set is left out


@record
class _Repeated:
    """Part of the note of a play that repeats another one.

    Args:
        repeats: name of the doubted outcome.
    """

    repeats: str | None = None


class CostModel:
    """Mean cost of every control set, as stated or as observed so far."""

    def __init__(self, problem: CostVarying, history: History) -> None:
        self.problem, self._history = problem, history
        self._every, self._working = (Fold(_tell, self._nothing_observed) for _ in range(2))
        self._known: tuple[int, tuple[ArmStatistics, ArmStatistics]] | None = None

    def _nothing_observed(self) -> ArmStatistics:
        return ArmStatistics.new(len(self.problem.control_sets))

    @property
    def observed(self) -> ArmStatistics:
        """Costs paid for each control set, without switching costs."""
        return self._observed[0]

    @property
    def observed_working(self) -> ArmStatistics:
        """The same of plays that worked."""
        return self._observed[1]

    @property
    def _observed(self) -> tuple[ArmStatistics, ArmStatistics]:
        """Both, cached until the next event."""
        if self._known is None or self._known[0] != self._history.event_count:
            paid = tuple(self._paid())
            every = [(i, cost) for i, cost, _ in paid]
            working = [(i, cost) for i, cost, worked in paid if worked]
            self._known = (
                self._history.event_count,
                (self._every.of(every), self._working.of(working)),
            )
        return self._known[1]

    def _paid(self) -> Iterator[tuple[int, float, bool]]:
        """Control sets that were played, their cost without switching, and whether the play worked."""
        for each in self._history.results:
            if each.cost is not None and each.scope is not None:
                switching = (
                    self.problem.switching_cost_of(each.played, self._history)
                    if each.played
                    else 0.0
                )
                yield self.problem.number(each.scope), max(each.cost - switching, 0.0), each.worked

    def means(self) -> Float[np.ndarray, " m"]:
        """Mean cost of each control set, without switching; NaN where it is not known yet.

        Failures that end early make no set cheaper than its plays that work, whose values it is
        compared by; and the cost of failures alone is no price.
        """
        if (stated := self.problem.stated_costs) is not None:
            return stated.copy()
        # 0 where none is known
        means = np.maximum(self.observed.means, self.observed_working.means)
        return np.where(self.observed_working.counts > 0, means, np.nan)

    @property
    def cheapest(self) -> float:
        """Mean cost of the cheapest control set; infinite where none is known yet."""
        return float(np.nanmin(self.means(), initial=np.inf))

    def contradicted(self) -> list[Finding]:
        """Find the stated costs that are not those that were told."""
        stated = self.problem.stated_costs
        if stated is None or self.problem.cost_formulas is not None:
            return []
        told = self.observed.means
        counts = self.observed.counts
        played, larger = counts > 0, told > stated
        apart = played & (np.abs(told - stated) > _OFF * np.maximum(told, stated))
        # prices in another unit, or of more than a play: all sets show the same
        all_alike = (apart & larger)[played].all() or (apart & ~larger)[played].all()
        plays = np.full_like(counts, counts.sum()) if all_alike else counts
        scopes = [
            {
                "scope": str(self.problem.scopes[i]),
                "stated": float(stated[i]),
                "told": float(told[i]),
                "plays": int(counts[i]),
            }
            for i in np.flatnonzero((plays >= _SEVERAL) & apart).tolist()
        ]
        return [finding("costs-contradicted", scopes=scopes)] if scopes else []

    def in_value(self) -> Float[np.ndarray, " m"]:
        """Mean costs in units of the objective; 0 where a cost or `value_of_one` is unknown."""
        if self.problem.value_of_one is None:
            return np.zeros(len(self.problem.control_sets))
        return np.nan_to_num(self.means()) / self.problem.value_of_one

    def affordable(self, history: History) -> Bool[np.ndarray, " m"]:
        """Whether each control set fits into the remaining budget with the least switching; an unknown cost does."""
        return np.array(
            [self.fits_keeping(i, None, history) for i in range(len(self.problem.control_sets))]
        )

    def fits_keeping(self, i: int, keep: Container[str] | None, history: History) -> bool:
        """Whether control set `i` fits while some variables stay in place (None: all that can) and others move far."""
        switching = self.problem.least_switching_cost(self.problem.control_sets[i], history, keep)
        formulas = self.problem.cost_formulas
        costs = self.means() if formulas is None else formulas.least
        return history.affords(float(costs[i]) + switching)

    def of(self, i: int, values: Mapping[str, Any], history: History) -> float:
        """Cost of playing control set `i` at `values` now, switching included; NaN where it is not known."""
        return float(self.means()[i]) + (self.problem.change_cost(values, history) or 0.0)

    def fits(self, i: int, values: Mapping[str, Any], history: History) -> bool:
        """Whether `of` fits into the remaining budget; an unknown cost does."""
        return history.affords(self.of(i, values, history))


def _tell(known: ArmStatistics, paid: tuple[int, float]) -> ArmStatistics:
    return known.tell(*paid)


class CostVaryingMethod(Method[CostVarying, OptionsT]):
    """A method with one surrogate over all variables: plays of a cheap control set inform the expensive ones.

    Attributes:
        search_space: the control sets as searchable domains.
        m: number of control sets.
        costs: mean cost of every control set.
        costs_of_settings: the cost of a play at its settings, where told costs depend on them.
        surrogate: posterior of `sign · value`, and feasibility.
        today: today's settings, and how far from them plays may go.
        rule: by which sets are chosen, in words, where nothing more is explained.
    """

    complete: ClassVar[bool] = True

    solves = CostVarying
    rule: ClassVar[str] = ""

    def __init__(
        self, problem: CostVarying, options: OptionsT, streams: Streams, history: History
    ) -> None:
        super().__init__(problem, options, streams, history)
        self.m = len(problem.control_sets)
        self.search_space = SearchSpace(problem, history)
        self.costs = CostModel(problem, history)
        self.costs_of_settings = CostsOfSettings(problem, history)
        self.surrogate = Surrogate(problem, self.search_space, streams, history)
        self.today = Today(problem, self.search_space, self.surrogate)

    # -- learning ----------------------------------------------------------------------------------

    def sem_unused(self) -> str:
        """See `Method.sem_unused`: models take it into account."""
        return ""

    def sources_unused(self) -> str:
        """See `Method.sources_unused`: the model of one objective that stands still tells sources apart."""
        if self.problem.drift is not None:
            return "the objective drifts, so that old data count by their ‹time›"
        if self.problem.outcomes:
            return "the value is traded against other outcomes"
        return ""

    @property
    def learns_costs(self) -> bool:
        """See `Method.learns_costs`."""
        return self.costs_of_settings.learns

    def check_fit(self) -> None:
        """See `Method.check_fit`."""
        self.surrogate.check_fit()
        _ = self.costs_of_settings.model

    @property
    def plays(self) -> Int[np.ndarray, " m"]:
        """Plays of each control set."""
        sets = [self.problem.number(each.suggestion.scope) for each in self.history]
        return np.bincount(sets, minlength=self.m)

    def refit(self, history: History) -> Mapping[str, Any] | None:
        """See `Surrogate.refit`; with the variables that costs depend on, if any."""
        found = self.surrogate.refit(history)
        return None if found is None else {**found, **self.costs_of_settings.fit()}

    def expected_outcome(
        self, history: History, event: OutcomeTold | DataAdded
    ) -> tuple[float, float, float] | None:
        """See `Surrogate.expected_outcome`."""
        return self.surrogate.expected_outcome(history, event)

    def outliers(self, history: History) -> Sequence[str]:
        """See `Surrogate.outliers`."""
        return self.surrogate.outliers(history)

    def findings(self, history: History) -> Sequence[Finding]:
        """See `Method.findings`."""
        return [*self.surrogate.findings(history), *self.costs.contradicted()]

    def finished(self, history: History) -> str:
        """Report that no control set fits into the remaining budget, if so; values seen later are unknown."""
        fits = (
            self.costs.affordable(history)
            if self.problem.space.seen
            else self._fitting(history, {})
        )
        return "" if fits.any() else "no control set fits into what is left of the budget"

    # -- choosing ----------------------------------------------------------------------------------

    @property
    def model(self) -> GPRegression[Any]:
        """Gaussian process of `sign · value` over all variables."""
        return self.surrogate.model

    def candidates(
        self,
        history: History,
        request: Mapping[str, Any],
        *,
        pending: bool = True,
        staying: bool = False,
        answering: bool = False,
        mixed: bool = False,
    ) -> Candidates:
        """Build the candidate arms of the next round.

        Args:
            history: the rounds so far.
            request: of `ask`.
            pending: whether points without an outcome shrink the posterior's variance, as if it
                were known.
            staying: whether arms are added that keep hard-to-change variables in place, or near it.
            answering: whether this is for a recommendation, which rests on every draw of the
                hyperparameters and counts the uncertainty of laws from rows of data.
            mixed: whether a choice, which rests on one draw, is to know every other one, too.
        """
        points = (
            self.surrogate.pending_points(history)
            if pending
            else np.empty((0, len(self.search_space.columns)))
        )
        time = request.get(TIME.name, now(history)) if self.problem.timed else None
        model = self.model if answering else self.surrogate.for_round(len(history) + 1)
        members = self.model.members
        return self.search_space.candidates(
            ProductKernelPosterior.of(model, points, time),
            request.get(SEEN.name, {}),
            self.surrogate.feasible,
            positions=self.problem.keepable_positions(history) if staying else None,
            answering=answering,
            time=time,
            # else ends are those of another draw
            follows=batch_position(request).follows and not members,
            posteriors=ProductKernelPosterior.of_each(members, points, time)
            if answering or mixed
            else [],
            reach=None if answering else self.today.reach(request.get(SEEN.name, {}), time),
        )

    def wide_upper_bounds(
        self, candidates: Candidates, arms: Sequence[int], number: int, beta: float
    ) -> tuple[Float[np.ndarray, " k"], list[Maximum]]:
        """Maximise `E μ + β sqrt(E σ²)` over each of some arms in round `number`.

        Returns:
            The maxima in units of `sign · value`, failures counted, and the search's results.
        """
        seed = self.streams.integer(number, "search")
        found = [one for (one,) in self.search_space.search(candidates, arms, [beta], seed)]
        return self.upper_values(candidates, arms, found), found

    def narrow_upper_bounds(
        self,
        candidates: Candidates,
        number: int,
        arms: list[int],
        beta: float,
        free: Sequence[Maximum] | None = None,
    ) -> tuple[Float[np.ndarray, " k"], list[Maximum]]:
        """Maximise `E μ + β sd[g]` over each of some arms; results as of `wide_upper_bounds`.

        `free` are the results without limits, where they are known.
        """
        seed = self.streams.integer(number, "search")
        before = None if free is None else [[one] for one in free]
        each = self.search_space.search(candidates, arms, [beta], seed, True, free=before)
        found = [one for (one,) in each]
        return self.upper_values(candidates, arms, found), found

    def upper_values(
        self, candidates: Candidates, arms: Sequence[int], found: Sequence[Maximum]
    ) -> Float[np.ndarray, " k"]:
        """Values of a search in units of `sign · value`, failures counted, (k,)."""
        upper = np.array([self.unstandardised(one.value) for one in found])
        return self.with_failure(upper, candidates, [candidates.arms[a].set for a in arms])

    def width(
        self, candidates: Candidates, i: int, point: Float[np.ndarray, " c"], beta: float
    ) -> float:
        """w_i, the uncertainty of the expected value of a play of arm `i`, in units of the objective."""
        _, deviation = candidates.expectation(i, product=False).of_mean().moments(point[None])
        return float(2 * beta * self.model.scale * float(deviation[0]))

    def point_to_play(
        self, candidates: Candidates, i: int, found: Maximum, number: int, beta: float
    ) -> Float[np.ndarray, " c"]:
        """Polish the maximum found for arm `i` on `E[μ + βσ]`, and return its point."""
        domain = candidates.domains[i]
        if candidates.follows:
            found = climb_from(candidates.posterior, domain, found, beta)
        seed = self.streams.integer(number, f"polish {i}")
        return polished(
            candidates.expectation(i, product=False), domain.box, found, beta, seed
        ).point

    def success_probabilities(self, candidates: Candidates) -> Float[np.ndarray, " m"]:
        """See `Surrogate.success_probabilities`; 1 of every control set without failures."""
        if not self.surrogate.feasibility.failures.failures:
            return np.ones(self.m)
        whole = {
            arm.set: domain.parts
            for arm, domain in reversed([*zip(candidates.arms, candidates.domains, strict=True)])
        }
        return self.surrogate.success_probabilities([whole[i] for i in range(self.m)])

    def with_failure(
        self, values: Float[np.ndarray, " k"], candidates: Candidates, sets: Sequence[int]
    ) -> Float[np.ndarray, " k"]:
        """Values of some control sets, a failed play counted as the smallest posterior mean; unchanged without one."""
        if not self.surrogate.feasibility.failures.failures:
            return values
        likely = self.success_probabilities(candidates)[list(sets)]
        return expected_with_failure(
            values, likely, np.array([self.surrogate.smallest_mean(candidates.known)])
        )

    def working(self, sets: Sequence[int]) -> list[int]:
        """Control sets of `sets` that are not known to fail more often than not, as compared with others; or all."""
        if not self.surrogate.feasibility.failures.failures:
            return list(sets)
        every = [self._parts_now(i, {}) for i in range(self.m)]
        likely = self.surrogate.success_probabilities(every)
        return [i for i in sets if likely[i] > _FAILS] or list(sets)

    def maximal(self, sets: Sequence[int]) -> list[int]:
        """Control sets of `sets` that no other working one contains: a larger set reaches at least as much."""
        if self.problem.limits:  # constraints may forbid a setting that nature may draw
            return list(sets)
        columns, sets = self.search_space.sets, self.working(sets)
        return [i for i in sets if not any(set(columns[i]) < set(columns[j]) for j in sets)]

    def affordable(self, history: History, request: Mapping[str, Any]) -> Bool[np.ndarray, " m"]:
        """Whether each control set fits into the remaining budget in this context, with the least switching.

        Raises:
            InvalidContext: none does here, since constraints do not let a hard-to-change variable
                stay where it is.
        """
        seen = request.get(SEEN.name, {})
        if not (fits := self._fitting(history, seen)).any():
            why = (
                "Limits do not let what is hard to change stay in place here, and the money left does not pay for "
                "moving it."
                if self.problem.space.changes
                else "The money left does not pay for any settings here."
            )
            hint = f"{why} Ask in another context, or give the study more ‹budget› by ‹revise›."
            raise InvalidContext(
                "context",
                dict(seen),
                f"one in which a round fits into {history.remaining:.6g}",
                hint,
            )
        return fits

    def _fitting(self, history: History, context: Mapping[str, Any]) -> Bool[np.ndarray, " m"]:
        fits = self.costs.affordable(history)
        if self.problem.cost_formulas is not None and history.budget is not None:
            for i in np.flatnonzero(fits).tolist():
                fits[i] = len(self._paid_for(history, Arm(i), context)) > 0
        if self.problem.limits and self.problem.space.changes:
            positions = self.problem.keepable_positions(history)
            for i in np.flatnonzero(fits).tolist():
                arms = self.search_space.in_place(i, positions)
                fits[i] = any(
                    self.costs.fits_keeping(i, arm.keep, history)
                    and self.search_space.feasible_in(arm, context)
                    for arm in reversed(arms)
                )
        return fits

    def fits(self, history: History, arm: Arm, point: Float[np.ndarray, " c"]) -> bool:
        """Whether a play of an arm at an encoded point fits into the remaining budget, switching included."""
        return self.costs.fits(arm.set, self.search_space.settings(arm, point), history)

    def play(
        self,
        history: History,
        arm: Arm,
        point: Float[np.ndarray, " c"],
        request: Mapping[str, Any] | None = None,
        **note: Any,
    ) -> Choice:
        """Turn an arm and an encoded point into a choice; `note` is logged.

        Hard-to-change variables stay in place where the budget does not allow to move them, and
        settings whose formula costs more than is left give way to the nearest that do not.
        """
        if self.problem.space.changes and not self.fits(history, arm, point):
            arm, point = self._in_place(history, arm, point, request or {})
        scope, seen = self.problem.scopes[arm.set], (request or {}).get(SEEN.name, {})
        if self.problem.cost_formulas is not None:
            point = self._within_budget(history, arm, point, seen)
        cost = self._expected_cost(arm.set, point, seen)
        if arm.keep:
            scope = Scope(
                [name for name in scope.set if name not in arm.keep],
                keep=tuple(arm.keep),
                price=scope.price,
            )
        settings = self.search_space.settings(arm, point)
        return Choice(scope, settings, expected_cost=cost, note=note)

    def _within_budget(
        self, history: History, arm: Arm, point: Float[np.ndarray, " c"], seen: Mapping[str, Any]
    ) -> Float[np.ndarray, " c"]:
        """Encoded point, or the nearest that the money left pays for where its stated cost is more."""
        if history.affords(self._expected_cost(arm.set, point, seen)):
            return point
        others = self._paid_for(history, arm, seen)
        return np.asarray(others[np.square(others - point).sum(axis=1).argmin()])

    def _paid_for(
        self, history: History, arm: Arm, seen: Mapping[str, Any]
    ) -> Float[np.ndarray, "g c"]:
        """Points all over an arm whose stated cost the money left pays for, (g, c)."""
        formulas, points = self.problem.cost_formulas, self.search_space.covering(arm, seen)
        assert formulas is not None
        parts = self.search_space.parts_at(arm.set, self.search_space.encoded(seen))
        costs = formulas.along(arm.set, parts).values(points)
        return np.asarray(points[[history.affords(cost) for cost in costs.tolist()]])

    def play_at(
        self, history: History, values: Mapping[str, Any], request: Mapping[str, Any]
    ) -> Choice:
        """See `Method.play_at`: the control set of these variables."""
        scope = self.problem.read_scope(list(values))
        assert scope is not None
        i = self.problem.number(scope)
        cost = self._expected_cost(i, self._point(i, values), request.get(SEEN.name, {}))
        return Choice(scope, values, expected_cost=cost)

    def _expected_cost(
        self, i: int, point: Float[np.ndarray, " c"], seen: Mapping[str, Any]
    ) -> float | None:
        """Expected cost of a play of control set `i` at an encoded point; None where it is unknown."""
        if self.costs_of_settings.active:
            parts = self.search_space.parts_at(i, self.search_space.encoded(seen))
            return self.costs_of_settings.at(i, parts, point)
        cost = self.costs.means()[i]
        return None if np.isnan(cost) else float(cost)

    def _in_place(
        self, history: History, arm: Arm, point: Float[np.ndarray, " c"], request: Mapping[str, Any]
    ) -> tuple[Arm, np.ndarray]:
        """Arm of the same set that moves least, with its nearest feasible point; if there is none, as given."""
        positions = self.problem.keepable_positions(history)
        for stays in reversed(self.search_space.in_place(arm.set, positions)):
            left = self.search_space.moved_in_place(arm, point, stays, request.get(SEEN.name, {}))
            if left is not None and self.fits(history, stays, left):
                return stays, left
        return arm, point

    def play_best(
        self, sets: list[int], history: History, request: Mapping[str, Any], beta: float
    ) -> Choice:
        """Choose the largest upper bound `E μ + β sqrt(E σ²)` among some control sets."""
        candidates, number = self.candidates(history, request), len(history) + 1
        values, found = self.wide_upper_bounds(candidates, sets, number, beta)
        best = int(values.argmax())
        point = self.point_to_play(candidates, sets[best], found[best], number, beta)
        return self.play(
            history, Arm(sets[best]), point, request, upper=float(self.problem.sign * values[best])
        )

    def start(self, history: History, request: Mapping[str, Any]) -> Choice | None:
        """Choose an initial play: control sets in turn, at uniform settings, until `STARTING_POINTS` are known or out.

        Where variables are hard to change, plays come in plots, or batches. The first play of each
        moves one of them, in turn, far from where it was before, and the others none. Moves take at
        most the share `START` of the money. The problem's `current` values are played before,
        unless there are data. None: the initial plays are done.
        """
        if self._started(history):
            return None
        if self.problem.current is not None and not len(history) and not len(self.model):
            return self.play(history, *self._current_play(request.get(SEEN.name, {})), request)
        draw = self.streams(len(history) + 1, "start")
        affordable = self.working(np.flatnonzero(self.affordable(history, request)).tolist())
        batch, plot = batch_position(request), self._plot
        # sets follow each other in blocks: a variable that one of them has moved can stay for its
        # next play
        block = plot * math.ceil(self._positions_to_try / len(affordable))
        i = affordable[len(history) // block % len(affordable)]
        if self.problem.current is not None and self.problem.costs is not None:
            # to hold other variables is a step, too: bounds say whether it pays
            here = self.today.control_set
            i = here if here in affordable else i
        latest = history.latest
        failed = latest is not None and latest.state == "failed"  # to stay there teaches nothing
        follows = batch.number > 1 or (batch.of == 1 and len(history) % plot > 0 and not failed)
        if follows and latest:
            same = self.problem.number(latest.suggestion.scope)
            i = same if same in affordable else i
        arm, point = Arm(i), self.random_point(i, request, draw)
        if follows:
            arm, point = self._in_place(history, arm, point, request)
        elif self.problem.space.changes:
            moved, there = self._one_moved(history, arm, point, request, draw)
            price = (
                self.problem.change_cost(self.search_space.settings(moved, there), history) or 0.0
            )
            if failed or not price or share_used(history, price) < START:
                arm, point = moved, there
            elif self._known(history) >= STARTING_POINTS:
                return None
            else:
                arm, point = self._in_place(history, arm, point, request)
        return self.play(history, arm, point, request)

    def _started(self, history: History) -> bool:
        """Whether enough is known for the model to choose: of hard-to-change variables some positions, too."""
        changes = self.problem.space.changes
        if self._known(history) < STARTING_POINTS or not changes:
            return self._known(history) >= STARTING_POINTS
        return (
            len(self._tried(history)) + len(history.data) >= self._positions_to_try
            or share_used(history) >= START
        )

    def _tried(self, history: History) -> set[tuple[Any, ...]]:
        """Positions of hard-to-change variables that were asked for."""
        return {
            tuple(played.suggestion.values.get(name) for name in self.problem.space.changes)
            for played in history
        }

    def _known(self, history: History) -> int:
        """Number of outcomes, with those of pending plays."""
        return len(self.model) + len(history.pending)

    @cached_property
    def _plot(self) -> int:
        """Starting plays at each position: as many as there are variables that are easy to change, at most `PLOT`."""
        changes = len(self.problem.space.changes)
        return min(PLOT, max(1, self.problem.space.dimension - changes)) if changes else 1

    @cached_property
    def _positions_to_try(self) -> int:
        """Number of positions of hard-to-change variables that starting points are to have; 1 where there are none."""
        levels = (self.problem.space[name].levels for name in self.problem.space.changes)
        return 1 + sum(
            POSITIONS if each is None else min(POSITIONS, len(each) - 1) for each in levels
        )

    def _one_moved(
        self,
        history: History,
        arm: Arm,
        point: Float[np.ndarray, " c"],
        request: Mapping[str, Any],
        draw: np.random.Generator,
    ) -> tuple[Arm, np.ndarray]:
        """Arm of the same set that moves one hard-to-change variable, each in turn, and a point far from earlier ones.

        As given where the others cannot stay in place.
        """
        space, positions = self.search_space, self.problem.keepable_positions(history)
        hard = [
            name
            for name in self.problem.control_sets[arm.set]
            if name in self.problem.space.changes
        ]
        if not hard or not all(name in positions for name in hard):
            return arm, point
        moved = hard[len(self._tried(history)) % len(hard)]
        stays = Arm(arm.set, {name: positions[name] for name in hard if name != moved})
        column = self.problem.space.index(moved)
        planned = (played.suggestion.values for played in history)
        been = [
            space.encoded({moved: values[moved]})[moved] for values in planned if moved in values
        ]
        points = [point, *(self.random_point(arm.set, request, draw) for _ in range(_SPREAD - 1))]
        to = np.array(points)[:, space.searched(arm).index(column)]
        gaps = np.abs(to[:, None] - [*been, *self.model.inputs[:, column]])
        if isinstance(self.problem.space[moved], Categorical):
            gaps = np.sign(gaps)
        farthest = points[int(gaps.min(axis=1, initial=1.0).argmax())]
        left = space.moved_in_place(arm, farthest, stays, request.get(SEEN.name, {}))
        return (arm, farthest) if left is None else (stays, left)

    def repeat(self, history: History, request: Mapping[str, Any]) -> Choice | None:
        """Choose a play once more whose outcome was better than all others and is probably wrong; None: there is none.

        Such an outcome counts for little. Were it right, as on a narrow peak, the best would never
        be played again; so one more play tells. Where something is seen before or stays in place,
        the same play may not be possible.
        """
        if (
            not getattr(self.model, "doubted", ())
            or self.problem.space.seen
            or self.problem.space.changes
        ):
            return None
        wrong, sign = {*self.outliers(history)}, self.problem.sign
        best = max(
            (sign * told.value for name, told, _ in history.outcomes() if name not in wrong),
            default=math.inf,
        )
        plays = Counter(
            (each.suggestion.scope, *each.suggestion.values.items()) for each in history
        )
        # in wider bounds values may round anew
        repeated = {each.suggestion.note.get("repeats") for each in history}
        affordable = self.affordable(history, request)
        for name, told, played in reversed([*history.outcomes()]):
            if name not in wrong or name in repeated or played is None or sign * told.value <= best:
                continue
            scope, values = played.suggestion.scope, played.suggestion.values
            i = self.problem.number(scope)
            broken = any(limit.breaks(played.realised) for limit in self.problem.further.values())
            again = affordable[i] and not broken and plays[(scope, *values.items())] == 1
            if again and self._keeps_limits(history, scope, values, request):
                return self.play(history, Arm(i), self._point(i, values), request, repeats=name)
        return None

    def random_point(
        self, i: int, request: Mapping[str, Any], draw: np.random.Generator
    ) -> Float[np.ndarray, " c"]:
        """Draw settings of control set `i`: the first draw that is likely to work and to keep the limits, if one is."""
        context, width = request.get(SEEN.name, {}), len(self.search_space.sets[i])
        time = request[TIME.name] if self.problem.timed else None
        near = Arm(i, near=self.today.reach(context, time))
        arm = near if near.whole or self.search_space.feasible_in(near, context) else Arm(i)
        unit = draw.random((1, width))
        if not self.surrogate.feasibility.active:
            return self.search_space.placed(arm, context, unit)
        units = np.concatenate([unit, draw.random((_DRAWN - 1, width))])
        return self.surrogate.first_feasible(arm, context, time, units)

    def _current_play(self, context: Mapping[str, Any]) -> tuple[Arm, np.ndarray]:
        """Arm and encoded point of today's settings in a context."""
        i = self.today.control_set
        return Arm(i), self._point(i, self.today.settings(context))

    def _point(self, i: int, values: Mapping[str, Any]) -> Float[np.ndarray, " c"]:
        """Encoded point of control set `i` at these values of its variables."""
        codes = self.search_space.encoded(values)
        return np.array([codes[self.problem.space.names[d]] for d in self.search_space.sets[i]])

    def unstandardised(self, value: float) -> float:
        """Convert from standardised units to those of `sign · value`."""
        return float(self.model.unstandardise(value))

    def acceptable(self, best: float, candidates: Candidates) -> float:
        """Least value that the problem's tolerance accepts where the best is `best`, in units of `sign · value`."""
        tolerance = self.problem.tolerance or UNSTATED
        smallest = self.surrogate.smallest_mean(candidates.known)
        return tolerance.acceptable(best, smallest, self.problem.sign)

    # -- answers -----------------------------------------------------------------------------------

    def bound_inflation(self, history: History, scope: Scope) -> float:
        """Infinite until outcomes tell a scale; then that of a model that is not quite right: see `bandit.MISFIT`."""
        return self.surrogate.drift.widening

    def _answer_candidates(
        self, history: History, context: Mapping[str, Any], *, staying: bool = False
    ) -> Candidates:
        """Candidates of an answer in a context; values by name, with the time where the objective drifts."""
        seen = {name: value for name, value in context.items() if name in self.problem.space}
        request = {**context, SEEN.name: seen}
        return self.candidates(history, request, pending=False, staying=staying, answering=True)

    def _recommend_at(self, history: History, context: Mapping[str, Any]) -> Recommendation:
        """Recommend the cheapest acceptable control set at its best settings, by posterior means.

        Bounds are quantiles of the posterior of the expected value, a mixture over draws of the
        hyperparameters. Where no set is acceptable, as with a threshold out of reach, the best one
        is recommended; where money and value share a unit, the one with the largest net value; the
        `current` values where they are good enough and cost no more.
        """
        candidates = self._answer_candidates(history, context)
        sign = self.problem.sign
        costs = self.costs.means()
        rows, least, good, chosen = self._judge(candidates)
        others = [row for i, row in enumerate(rows) if i != chosen]
        others.sort(key=lambda row: np.inf if row.cost is None else row.cost)
        best, worth = rows[chosen], self.problem.value_of_one
        stay: Recommendation | None = None
        if self.problem.current is not None:
            arm, point = self._current_play(context)
            stay = self._described(candidates, arm, point, candidates.mixture(arm.set))
        stays = stay is not None and self._keeps_limits(history, stay.scope, stay.values, context)
        if (
            stay is not None
            and stays
            and not best.says("none-keeps")
            and self._good_enough(stay, best, least)
        ):
            others = [row for row in (*others, best) if row.scope != stay.scope]
            return replace(stay, reasons=(reason("stay"),), alternatives=tuple(others))
        reasons = list(best.reasons)
        if not reasons and worth is not None:
            reasons.append(reason("largest-net-value", value=worth * least))
        elif not reasons:
            names = [str(self.problem.scopes[int(i)]) for i in good]
            step = spread_step([best.lower, best.upper])
            reasons.append(good_enough(sign * least, self.problem.minimize, names, step))
        reasons += self._unknown_costs(costs)
        if stay is not None:
            reasons.append(self._gain_over(stay, best))
        return replace(best, reasons=tuple(reasons), alternatives=tuple(others))

    def _predict_at(
        self, history: History, values: Mapping[str, Any], context: Mapping[str, Any]
    ) -> Recommendation:
        """Expected value of a control set at these settings; the others are left to nature."""
        candidates = self._answer_candidates(history, context)
        i = self.problem.number(Scope([*values]))
        return self._described(candidates, Arm(i), self._point(i, values), candidates.mixture(i))

    def _judge(
        self, candidates: Candidates
    ) -> tuple[list[Recommendation], float, Int[np.ndarray, " k"], int]:
        """Compare the control sets at their best settings.

        Returns:
            The best of every set, the least acceptable value (net of cost where that has a price)
            in units of `sign · value`, the acceptable sets, and the recommended one.
        """
        sign, costs = self.problem.sign, self.costs.means()
        both = [self._best_of_set(candidates, i) for i in range(len(costs))]
        rows, found = [row for row, _ in both], np.array([value for _, value in both])
        means = np.array([sign * (row.mean or 0.0) for row in rows])
        # infeasible settings are no answer, unless all are: then the likeliest
        if self.surrogate.feasibility.active:
            kept = found > UNLIKELY / 2
            means = np.where(kept, means, -np.inf) if kept.any() else found
            means = self.with_failure(means, candidates, range(len(means))) if kept.any() else means
        if self.problem.value_of_one is not None:
            nets = means - [self._price_in_value(row) for row in rows]
            chosen = int(nets.argmax())
            return rows, float(nets[chosen]), np.array([chosen]), chosen
        least = self.acceptable(float(means.max()), candidates)
        good = np.flatnonzero(means >= least)
        known = np.where(np.isnan(costs), np.inf, costs)
        among: list[int] = good.tolist() or [int(means.argmax())]  # out of reach: the best
        return rows, least, good, min(among, key=lambda i: (known[i], -means[i]))

    def _best_of_set(self, candidates: Candidates, i: int) -> tuple[Recommendation, float]:
        """Best settings of a control set, and the value that the search found there, in standardised units."""
        seed = self.streams.integer(0, f"recommend {i}")
        found, mixture = self._best_answer(candidates, i, seed)
        kept = not (self.surrogate.feasibility.active and found.value <= UNLIKELY / 2)
        reasons = () if kept else (reason("none-keeps"),)
        return self._described(candidates, Arm(i), found.point, mixture, reasons), found.value

    def _best_answer(
        self, candidates: Candidates, a: int, seed: int, beta: float = 0.0
    ) -> tuple[Maximum, Mixture]:
        """See `Candidates.best_answer`: of the net value where costs depend on settings."""
        if not self.costs_of_settings.active:
            return candidates.best_answer(a, seed, beta)
        mixture = candidates.mixture(a, beta)
        i = candidates.arms[a].set
        domain = candidates.domains[a]
        net = self.costs_of_settings.net(mixture, i, domain.parts, self.model.scale, beta)
        return highest_of(net, domain.box, seed), mixture

    def _price_in_value(self, row: Recommendation) -> float:
        """Cost of an answer in units of the objective; 0 where it, or its worth, is unknown."""
        worth = self.problem.value_of_one
        return 0.0 if worth is None else (row.cost or 0.0) / worth

    def _described(
        self,
        candidates: Candidates,
        arm: Arm,
        point: Float[np.ndarray, " c"],
        mixture: Mixture,
        reasons: tuple[Reason, ...] = (),
    ) -> Recommendation:
        """Expected value of an arm's point, with its bounds and cost."""
        sign, cost = self.problem.sign, float(self.costs.means()[arm.set])
        if self.costs_of_settings.active:
            cost = self.costs_of_settings.at(arm.set, candidates.domains[arm.set].parts, point)
        mean, _ = mixture.moments(point[None])
        lower, upper = sorted(
            sign * self.unstandardised(end) for end in mixture.quantiles(point, (1.0 - SURE, SURE))
        )
        return Recommendation(
            self.problem.scopes[arm.set],
            self.search_space.settings(arm, point),
            sign * self.unstandardised(float(mean[0])),
            lower,
            upper,
            None if math.isnan(cost) else cost,
            reasons,
        )

    def _good_enough(self, stay: Recommendation, best: Recommendation, least: float) -> bool:
        """Whether to stay is acceptable and no dearer; `least` is of the value, or of the net value."""
        assert stay.mean is not None
        value = self.problem.sign * stay.mean
        if (worth := self.problem.value_of_one) is not None:
            return value - (stay.cost or 0.0) / worth >= least
        dearer = stay.cost is not None and best.cost is not None and stay.cost > best.cost
        return value >= least and not dearer

    def _gain_over(self, stay: Recommendation, best: Recommendation) -> Reason:
        """The expected gain over the `current` values; its uncertainty is at most the sum of both."""
        gain = self.problem.sign * ((best.mean or 0.0) - (stay.mean or 0.0))
        unsure = 0.5 * sum((each.upper or 0.0) - (each.lower or 0.0) for each in (best, stay))
        return reason("gain-over-current", gain=gain, low=gain - unsure, high=gain + unsure)

    def _unknown_costs(self, costs: Float[np.ndarray, " m"]) -> list[Reason]:
        """Name the control sets whose costs are unknown, if any; none by name where all are."""
        names = [str(self.problem.scopes[int(i)]) for i in np.flatnonzero(np.isnan(costs))]
        if not names:
            return []
        return [reason("unknown-cost", scopes=[] if len(names) == len(costs) else names)]

    def _gain_at(self, history: History, context: Mapping[str, Any]) -> float:
        """Upper bound on the possible gain, in units of value (net of cost, where that has a price).

        The larger of two numbers: by how much the recommended set may fall short of acceptable,
        where another set reaches its upper bound; and by how much a cheaper set may yet exceed the
        least acceptable value. Where it is compared with the cost of one play, every choice counts
        less the cost of switching to it.
        """
        widening = self.surrogate.drift.widening
        if len(self.model) < STARTING_POINTS or not widening < np.inf:
            return np.inf
        switching = history.stop == "enough" and bool(self.problem.space.changes)
        candidates = self._answer_candidates(history, context, staying=switching)
        sign, costs = self.problem.sign, self.costs.means()
        rows, least, _, chosen = self._judge(candidates)
        best, every = rows[chosen], range(len(rows))
        if best.says("none-keeps"):
            return np.inf
        seed = self.streams.integer(0, "gain")
        width = BOUND * widening
        found = [
            self._best_answer(candidates, a, seed, width)[0] for a in range(len(candidates.arms))
        ]
        sets = [arm.set for arm in candidates.arms]
        upper = self.with_failure(
            np.array([self.unstandardised(one.value) for one in found]), candidates, sets
        )
        if switching:
            best, least = self._in_reach(candidates, chosen, best, least, history)
            reached = zip(candidates.arms, found, strict=True)
            values = (self.search_space.settings(arm, one.point) for arm, one in reached)
            upper -= [self._switching_in_value(each, history) for each in values]
        upper = np.array([upper[np.equal(sets, i)].max() for i in every])
        assert best.mean is not None
        assert best.lower is not None
        assert best.upper is not None
        mean = sign * best.mean
        lower = mean - widening * (mean - min(sign * best.lower, sign * best.upper))
        if self.problem.value_of_one is not None:
            if not self.costs_of_settings.active:  # else they are net already
                upper = upper - self.costs.in_value()
            return float(upper.max() - (lower - self._price_in_value(best)))
        highest = float(upper.max())
        wanted = min(highest, self.acceptable(highest, candidates))
        cheaper = [upper[i] - least for i in every if i != chosen and not costs[i] >= costs[chosen]]
        return float(max([wanted - lower, *cheaper]))

    def _in_reach(
        self,
        candidates: Candidates,
        chosen: int,
        best: Recommendation,
        least: float,
        history: History,
    ) -> tuple[Recommendation, float]:
        """The recommended set's best answer less the cost of switching to it, and the least acceptable value beside it.

        That may be to stay, where that is nearly as good.
        """
        seed, sign = self.streams.integer(0, f"recommend {chosen}"), self.problem.sign
        rows = [best]
        for a, arm in enumerate(candidates.arms):
            if arm.set == chosen and not arm.whole:
                found, mixture = candidates.best_answer(a, seed)
                if found.value > UNLIKELY / 2:
                    rows.append(self._described(candidates, arm, found.point, mixture))
        paid = [sign * self._switching_in_value(row.values, history) for row in rows]
        nets = [
            replace(
                row,
                mean=(row.mean or 0.0) - s,
                lower=(row.lower or 0.0) - s,
                upper=(row.upper or 0.0) - s,
            )
            for row, s in zip(rows, paid, strict=True)
        ]
        reached = max(nets, key=lambda row: sign * (row.mean or 0.0))
        return reached, least - sign * ((best.mean or 0.0) - (reached.mean or 0.0))

    def _switching_in_value(self, values: Mapping[str, Any], history: History) -> float:
        """Switching cost of setting values, in units of the objective: of money where their worth is not stated."""
        return (self.problem.change_cost(values, history) or 0.0) / (
            self.problem.value_of_one or 1.0
        )

    def _parts_now(self, i: int, context: Mapping[str, Any]) -> Sequence[Part]:
        """Parts of control set `i` in a context, without a time: failures are then judged as of now."""
        return self.search_space.parts_at(i, self.search_space.encoded(context))[
            : self.problem.space.dimension
        ]

    def success_probability(
        self, history: History, answer: Recommendation | PolicyStep
    ) -> float | None:
        """See `Method.success_probability`; variables that are not set are nature's draws."""
        if not self.surrogate.feasibility.failures.failures:
            return None
        i, space = self.problem.number(answer.scope), self.search_space
        parts = self._parts_now(i, answer.context)
        held = {
            self.problem.space.index(name): code
            for name, code in space.encoded(answer.values).items()
        }
        return self.surrogate.feasibility.failures.probability(
            rows_at(parts, held), parts, space.controls(i)
        )

    def limit_probabilities(
        self, history: History, scope: Scope, known: Mapping[str, Any], request: Mapping[str, Any]
    ) -> Mapping[str, float | None]:
        """See `Method.limit_probabilities`; variables that are not set are nature's draws."""
        found = dict(super().limit_probabilities(history, scope, known, request))
        if self.surrogate.feasibility.models:
            i, space = self.problem.number(scope), self.search_space
            seen = {name: value for name, value in known.items() if name in self.problem.space.seen}
            time = {TIME.name: request[TIME.name]} if self.problem.timed else {}
            parts = space.parts_at(i, space.encoded(seen) | time)
            point = self._point(i, {name: known[name] for name in self.problem.control_sets[i]})
            found |= self.surrogate.feasibility.probability_of_play(parts, point[None])
        return found

    def _keeps_limits(
        self, history: History, scope: Scope, values: Mapping[str, Any], request: Mapping[str, Any]
    ) -> bool:
        """Whether a play keeps each limit on an outcome as often as asked, as far as is known."""
        found = self.limit_probabilities(history, scope, {**context_of(request), **values}, request)
        limits = self.problem.further
        return all(
            chance is None or chance >= limits[name].probability for name, chance in found.items()
        )

    def constraint_slack(self, history: History, advice: Recommendation) -> Sequence[float | None]:
        """See `Method.constraint_slack`; nature's part of a sum counts at the quantile that the constraint asks for."""
        i, space = self.problem.number(advice.scope), self.search_space
        time = {TIME.name: now(history)} if self.problem.timed else {}
        parts = space.parts_at(i, space.encoded(advice.context) | time)
        slack = space.constraints.slack(space.sets[i], parts, advice.values)
        held = {
            self.problem.space.index(name): code
            for name, code in space.encoded(advice.values).items()
        }
        for k, limit in enumerate(self.problem.limits or ()):
            if isinstance(limit, OutcomeConstraint):
                slack[k] = self.surrogate.slack(limit.name, parts, held)
        return slack

    def policy(
        self, history: History, context: Mapping[str, Any], request: Mapping[str, Any]
    ) -> PolicyStep:
        """Apply `recommend` in this context, at the requested time."""
        self.check_informed(history)
        advice = self._answer_at(
            history, {**self._present_context(history), **context_of(request), **context}
        )
        return PolicyStep.of(advice, context)

    def read_logged(self, asked: Suggestion) -> None:
        """See `Method.read_logged`: a control set, and the round that is repeated."""
        try:
            self.problem.number(asked.scope)
        except KeyError:
            self.problem.read_scope(asked.scope)
        if "repeats" in asked.note:
            read_note(_Repeated, asked.note)
        read_likely(asked.note)

    def check_each_set(self, field: str, given: Sequence[Any]) -> None:
        """Refuse a list in a note that has not one entry for each control set.

        Raises:
            InvalidStudy: naming it.
        """
        if len(given) != self.m:
            allowed = f"{counted(self.m, 'entry', 'entries')}, one for each control set"
            raise InvalidStudy(f"note.{field}", list(given), allowed)

    def why(self, history: History, asked: Suggestion) -> Sequence[Reason]:
        """State the rule; for the first play that it is the stated one, for a repetition which round is repeated."""
        if (name := asked.note.get("repeats")) is not None:
            return [reason("repeat", name=name)]
        if (
            asked.round == 1
            and self.problem.current
            and asked.values == self.today.settings(asked.context)
        ):
            return [reason("current-play")]
        return [reason("rule", text=self.rule)] if self.rule else []

    def explain(self, history: History) -> Explanation:
        """State the rule; tabulate plays and costs."""
        return Explanation(self.rule, (self.control_set_table(history),))

    def control_set_table(self, history: History) -> Table:
        """Tabulate plays and cost of every control set, as stated or the mean; "unknown" where no cost was told."""
        costs = self.costs.means()
        rows = (
            (str(scope), int(self.plays[i]), "unknown" if np.isnan(costs[i]) else float(costs[i]))
            for i, scope in enumerate(self.problem.scopes)
        )
        stated = self.problem.costs is not None and self.problem.cost_formulas is None
        cost = "stated cost" if stated else "mean cost"
        return Table("Control sets", ("hold", "rounds", cost), tuple(rows))
