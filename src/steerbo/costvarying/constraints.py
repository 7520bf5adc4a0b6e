"""Constraints on settings, for control sets that leave some variables to nature: the part of a box that satisfies them.

A sum in which nature has a part is bounded at the quantile that the constraint's `probability` asks for; a forbidden
combination is avoided whatever nature does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.answers import as_text
from ..optim import Box, LinearRow, box_of, corners, in_units, limited, refuse_conflict, sobol_points, substitute_known
from ..space import Limit, Space
from ..surrogate import Controlled, Observed, Part, drawn

DRAWS = 4096
"""Draws of nature from which the quantile of a sum is computed."""
_CACHED = 256  # regions kept: each takes some milliseconds


class SetConstraints:
    """Constraints on the settings of control sets.

    Args:
        limits: the constraints of the problem; None: it has none.
        space: its variables.
    """

    def __init__(self, limits: Sequence[Limit] | None, space: Space) -> None:
        self.limits: Sequence[Limit] = limits or ()
        self.space = space
        self._found: dict[Any, Box | None] = {}

    def feasible(self, box: Box, columns: Sequence[int], kept: Sequence[str], parts: Sequence[Part]) -> Box | None:
        """Restrict a box to feasible settings; None: nothing is feasible.

        Args:
            box: of the variables that are searched.
            columns: their columns.
            kept: names of variables that stay in place.
            parts: every variable's part.
        """
        if not self.limits:
            return box
        left = self._substituted(self.limits, columns, kept, parts)
        key = (tuple(columns), box.low.tobytes(), box.high.tobytes(), repr(left))
        if key not in self._found:
            if len(self._found) >= _CACHED:
                self._found.clear()
            self._found[key] = limited(box, [self.space.variables[d] for d in columns], left)
        return self._found[key]

    def _substituted(
        self, limits: Sequence[Limit], columns: Sequence[int], kept: Sequence[str], parts: Sequence[Part]
    ) -> list[Any]:
        """Constraints on the searched columns alone, with known values and quantiles of nature's part inserted."""
        known: dict[str, Any] = {
            v.name: _in_units(v, part) for v, part in zip(self.space, parts, strict=False) if isinstance(part, Observed)
        }

        def quantile(weights: Mapping[str, float], wrong: float) -> float:
            rows = drawn(parts, sobol_points(DRAWS, len(parts), 0))
            own = (w * in_units(self.space[name], rows[:, self.space.index(name)]) for name, w in weights.items())
            return float(np.quantile(sum(own, np.zeros(len(rows))), 1.0 - wrong, method="higher"))

        return substitute_known(limits, [self.space.names[d] for d in columns], known, kept, quantile)

    def slack(self, columns: Sequence[int], parts: Sequence[Part], values: Mapping[str, Any]) -> list[float | None]:
        """Slack of each constraint at these settings, in its units; None where it does not concern them."""
        found: list[float | None] = []
        for limit in self.limits:
            slacks = [
                each.bound - math.fsum(weight * values[name] for name, weight in each.weights.items())
                if isinstance(each, LinearRow)
                else sum(values[name] not in choices for name, choices in each.choices.items()) - 1.0
                for each in self._substituted([limit], columns, (), parts)
            ]
            found.append(min(slacks, default=None))
        return found

    def check_settings_alone(self, control_sets: Sequence[Sequence[str]], known: Sequence[str]) -> None:
        """Refuse constraints that leave nothing of a control set, of those in which nature has no part.

        Args:
            control_sets: names of the variables of each.
            known: names of the variables that are always seen before choosing.

        Raises:
            InvalidProblem: naming a minimal conflict.
        """
        for names in control_sets if self.limits else ():
            columns = sorted(map(self.space.index, names))
            some = [i for i, limit in enumerate(self.limits) if set(limit.names) <= {*names, *known}]
            for corner in self._corners():
                parts = [Controlled() if n in names else Observed(corner.get(n, 0.0)) for n in self.space.names]
                self._check(box_of(self.space, columns), columns, parts, some)

    def check_all(
        self, boxes: Sequence[Box], sets: Sequence[Sequence[int]], parts: Callable[[int, Mapping[str, float]], Any]
    ) -> None:
        """Refuse constraints that leave nothing of a control set, whatever is seen; nature has its part, as at first.

        Args:
            boxes: of the control sets.
            sets: their columns.
            parts: of every column, by control set and encoded context.

        Raises:
            InvalidProblem: naming a minimal conflict.
        """
        for corner in self._corners() if self.limits else ():
            for i, (box, columns) in enumerate(zip(boxes, sets, strict=True)):
                self._check(box, columns, parts(i, corner), range(len(self.limits)))

    def _check(self, box: Box, columns: Sequence[int], parts: Sequence[Part], among: Sequence[int]) -> None:
        variables, limits = [self.space.variables[d] for d in columns], [self.limits[i] for i in among]

        def possible(some: Sequence[int]) -> bool:
            left = self._substituted([limits[k] for k in some], columns, (), parts)
            return limited(box, variables, left) is not None

        names = " + ".join(variable.name for variable in variables)
        seen = ", ".join(self._seen(parts))
        allowed = f"limits that leave something to set where {names} is set" + (f" and {seen} is seen" if seen else "")
        refuse_conflict(limits, possible, allowed)

    def _seen(self, parts: Sequence[Part]) -> Iterator[str]:
        concerned = {name for limit in self.limits for name in limit.names}
        for variable, part in zip(self.space, parts, strict=False):
            if variable.seen and variable.name in concerned and isinstance(part, Observed):
                yield f"{variable.name} {as_text(_in_units(variable, part))}"

    def _corners(self) -> Iterator[dict[str, float]]:
        """Extreme contexts of the variables that constraints are about, encoded: see `search.corners`."""
        for corner in corners(self.limits, [variable for variable in self.space if variable.seen]):
            yield {name: float(self.space[name].encode([value])[0]) for name, value in corner.items()}


def _in_units(variable: Any, part: Observed) -> Any:
    return in_units(variable, np.array([part.value]))[0]
