"""Outcomes from a DataFrame."""

from __future__ import annotations

from typing import Any

import pytest

from steerbo.errors import InvalidOutcome
from steerbo.study import add_frame
from tests.study.frames import REASON, played, study


def frame_of(rows: Any) -> Any:
    return pytest.importorskip("pandas", reason=REASON).DataFrame(rows)


def test_past_data_comes_from_a_frame_once() -> None:
    made = study()
    frame = frame_of({"Temp": [21.5, 18.125], "ph": [6.2, 7.4], "Yield": [9.8, 1.234], "who": ["Anna", "Ben"]})
    headers = {"t": "Temp", "value": "Yield"}
    assert [line.fate for line in add_frame(made, frame, headers)] == ["taken", "taken"]
    assert [line.fate for line in add_frame(made, frame, headers)] == ["taken", "taken"]
    kept = list(made.history.data.values())
    assert [(data.outcome.value, data.outcome.realised["t"]) for data in kept] == [(9.8, 21.5), (1.234, 18.125)]
    assert made.status.spent == 0


def test_its_own_frame_changes_nothing() -> None:
    pytest.importorskip("pandas", reason=REASON)
    made = played()
    before = made.events
    assert all(line.taken for line in add_frame(made, made.to_frame()))
    assert made.events == before


def test_lines_that_miss_something_are_refused_and_the_others_taken() -> None:
    made = study()
    lines = add_frame(made, frame_of({"t": [21.0, None], "ph": [6.0, 6.5], "value": [1.0, 2.0]}))
    assert [line.fate for line in lines] == ["taken", "refused"]
    assert "'t' is missing" in lines[1].message


@pytest.mark.parametrize("given", [None, 3, [{"value": 1}], {"value": [1]}])
def test_what_is_no_frame_is_refused_by_name(given: Any) -> None:
    with pytest.raises(InvalidOutcome, match=r"frame: .* expected a DataFrame of pandas"):
        add_frame(study(), given)


class Polars:
    """A frame with what is used of those of polars."""

    columns = ("t", "ph", "value", "cost")

    def to_dicts(self) -> list[dict[str, float | None]]:
        return [dict(zip(self.columns, row, strict=True)) for row in ((20.5, 6.0, 1.25, 1.0), (30.0, 5.0, 2.0, None))]


def test_frames_of_polars_are_read_like_those_of_pandas() -> None:
    made = study()
    assert [line.fate for line in add_frame(made, Polars())] == ["taken", "taken"]
    assert [(outcome.value, outcome.cost) for outcome in made.history.added] == [(1.25, 1.0), (2.0, None)]
