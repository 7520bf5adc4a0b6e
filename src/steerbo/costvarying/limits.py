"""Limits on what is set, for control sets that leave some of it to nature: what they leave of a set's box."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.answers import as_text
from ..errors import InvalidProblem
from ..optim import Box, LinearRow, corners, in_units, limited, minimal_conflict, sobol_points, substitute_known
from ..space import Limit, LinearConstraint, OutcomeConstraint, Space, check_limits, refuse_averages
from ..surrogate import Controlled, Observed, Part, drawn

if TYPE_CHECKING:
    from .problem import CostVarying

DRAWS = 4096
"""Of what nature does, for the quantile that a limit counts it at."""
_KEPT = 256
_SURE = "A limit that others are drawn against holds with a ‹probability›: say which, such as 0.95."


def check_set_limits(problem: CostVarying) -> None:
    """Refuse limits of no variables, and those of which a control set leaves a part to nature that say no probability.

    Raises:
        InvalidProblem: naming the limit, and what is to be said.
    """
    limits, space = problem.limits or (), problem.space
    check_limits(limits, space)
    if space.changes:
        refuse_averages(limits, "where moving a variable has a price")
    own = {name for names in problem.control_sets for name in names}
    for i, limit in enumerate(limits):
        if isinstance(limit, OutcomeConstraint):
            continue
        if not any(name in own for name in limit.names):
            hint = "No control set holds any of its variables, so that nobody can keep to it."
            raise InvalidProblem(f"limits.{i}", str(limit), "a limit on what is set", hint)
        for names in problem.control_sets if isinstance(limit, LinearConstraint) and limit.probability is None else ():
            left = [n for n in limit.names if n not in names and not (space[n].seen and n not in problem.stated_laws)]
            if left and any(name in names for name in limit.names):
                reason = f"a probability, because control set {list(names)} leaves {', '.join(left)} to nature"
                raise InvalidProblem(f"limits.{i}.probability", None, reason, _SURE)
    _check_possible(problem)


def _check_possible(problem: CostVarying) -> None:
    """Refuse limits that leave nothing of a control set; those in which nature has a part, a method looks at."""
    if not problem.limits:
        return
    every, space = SetLimits(problem), problem.space
    for names in problem.control_sets:
        columns = sorted(map(space.index, names))
        known = [n for n in space.names if n in names or (space[n].seen and n not in problem.stated_laws)]
        some = [i for i, limit in enumerate(every.limits) if set(limit.names) <= set(known)]
        for corner in every.corners():
            parts = [Controlled() if n in names else Observed(corner.get(n, 0.0)) for n in space.names]
            every.check(box_of(space, columns), columns, parts, some)


class SetLimits:
    """What limits leave of the boxes of control sets. What is found is kept: a region takes some milliseconds."""

    def __init__(self, problem: CostVarying) -> None:
        self.limits: Sequence[Limit] = problem.limits or ()
        self.space: Space = problem.space
        self._found: dict[Any, Box | None] = {}

    def of(self, box: Box, columns: Sequence[int], kept: Sequence[str], parts: Sequence[Part]) -> Box | None:
        """What they leave of a box; None: nothing.

        Args:
            box: of the variables that are searched.
            columns: which those are.
            kept: names of those that stay as they were.
            parts: every variable's part.
        """
        if not self.limits:
            return box
        left = self._left(self.limits, columns, kept, parts)
        key = (tuple(columns), box.low.tobytes(), box.high.tobytes(), repr(left))
        if key not in self._found:
            if len(self._found) >= _KEPT:
                self._found.clear()
            self._found[key] = limited(box, [self.space.variables[d] for d in columns], left)
        return self._found[key]

    def _left(
        self, limits: Sequence[Limit], columns: Sequence[int], kept: Sequence[str], parts: Sequence[Part]
    ) -> list[Any]:
        known: dict[str, Any] = {
            v.name: _in_units(v, part) for v, part in zip(self.space, parts, strict=False) if isinstance(part, Observed)
        }

        def worst(weights: Mapping[str, float], wrong: float) -> float:
            rows = drawn(parts, sobol_points(DRAWS, len(parts), 0))
            own = (w * in_units(self.space[name], rows[:, self.space.index(name)]) for name, w in weights.items())
            return float(np.quantile(sum(own, np.zeros(len(rows))), 1.0 - wrong, method="higher"))

        return substitute_known(limits, [self.space.names[d] for d in columns], known, kept, worst)

    def rooms(self, columns: Sequence[int], parts: Sequence[Part], values: Mapping[str, Any]) -> list[float | None]:
        """By how much each limit could be tighter at these settings; None where it says nothing of them."""
        found: list[float | None] = []
        for limit in self.limits:
            rooms = [
                each.bound - math.fsum(weight * values[name] for name, weight in each.weights.items())
                if isinstance(each, LinearRow)
                else sum(values[name] not in choices for name, choices in each.choices.items()) - 1.0
                for each in self._left([limit], columns, (), parts)
            ]
            found.append(min(rooms, default=None))
        return found

    def check(self, box: Box, columns: Sequence[int], parts: Sequence[Part], among: Sequence[int]) -> None:
        """Refuse limits, by their numbers, that leave nothing of a control set, naming those that clash.

        Raises:
            InvalidProblem: with the limits of which none can be left out.
        """
        variables = [self.space.variables[d] for d in columns]

        def possible(some: Sequence[int]) -> bool:
            left = self._left([self.limits[among[k]] for k in some], columns, (), parts)
            return limited(box, variables, left) is not None

        if possible(range(len(among))):
            return
        clash = [among[k] for k in minimal_conflict(len(among), possible)]
        names = " + ".join(variable.name for variable in variables)
        seen = ", ".join(self._seen(parts))
        where = f"limits that leave something to set where {names} is set" + (f" and {seen} is seen" if seen else "")
        them = "These clash within the variables' bounds: loosen one" if len(clash) > 1 else "Loosen it"
        hint = f"{them}, or widen the bounds."
        raise InvalidProblem("limits", [str(self.limits[i]) for i in clash], where, hint)

    def check_all(
        self, boxes: Sequence[Box], sets: Sequence[Sequence[int]], parts: Callable[[int, Mapping[str, float]], Any]
    ) -> None:
        """The same of all control sets and limits, whatever is seen: nature has its part by laws as at first."""
        for corner in self.corners() if self.limits else ():
            for i, (box, columns) in enumerate(zip(boxes, sets, strict=True)):
                self.check(box, columns, parts(i, corner), range(len(self.limits)))

    def _seen(self, parts: Sequence[Part]) -> Iterator[str]:
        concerned = {name for limit in self.limits for name in limit.names}
        for variable, part in zip(self.space, parts, strict=False):
            if variable.seen and variable.name in concerned and isinstance(part, Observed):
                yield f"{variable.name} {as_text(_in_units(variable, part))}"

    def corners(self) -> Iterator[dict[str, float]]:
        """What may be seen of the variables that limits are about, encoded: see `search.corners`."""
        for corner in corners(self.limits, [variable for variable in self.space if variable.seen]):
            yield {name: float(self.space[name].encode([value])[0]) for name, value in corner.items()}


def box_of(space: Space, columns: Sequence[int], near: Mapping[str, tuple[float, float]] | None = None) -> Box:
    """The encoded box of some variables, of which some may go only so far."""
    ends = [(near or {}).get(space.names[d], (-np.inf, np.inf)) for d in columns]
    given = [space.variables[d].levels for d in columns]
    levels = [None if k is None else k[(a <= k) & (k <= b)] for k, (a, b) in zip(given, ends, strict=True)]
    return Box(
        [max(0.0, a) if k is None else k[0] for k, (a, _) in zip(levels, ends, strict=True)],
        [min(1.0, b) if k is None else k[-1] for k, (_, b) in zip(levels, ends, strict=True)],
        levels,
        space.categorical[list(columns)],
    )


def _in_units(variable: Any, part: Observed) -> Any:
    return in_units(variable, np.array([part.value]))[0]
