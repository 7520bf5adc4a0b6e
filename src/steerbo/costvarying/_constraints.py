"""Constraints on settings, for control sets that leave some variables to nature: the part of a box that satisfies them.

A sum in which nature has a part is bounded at the quantile that the constraint's `probability` asks
for; a forbidden combination is avoided whatever nature does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.answers import as_text
from ..errors import InvalidProblem
from ..optim import (
    Box,
    box_of,
    corners,
    limited,
    refuse_conflict,
    sobol_points,
    substitute_known,
)
from ..space import Limit, LinearConstraint, OutcomeConstraint, Space, check_limits, refuse_averages
from ..surrogate import Controlled, Observed, Part, drawn

DRAWS = 4096
"""Draws of nature from which the quantile of a sum is computed."""
_CACHED = 256  # regions kept: each takes some milliseconds
_CHANCE = (
    "A limit that others are drawn against holds with a ‹probability›: say which, such as 0.95."
)


def check_constraints(
    limits: Sequence[Limit] | None,
    space: Space,
    control_sets: Sequence[Sequence[str]],
    lawful: Collection[str],
) -> None:
    """Refuse constraints on no controlled variable, without a needed probability, or that leave nothing of a set.

    A sum over `lawful` variables, which nature draws where they are not seen, needs a probability.

    Raises:
        InvalidProblem: naming the constraint.
    """
    limits = limits or ()
    check_limits(limits, space)
    if space.changes:
        refuse_averages(limits, "where moving a variable has a price")
    always = [name for name in space.seen if name not in lawful]
    own = {name for names in control_sets for name in names}
    for i, limit in enumerate(limits):
        if isinstance(limit, OutcomeConstraint):
            continue
        if not any(name in own for name in limit.names):
            hint = "No control set holds any of its variables, so no setting can satisfy it."
            raise InvalidProblem(f"limits.{i}", str(limit), "a limit on what is set", hint)
        for names in (
            control_sets
            if isinstance(limit, LinearConstraint) and limit.probability is None
            else ()
        ):
            left = [name for name in limit.names if name not in names and name not in always]
            if left and any(name in names for name in limit.names):
                reason = f"a probability, because control set {list(names)} leaves {', '.join(left)} to nature"
                raise InvalidProblem(f"limits.{i}.probability", None, reason, _CHANCE)
    SetConstraints(limits, space).check_settings_alone(control_sets, always)


class SetConstraints:
    """Constraints on the settings of control sets; None: the problem has none."""

    def __init__(self, limits: Sequence[Limit] | None, space: Space) -> None:
        self.limits: Sequence[Limit] = limits or ()
        self.space = space
        self._found: dict[Any, Box | None] = {}

    def feasible(
        self, box: Box, columns: Sequence[int], kept: Sequence[str], parts: Sequence[Part]
    ) -> Box | None:
        """Restrict a box of some columns to feasible settings while `kept` stay in place; None: nothing is feasible."""
        if not self.limits:
            return box
        left = self._substituted(self.limits, columns, kept, parts)
        key = (tuple(columns), box.low.tobytes(), box.high.tobytes(), repr(left))
        if key not in self._found:
            if len(self._found) >= _CACHED:
                self._found.clear()
            found = limited(box, [self.space.variables[d] for d in columns], left)
            self._found[key] = None if found is None else found.reduced
        return self._found[key]

    def _substituted(
        self,
        limits: Sequence[Limit],
        columns: Sequence[int],
        kept: Sequence[str],
        parts: Sequence[Part],
    ) -> list[Any]:
        """Constraints on the searched columns alone, with known values and quantiles of nature's part inserted."""
        known: dict[str, Any] = {
            v.name: _in_units(v, part)
            for v, part in zip(self.space, parts, strict=False)
            if isinstance(part, Observed)
        }

        def quantile(weights: Mapping[str, float], wrong: float) -> float:
            rows = drawn(parts, sobol_points(DRAWS, len(parts), 0))
            own = (
                w * np.array(self.space[name].measured_at(rows[:, self.space.index(name)]))
                for name, w in weights.items()
            )
            return float(np.quantile(sum(own, np.zeros(len(rows))), 1.0 - wrong, method="higher"))

        return substitute_known(
            limits, [self.space.names[d] for d in columns], known, kept, quantile
        )

    def slack(
        self, columns: Sequence[int], parts: Sequence[Part], values: Mapping[str, Any]
    ) -> list[float | None]:
        """Slack of each constraint at these settings, in its units; None where it does not concern them."""
        left = [self._substituted([limit], columns, (), parts) for limit in self.limits]
        return [min((each.slack(values) for each in some), default=None) for some in left]

    def kept(
        self, columns: Sequence[int], parts: Sequence[Part], values: Mapping[str, Any]
    ) -> bool:
        """Whether settings satisfy the constraints, but for rounding, with nature's part at its quantile."""
        left = self._substituted(self.limits, columns, (), parts) if self.limits else []
        return all(each.kept(values) for each in left)

    def check_settings_alone(
        self, control_sets: Sequence[Sequence[str]], known: Sequence[str]
    ) -> None:
        """Refuse constraints that leave nothing of a control set, of those in which nature has no part.

        Raises:
            InvalidProblem: naming a minimal conflict.
        """
        for names in control_sets if self.limits else ():
            columns = sorted(map(self.space.index, names))
            some = [
                i for i, limit in enumerate(self.limits) if set(limit.names) <= {*names, *known}
            ]
            for corner in self._corners():
                parts = [
                    Controlled() if n in names else Observed(corner.get(n, 0.0))
                    for n in self.space.names
                ]
                self._check(box_of(self.space, columns), columns, parts, some)

    def check_all(
        self,
        boxes: Sequence[Box],
        sets: Sequence[Sequence[int]],
        parts: Callable[[int, Mapping[str, float]], Any],
    ) -> None:
        """Refuse constraints that leave nothing of a control set, whatever is seen; nature has its part, as at first.

        Boxes and columns are those of the control sets; `parts` are of every column, by control set
        and encoded context.

        Raises:
            InvalidProblem: naming a minimal conflict.
        """
        for corner in self._corners() if self.limits else ():
            for i, (box, columns) in enumerate(zip(boxes, sets, strict=True)):
                self._check(box, columns, parts(i, corner), range(len(self.limits)))

    def _check(
        self, box: Box, columns: Sequence[int], parts: Sequence[Part], among: Sequence[int]
    ) -> None:
        variables = [self.space.variables[d] for d in columns]
        limits = [self.limits[i] for i in among]

        def possible(some: Sequence[int]) -> bool:
            left = self._substituted([limits[k] for k in some], columns, (), parts)
            return limited(box, variables, left) is not None

        names = " + ".join(variable.name for variable in variables)
        seen = ", ".join(self._seen(parts))
        allowed = f"limits with feasible settings where {names} is set" + (
            f" and {seen} is seen" if seen else ""
        )
        refuse_conflict(limits, possible, allowed)

    def _seen(self, parts: Sequence[Part]) -> Iterator[str]:
        concerned = {name for limit in self.limits for name in limit.names}
        for variable, part in zip(self.space, parts, strict=False):
            if variable.seen and variable.name in concerned and isinstance(part, Observed):
                yield f"{variable.name} {as_text(_in_units(variable, part))}"

    def _corners(self) -> Iterator[dict[str, float]]:
        """Extreme contexts of the variables that constraints are about, encoded: see `optim.corners`."""
        for corner in corners(self.limits, [variable for variable in self.space if variable.seen]):
            yield {
                name: float(self.space[name].encode([value])[0]) for name, value in corner.items()
            }


def _in_units(variable: Any, part: Observed) -> Any:
    return variable.measured_at(np.array([part.value]))[0]
