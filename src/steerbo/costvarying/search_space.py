"""Control sets as searchable domains: boxes, nature's part, constraints, and the candidate arms of a round."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, combinations
from typing import Any

import numpy as np

from .._arrays import Float
from ..core import TIME, History
from ..errors import InvalidContext
from ..optim import ROUNDING, Box, Maximum, box_of, covering, sobol_in_box
from ..surrogate import (
    ROUGH,
    Domain,
    Expectation,
    Mixture,
    Part,
    ProductKernelPosterior,
    Search,
    Uncontrolled,
    highest_of_each,
    maximise_bounds,
    parts_of,
    warm_started,
)
from ._constraints import SetConstraints
from ._nature import NatureModel
from .problem import CostVarying

_BEST = 8  # of `ROUGH` points
TRUST_RADII = (0.1, 0.25, 0.5)
"""Largest moves of a variable, as shares of its range, in the arms that move it only a little."""

Feasible = Callable[[int, Box, Sequence[Part]], Box | None]
"""Restricts the box of a control set, with the parts of all columns, to likely feasible settings; None: it has none."""
Laws = Callable[[Mapping[str, float]], Mapping[str, Uncontrolled]]
"""Nature's laws, by variable, given encoded values."""


@dataclass(frozen=True)
class Arm:
    """A control set, of which some hard-to-change variables may stay in place or move only a little.

    Args:
        set: index of the control set.
        keep: values that stay, in the user's units, by variable.
        near: encoded (low, high) of variables that move only a little; others may go anywhere.
    """

    set: int
    keep: Mapping[str, Any] = field(default_factory=dict)
    near: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether the whole box of the control set is searched."""
        return not self.keep and not self.near


@dataclass(frozen=True, eq=False)
class Candidates:
    """The arms that can be chosen in a round, and the posterior under which they are compared.

    Args:
        posterior: given the outcomes, with one draw of the hyperparameters or their likeliest
            values.
        domains: search domain of each arm, in the context of the round.
        known: encoded context by variable; with the time where the objective drifts.
        arms: the control sets in order; after them the arms that keep a variable in place, or near
            it.
        follows: whether the same state made a choice a moment ago, so that searches may start at
            their last ends.
        posteriors: the same with every draw of the hyperparameters, for an answer that averages
            over them.
    """

    posterior: ProductKernelPosterior
    domains: Sequence[Domain]
    known: Mapping[str, float]
    arms: Sequence[Arm]
    follows: bool = False
    posteriors: Sequence[ProductKernelPosterior] = ()

    @cached_property
    def narrow(self) -> Candidates:
        """The same arms with bounds of their expected value: see `Domain.narrow`."""
        return replace(self, domains=[each.narrow for each in self.domains])

    @property
    def limited(self) -> bool:
        """Whether settings of an arm have to keep to limits, or to be likely to."""
        return any(domain.box.constrained for domain in self.domains)

    def without_limits(self) -> Candidates:
        """The same arms with all their settings, whether or not these keep to limits or work."""
        return replace(self, domains=[replace(each, box=each.box.whole) for each in self.domains])

    def knowing(self, ends: Mapping[int, Maximum]) -> Candidates:
        """The same arms, of some of which the largest bounds without limits are known."""
        domains = [*self.domains]
        for i, end in ends.items():
            domains[i] = replace(domains[i], known=end)
        return replace(self, domains=domains)

    def expectation(self, i: int) -> Expectation:
        """Expected value of a play of arm `i` over nature's part: see `Expectation.over`."""
        return Expectation.over(self.posterior, self.domains[i].parts)

    def expected_mean(self, i: int) -> Expectation:
        """The same, of means alone: see `Expectation.of_means`."""
        return Expectation.of_means(self.posterior, self.domains[i].parts)

    def expected_value(self, i: int) -> Expectation:
        """The same with the deviation of the expected value itself: see `Expectation.of_value`."""
        return Expectation.of_value(self.posterior, self.domains[i].parts)

    def rough_deviation(self, i: int, beta: float, seed: int) -> float:
        """Largest deviation of arm `i`'s expected value at the points, of some, where its wide bound is highest."""
        domain, expectation = self.domains[i], self.expectation(i)
        points = sobol_in_box(domain.box, ROUGH, seed) if domain.box.dimension else np.zeros((1, 0))
        mean, deviation = expectation.moments(points)
        best = np.argsort(-(mean + beta * deviation), kind="stable")[:_BEST]
        return float(expectation.of_mean().moments(points[best])[1].max())

    def mixture(self, i: int, beta: float = 0.0) -> Mixture:
        """Expected value of arm `i` under every draw of the hyperparameters."""
        parts = self.domains[i].parts
        posteriors = self.posteriors or (self.posterior,)
        return Mixture([Expectation.of_value(each, parts) for each in posteriors], beta)

    @staticmethod
    def searches(every: Sequence[Candidates], seed: int) -> list[list[Search[Mixture]]]:
        """Searches for the largest expected value of each control set, in each of several contexts.

        Those without limits are made together: a set's contexts follow one another, as they share
        kernels. Their functions are of means alone: variances of many sets would be (n, n) arrays
        of each.
        """
        sets = [
            (arm.set, k, domain)
            for k, each in enumerate(every)
            for arm, domain in zip(each.arms, each.domains, strict=True)
            if arm.whole
        ]
        sets.sort(key=lambda each: each[:2])
        means = [
            Mixture(
                [
                    Expectation.of_means(one, domain.parts)
                    for one in every[k].posteriors or (every[k].posterior,)
                ]
            )
            for _, k, domain in sets
        ]
        found = highest_of_each(means, [domain.box.whole for _, _, domain in sets], seed)
        searches = [list[Search[Mixture]]() for _ in every]
        for mean, (_, k, domain), end in zip(means, sets, found, strict=True):
            searches[k].append(Search(mean, domain.box, seed, end))
        return searches


