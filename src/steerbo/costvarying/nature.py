"""What nature draws together: rows of data for several of the variables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import InvalidOutcome, InvalidProblem, one_of
from ..rounds import StatedLaw
from ..space import Categorical, Float, Integer, JointRows, Space
from ..words import counted

MOST_BEYOND = 0.01
"""Share of a column that may lie beyond its variable's bounds."""


def check_nature(nature: JointRows, space: Space) -> Sequence[str]:
    """Names of the variables that nature draws together, if the rows suit them.

    Raises:
        InvalidProblem: a column that is no variable, has a law of its own or is seen before choosing, a value that its
            variable does not have, more than 1 % of a column beyond its variable's bounds.
    """
    for j, name in enumerate(nature.columns):
        field = f"nature.columns.{j}"
        if name not in space:
            raise InvalidProblem(field, name, one_of(space.names, name), "Every column is a variable of the problem.")
        variable = space[name]
        if variable.law is not None:
            hint = "Leave out one of the two: the variable's ‹law›, or the column."
            raise InvalidProblem(field, name, "a variable without a law of its own", hint)
        if variable.seen:
            hint = "What the others do where it is known, rows do not say: leave the column out."
            raise InvalidProblem(field, name, "a variable that is not ‹seen› before choosing", hint)
        for i, value in enumerate(nature.column(name)):
            try:
                variable.check_measured(value)
            except InvalidOutcome as error:
                raise InvalidProblem(
                    f"nature.rows.{i}.{j}", value, f"{error.allowed}, for {name}", error.hint
                ) from None
        if not isinstance(variable, Categorical):
            _check_bounds(nature.column(name), variable, j)
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


def stated_rows(nature: JointRows | None, space: Space) -> dict[str, StatedLaw]:
    """What rows say of each of their columns."""
    columns = nature.columns if nature is not None else ()
    return {name: StatedLaw(space[name], nature.column(name), "nature") for name in columns if nature is not None}


def encoded_rows(nature: JointRows, space: Space) -> np.ndarray:
    """The rows as the inputs of a process have them, (m, k), in the order of their columns."""
    return np.column_stack([space[name].encode(list(nature.column(name))) for name in nature.columns])
