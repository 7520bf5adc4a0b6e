"""What nature draws together: rows of data for several of the variables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import InvalidInput, InvalidOutcome, InvalidProblem, one_of
from ..space import Empirical, JointRows, Space


def check_nature(nature: JointRows, space: Space) -> None:
    """Refuse rows that do not suit the variables.

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
        try:
            alone: Any = replace(variable, law=Empirical(nature.column(name)))
            _ = alone.distribution
        except InvalidInput as error:
            raise InvalidProblem(field, name, error.allowed, error.hint) from None


def encoded_rows(nature: JointRows, space: Space) -> np.ndarray:
    """The rows as the inputs of a process have them, (m, k), in the order of their columns."""
    return np.column_stack([space[name].encode(list(nature.column(name))) for name in nature.columns])
