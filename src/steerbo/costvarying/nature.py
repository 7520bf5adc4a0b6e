"""What nature draws together: rows of data for several of the variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import StatedLaw
from ..errors import InvalidOutcome, InvalidProblem, one_of
from ..space import Categorical, Float, Integer, JointRows, Learned, Space, Variable
from ..wording import counted

MOST_BEYOND = 0.01
"""Share of a column that may lie beyond its variable's bounds."""


def check_nature(nature: JointRows, space: Space) -> Sequence[str]:
    """Names of the variables that nature draws together, if the rows suit them; some may be seen before choosing.

    Raises:
        InvalidProblem: a column that is no variable or has a law of its own, only columns that are seen, a value that
            its variable does not have, more than 1 % of a column beyond its variable's bounds.
    """
    for j, name in enumerate(nature.columns):
        field = f"nature.columns.{j}"
        if name not in space:
            raise InvalidProblem(field, name, one_of(space.names, name), "Every column is a variable of the problem.")
        variable = space[name]
        if variable.law is not None:
            hint = "Leave out one of the two: the variable's ‹law›, or the column."
            raise InvalidProblem(field, name, "a variable without a law of its own", hint)
        for i, value in enumerate(nature.column(name)):
            try:
                variable.check_measured(value)
            except InvalidOutcome as error:
                raise InvalidProblem(
                    f"nature.rows.{i}.{j}", value, f"{error.allowed}, for {name}", error.hint
                ) from None
        if not isinstance(variable, Categorical):
            _check_bounds(nature.column(name), variable, j)
    if all(space[name].seen for name in nature.columns):
        hint = "Add a column that nature draws afterwards."
        raise InvalidProblem("nature.columns", list(nature.columns), "at least one that is not ‹seen›", hint)
    return nature.columns


def _check_bounds(values: Sequence[Any], variable: Float | Integer, j: int) -> None:
    """As for a variable's own law, a few values may lie beyond what can be set."""
    beyond = [i for i, value in enumerate(values) if not variable.low <= value <= variable.high]
    if len(beyond) > MOST_BEYOND * len(values):
        limits = f"[{variable.low:g}, {variable.high:g}]"
        allowed = (
            f"at most 1 % of {variable.name!r} outside {limits} (here {len(beyond)} of {counted(len(values), 'row')})"
        )
        hint = "Widen the variable's bounds, or leave out what was measured wrongly."
        raise InvalidProblem(f"nature.rows.{beyond[0]}.{j}", values[beyond[0]], allowed, hint)


def left_as(variable: Variable, nature: JointRows | None) -> str:
    """What nature does with a variable that no law of its own says, in words; else nothing."""
    if isinstance(variable.law, Learned):
        first = "" if variable.law.prior is None else f"; at first {variable.law.prior}"
        return f"left to itself as is learned from each round{first}"
    if nature is not None and variable.name in nature.columns:
        return f"{'seen before choosing, else' if variable.seen else 'left to itself'} as in {nature}"
    return ""


def stated_rows(nature: JointRows | None, space: Space) -> dict[str, StatedLaw]:
    """What rows say of each of their columns, given those that are seen before choosing."""
    if nature is None:
        return {}
    seen = tuple(name for name in nature.columns if space[name].seen)
    return {
        name: StatedLaw(space[name], nature.column(name), "nature", () if name in seen else seen)
        for name in nature.columns
    }


def encoded_rows(nature: JointRows, space: Space) -> np.ndarray:
    """The rows as the inputs of a process have them, (m, k), in the order of their columns."""
    return np.column_stack([space[name].encode(list(nature.column(name))) for name in nature.columns])
