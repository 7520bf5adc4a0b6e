"""What `ask(available=…)` may say, as plain data for the log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidRequest
from ..parsing import Rows, parse_value, read_listed
from ..space import Categorical
from ..space.fields import as_number

if TYPE_CHECKING:
    from .problem import TimeVarying

_NOTHING = "When nothing can be chosen there is nothing to ask: wait for the next round."


def typed_available(problem: TimeVarying, given: str | Rows) -> Any:
    """As it is typed: points as rows, JSON, or values of the one variable, with commas or semicolons between them."""
    if not isinstance(given, str):
        return [{name: problem.read_cell(name, cell) for name, cell in row.items()} for row in given]
    if given.lstrip().startswith(("[", "{")):
        return parse_value(given)
    name, *more = problem.settable or ("",)
    return given if more else [problem.read_cell(name, cell) for cell in read_listed("available", given)]


def read_available(problem: TimeVarying, given: Any) -> Any:
    """What is available, checked: indices of points, or `{"low", "high"}`, or `{"points"}`; None where everything is.

    Raises:
        InvalidRequest: nothing is available, or something that is not part of the domain.
    """
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, list | tuple | range | Mapping):
        raise InvalidRequest("available", given, "a list of points, a mask, or bounds by variable name")
    if not len(given):
        raise InvalidRequest("available", given, "at least one point", _NOTHING)
    if problem.choices is not None:
        return _sites(problem, given)
    return (
        _bounds(problem, given) if isinstance(given, Mapping) else {"points": [_point(problem, row) for row in given]}
    )


def _sites(problem: TimeVarying, given: Any) -> list[int] | None:
    if isinstance(given, Mapping):
        raise InvalidRequest("available", given, "a list of points or a mask: the domain is finite")
    assert problem.choices is not None
    n, first = len(problem.choices), problem.space[problem.settable[0]]
    boolean = all(isinstance(flag, bool) for flag in given)
    choices = first.choices if isinstance(first, Categorical) else ()
    if boolean and not (len(problem.settable) == 1 and any(isinstance(c, bool) for c in choices)):
        if len(given) != n:
            raise InvalidRequest("available", f"a mask of length {len(given)}", f"{n} truth values, one a point")
        chosen = [i for i, flag in enumerate(given) if flag]
    else:
        numbers = {choice: i for i, choice in enumerate(problem.choices)}
        chosen = sorted({numbers[tuple(_values(problem, row).values())] for row in given})
    if not chosen:
        raise InvalidRequest("available", given, "at least one point", _NOTHING)
    return chosen if len(chosen) < n else None


def _values(problem: TimeVarying, row: Any) -> dict[str, Any]:
    names = problem.settable
    if isinstance(row, list | tuple) and len(row) == len(names):
        row = dict(zip(names, row, strict=True))
    elif not isinstance(row, Mapping) and len(names) == 1:
        row = {names[0]: row}
    if not isinstance(row, Mapping):
        raise InvalidRequest("available", row, f"points: values of {', '.join(names)}")
    try:
        return problem.space.check_settings(row, names)
    except InvalidRequest as error:
        raise error.within("available") from None


def _point(problem: TimeVarying, row: Any) -> list[float]:
    known = problem.coordinates_of(_values(problem, row))
    return [known.get(name, 0.0) for name in problem.space.names]  # what is seen takes its place: see `within`


def _bounds(problem: TimeVarying, given: Mapping[str, Any]) -> dict[str, list[float]]:
    for name in given:
        if name not in problem.settable:
            raise InvalidRequest(f"available.{name}", given[name], f"bounds of {', '.join(problem.settable)}")
    low, high = [], []
    for variable in problem.variables:
        if isinstance(variable, Categorical):
            if variable.name in given:
                raise InvalidRequest(
                    f"available.{variable.name}", given[variable.name], "a list of points: it is a category"
                )
            ends = (0.0, len(variable.choices) - 1.0)
        else:
            ends = (float(variable.low), float(variable.high))
        pair = given.get(variable.name, ends)
        numbers = [as_number(end) for end in pair] if isinstance(pair, list | tuple) and len(pair) == 2 else [None]
        if None in numbers or not ends[0] <= numbers[0] <= numbers[1] <= ends[1]:  # type: ignore[operator]
            allowed = f"a pair (low, high) with {ends[0]:g} <= low <= high <= {ends[1]:g}"
            hint = _NOTHING if None not in numbers and numbers[0] > numbers[1] else ""  # type: ignore[operator]
            raise InvalidRequest(f"available.{variable.name}", pair, allowed, hint)
        low.append(float(numbers[0]))  # type: ignore[arg-type]
        high.append(float(numbers[1]))  # type: ignore[arg-type]
    return {"low": low, "high": high}
