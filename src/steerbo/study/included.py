"""What a study file may leave to files beside it: samples, graphs. It is read once, into the problem."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import InvalidProblem, one_of
from ..typed import read_choice
from .sheet import decoded, read_sheet

LONGEST = 100_000
"""Most points of a sample: the problem is written into the log as a whole."""


def text_beside(folder: Path, name: Any, field: str) -> str:
    """The text of the file `name`, relative to the study file's folder.

    Raises:
        InvalidProblem: naming `field`: it is no text, or there is no such file.
    """
    if not isinstance(name, str) or not name.strip():
        raise InvalidProblem(field, name, "the name of a file")
    try:
        return decoded((folder / name).read_bytes())
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error

        allowed = f"a file that can be read, beside the study file in {folder}"
        raise InvalidProblem(field, name, allowed, f"({why})") from None


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
        if choices is not None:
            found.append(read_choice(choices, cell) if isinstance(choices, list) else cell)
            continue
        try:
            found.append(float(sheet.number(where, cell, InvalidProblem)))
        except InvalidProblem:
            raise
        except ValueError:
            raise InvalidProblem(where, cell, f"a number in column {column!r}") from None
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
