"""Constraints on settings, for policy scopes: the region that they leave to the actions of a scope.

Values that are set or observed by then count as they are. Contexts still to be observed, and
variables that a scope leaves to nature, have no stated law: they count at the worst end of their
bounds. An action counts all that was set before it in the round, also if its policy does not depend
on it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..core import as_text
from ..errors import InvalidContext, InvalidProblem
from ..optim import Box, box_of, corners, limited, refuse_conflict, substitute_known
from ..space import Limit, LinearConstraint, OutcomeConstraint, Space, check_limits, refuse_averages
from ._arms import Arm
from .graphs.graph import CausalGraph

_CACHED = 256  # regions: each takes some milliseconds
_LAWLESS = "A variable left to nature counts at the worst end of its bounds, since its law is not known here."
_WIDEN = "Loosen one, or widen the bounds."
_MEASURE = (
    "Loosen one, or widen the bounds. "
    "A sum that nature completes can be measured: limit it as ‹OutcomeConstraint›."
)


def told_afterwards(i: int, name: str) -> InvalidProblem:
    """Error about a variable or context of the graph that limit `i`, on an outcome, names."""
    hint = (
        "Leave it out of ‹variables› and of the graph's contexts, so that it is told afterwards; "
        "a limit on a variable is a ‹LinearConstraint›."
    )
    allowed = "an outcome that is told beside the value"
    return InvalidProblem(f"limits.{i}.name", name, allowed, hint)


def check_constraints(limits: Sequence[Limit], space: Space, graph: CausalGraph) -> None:
    """Refuse constraints on unknown variables, on none that can be set, or that leave nothing where all are set.

    Raises:
        InvalidProblem: naming the constraint, and how to state it.
    """
    for i, limit in enumerate(limits):
        if isinstance(limit, OutcomeConstraint) and limit.name in space.names:
            raise told_afterwards(i, limit.name)
    check_limits(limits, space)
    refuse_averages(limits, "in causal problems")
    for i, limit in enumerate(limits):
        if isinstance(limit, OutcomeConstraint):
            if limit.name in graph.names and limit.name == graph.target:
                hint = "It is what is optimised, and told as the value. Limits are on what is measured beside it."
                raise InvalidProblem(
                    f"limits.{i}.name", limit.name, "another outcome than the target", hint
                )
        elif not set(limit.names) & set(graph.intervenable):
            hint = "None of its variables can be set, so that no setting can satisfy it."
            raise InvalidProblem(f"limits.{i}", str(limit), "a limit on what is set", hint)
        elif isinstance(limit, LinearConstraint) and limit.probability is not None:
            raise InvalidProblem(
                f"limits.{i}.probability",
                limit.probability,
                "nothing in a causal problem",
                _LAWLESS,
            )
    every = ScopeConstraints(limits, space)
    for corner in corners(every.limits, [v for v in space if v.name not in graph.intervenable]):
        at = f", where {as_text(corner)}" if corner else ""
        every.check(graph.intervenable, corner, f"limits with feasible settings{at}", _WIDEN)


class ScopeConstraints:
    """Constraints on settings of a problem, but for those on outcomes, applied to its scopes; regions are cached.

    `concerned` are the names of their variables.
    """

    def __init__(self, limits: Sequence[Limit], space: Space) -> None:
        self.limits: Sequence[Limit] = [
            limit for limit in limits if not isinstance(limit, OutcomeConstraint)
        ]
        self.space = space
        self.concerned = frozenset(name for limit in self.limits for name in limit.names)
        self._regions: dict[Any, Box | None] = {}

    def region(
        self,
        arm: Arm,
        names: tuple[str, ...],
        known: Mapping[str, Any],
        near: Mapping[str, tuple[float, float]] = {},
    ) -> Box:
        """Region of the actions `names` of a scope: at least all that are still to be set.

        Actions that are `known` are set already, and may lie anywhere; contexts observed later do
        not count. Where the constraints leave something within encoded ends `near` of some actions,
        it lies there.

        Raises:
            InvalidContext: the constraints leave nothing.
        """
        found = self._left(arm, names, known, near=near) or self._left(arm, names, known)
        if found is None:
            limits = "; ".join(map(str, self.limits))
            hint = f"A value seen counts as it is, also beyond the bounds of its variable. The limits are: {limits}."
            seen = {name: value for name, value in known.items() if name in arm.contexts}
            raise InvalidContext("context", seen, "a context with feasible settings", hint)
        return found

    def possible(self, arm: Arm, contexts: Mapping[str, Any]) -> bool:
        """Whether the constraints leave anything in these contexts."""
        if not self.concerned & set(arm.contexts):
            return True
        return self._left(arm, arm.actions, contexts, set(arm.contexts)) is not None

    def _left(
        self,
        arm: Arm,
        names: tuple[str, ...],
        known: Mapping[str, Any],
        looked_at: set[str] | None = None,
        near: Mapping[str, tuple[float, float]] = {},
    ) -> Box | None:
        box, group = arm.box(names, near), [name for name in names if name not in known]
        if not self.concerned & set(group):
            return box
        counted = {*arm.actions, *(arm.looked_at(group) if looked_at is None else looked_at)}
        left = self._remaining(
            self.limits, group, {name: x for name, x in known.items() if name in counted}
        )
        key = (names, repr(left), *sorted(near.items()))
        if key not in self._regions:
            if len(self._regions) >= _CACHED:
                self._regions.clear()
            self._regions[key] = limited(box, [self.space[name] for name in names], left)
        return self._regions[key]

    def _remaining(
        self, limits: Sequence[Limit], searched: Sequence[str], known: Mapping[str, Any]
    ) -> list[Any]:
        """Constraints on the searched variables once known values are inserted."""

        def worst(weights: Mapping[str, float], wrong: float) -> float:
            return math.fsum(
                max(w * float(x) for x in self._ends(name)) for name, w in weights.items()
            )

        return substitute_known(limits, searched, known, (), worst)

    def _ends(self, name: str) -> tuple[float, float]:
        variable: Any = self.space[name]
        return variable.low, variable.high

    def slack(
        self, limit: Limit, arm: Arm, values: Mapping[str, Any], contexts: Mapping[str, Any]
    ) -> float | None:
        """Slack of a constraint at these settings in these contexts; None if it does not concern the scope."""
        seen = {name: contexts[name] for name in arm.contexts if name in contexts}
        return min(
            (each.slack(values) for each in self._remaining([limit], arm.actions, seen)),
            default=None,
        )

    def check(
        self, actions: Sequence[str], known: Mapping[str, Any], allowed: str, hint: str
    ) -> None:
        """Refuse constraints that leave nothing of the actions.

        Raises:
            InvalidProblem: naming a minimal conflict.
        """
        variables = [self.space[name] for name in actions]
        columns = [self.space.index(name) for name in actions]

        def possible(some: Sequence[int]) -> bool:
            left = self._remaining([self.limits[i] for i in some], actions, known)
            return limited(box_of(self.space, columns), variables, left) is not None

        refuse_conflict(self.limits, possible, allowed, (hint, hint))

    def check_arm(self, arm: Arm) -> None:
        """Refuse constraints that leave nothing of a scope for some outcome of nature.

        It is enough to consider the actions that are set first: they leave something to the later
        ones.

        Raises:
            InvalidProblem: naming a minimal conflict, and where it is.
        """
        if not self.concerned & set(arm.actions):
            return
        looks = [
            v
            for v in self.space
            if v.name in arm.looked_at(arm.actions) and v.name not in arm.actions
        ]
        for corner in corners(self.limits, looks):
            others = sorted(self.concerned - set(arm.actions) - corner.keys())
            at = f" where {as_text(corner)}" if corner else ""
            left = (
                f" and leaves {', '.join(others)} to nature, or to be looked at later"
                if others
                else ""
            )
            where = f"limits with feasible settings of a scope that sets {', '.join(arm.actions)}{left}{at}"
            self.check(arm.actions, corner, where, _MEASURE)

    def possible_arms(self, arms: Sequence[Arm]) -> list[Arm]:
        """Select the arms to which the constraints leave something for every outcome of nature.

        Raises:
            InvalidProblem: naming a minimal conflict, if they leave nothing to any arm with
                actions.
        """
        left, refusals = list[Arm](), list[InvalidProblem]()
        for arm in arms:
            try:
                self.check_arm(arm)
                left.append(arm)
            except InvalidProblem as refusal:
                refusals.append(refusal)
        if refusals and not any(arm.actions for arm in left):
            raise refusals[0]
        return left
