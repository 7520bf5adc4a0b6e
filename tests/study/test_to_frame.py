"""The rounds as a DataFrame."""

from __future__ import annotations

import math

import pytest

from steerbo.errors import InvalidOption
from steerbo.study import add_frame, to_frame
from tests.study.frames import REASON, played, study


def test_every_round_is_a_line() -> None:
    pytest.importorskip("pandas", reason=REASON)
    frame = played().to_frame()
    assert list(frame["state"]) == ["told", "failed", "added"]
    assert list(frame["value"])[::2] == [1.5, 7.25]
    assert math.isnan(frame["value"][1])
    assert list(frame["cost"])[:2] == [1.0, 0.5]
    assert frame["reason"][1] == "the pump broke"
    assert frame["ph"][2] == 5.123456789012345
    assert {"t", "ph"} <= set(frame.columns)


def test_an_optimizer_has_a_frame_too() -> None:
    pytest.importorskip("pandas", reason=REASON)
    assert len(to_frame(played().optimizer)) == 3
    assert list(to_frame(study().optimizer).columns) == list(played().to_frame().columns)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_is_read_back_by_another_study(library: str) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed: pip install 'steerbo[{library}]'")
    frame = played().to_frame(library)
    assert type(frame).__module__.startswith(library)
    assert list(frame.columns) == list(played().to_frame().columns)
    again = study()
    frame = frame[[name for name in frame.columns if name not in ("token", "round", "state", "charged", "reason")]]
    fates = [line.fate for line in add_frame(again, frame)]
    assert fates == ["taken", "refused", "taken"], "a round that failed has no value"
    assert [outcome.value for outcome in again.history.added] == [1.5, 7.25]


def test_another_library_is_refused_by_name() -> None:
    with pytest.raises(InvalidOption, match="one of pandas, polars"):
        played().to_frame("polar")
