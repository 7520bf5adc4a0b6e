"""The columns of a table of rounds."""

from __future__ import annotations

from ..rounds import Problem
from ..text import visible

OWN = ("token", "round", "state", "value", "cost", "reason")
"""Columns that are no variables. `round` is for people, and not read."""


def column(name: str) -> str:
    """A variable's column: its name, told apart where a column of another meaning is called so.

    >>> column("ph"), column("cost")
    ('ph', 'variable cost')
    """
    return f"variable {name}" if name in OWN else visible(name)


def columns_of(problem: Problem) -> tuple[str, ...]:
    """All columns, in order: what was set and what was measured stand between the cost and the reason of a failure."""
    return (*OWN[:-1], *map(column, problem.columns), OWN[-1])
