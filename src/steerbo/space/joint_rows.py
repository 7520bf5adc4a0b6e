"""A joint law declared by its data: rows that were measured together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import model_validator
from pydantic_core import ArgsKwargs, PydanticCustomError

from ..errors import InvalidProblem, one_of
from ..records import record
from ._placed import duplicate
from .fields import Choice, Choices, ListField, Text, as_choice, listed, tag

MOST_CELLS = 100_000
"""Rows times columns at most: the problem is written into the log as a whole."""
_POSITIONAL = 2


def _small(rows: int, columns: int) -> None:
    if rows * columns > MOST_CELLS:
        hint = "All of them are copied into the study's log: leave rows out, every second one, say."
        raise InvalidProblem("rows", f"{rows} rows of {columns}", f"at most {MOST_CELLS} cells", hint)


@record
class JointRows:
    """Joint law of several variables: rows of data, each of them equally likely.

    Args:
        rows: a list of rows, a list of mappings, an array (m, k), or a DataFrame of pandas or polars, in the variables'
            units. There are at least two, with no gaps.
        columns: the names of the k variables that they are values of, in their order; of a DataFrame, or of mappings,
            the columns to take. A DataFrame's may be left out: then all of them.

    Raises:
        InvalidProblem: a gap, a row of another length, a column that is not there, more than 100 000 cells.

    >>> weather = JointRows([[18.0, 0.9], [25.0, 0.5], [31.0, 0.3]], ["temperature", "humidity"])
    >>> weather.column("humidity")
    (0.9, 0.5, 0.3)
    """

    rows: Annotated[Sequence[Choices], ListField]
    columns: Annotated[Sequence[Text], ListField]
    kind: Literal["joint-rows"] = tag("joint-rows")

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, given: Any) -> Any:
        """Data that name their columns as rows in the order of `columns`."""
        fields = given.kwargs if isinstance(given, ArgsKwargs) else given
        args = given.args if isinstance(given, ArgsKwargs) else ()
        if not isinstance(fields, Mapping | None) or len(args) > _POSITIONAL:
            return given
        fields = {**dict(zip(("rows", "columns"), args, strict=False)), **(fields or {})}
        fields["rows"], fields["columns"] = _in_order(fields.get("rows"), fields.get("columns"))
        fields = {name: value for name, value in fields.items() if value is not None}
        return ArgsKwargs((), fields) if isinstance(given, ArgsKwargs) else fields

    def __post_init__(self) -> None:
        """Refuse tables that are no joint law."""
        if not self.columns:
            raise InvalidProblem("columns", self.columns, "at least one variable")
        if (twice := duplicate(self.columns)) is not None:
            raise InvalidProblem("columns", twice, "every name once")
        for i, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise InvalidProblem(f"rows.{i}", list(row), f"{len(self.columns)} values, one for each of the columns")
        if len(self.rows) < 2:
            hint = "What never changes needs no law: make it no variable, or hold it in every set."
            raise InvalidProblem("rows", [list(row) for row in self.rows], "at least two rows", hint)
        _small(len(self.rows), len(self.columns))

    def __str__(self) -> str:
        return f"{len(self.rows)} rows of {', '.join(self.columns)}"

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: j for j, name in enumerate(self.columns)}

    def column(self, name: str) -> tuple[Choice, ...]:
        """The values of one variable, in the order of the rows."""
        j = self._places[name]
        return tuple(row[j] for row in self.rows)


def _in_order(rows: Any, columns: Any) -> tuple[Any, Any]:
    """Data as rows in the order of `columns`; what is no data stays as it is, and is refused later."""
    if hasattr(rows, "to_numpy") and hasattr(rows, "columns"):
        there = [str(name) for name in rows.columns]
        wanted = there if columns is None else _names(columns)
        for name in wanted:
            if there.count(name) != 1:
                raise InvalidProblem("columns", name, f"a column that the data have once, {one_of(there, name)}")
        rows, columns = np.asarray(rows.to_numpy(), dtype=object)[:, [there.index(name) for name in wanted]], wanted
    if isinstance(rows, np.ndarray):
        if rows.ndim != 2:
            raise InvalidProblem("rows", rows.shape, "an array (m, k): one row for each time, one column a variable")
        _small(*rows.shape)
        rows = rows.tolist()
    if isinstance(rows, list | tuple) and rows and isinstance(rows[0], Mapping) and columns is not None:
        columns = _names(columns)
        rows = [_of(row, i, columns) for i, row in enumerate(rows)]
    if isinstance(rows, list | tuple) and rows and isinstance(rows[0], list | tuple):
        _small(len(rows), len(rows[0]))
        _whole_rows(rows)
    return rows, columns


def _whole_rows(rows: Sequence[Any]) -> None:
    for i, row in enumerate(rows):
        for j, value in enumerate(row if isinstance(row, list | tuple) else ()):
            if as_choice(value) is None:
                hint = (
                    "What was not measured together says nothing of how things go together: leave rows with gaps out."
                )
                raise InvalidProblem(f"rows.{i}.{j}", value, "a finite number, a text, true or false", hint)


def _names(columns: Any) -> list[str]:
    try:
        return [str(name) for name in listed(columns)]
    except PydanticCustomError:
        raise InvalidProblem("columns", columns, "a list of names") from None


def _of(row: Any, i: int, names: Sequence[str]) -> list[Any]:
    for name in names:
        if not isinstance(row, Mapping) or name not in row:
            raise InvalidProblem(f"rows.{i}", row, f"a value for each of {', '.join(names)}")
    return [row[name] for name in names]


__all__ = ["MOST_CELLS", "JointRows"]
