"""Limits on what is set, for policy scopes: what they leave of a scope's actions where this is known.

What is set, seen or looked at by then counts as it is. What is still to be looked at, and what a scope leaves to
nature, has no law that anybody states: it counts at that end of its bounds which is worst, and what it may be it must
be assumed to be. An action counts what was set before it in a round though its policy does not otherwise look at that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core import as_text
from ..errors import InvalidContext, InvalidProblem
from ..optim import Box, LinearRow, corners, limited, minimal_conflict, substitute_known
from ..space import Limit, LinearConstraint, OutcomeConstraint, check_limits, refuse_averages
from .arm import Arm, box_of

if TYPE_CHECKING:
    from .problem import Causal

_KEPT = 256  # regions: each takes some milliseconds
_LAWLESS = "What a scope leaves to nature counts at the end of its bounds that is worst: no law of it is known here."
_WIDEN = "Loosen one, or widen the bounds."
_MEASURE = (
    "Loosen one, or widen the bounds. A sum that nature completes can be measured: limit it as ‹OutcomeConstraint›."
)


def check_scope_limits(problem: Causal) -> None:
    """Refuse limits of no variables, of which nobody sets any, or that leave nothing where all is set that can be.

    Raises:
        InvalidProblem: naming the limit, and what is to be said.
    """
    limits, graph = problem.limits or (), problem.graph
    check_limits(limits, problem.space)
    refuse_averages(limits, "in causal problems")
    for i, limit in enumerate(limits):
        if isinstance(limit, OutcomeConstraint):
            if limit.name in graph.names and limit.name == graph.target:
                hint = "It is what is optimised, and told as the value. Limits are on what is measured beside it."
                raise InvalidProblem(f"limits.{i}.name", limit.name, "another outcome than the target", hint)
        elif not set(limit.names) & set(graph.intervenable):
            hint = "Nobody sets any of its variables, so that nobody can keep to it."
            raise InvalidProblem(f"limits.{i}", str(limit), "a limit on what is set", hint)
        elif isinstance(limit, LinearConstraint) and limit.probability is not None:
            raise InvalidProblem(f"limits.{i}.probability", limit.probability, "nothing in a causal problem", _LAWLESS)
    every = ScopeLimits(problem)
    for corner in corners(every.limits, [v for v in problem.space if v.name not in graph.intervenable]):
        if clash := every.clash(graph.intervenable, corner):
            at = f", where {as_text(corner)}" if corner else ""
            raise InvalidProblem("limits", clash, f"limits that leave something to set{at}", _WIDEN)


class ScopeLimits:
    """What the limits of a problem leave of what scopes may set. What is found is kept."""

    def __init__(self, problem: Causal) -> None:
        self.limits: Sequence[Limit] = [x for x in problem.limits or () if not isinstance(x, OutcomeConstraint)]
        self.space = problem.space
        self.concerned = frozenset(name for limit in self.limits for name in limit.names)
        self._found: dict[Any, Box | None] = {}

    def box(self, arm: Arm, names: tuple[str, ...], known: Mapping[str, Any]) -> Box:
        """Where these actions of a scope may be set; those that are `known` are set already, and go anywhere.

        Args:
            arm: the scope.
            names: what is searched: at least all that is still to be set.
            known: what was set, seen and looked at; what is looked at later does not count.

        Raises:
            InvalidContext: limits leave nothing where this is known.
        """
        found = self._left(arm, names, known)
        if found is None:
            limits = "; ".join(map(str, self.limits))
            hint = f"What is seen counts as it is, also beyond the bounds of its variable. The limits are: {limits}."
            seen = {name: value for name, value in known.items() if name in arm.contexts}
            raise InvalidContext("context", seen, "what leaves something to set within the limits", hint)
        return found

    def possible(self, arm: Arm, contexts: Mapping[str, Any]) -> bool:
        """Whether limits leave something where this is seen and looked at."""
        if not self.concerned & set(arm.contexts):
            return True
        return self._left(arm, arm.actions, contexts, set(arm.contexts)) is not None

    def _left(
        self, arm: Arm, names: tuple[str, ...], known: Mapping[str, Any], looked_at: set[str] | None = None
    ) -> Box | None:
        box, group = arm.box(names), [name for name in names if name not in known]
        if not self.concerned & set(group):
            return box
        counted = {*arm.actions, *(arm.looked_at(group) if looked_at is None else looked_at)}
        left = self.remaining(self.limits, group, {name: x for name, x in known.items() if name in counted})
        key = (names, repr(left))
        if key not in self._found:
            if len(self._found) >= _KEPT:
                self._found.clear()
            self._found[key] = limited(box, [self.space[name] for name in names], left)
        return self._found[key]

    def remaining(self, limits: Sequence[Limit], searched: Sequence[str], known: Mapping[str, Any]) -> list[Any]:
        """What limits leave to be kept to by what is searched."""

        def worst(weights: Mapping[str, float], wrong: float) -> float:
            return math.fsum(max(w * float(x) for x in self._ends(name)) for name, w in weights.items())

        return substitute_known(limits, searched, known, (), worst)

    def _ends(self, name: str) -> tuple[float, float]:
        variable: Any = self.space[name]
        return variable.low, variable.high

    def room(self, limit: Limit, arm: Arm, values: Mapping[str, Any], contexts: Mapping[str, Any]) -> float | None:
        """By how much a limit could be tighter where a scope sets this having looked at that; None: it says nothing."""
        found = [
            each.bound - math.fsum(weight * values[name] for name, weight in each.weights.items())
            if isinstance(each, LinearRow)
            else sum(values[name] not in choices for name, choices in each.choices.items()) - 1.0
            for each in self.remaining([limit], arm.actions, {n: contexts[n] for n in arm.contexts if n in contexts})
        ]
        return min(found, default=None)

    def clash(self, actions: Sequence[str], known: Mapping[str, Any]) -> list[str]:
        """Limits that leave nothing of these actions where this is known, none of which can be left out; if any do."""
        variables = [self.space[name] for name in actions]

        def possible(some: Sequence[int]) -> bool:
            left = self.remaining([self.limits[i] for i in some], actions, known)
            return limited(box_of(self.space, actions), variables, left) is not None

        every = range(len(self.limits))
        return [] if possible(every) else [str(self.limits[i]) for i in minimal_conflict(len(every), possible)]

    def refusal(self, arm: Arm) -> InvalidProblem | None:
        """Why limits leave nothing of a scope for something that may be seen within its bounds; None: they do.

        It is enough to look at what is set first: it leaves something to what is set later.
        """
        if not self.concerned & set(arm.actions):
            return None
        looks = [v for v in self.space if v.name in arm.looked_at(arm.actions) and v.name not in arm.actions]
        for corner in corners(self.limits, looks):
            if clash := self.clash(arm.actions, corner):
                others = sorted(self.concerned - set(arm.actions) - corner.keys())
                at = f" where {as_text(corner)}" if corner else ""
                left = f" and leaves {', '.join(others)} to nature, or to be looked at later" if others else ""
                where = f"limits that leave something to a scope that sets {', '.join(arm.actions)}{left}{at}"
                return InvalidProblem("limits", clash, where, _MEASURE)
        return None


def possible_arms(arms: Sequence[Arm], limits: ScopeLimits) -> list[Arm]:
    """Those of which limits leave something whatever nature does.

    Raises:
        InvalidProblem: they leave nothing of any scope that sets something, with those that clash.
    """
    refusals = [limits.refusal(arm) for arm in arms]
    left = [arm for arm, refusal in zip(arms, refusals, strict=True) if refusal is None]
    lost = [refusal for refusal in refusals if refusal is not None]
    if lost and not any(arm.actions for arm in left):
        raise lost[0]
    return left
