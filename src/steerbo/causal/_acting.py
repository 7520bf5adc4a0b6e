"""Optimisation of actions by an arm's model, each based only on its contexts; and the greedy policy of answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from .._arrays import Float
from ..core import PolicyStep, Streams, reason
from ..errors import InvalidContext
from ..optim import FeasibleRegion
from ..surrogate import Acquisition, ExpectedAcquisition, Rows, Uncontrolled, ucb
from ._arms import Arm
from ._contexts import ContextSample, subsample
from ._costs import ActionCost
from ._feasibility import ArmFeasibility
from ._staged import AffectedContexts, StagedSearch
from .models import Wanted

_IMAGINED = 16  # rows of unknown contexts that a decision is averaged over
_DRAWN = 64  # random points, of which a feasible one is taken
_NUDGE = 0.02  # of the box's width


@dataclass(frozen=True, eq=False)
class PolicyOptimiser:
    """Optimises the actions of an arm by the model of its outcomes.

    Where prices depend on settings, cost is weighed against value, see `ActionCost`; unaffordable
    settings are moved to affordable ones. Unknown contexts are drawn from `marginalise`, given the
    known ones; None: from the arm's past points, independently of the known ones. Contexts that its
    own actions affect are drawn from `affected`.
    """

    arm: Arm
    model: Wanted
    cost: ActionCost | None = None
    feasibility: ArmFeasibility | None = None
    marginalise: ContextSample | None = None
    affected: AffectedContexts | None = None

    @property
    def _feasible(self) -> ArmFeasibility:
        return self.feasibility or ArmFeasibility(self.arm)

    def random(
        self, group: tuple[str, ...], known: Mapping[str, Any], random: np.random.Generator
    ) -> dict[str, Any]:
        """Draw values of a group of actions: the first of some that is likely enough to be feasible."""
        arm, free = self.arm, self._unset(group, known)
        unseen = (
            self._unknown(self._usable(group, known), random)
            if self._feasible.probabilistic
            else {}
        )
        box = self._feasible.region(free, known, unseen)
        points = box.place(
            random.random((_DRAWN if isinstance(box, FeasibleRegion) else 1, len(free)))
        )
        if isinstance(box, FeasibleRegion):
            kept = box.margin(points)
            points = points[
                [int(np.argmax(kept >= 0.0) if (kept >= 0.0).any() else np.argmax(kept))]
            ]
        return arm.decode(group, self._affordable(group, free, points[0], known, unseen))

    def best(
        self,
        group: tuple[str, ...],
        known: Mapping[str, Any],
        score: Acquisition,
        random: np.random.Generator,
        *,
        tried: Float[np.ndarray, "p d"] | None = None,
    ) -> dict[str, Any]:
        """Maximise `score` over the values of a group of actions.

        An action depends on its own contexts only, and on actions with no further contexts. All
        other contexts are averaged over, and all other actions are optimised along with it and then
        forgotten. Points in `tried`, which have no outcome yet, are not repeated to the last digit:
        a close neighbour is as informative, and a failure there need not recur. Where its
        consequences are looked at later, see `StagedSearch`.
        """
        arm = self.arm
        usable, cost = self._usable(group, known), self.cost
        if self.affected is not None and set(arm.contexts) - usable.keys():
            ahead = StagedSearch(arm, self.model, self.affected, self._feasible, cost)
            found = ahead.best(
                group, known, score, seed=int(random.integers(2**31)), tried=tried
            ).point
            unseen = {} if cost is None else self._unknown(usable, random)
            return arm.decode(
                group,
                self._affordable(group, tuple(found), np.array([*found.values()]), known, unseen),
            )
        free = tuple(name for name in arm.actions if name in group or name not in usable)
        columns, unseen = arm.columns(frozenset(free)), self._unknown(usable, random)
        parts = arm.parts(free, usable, unseen)
        less = None if cost is None or not cost.value_per_cost else partial(cost.in_value, free)
        search = ExpectedAcquisition.over(self.model, score, parts, less)
        box = self._feasible.region(free, known, unseen)
        points, _ = search.maximise(box, int(random.integers(2**32)))
        point = points[0]
        if tried is not None and (tried[:, columns] == point).all(axis=1).any():
            near = box.snap(point + _NUDGE * random.standard_normal((32, len(free))))
            near = np.concatenate([near, box.place(random.random((8, len(free))))])
            fresh = near[~(tried[:, None, columns] == near).all(axis=2).any(axis=0)]
            fresh = fresh[box.allows(fresh)]
            point = fresh[int(np.argmax(search.value(fresh)))] if len(fresh) else point
        return arm.decode(group, self._affordable(group, free, point, known, unseen))

    def _usable(self, group: tuple[str, ...], known: Mapping[str, Any]) -> dict[str, Any]:
        """Known values that a policy for this group of actions may depend on."""
        allowed = self.arm.known_to(group)
        return {name: known[name] for name in self.arm.names if name in allowed and name in known}

    def _unset(self, group: tuple[str, ...], known: Mapping[str, Any]) -> tuple[str, ...]:
        """The group and, if there are constraints, all later actions: they must have room."""
        more = self._feasible.constrained
        return tuple(x for x in self.arm.actions if x in group or (more and x not in known))

    def _affordable(
        self,
        group: tuple[str, ...],
        free: tuple[str, ...],
        point: Float[np.ndarray, " f"],
        known: Mapping[str, Any],
        unseen: Mapping[str, Uncontrolled],
    ) -> Float[np.ndarray, " g"]:
        """Move the group's part of a point to the nearest affordable values, with the other actions unchanged."""
        own = point[[free.index(x) for x in group]]
        if self.cost is None:
            return own
        names = tuple(x for x in free if x in self.cost.names)
        planned = point[[free.index(x) for x in names]]
        if self.cost.affordable(names, planned):
            return own
        others = {**self.arm.decode(free, point), **known}
        rest = {name: value for name, value in others.items() if name not in names}
        found = self.cost.nearest_affordable(
            names, self._feasible.region(names, rest, unseen), planned
        )
        return found[[names.index(x) for x in group]]

    def _unknown(
        self, usable: Mapping[str, Any], random: np.random.Generator
    ) -> dict[str, Uncontrolled]:
        """Joint distribution of the unknown contexts, as rows."""
        arm = self.arm
        if self.marginalise is not None:
            seen = [j for j, name in enumerate(arm.measured) if name in usable]
            drawn = [j for j in range(len(arm.measured)) if j not in seen]
            if not drawn:
                return {}
            at = [
                float(arm.problem_space[arm.measured[j]].encode([usable[arm.measured[j]]])[0])
                for j in seen
            ]
            law = self.marginalise.conditional(seen, np.array(at), drawn)
            law = subsample(law, self.marginalise.categorical[drawn])
            return {arm.measured[j]: Uncontrolled(law, k) for k, j in enumerate(drawn)}
        names = [name for name in arm.contexts if name not in usable]
        if not names:
            return {}
        past, d = self.model.inputs, len(arm.names)
        rows = (
            past[random.integers(len(past), size=_IMAGINED)]
            if len(past)
            else random.random((_IMAGINED, d))
        )
        law = Rows(rows[:, arm.columns(frozenset(names))], np.full(_IMAGINED, 1 / _IMAGINED))
        return {name: Uncontrolled(law, j) for j, name in enumerate(names)}


