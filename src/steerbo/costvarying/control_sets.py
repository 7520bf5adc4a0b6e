"""What each control set sets, knows and leaves to nature, and the search for its largest bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, combinations
from typing import Any

import numpy as np
from jaxtyping import Float

from ..core import TIME, Method, OptionsT, Streams
from ..errors import InvalidContext
from ..optim import Box, Maximum, Polytope
from ..surrogate import (
    Domain,
    Expectation,
    Mixture,
    Part,
    ProductKernelPosterior,
    Uncontrolled,
    highest_of,
    maximise_bounds,
    parts_of,
    warm_started,
)
from .laws import NatureLaws
from .limits import SetLimits, box_of
from .problem import CostVarying

WAYS = (0.1, 0.25, 0.5)
"""Shares of its range that a variable is moved at most, where moving costs by the way."""


@dataclass(frozen=True)
class Arm:
    """A control set, of which some hard-to-change variables may stay where they are, or be moved but a short way.

    Args:
        set: the control set's number.
        keep: values that stay, in the user's units, by variable.
        near: encoded ends of where others may go, by variable; what is left out may go anywhere.
    """

    set: int
    keep: Mapping[str, Any] = field(default_factory=dict)
    near: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Outlook:
    """What a choice is made on.

    Args:
        process: the Gaussian process.
        domains: where the search for each arm goes, at what is known.
        known: what is seen before choosing, encoded, by variable; and the time, where it matters.
        arms: the control sets in order; after them those with something that stays, or goes but a short way.
        follows: whether a choice was made by the same state a moment ago.
        processes: the same with each draw of the hyperparameters, where an answer is to count what is open of them.
    """

    process: ProductKernelPosterior
    domains: Sequence[Domain]
    known: Mapping[str, float]
    arms: Sequence[Arm]
    follows: bool = False
    processes: Sequence[ProductKernelPosterior] = ()


class Searching(Method[CostVarying, OptionsT]):
    """A method that knows its control sets as boxes of encoded settings."""

    solves = CostVarying

    def __init__(self, problem: CostVarying, options: OptionsT, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.space = problem.space
        # ascending, as expectations have them, in whatever order the problem names them
        self.sets = [sorted(map(self.space.index, names)) for names in problem.control_sets]
        self.nature = NatureLaws(problem)
        self.columns_of_model = (*self.space.names, *((TIME.name,) if problem.timed else ()))
        self.boxes = [box_of(self.space, controlled) for controlled in self.sets]
        self.limits = SetLimits(problem)
        self.limits.check_all(self.boxes, self.sets, self.parts_at)
        # What searches for whole sets found since the last outcome, by set, β and kind of bound: see `search`.
        self._ends: dict[tuple[int, float, bool], Maximum] = {}

    def parts_at(self, i: int, known: Mapping[str, float]) -> Sequence[Part]:
        """Every column's part where control set `i` is held and this is seen, encoded; the rest at its low."""
        now = {TIME.name: 0.0} if self.problem.timed else {}
        seen = dict.fromkeys(self.space.seen, 0.0) | dict(known) | now
        return parts_of(self.columns_of_model, self.problem.control_sets[i], seen, self.nature.at(seen))

    def looking(
        self,
        process: ProductKernelPosterior,
        context: Mapping[str, Any],
        present: Mapping[str, Any] | None = None,
        answering: bool = False,
        time: float | None = None,
    ) -> Outlook:
        """What a choice is made on where `context` is seen, and at a time; what is not seen of it nature draws.

        Every control set has a twin for each choice of what may stay of its variables that are `present`; where one
        alone of them can be moved, at a price by the way, also some that move it but a short way. `answering`: bounds
        count that rows of data tell a law only so well, and what is found is to be surer to work.
        """
        known = self._encoded(context) | ({} if time is None else {TIME.name: time})
        there, laws = present or {}, self.nature.at(known, answering)
        arms = [Arm(i) for i in range(len(self.sets))]
        for i, names in enumerate(self.problem.control_sets):
            here = [name for name in names if name in there]
            kept = chain.from_iterable(combinations(here, k) for k in range(1, len(here) + 1))
            arms += [Arm(i, {name: there[name] for name in some}) for some in kept]
            arms += [Arm(i, near=near) for near in self._short_ways(i, there)]
        found = [(arm, self.domain(arm, known, laws)) for arm in arms]
        possible = [(arm, domain) for arm, domain in found if domain is not None]
        if sum(not arm.keep and not arm.near for arm, _ in possible) < len(self.sets):
            raise _beyond(context)
        boxes = [(arm, domain.parts, self.guarded(domain.box, domain.parts, answering)) for arm, domain in possible]
        open_to = [(arm, Domain(parts, box)) for arm, parts, box in boxes if box is not None]
        return Outlook(process, [domain for _, domain in open_to], known, [arm for arm, _ in open_to])

    def guarded(self, box: Box, parts: Sequence[Part], answering: bool = False) -> Box | None:
        """A box where it keeps to limits on what is learned of; here nothing is. None: there is nothing to search."""
        return box

    def _short_ways(self, i: int, there: Mapping[str, Any]) -> list[dict[str, tuple[float, float]]]:
        hard = [name for name in self.problem.control_sets[i] if name in self.problem.space.changes]
        if len(hard) != 1 or hard[0] not in there or not self.problem.space.changes[hard[0]].per_unit:
            return []
        (name,), at = hard, self._encoded(there)[hard[0]]
        levels = self.space[name].levels
        gap = 0.0 if levels is None else float(np.diff(levels).min(initial=1.0))  # a step at least leads elsewhere
        ways = [way + 1e-9 for way in WAYS]  # a step may be one of them, but for rounding
        return [{name: (at - way, at + way)} for way in ways if way >= gap]

    def _encoded(self, values: Mapping[str, Any]) -> dict[str, float]:
        return {name: float(self.space[name].encode([value])[0]) for name, value in values.items()}

    def domain(self, arm: Arm, known: Mapping[str, float], laws: Mapping[str, Uncontrolled]) -> Domain | None:
        """Where the search for an arm goes: what stays is known, and what is left of the set is searched.

        None: limits leave nothing of it.
        """
        columns = self.columns(arm)
        names = [self.space.names[d] for d in columns]
        parts = parts_of(self.columns_of_model, names, {**known, **self._encoded(arm.keep)}, laws)
        box = box_of(self.space, columns, arm.near) if arm.keep or arm.near else self.boxes[arm.set]
        left = self.limits.of(box, columns, tuple(arm.keep), parts)
        return None if left is None else Domain(parts, left)

    def placed(self, arm: Arm, context: Mapping[str, Any], unit: Float[np.ndarray, "1 c"]) -> np.ndarray:
        """A point (c,) of what an arm may set where this is seen, from one of the unit cube.

        Raises:
            InvalidContext: limits leave nothing where this is seen.
        """
        box = self._box_at(arm, context)
        if box is None:
            raise _beyond(context)
        return np.asarray(box.place(unit)[0])

    def _box_at(self, arm: Arm, context: Mapping[str, Any]) -> Box | None:
        if not self.problem.limits:
            return self.boxes[arm.set]
        known = self._encoded(context) | ({TIME.name: 0.0} if self.problem.timed else {})
        found = self.domain(arm, known, self.nature.at(known))
        return None if found is None else found.box

    def columns(self, arm: Arm) -> list[int]:
        """Which variables are searched: those of the set that do not stay, ascending."""
        return [d for d in self.sets[arm.set] if self.space.names[d] not in arm.keep]

    def staying(
        self, arm: Arm, point: np.ndarray, present: Mapping[str, Any], request: Mapping[str, Any]
    ) -> tuple[Arm, np.ndarray]:
        """The arm of which all stays that is `present`, and a point of it with what is left of an arm's point.

        That is moved to where limits let it be; where they let it be nowhere, everything is as it was given.
        """
        names, before = self.problem.control_sets[arm.set], self.columns(arm)
        stays = Arm(arm.set, {name: present[name] for name in names if name in present})
        left = point[[before.index(d) for d in self.columns(stays)]]
        if not self.problem.limits:
            return stays, left
        box = self._box_at(stays, request.get("context", {}))
        if box is None:
            return arm, point
        return stays, box.into(left) if isinstance(box, Polytope) else left

    def expectation(self, outlook: Outlook, i: int, product: bool = True) -> Expectation:
        """Expectations over what arm `i` leaves to nature; `product`: see `Expectation.over`."""
        return Expectation.over(outlook.process, outlook.domains[i].parts, product)

    def search(
        self, outlook: Outlook, sets: Sequence[int], betas: Sequence[float], seed: int, of_mean: bool = False
    ) -> list[list[Maximum]]:
        """For each of `sets`, or other arms of the outlook, and each β the largest bound: see `highest`.

        Where the choice follows another, it begins where that one's searches have ended: whoever chooses for many
        workers at once need not look everywhere again. No other choice hangs on what was searched before.
        """
        arms, domains = [outlook.arms[i] for i in sets], [outlook.domains[i] for i in sets]
        whole = not any(arm.keep or arm.near for arm in arms) and not any(isinstance(d.box, Polytope) for d in domains)
        keys = [[(arm.set, beta, of_mean) for beta in betas] for arm in arms]
        if outlook.follows and whole and self._ends.keys() >= set(chain.from_iterable(keys)):
            near = partial(warm_started, outlook.process, seed=seed, of_mean=of_mean)
            return [
                [near(domain, self._ends[key], beta) for key, beta in zip(row, betas, strict=True)]
                for domain, row in zip(domains, keys, strict=True)
            ]
        found = maximise_bounds(outlook.process, domains, betas, seed, of_mean)
        if whole:
            self._ends |= zip(chain.from_iterable(keys), chain.from_iterable(found), strict=True)
        return found

    def mixture(self, outlook: Outlook, i: int, beta: float = 0.0) -> Mixture:
        """The expected value of arm `i` by every draw of the hyperparameters."""
        parts = outlook.domains[i].parts
        processes = outlook.processes or (outlook.process,)
        return Mixture([Expectation.over(each, parts, product=False).of_mean() for each in processes], beta)

    def answer(self, outlook: Outlook, i: int, seed: int, beta: float = 0.0) -> tuple[Maximum, Mixture]:
        """Where `m + β √v` of the expected value of arm `i` is largest, m and v those of the mixture."""
        box, mixture = outlook.domains[i].box, self.mixture(outlook, i, beta)
        if not box.dimension:
            points = np.zeros((1, 0))
            return Maximum(points[0], float(mixture.values(points)[0]), points, mixture.values(points)), mixture
        return highest_of(mixture, box, seed), mixture

    def forget_ends(self) -> None:
        """Something was learned: bounds may be highest elsewhere."""
        self._ends = {}

    def settings(self, arm: Arm, point: np.ndarray) -> dict[str, Any]:
        """Values to set, in the user's units, for an encoded point of an arm; what stays is among them."""
        found = {
            self.problem.variables[d].name: self.problem.variables[d].decode(point[j : j + 1])[0]
            for j, d in enumerate(self.columns(arm))
        }
        return {**found, **arm.keep}


def _beyond(context: Mapping[str, Any]) -> InvalidContext:
    hint = (
        "It lies beyond what the problem says may be seen, or laws that are learned have changed, and limits count it."
    )
    return InvalidContext("context", dict(context), "what leaves something to set within the limits", hint)
