"""A line of a table of outcomes: what it says, and what became of it."""

from __future__ import annotations

from typing import Any, Literal

from ..record import record
from ..rounds import Problem
from ..space import Categorical
from ..typed import read_choice, read_value
from .columns import column
from .export import read_scope
from .sheet import Row, Sheet


@record
class Line:
    """What became of a line of a file: `taken`, `left` (there is no outcome in it yet) or `refused`, and why."""

    number: int
    fate: Literal["taken", "left", "refused"]
    message: str

    @property
    def taken(self) -> bool:
        """Whether all that it says is in the study."""
        return self.fate == "taken"

    def __str__(self) -> str:
        return f"line {self.number}: {self.fate}, {self.message}"


@record
class Said:
    """What a line says."""

    state: str
    reason: str
    value: Any
    cost: Any
    charged: Any
    scope: list[str] | dict[str, Any]
    realised: dict[str, Any]


def read_line(problem: Problem, sheet: Sheet, row: Row) -> Said:
    """What a line says.

    Raises:
        InvalidOutcome: a cell that is neither empty nor what its column holds.
    """

    def number(name: str) -> Any:
        return read_value(sheet.number(name, row.cells[name])) if name in row.cells else None

    realised, variables = {}, {variable.name: variable for variable in problem.space}
    for name in problem.columns:
        if (label := column(name)) in row.cells:
            variable = variables.get(name)
            choice = read_choice(variable.choices, row.cells[label]) if isinstance(variable, Categorical) else None
            if not isinstance(variable, Categorical) or choice not in variable.choices:
                choice = problem.read_cell(name, sheet.number(label, row.cells[label]))
            realised[name] = choice
    state = row.cells.get("state", "").casefold()
    scope = read_scope(row.cells["scope"]) if "scope" in row.cells else []
    reason = row.cells.get("reason", "")
    return Said(state, reason, number("value"), number("cost"), number("charged"), scope, realised)
