"""What a study file may leave to files beside it: samples, graphs. It is read once, into the problem."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import InvalidProblem, one_of
from ..files import LARGEST_TABLE, read_file
from ..space.joint_rows import MOST_CELLS
from ..typed import read_choice
from .sheet import Row, Sheet, decoded, read_sheet

LONGEST = 100_000
"""Most points of a sample: the problem is written into the log as a whole."""


def text_beside(folder: Path, name: Any, field: str) -> str:
    """The text of the file `name`, relative to the study file's folder.

    Raises:
        InvalidProblem: naming `field`: it is no text, or there is no such file.
    """
    if not isinstance(name, str) or not name.strip():
        raise InvalidProblem(field, name, "the name of a file")
    allowed = f"a file that can be read, beside the study file in {folder}"
    raw = read_file(folder / name, field, InvalidProblem, LARGEST_TABLE, allowed=allowed, shown=name)
    try:
        return decoded(raw)
    except ValueError as error:
        raise InvalidProblem(field, name, allowed, f"({error})") from None


def with_samples(variables: Any, folder: Path) -> Any:
    """Variables of a study file, with the samples of empirical laws that name a file and its column in their place."""
    if not isinstance(variables, list):
        return variables
    return [_with_sample(variable, folder, f"problem.variables.{i}") for i, variable in enumerate(variables)]


def _with_sample(variable: Any, folder: Path, place: str) -> Any:
    law = variable.get("law") if isinstance(variable, Mapping) else None
    if not isinstance(law, Mapping) or law.get("kind") != "empirical" or not {"file", "column"} & set(law):
        return variable
    place = f"{place}.law"
    if "sample" in law:
        raise InvalidProblem(f"{place}.file", law.get("file"), "a sample, or a file and its column, not both")
    if "column" not in law or "file" not in law:
        raise InvalidProblem(
            place, dict(law), "a file and a column", 'For example file = "weather.csv", column = "temp".'
        )
    others = {name: value for name, value in law.items() if name not in ("file", "column")}
    choices = variable.get("choices") if variable.get("kind") == "categorical" else None
    sample = _sample(text_beside(folder, law["file"], f"{place}.file"), law, choices, place)
    return {**variable, "law": {**others, "sample": sample}}


def with_rows(table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The table [problem] with the rows of ``nature = { file = "weather.csv", columns = ["temp", "ph"] }``.

    The columns are headed like the variables whose values they hold. The log keeps the rows, not the file's name.

    Raises:
        InvalidProblem: no file, no such column, a cell that is empty or no value of its variable.
    """
    nature = table.get("nature")
    if not isinstance(nature, Mapping) or "file" not in nature:
        return dict(table)
    place = "problem.nature"
    if "rows" in nature:
        raise InvalidProblem(f"{place}.file", nature["file"], "rows, or a file and its columns, not both")
    names = nature.get("columns")
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise InvalidProblem(f"{place}.columns", names, "a list of variables, as the file heads their columns")
    sheet = read_sheet(text_beside(folder, nature["file"], f"{place}.file"), {n: [n] for n in names}, InvalidProblem)
    for name in names:
        if name not in sheet.columns:
            allowed = f"a column of {nature['file']}, {one_of((*sheet.columns, *sheet.ignored), name)}"
            raise InvalidProblem(f"{place}.columns", name, allowed, "Head the column like the variable.")
    if len(sheet.rows) * len(names) > MOST_CELLS:
        hint = "All of them are copied into the study's log: leave rows out, every second one, say."
        raise InvalidProblem(f"{place}.file", f"{len(sheet.rows)} rows", f"at most {MOST_CELLS} cells", hint)
    listed = table.get("variables")
    variables = [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []
    choices = {v.get("name"): v.get("choices") for v in variables if v.get("kind") == "categorical"}
    rows = [
        [_cell(sheet, row, name, choices.get(name), f"{place}: {nature['file']}, line {row.number}") for name in names]
        for row in sheet.rows
    ]
    return {**table, "nature": {**{k: v for k, v in nature.items() if k != "file"}, "rows": rows}}


def _cell(sheet: Sheet, row: Row, name: str, choices: Any, where: str) -> Any:
    """What one variable was in one row."""
    cell = row.cells.get(name)
    if cell is None:
        hint = "What was not measured together says nothing of how things go together: leave the line out."
        raise InvalidProblem(where, "", f"a value in column {name!r}", hint)
    return _value(sheet, cell, name, choices, where)


def _value(sheet: Sheet, cell: str, column: str, choices: Any, where: str) -> Any:
    if choices is not None:
        return read_choice(choices, cell) if isinstance(choices, list) else cell
    try:
        return float(sheet.number(where, cell, InvalidProblem))
    except InvalidProblem:
        raise
    except ValueError:
        raise InvalidProblem(where, cell, f"a number in column {column!r}") from None


def _sample(text: str, law: Mapping[str, Any], choices: Any, place: str) -> list[Any]:
    """The cells of a column: numbers, or the variable's choices. Empty cells are gaps, and left out."""
    column, field = law["column"], f"{place}.column"
    if not isinstance(column, str):
        raise InvalidProblem(field, column, "the header of a column")
    sheet = read_sheet(text, {"sample": [column]}, InvalidProblem)
    if not sheet.columns:
        raise InvalidProblem(field, column, f"a column of {law['file']}, {one_of(sheet.ignored, column)}")
    found: list[Any] = []
    for row in sheet.rows:
        where = f"{place}: {law['file']}, line {row.number}"
        cell = row.cells.get("sample")
        if cell is None:
            continue
        found.append(_value(sheet, cell, column, choices, where))
    if not 0 < len(found) <= LONGEST:
        hint = "The whole sample is copied into the study's log: thin it out." if found else ""
        raise InvalidProblem(field, f"{len(found)} cells", f"1 to {LONGEST} cells that are not empty", hint)
    return found


def without_columns(variables: Any) -> tuple[Any, dict[str, Any]]:
    """Variables of a study file without their `column`, and these by name: how the lab's own table heads them.

    They are no part of the problem: renaming a column does not make it another study.
    """
    if not isinstance(variables, list):
        return variables, {}
    found = {
        variable["name"]: variable["column"]
        for variable in variables
        if isinstance(variable, Mapping) and "column" in variable and isinstance(variable.get("name"), str)
    }
    bare = [
        {key: value for key, value in variable.items() if key != "column"}
        if isinstance(variable, Mapping)
        else variable
        for variable in variables
    ]
    return bare, found
