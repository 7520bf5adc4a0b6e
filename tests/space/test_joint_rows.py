"""Joint laws declared by rows of data."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.errors import InvalidProblem
from steerbo.records import from_dict, to_dict

ROWS: list[list[Any]] = [[18.0, "wet"], [25.0, "dry"], [31.0, "dry"]]
NAMES = ["temperature", "sky"]
rows_of: Any = sb.space.JointRows


class Frame:
    """A table as pandas and polars have it, as far as it matters here."""

    columns = ("sky", "day", "temperature")

    def to_numpy(self) -> np.ndarray:
        cells = [[sky, day, temperature] for day, (temperature, sky) in enumerate(ROWS)]
        return np.array(cells, dtype=object)


def test_rows_come_as_lists_mappings_arrays_and_frames() -> None:
    rows = rows_of(ROWS, NAMES)
    assert rows.column("sky") == ("wet", "dry", "dry")
    assert rows_of([dict(zip(NAMES, row, strict=True)) for row in ROWS], NAMES) == rows
    assert rows_of(Frame(), NAMES) == rows
    assert rows_of(rows=Frame(), columns=tuple(NAMES)) == rows
    assert rows_of(Frame()).columns == Frame.columns
    numbers = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert rows_of(numbers, ["a", "b"]) == rows_of([(1.0, 2.0), (3.0, 4.0)], ["a", "b"])


def test_its_plain_form_is_read_back() -> None:
    rows = rows_of(ROWS, NAMES)
    assert from_dict(sb.space.JointRows, json.loads(json.dumps(to_dict(rows)))) == rows
    assert hash(rows) == hash(rows_of(ROWS, NAMES))
    assert str(rows) == "3 rows of temperature, sky"


REFUSED: dict[str, tuple[tuple[Any, ...], str]] = {
    "one row": (([[1.0, 2.0]], ["a", "b"]), r"JointRows\.rows: .*at least two rows"),
    "none": (([], ["a", "b"]), r"JointRows\.rows: .*at least two rows"),
    "NaN": (([[1.0, 2.0], [3.0, float("nan")]], ["a", "b"]), r"rows\.1\.1: nan .*Rows with gaps"),
    "NaN in an array": ((np.array([[1.0, np.nan], [1, 2]]), ["a", "b"]), r"rows\.0\.1: nan"),
    "a gap": (([[1.0, None], [3.0, 1.0]], ["a", "b"]), r"rows\.0\.1: None"),
    "a short row": (([[1.0, 2.0], [3.0]], ["a", "b"]), r"rows\.1: \[3\.0\] .*2 values"),
    "a flat array": ((np.ones(3), ["a"]), r"rows: \(3,\).*an array \(m, k\)"),
    "no rows": (("weather", ["a"]), r"rows: 'weather' .*a list"),
    "numbers": (([1.0, 2.0], ["a"]), r"rows\.0: 1\.0 .*a list"),
    "twice": (([[1.0, 2.0], [3.0, 4.0]], ["a", "a"]), r"columns: 'a' .*every name once"),
    "no names": (([[1.0], [3.0]],), r"columns: missing"),
    "a name": (([[1.0], [3.0]], "a"), r"columns: 'a' .*a list"),
    "not in the frame": ((Frame(), ["sky", "temprature"]), r"columns: 'temprature' .*mean 'temperature'"),
    "not in a mapping": (([{"a": 1.0}, {"b": 1.0}], ["a"]), r"rows\.1: .*a value for each of a"),
    "too many": ((np.zeros((50_001, 2)), ["a", "b"]), r"rows: '50001 rows of 2' .*at most 100000 cells"),
    "too many listed": (([[1.0]] * 100_001, ["a"]), r"rows: .*at most 100000 cells"),
}


@pytest.mark.parametrize(("given", "says"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(given: tuple[Any, ...], says: str) -> None:
    with pytest.raises(InvalidProblem, match=says):
        rows_of(*given)
