"""The columns of a table of rounds."""

from __future__ import annotations

from ..rounds import Problem
from ..text import visible

OWN = ("token", "round", "state", "value", "cost", "charged", "scope", "reason")
"""Columns that are no variables. `round` is for people, and not read; the sum of `charged` is what is spent."""


def column(name: str) -> str:
    """A variable's column: its name, told apart where a column of another meaning is called so.

    >>> column("ph"), column("cost")
    ('ph', 'variable cost')
    """
    return f"variable {name}" if name in OWN else visible(name)


def columns_of(problem: Problem) -> tuple[str, ...]:
    """All columns, in order: what was set and what was measured stand between the money and the reason of a failure.

    The scope is said where what a play costs or teaches hangs on it.
    """
    *first, scope, reason = OWN
    return (*first, *((scope,) if problem.priced or problem.scoped else ()), *map(column, problem.columns), reason)
