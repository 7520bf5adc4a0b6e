"""Arms of a round compared by upper bounds and prices, and by what their next plays may teach.

`search` finds the largest bounds: it is the main search of a round. It takes long, so that bounds
within limits, and next plays, are searched for no further than the comparison asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._arrays import Float
from ..bandit import ArmBounds, Judging, Selection, cheapest_sufficient
from ..core import batch_position
from ..optim import Maximum
from ..surrogate import ARRIVED, most_within
from ._switching import PayingMoves, Switching
from .method import CostVaryingMethod
from .search_space import Arm, Candidates

# arms up to which all plays are searched for with the bounds, whether they are compared or not
_FEW = 8
DEVIATION_MARGIN = 2.0
"""Factor of `Candidates.rough_deviation` that a play's deviation is taken not to exceed. No proof: in 592 searches
on four functions, with 12 to 150 outcomes, it was at most 1.43 times. Where it were more, a cheap
set that would have been enough could be passed over for a dearer one."""


class ArmComparison:
    """Arms that can be played in a round, and the choice among them: `search` comes first.

    Args:
        method: whose model and costs the arms are compared by.
        request: of `ask`.
        beta: β, the width of all bounds.
        patience: κ, how much of a play's uncertainty makes up for lagging behind.
        mixed: whether the candidates hold the mixture of all draws, too.

    Attributes:
        candidates: the plays that are open to the round.
        arms: numbers of the arms that are compared, those that are affordable.
        next_points: the arms' next plays, as far as they are known, by arm.
        least: value that an arm must come near, in units of `sign · value`; net of costs where a
            unit has a price. Known after the search.
    """

    least: float
    _bounds: ArmBounds
    _moves: PayingMoves | None = None

    def __init__(
        self,
        method: CostVaryingMethod[Any],
        request: Mapping[str, Any],
        *,
        beta: float,
        patience: float,
        mixed: bool,
    ) -> None:
        self._method = method
        self._beta = beta
        self._patience = patience
        self._switches = bool(method.problem.space.changes)
        self.candidates = method.candidates(request, staying=True, mixed=mixed)
        self.arms, self.next_points = self._affordable_arms(request)
        # To search within limits takes long: the largest bounds without them say which arms need to
        # be.
        self._lazy = self.candidates.limited
        self._few = (
            patience > 0.0 and not self._switches and not self._lazy and len(self.arms) <= _FEW
        )
        self._outside = set(self.arms) if self._lazy else set[int]()  # bounds without limits
        sets = [self.candidates.arms[a].set for a in self.arms]
        self._likely = method.surrogate.success_probabilities(self.candidates)[sets]
        if method.problem.value_of_one is None:
            self._prices, self._worth = method.costs.means()[sets], np.zeros(len(sets))
        else:
            self._prices, self._worth = np.zeros(len(sets)), method.costs.in_value()[sets]

    def search(self) -> None:
        """Search for the largest bound of each arm, and for the value that an arm must come near."""
        self._upper, self._found = self._first_bounds()
        self._free = dict(self._found)
        if self._switches:
            self._moves = PayingMoves(self._method, self.candidates, self.arms, self.plays)
        upper = np.array([self._upper[a] for a in self.arms])
        judge = self._judged if self._lazy or self._switches else None
        self._bounds = ArmBounds(upper - self._worth, judge)
        self.least = self._least()

    def cheapest_sufficient(self, alike: float) -> Selection:
        """Choose among `arms` the cheapest one that is enough; prices within the factor `alike` count as equal.

        Where none is likely to keep the limits and to work it is the likeliest, whatever it costs.
        """
        if self.least == -np.inf:
            self._bounds.exact(range(len(self.arms)))
            some = [k for k, a in enumerate(self.arms) if self._may_be_played(a)]
            return Selection(max(some, key=lambda k: self._found[self.arms[k]].rank), None)
        return cheapest_sufficient(
            self._bounds,
            self._prices,
            self.least,
            self._widths,
            self._patience,
            alike=alike,
            at_most=None if self._few else self._at_most,
        )

    def upper_by_set(self) -> tuple[float | None, ...]:
        """Largest upper bound of each set, in the user's units; None for a set that cannot be played."""
        return upper_by_set(self._method, self.candidates, self._upper, self._found)

    @property
    def switching(self) -> Switching | None:
        """Compare the best of the moves that might be chosen with staying; None: there was no such choice.

        That which may reach most is always one of them.
        """
        if self._moves is None or not self._moves.moving:
            return None
        if self._moves.best is None:
            some = [k for k, a in enumerate(self.arms) if a in self._moves.moving]
            self._bounds.exact([max(some, key=lambda k: float(self._bounds.upper[k]))])
        return self._moves.best

    def close(self) -> None:
        """Compare no further: arrays of all arms would stay until the next collection of cycles."""
        self._bounds.close()
        self._moves = None

    # -- which arms --------------------------------------------------------------------------------

    def _affordable_arms(self, request: Mapping[str, Any]) -> tuple[list[int], dict[int, Maximum]]:
        """Arms that fit into the remaining budget; with switching costs also the points of their plays, by arm."""
        method, candidates = self._method, self.candidates
        affordable = method.affordable(request)
        arms = [a for a, arm in enumerate(candidates.arms) if affordable[arm.set]]
        if not self._switches:
            return arms, {}
        if batch_position(request).number > 1:  # later plays of a batch switch nothing, if they can
            positions = method.problem.keepable_positions(method.history)
            arms = [
                a for a in arms if self._switches_nothing(candidates.arms[a], positions)
            ] or arms
        each = [(a, candidates.arms[a]) for a in arms]
        tight = [a for a, arm in each if not method.costs.fits_keeping(arm.set, arm.keep)]
        next_points = self._plays_by_wide_bounds(tight) if tight else {}
        # where none fits at its best point, the best of those that fit in place is played there:
        # see `play`
        fitting = [
            a for a, arm in each if a not in next_points or method.fits(arm, next_points[a].point)
        ]
        return fitting or arms, next_points

    def _switches_nothing(self, arm: Arm, positions: Mapping[str, Any]) -> bool:
        """Whether an arm keeps exactly the hard-to-change variables that have positions."""
        problem = self._method.problem
        hard = {name for name in problem.control_sets[arm.set] if name in problem.space.changes}
        return hard == arm.keep.keys() == positions.keys()

    # -- bounds ------------------------------------------------------------------------------------

    def _first_bounds(self) -> tuple[dict[int, float], dict[int, Maximum]]:
        """u_i of the affordable arms, in units of `sign · value`, and the results of the search; by arm.

        Of few arms the next plays are found by the same search, which takes much less time than
        two.
        """
        method, arms, wide = self._method, self.arms, self.candidates
        if self._few:
            k = len(arms)
            both = replace(
                wide, arms=[*wide.arms] * 2, domains=[*wide.narrow.domains, *wide.domains]
            )
            plays = [len(wide.arms) + a for a in arms]
            found = method.search_space.search(
                both, [*arms, *plays], self._beta, method.search_seed
            )
            self.next_points = dict(zip(arms, found[k:], strict=True))
            upper, found = method.upper_values(wide, arms, found[:k]), found[:k]
        else:
            wide = wide.without_limits() if self._lazy else wide
            upper, found = method.narrow_upper_bounds(wide, arms, self._beta)
        return dict(zip(arms, upper.tolist(), strict=True)), dict(zip(arms, found, strict=True))

    def _judged(self, k: int) -> Judging:
        """u_i of an arm within limits, net of its cost; minus infinity where its move is not worth making."""
        if self._lazy:
            a, seed = self.arms[k], self._method.search_seed
            posterior, domain = self.candidates.posterior, self.candidates.narrow.domains[a]
            for most in most_within(posterior, domain, self._free[a], self._beta, seed=seed):
                found = replace(self._free[a], value=most)
                (upper,) = self._method.upper_values(self.candidates, [a], [found])
                yield min(self._bounded(k, found, float(upper)), float(self._bounds.upper[k]))
            bound = self._within_limits(k)
            if self._moves is None:
                return bound
            yield bound
        return self._without_poor_move(k)

    def _within_limits(self, k: int) -> float:
        """u_i of an arm within its limits, net of its cost where that has a price."""
        a = self.arms[k]
        candidates = self.candidates.narrow.knowing({a: self._free[a]})
        (upper,), (found,) = self._method.narrow_upper_bounds(candidates, [a], self._beta)
        self._outside.discard(a)
        return self._bounded(k, found, float(upper))

    def _bounded(self, k: int, found: Maximum, upper: float) -> float:
        """The bound of an arm, net of its cost; that of its set is one for what stays, or moves a little, too."""
        a = self.arms[k]
        self._upper[a], self._found[a] = upper, found
        bound, arms = float(upper - self._worth[k]), self.candidates.arms
        if arms[a].whole:
            # an arm that stays, or moves a little, reaches no further, but for where a search ends
            same = [j for j, b in enumerate(self.arms) if arms[b].set == arms[a].set and b != a]
            self._bounds.at_most(same, bound + ARRIVED * self._method.model.scale)
        return bound

    def _may_be_played(self, a: int) -> bool:
        """Whether an arm moves nothing for less than that costs."""
        return self._moves is None or self._moves.play_of(a) is not None

    def _without_poor_move(self, k: int) -> float:
        """The same; minus infinity of an arm whose move is not worth its switching cost."""
        assert self._moves is not None
        a = self.arms[k]
        if (play := self._moves.play_of(a)) is None:
            return -np.inf
        self.next_points[a] = play
        return float(self._upper[a] - self._worth[k])

    def _least(self) -> float:
        """Value that an arm must come near: the least acceptable one where the best may reach the largest bound.

        Minus infinity where no arm is likely to keep the limits and to work.
        """
        best = self._bounds.highest(range(len(self.arms)))
        highest = float(self._bounds.upper[best])
        if self._method.problem.value_of_one is not None or highest == -np.inf:
            return highest
        return min(highest, self._method.surrogate.acceptable(highest, self.candidates.known))

    # -- widths ------------------------------------------------------------------------------------

    def _widths(self, some: Sequence[int]) -> Float[np.ndarray, " k"]:
        """w_i of some arms, after a search for the points of their plays."""
        tried = [self.arms[k] for k in some]
        self._add_plays(tried)
        each = [
            self._method.width(self.candidates, a, self.next_points[a].point, self._beta)
            for a in tried
        ]
        return np.asarray(self._likely[some] * each)

    def _at_most(self, some: Sequence[int]) -> Float[np.ndarray, " k"]:
        """Numbers that the widths of some arms are taken not to exceed, (k,)."""
        seed = self._method.search_seed
        factors = self._likely * (2 * self._beta * self._method.model.scale * DEVIATION_MARGIN)
        numbers = []
        for k in some:
            # no less than the rough deviation, and known already
            widest = self._found[self.arms[k]].widest
            if (
                widest == np.inf
                or self._bounds.upper[k] + self._patience * factors[k] * widest >= self.least
            ):
                widest = self.candidates.rough_deviation(self.arms[k], self._beta, seed)
            numbers.append(factors[k] * widest)
        return np.array(numbers)

    def plays(self, arms: Sequence[int]) -> list[Maximum]:
        """Next plays of arms, which are searched for where they are not known yet."""
        self._add_plays(arms)
        return [self.next_points[a] for a in arms]

    def _add_plays(self, arms: Iterable[int]) -> None:
        """Add plays of arms by wide bounds; these are the narrow ones where nature has no part."""
        for a in arms:
            if not self.candidates.domains[a].uncertain and a not in self._outside:
                self.next_points.setdefault(a, self._found[a])
        if left := [a for a in arms if a not in self.next_points]:
            self.next_points.update(self._plays_by_wide_bounds(left))

    def _plays_by_wide_bounds(self, arms: list[int]) -> dict[int, Maximum]:
        _, found = self._method.wide_upper_bounds(self.candidates, arms, self._beta)
        return dict(zip(arms, found, strict=True))


def upper_by_set(
    method: CostVaryingMethod[Any],
    candidates: Candidates,
    upper: Mapping[int, float],
    found: Mapping[int, Maximum],
) -> tuple[float | None, ...]:
    """Largest upper bound of each set, in the user's units; None for a set without a feasible arm.

    Args:
        method: whose sets they are.
        candidates: the plays that are open to the round.
        upper: bounds by arm, in units of `sign · value`.
        found: results of the search for them, by arm.
    """
    largest: dict[int, float] = {}
    for a, bound in upper.items():
        if found[a].likely:
            i = candidates.arms[a].set
            largest[i] = max(largest.get(i, bound), bound)
    return tuple(
        method.problem.sign * largest[i] if i in largest else None for i in range(method.m)
    )