@dataclass(frozen=True, eq=False)
class GreedyPolicy:
    """Policy of arm `number` that maximises its posterior mean, stage by stage; under drift at the time `when`."""

    optimiser: PolicyOptimiser
    streams: Streams
    number: int
    when: Mapping[str, Any] = field(default_factory=dict)
    _found: dict[Any, dict[str, Any]] = field(default_factory=dict, init=False, repr=False)

    def best(self, ready: tuple[str, ...], known: Mapping[str, Any]) -> dict[str, Any]:
        """Values of the actions `ready` with the largest posterior mean, given known values."""
        arm, values = self.optimiser.arm, {**self.when, **known}
        if not arm.affected:
            return self._best(ready, values)
        counted = {*arm.looked_at(ready), *arm.actions, *self.when}
        values = {name: value for name, value in values.items() if name in counted}
        key = ready, tuple(sorted(values.items()))
        if key not in self._found:
            self._found[key] = self._best(ready, values)
        return dict(self._found[key])

    def _best(self, ready: tuple[str, ...], known: Mapping[str, Any]) -> dict[str, Any]:
        values = dict(known)
        for group in self.optimiser.arm.groups(ready):
            random = self.streams(0, f"policy {self.number} {'+'.join(group)}")
            values.update(self.optimiser.best(group, values, ucb(0.0), random))
        return {name: values[name] for name in ready}

    def __call__(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """Values of all actions in full contexts, cached by context."""
        arm = self.optimiser.arm
        key = tuple(context.get(name) for name in arm.measured)
        if key not in self._found:
            values: dict[str, Any] = {}
            for _, ready in arm.stages:
                values.update(self.best(ready, {**context, **values}))
            self._found[key] = {name: values[name] for name in arm.actions}
        return dict(self._found[key])

    def step(self, context: Mapping[str, Any]) -> PolicyStep:
        """Values of the actions whose contexts are complete, and the contexts to look at next.

        Raises:
            InvalidContext: a context of a later stage is given, and one of an earlier stage is not.
        """
        arm = self.optimiser.arm
        others = [name for name in context if name not in arm.contexts]
        reasons = (reason("not-looked-at", names=", ".join(others)),) if others else ()
        seen = {name: value for name, value in context.items() if name in arm.contexts}
        values: dict[str, Any] = {}
        for k, (look, ready) in enumerate(arm.stages):
            later = {name for stage, _ in arm.stages[k:] for name in stage}
            missing = tuple(name for name in look if name not in seen)
            if missing and (
                ahead := [name for name in seen if name in later - set(arm.problem_space.seen)]
            ):
                together = (
                    "They are looked at together."
                    if ahead[0] in look
                    else f"{ahead[0]} comes after it."
                )
                raise InvalidContext("context", seen, f"a value for {missing[0]!r}", together)
            if missing:
                return PolicyStep(arm.scope, values, missing, seen, reasons)
            values.update(self.best(ready, {**seen, **values}))
        return PolicyStep(arm.scope, values, (), seen, reasons)