class SearchSpace:
    """The control sets of a problem as boxes of encoded settings, and the search for their largest bounds.

    Attributes:
        sets: columns of each control set, ascending, as expectations have them.
        columns: names of the model's input columns: all variables, and the time where the objective
            drifts.
        nature: laws of the variables, as known by now.
        boxes: box of each control set.
        constraints: constraints on settings.

    Raises:
        InvalidProblem: constraints leave nothing of a control set.
    """

    def __init__(self, problem: CostVarying, history: History) -> None:
        self.problem, self.space = problem, problem.space
        self.sets = [sorted(map(self.space.index, names)) for names in problem.control_sets]
        self.columns = (*self.space.names, *((TIME.name,) if problem.timed else ()))
        self._any_time = {TIME.name: 0.0} if problem.timed else {}
        self.nature = NatureModel(self.space, problem.nature, history)
        self.boxes = [box_of(self.space, controlled) for controlled in self.sets]
        self.constraints = SetConstraints(problem.limits, self.space)
        self.constraints.check_all(self.boxes, self.sets, self.parts_at)
        self._history = history
        self._found: tuple[int, dict[tuple[int, int, bool], Maximum]] = 0, {}  # see `_ends`

    def encoded(self, values: Mapping[str, Any]) -> dict[str, float]:
        """Encode values, by variable."""
        return {name: float(self.space[name].encode([value])[0]) for name, value in values.items()}

    def parts_at(self, i: int, known: Mapping[str, float]) -> Sequence[Part]:
        """Part of every column where control set `i` is set, in an encoded context; a value left out is at its low.

        The time is 0 where none is given: to judge plays of now, give it, or leave out its column,
        the last one.
        """
        seen = dict.fromkeys(self.space.seen, 0.0) | self._any_time | dict(known)
        return parts_of(self.columns, self.problem.control_sets[i], seen, self.nature.at(seen))

    @cached_property
    def sometimes_controlled(self) -> tuple[int, ...]:
        """Columns that some control sets hold and others do not, ascending."""
        held = sorted({d for columns in self.sets for d in columns})
        return tuple(d for d in held if not all(d in columns for columns in self.sets))

    def controls(self, i: int) -> tuple[float, ...]:
        """Indicators of the `sometimes_controlled` columns that control set `i` holds, 1 or 0."""
        return tuple(float(d in self.sets[i]) for d in self.sometimes_controlled)

    # -- arms --------------------------------------------------------------------------------------

    def candidates(
        self,
        posterior: ProductKernelPosterior,
        context: Mapping[str, Any],
        feasible: Feasible,
        laws: Laws,
        *,
        positions: Mapping[str, Any] | None = None,
        time: float | None = None,
        follows: bool = False,
        posteriors: Sequence[ProductKernelPosterior] = (),
        reach: Mapping[str, tuple[float, float]] | None = None,
    ) -> Candidates:
        """Build the candidate arms of a context.

        Args:
            posterior: see `Candidates`.
            context: values seen before choosing; nature draws a missing one.
            feasible: restricts a domain to likely feasible settings.
            laws: nature's, to choose or to answer by.
            positions: of hard-to-change variables that can stay; adds the arms that keep them in
                place, or near it.
            time: of the choice, where the objective drifts.
            follows: see `Candidates`.
            posteriors: see `Candidates`.
            reach: encoded ends that settings are searched within, by variable; None: their own.

        Raises:
            InvalidContext: constraints leave nothing of some control set.
        """
        known = self.encoded(context) | ({} if time is None else {TIME.name: time})
        drawn, arms = laws(known), self._arms(positions or {})
        found = [(arm, self.domain(arm, known, drawn, reach)) for arm in arms]
        possible = [(arm, domain) for arm, domain in found if domain is not None]
        if sum(arm.whole for arm, _ in possible) < len(self.sets):
            raise _outside(context)
        boxes = [
            (arm, domain.parts, feasible(arm.set, domain.box, domain.parts))
            for arm, domain in possible
        ]
        left = [(arm, Domain(parts, box)) for arm, parts, box in boxes if box is not None]
        return Candidates(
            posterior,
            [each for _, each in left],
            known,
            [arm for arm, _ in left],
            follows,
            posteriors,
        )

    def _arms(self, positions: Mapping[str, Any]) -> list[Arm]:
        """Every control set; then the arms of each that keep some of the positions, or stay near one."""
        arms = [Arm(i) for i in range(len(self.sets))]
        for i in range(len(self.sets)):
            arms += self.in_place(i, positions)[1:]
            arms += [Arm(i, near=near) for near in self._trust_regions(i, positions)]
        return arms

    def _trust_regions(
        self, i: int, positions: Mapping[str, Any]
    ) -> list[dict[str, tuple[float, float]]]:
        """Intervals around the only hard-to-change variable of a set, where its cost grows with the distance."""
        hard = [name for name in self.problem.control_sets[i] if name in self.space.changes]
        if len(hard) != 1 or hard[0] not in positions or not self.space.changes[hard[0]].per_unit:
            return []
        (name,), at = hard, self.encoded(positions)[hard[0]]
        levels = self.space[name].levels
        gap = (
            0.0 if levels is None else float(np.diff(levels).min(initial=1.0))
        )  # a smaller move leads nowhere
        radii = [radius for radius in TRUST_RADII if radius >= gap - ROUNDING]
        return [{name: (at - radius, at + radius)} for radius in radii]

    def domain(
        self,
        arm: Arm,
        known: Mapping[str, float],
        laws: Mapping[str, Uncontrolled],
        reach: Mapping[str, tuple[float, float]] | None = None,
    ) -> Domain | None:
        """Search domain of an arm within the constraints, and within reach; None: constraints leave nothing of it.

        Where constraints leave nothing within reach, all of the arm is searched.
        """
        columns = self.searched(arm)
        names = [self.space.names[d] for d in columns]
        parts = parts_of(self.columns, names, {**known, **self.encoded(arm.keep)}, laws)
        box = self.boxes[arm.set] if arm.whole else box_of(self.space, columns, arm.near)
        if reach:
            near = box_of(self.space, columns, _within(arm.near, reach))
            close = self.constraints.feasible(near, columns, tuple(arm.keep), parts)
            if close is not None:
                return Domain(parts, close)
        left = self.constraints.feasible(box, columns, tuple(arm.keep), parts)
        return None if left is None else Domain(parts, left)

    def domain_at(self, arm: Arm, context: Mapping[str, Any]) -> Domain | None:
        """`domain` in a context, with the laws as known by now, at any time."""
        known = self.encoded(context) | self._any_time
        return self.domain(arm, known, self.nature.at(known))

    # -- points ------------------------------------------------------------------------------------

    def searched(self, arm: Arm) -> list[int]:
        """Columns of an arm that are searched, ascending: those of the set that do not stay in place."""
        return [d for d in self.sets[arm.set] if self.space.names[d] not in arm.keep]

    def settings(self, arm: Arm, point: Float[np.ndarray, " c"]) -> dict[str, Any]:
        """Values to set, in the user's units, for an encoded point of an arm; with those it keeps."""
        variables = [self.problem.variables[d] for d in self.searched(arm)]
        return {v.name: v.decode(point[j : j + 1])[0] for j, v in enumerate(variables)} | dict(
            arm.keep
        )

    def point(self, i: int, values: Mapping[str, Any]) -> Float[np.ndarray, " c"]:
        """Encoded point of control set `i` at these values of its variables."""
        codes = self.encoded(values)
        return np.array([codes[self.space.names[d]] for d in self.sets[i]])

    def placed(
        self, arm: Arm, context: Mapping[str, Any], unit: Float[np.ndarray, "1 c"]
    ) -> Float[np.ndarray, " c"]:
        """Map a point of the unit cube to an encoded point of an arm.

        Raises:
            InvalidContext: constraints leave nothing in this context.
        """
        box = self._box_at(arm, context)
        if box is None:
            raise _outside(context)
        return np.asarray(box.place(unit)[0])

    def covering(self, arm: Arm, context: Mapping[str, Any]) -> Float[np.ndarray, "g c"]:
        """Encoded points all over an arm, (g, c); none where constraints leave nothing in this context."""
        box = self._box_at(arm, context)
        return np.empty((0, len(self.searched(arm)))) if box is None else covering(box)

    def in_place(self, i: int, positions: Mapping[str, Any]) -> list[Arm]:
        """Arms of a control set that keep some of the positions: none first, all at last."""
        here = [name for name in self.problem.control_sets[i] if name in positions]
        kept = chain.from_iterable(combinations(here, k) for k in range(len(here) + 1))
        return [Arm(i, {name: positions[name] for name in some}) for some in kept]

    def moved_in_place(
        self, arm: Arm, point: Float[np.ndarray, " c"], stays: Arm, context: Mapping[str, Any]
    ) -> Float[np.ndarray, " k"] | None:
        """Nearest feasible point of the arm `stays`, for one of an arm of the same set; None: it has none here."""
        before = self.searched(arm)
        left = np.asarray(point[[before.index(d) for d in self.searched(stays)]])
        box = self._box_at(stays, context)
        if box is None:
            return None
        return np.asarray(box.into(left))

    def feasible_in(self, arm: Arm, context: Mapping[str, Any]) -> bool:
        """Whether the constraints leave anything of an arm in this context."""
        return self._box_at(arm, context) is not None

    def _box_at(self, arm: Arm, context: Mapping[str, Any]) -> Box | None:
        if not self.problem.limits and arm.whole:
            return self.boxes[arm.set]
        found = self.domain_at(arm, context)
        return None if found is None else found.box

    # -- search ------------------------------------------------------------------------------------

    def search(
        self,
        candidates: Candidates,
        arms: Sequence[int],
        beta: float,
        seed: int,
    ) -> list[Maximum]:
        """Largest bound of each of some candidate arms: see `maximise_bounds`.

        A choice that follows another at once starts where the searches of that one ended, so that
        choices for many workers are cheap. No other choice depends on earlier searches.
        """
        chosen, domains = [candidates.arms[i] for i in arms], [candidates.domains[i] for i in arms]
        whole = all(arm.whole for arm in chosen) and not any(d.box.constrained for d in domains)
        sign = int(np.sign(beta))  # β itself changes slowly
        keys = [
            (arm.set, sign, domain.of_value) for arm, domain in zip(chosen, domains, strict=True)
        ]
        if candidates.follows and whole and self._ends.keys() >= set(keys):
            near = partial(warm_started, candidates.posterior, seed=seed)
            return [
                near(domain, self._ends[key], beta)
                for domain, key in zip(domains, keys, strict=True)
            ]
        found = maximise_bounds(candidates.posterior, domains, beta, seed)
        if whole:
            self._ends.update(zip(keys, found, strict=True))
        return found

    @property
    def _ends(self) -> dict[tuple[int, int, bool], Maximum]:
        """Ends of the searches of whole sets, by set, sign of β and kind of bound: see `search`.

        They are of use until the next event that is no suggestion: a pending play only lowers
        bounds.
        """
        told = self._history.event_count - len(self._history)
        if self._found[0] != told:
            self._found = told, {}
        return self._found[1]


def _within(
    near: Mapping[str, tuple[float, float]], reach: Mapping[str, tuple[float, float]]
) -> dict[str, tuple[float, float]]:
    """Intersect intervals by variable; where two have nothing in common, the first one stays.

    >>> _within({"t": (0.1, 0.3)}, {"t": (0.2, 0.6), "ph": (0.0, 0.5)})
    {'t': (0.2, 0.3), 'ph': (0.0, 0.5)}
    """
    both = dict(reach)
    for name, (low, high) in near.items():
        at_least, at_most = reach.get(name, (low, high))
        common = max(low, at_least), min(high, at_most)
        both[name] = common if common[0] <= common[1] else (low, high)
    return both


def _outside(context: Mapping[str, Any]) -> InvalidContext:
    hint = (
        "No settings keep the limits with these values: are they within what the problem says "
        "may be seen? If so, the laws learned so far leave no room for the limits."
    )
    return InvalidContext(
        "context", dict(context), "values that leave some setting within the limits", hint
    )
