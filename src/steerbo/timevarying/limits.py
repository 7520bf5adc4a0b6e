"""What limits leave of what can be chosen: points of a finite domain, listed points, or a box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidProblem, InvalidRequest
from ..optim import Box, corners, limited, minimal_conflict, substitute_known
from ..space import Categorical, Limit, check_limits, refuse_averages, violated

if TYPE_CHECKING:
    from .problem import TimeVarying


def check_possible(problem: TimeVarying) -> None:
    """Refuse limits of no variables, and those that leave nothing to choose where something may be seen.

    Raises:
        InvalidProblem: naming the limits that clash.
    """
    limits = problem.limits or ()
    check_limits(limits, problem.space)
    refuse_averages(limits, "in time-varying problems")
    for corner in corners(limits, [v for v in problem.variables if v.seen]) if limits else ():
        _check_corner(problem, corner)


def _check_corner(problem: TimeVarying, seen: Mapping[str, Any]) -> None:
    limits = problem.limits or ()
    box = plain_box(problem, None, seen)

    def possible(some: Sequence[int]) -> bool:
        return within(problem, box, [limits[i] for i in some]) is not None

    if possible(range(len(limits))):
        return
    clash = minimal_conflict(len(limits), possible)
    where = "limits that leave something to choose" + "".join(f", where {name} is {x}" for name, x in seen.items())
    them = "These clash within the variables' bounds: loosen one" if len(clash) > 1 else "Loosen it"
    raise InvalidProblem("limits", [str(limits[i]) for i in clash], where, f"{them}, or widen the bounds.")


def plain_box(problem: TimeVarying, bounds: Mapping[str, Any] | None, seen: Mapping[str, Any] | None = None) -> Box:
    """A box in the user's units, categories by number: all of it or within bounds, at what is seen."""
    d = len(problem.variables)
    low, high = np.empty(d), np.empty(d)
    levels: list[np.ndarray | None] = [None] * d
    for j, v in enumerate(problem.variables):
        whole = (0.0, len(v.choices) - 1.0) if isinstance(v, Categorical) else (float(v.low), float(v.high))
        low[j], high[j] = (bounds["low"][j], bounds["high"][j]) if bounds else whole
        if v.name in (seen or {}):
            low[j] = high[j] = problem.coordinates_of(seen or {})[v.name]
        if v.seen and low[j] == high[j]:
            levels[j] = low[[j]]  # measured, whether or not it could be set
        elif v.levels is not None:
            known = v.levels if isinstance(v, Categorical) else np.array(v.decode(v.levels), dtype=float)
            inside = known[(known >= low[j]) & (known <= high[j])]
            # bounds between two settings leave none: the nearest one then
            left = inside if inside.size else known[[np.abs(known - (low[j] + high[j]) / 2).argmin()]]
            levels[j], low[j], high[j] = left, min(low[j], left[0]), max(high[j], left[-1])
    return Box(low, high, levels, problem.space.categorical)


def within(problem: TimeVarying, box: Box, limits: Sequence[Limit]) -> Box | None:
    """What limits leave of a box in the user's units; None: nothing."""
    left = substitute_known(limits, problem.space.names, {}, (), lambda weights, wrong: 0.0)
    return limited(box, problem.variables, left, encoded=False)


def box_now(problem: TimeVarying, bounds: Mapping[str, Any] | None) -> Box:
    """The box that is searched where these bounds are available.

    Raises:
        InvalidRequest: limits leave nothing of it.
    """
    box = within(problem, plain_box(problem, bounds), problem.limits or ())
    if box is None:
        raise _nothing(problem)
    return box


def listed(problem: TimeVarying, available: Any, context: Mapping[str, Any]) -> Any:
    """What is available of the whole domain, see `GivenSeen`, without what limits forbid; boxes as they are.

    Raises:
        InvalidRequest: nothing is left.
    """
    if problem.sites is not None:
        numbers = range(len(problem.sites)) if available is None else available
        rows = (dict(zip(problem.space.names, problem.sites[k], strict=True)) | dict(context) for k in numbers)
        left = [k for k, row in zip(numbers, rows, strict=True) if not violated(problem.limits or (), row)]
        if not left:
            raise _nothing(problem)
        return None if len(left) == len(problem.sites) else left
    if available is None or "points" not in available:
        return available
    kept = [point for point in available["points"] if not violated(problem.limits or (), _values(problem, point))]
    if not kept:
        raise _nothing(problem)
    return {"points": kept}


def _values(problem: TimeVarying, point: Sequence[float]) -> dict[str, Any]:
    pairs = zip(problem.variables, point, strict=True)
    return {v.name: v.choices[round(x)] if isinstance(v, Categorical) else x for v, x in pairs}


def _nothing(problem: TimeVarying) -> InvalidRequest:
    limits = "; ".join(map(str, problem.limits or ()))
    hint = f"The problem's limits are: {limits}. When nothing can be chosen there is nothing to ask."
    return InvalidRequest("available", None, "something that keeps to the limits, at what is seen", hint)
