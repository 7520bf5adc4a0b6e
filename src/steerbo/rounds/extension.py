"""Bounds that are widened in a running study: what is allowed, and the problem that comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from ..errors import InvalidProblem, one_of
from ..space.variable import Numeric
from .events import Event, Extended
from .problem import Problem


def read_bounds(problem: Problem, bounds: Any) -> dict[str, tuple[Any, Any]]:
    """New bounds by variable, checked: each wider than those that the problem has. What stays is left out.

    Raises:
        InvalidProblem: naming the variable and what is allowed.
    """
    known = {variable.name: variable for variable in problem.space if isinstance(variable, Numeric)}
    if not known or "variables" not in {field.name for field in fields(problem)}:  # type: ignore[arg-type]
        raise InvalidProblem("bounds", bounds, f"nothing: a {problem.kind} problem like this has no bounds to widen")
    if not isinstance(bounds, Mapping):
        raise InvalidProblem("bounds", bounds, "pairs (low, high) by variable, such as {'ph': (3, 9)}")
    for name, pair in bounds.items():
        if name not in known:
            raise InvalidProblem(f"bounds.{name}", pair, f"bounds of {one_of(known, name)}")
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise InvalidProblem(f"bounds.{name}", pair, "a pair (low, high)")
        known[name].widened(*pair)
    found = {name: tuple(bounds[name]) for name in known if name in bounds}
    wider = {name: pair for name, pair in found.items() if pair != _bounds_of(problem, name)}
    extended(problem, wider)
    return wider


def extended(problem: Problem, bounds: Mapping[str, tuple[Any, Any]]) -> Problem:
    """The problem with these bounds where they are wider. What nature does stays as it is.

    Raises:
        InvalidProblem: the problem does not allow them (its points have coordinates, say).
    """
    variables = []
    for variable in problem.space:
        if variable.name in bounds and isinstance(variable, Numeric):
            (old_low, old_high), (low, high) = _bounds_of(problem, variable.name), bounds[variable.name]
            variable = variable.widened(min(low, old_low), max(high, old_high))
        variables.append(variable)
    return replace(problem, variables=tuple(variables))  # type: ignore[type-var]


def after(problem: Problem, event: Event) -> Problem:
    """The problem from an event on."""
    return extended(problem, event.bounds) if isinstance(event, Extended) else problem


def _bounds_of(problem: Problem, name: str) -> tuple[Any, Any]:
    variable: Any = problem.space[name]
    return variable.low, variable.high
