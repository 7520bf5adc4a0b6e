"""What was typed, as what the problem takes: texts, lists, pairs and tables. The problem then says what is allowed."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..errors import InvalidContext, InvalidOutcome, InvalidRequest
from ..rounds import Problem
from ..study.table import read_cell, read_value


def pairs(
    problem: Problem | None, field: str, given: Iterable[str] | None, error: type[InvalidOutcome | InvalidContext]
) -> dict[str, Any]:
    """`NAME=VALUE` texts as values by name; without the problem, where nobody can read it, as numbers and texts."""
    found: dict[str, Any] = {}
    for text in given or ():
        known = [
            name for name in (problem.columns if problem else ()) if text.startswith(f"{name}=")
        ]  # a name may hold an equals sign
        typed = max(known, key=len, default=text.partition("=")[0])
        name = typed if known else typed.strip()
        if "=" not in text or not name or name in found:
            raise error(field, text, "NAME=VALUE, each name once")
        value = text[len(typed) + 1 :]
        found[name] = read_cell(problem, name, value) if problem else read_value(value)
    return found


def request(problem: Problem, time: str | None, available: str | None, current: str | None) -> dict[str, Any]:
    """What `Optimizer.ask` is given beside the number of suggestions.

    Args:
        problem: says which names and choices there are.
        time: a number.
        available: a list such as ``red,green``, JSON, or a file in either form, CSV with a column a variable.
        current: JSON, or a file: JSON, or CSV with a column an action and, first, one with the contexts.

    Raises:
        InvalidRequest: a file that cannot be read.
    """
    found: dict[str, Any] = {}
    if time is not None:
        found["time"] = read_value(time)
    if available is not None:
        text = _text("available", available)
        found["available"] = _points(problem, text) if _is_file(available, ".csv") else _choices(problem, text)
    if current is not None:
        text = _text("current", current)
        found["current"] = _distribution(problem, text) if _is_file(current, ".csv") else read_value(text)
    return found


def cases(problem: Problem, given: str) -> list[dict[str, Any]]:
    """What was seen in many cases: a list of tables in JSON, or a file, JSON or CSV with a column a variable.

    Raises:
        InvalidContext: it is none of these.
    """
    if _is_file(given, ".csv"):
        rows = _table("contexts", _text("contexts", given))
        return [{name: read_cell(problem, name, cell) for name, cell in row.items()} for row in rows]
    found = read_value(_text("contexts", given))
    if not isinstance(found, list) or not all(isinstance(case, dict) for case in found):
        raise InvalidContext("contexts", given, 'a list of tables in JSON, such as [{"age": 61}], or a file of them')
    return found


def _is_file(text: str, *endings: str) -> bool:
    return text.strip().lower().endswith(endings or (".csv", ".json"))


def _text(field: str, given: str) -> str:
    if not _is_file(given):
        return given
    try:
        return Path(given).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequest(field, given, "a file that can be read, in UTF-8", f"({error})") from None


def _choices(problem: Problem, text: str) -> Any:
    """JSON, or else values with commas between them: points of a problem with one variable."""
    if text.lstrip().startswith(("[", "{")):
        return read_value(text)
    name, *more = problem.space.names or ("",)
    return text if more else [read_cell(problem, name, cell) for cell in text.split(",") if cell.strip()]


def _points(problem: Problem, text: str) -> list[dict[str, Any]]:
    rows = _table("available", text)
    return [{name: read_cell(problem, name, cell) for name, cell in row.items()} for row in rows]


def _distribution(problem: Problem, text: str) -> Any:
    """By context: the only one has no need to be named."""
    contexts: tuple[str, ...] = getattr(problem, "contexts", ())
    rows = _table("current", text)
    if len(rows) == len(contexts) == 1:
        rows = [{"context": contexts[0], **rows[0]}]
    found: dict[str, Any] = {}
    for row in rows:
        context = row.pop("context", None)
        if context is None or context in found:
            raise InvalidRequest("current", text, "a column 'context' that names each context once")
        found[context] = {action: read_value(cell) for action, cell in row.items()}
    return found


def _table(field: str, text: str) -> list[dict[str, str]]:
    """Rows of a table in CSV, cells by column; empty cells are left out."""
    try:
        rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise InvalidRequest(field, text[:80], "a table in CSV", f"({error})") from None
    if any(None in row for row in rows):
        raise InvalidRequest(field, text[:80], "a table in CSV", "A line has more cells than the first.")
    return [{name.strip(): cell.strip() for name, cell in row.items() if cell and cell.strip()} for row in rows]
