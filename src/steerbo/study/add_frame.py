"""Outcomes from a DataFrame of pandas, line by line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..errors import InvalidOutcome
from .line import Line
from .study import Study
from .table import read_results, take


def add_frame(study: Study, frame: Any, headers: Mapping[str, str] | None = None, charge: bool = False) -> list[Line]:
    """Take outcomes from a DataFrame, line by line; each is taken, left or refused for a reason, and the others go on.

    It is read as `steerbo import` reads a table: columns `value`, `cost`, `token`, `state`, and what was measured, by
    variable; further ones are ignored. A line without a token is data that nobody suggested. What is there already is
    not counted twice. The frame's index is not read.

    Args:
        study: takes the outcomes.
        frame: of pandas, or whatever has its `to_csv`.
        headers: how the frame heads columns, by their own names, such as ``{"value": "Yield (kg)"}``.
        charge: whether the costs of lines without a token are charged to the budget.

    Returns:
        What became of each line; its `number` counts the header as line 1, as in a spreadsheet.

    Raises:
        InvalidOutcome: it is no frame, has no `value`, or a column twice.
    """
    if not callable(getattr(frame, "to_csv", None)):
        raise InvalidOutcome("frame", type(frame).__name__, "a DataFrame of pandas")
    sheet = read_results(study.problem, frame.to_csv(index=False), headers)
    return take(study, replace(sheet, mark="dot", local=False), charge)  # numbers are numbers, and not how people write
