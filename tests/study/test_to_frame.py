"""The rounds as a DataFrame."""

from __future__ import annotations

import math

import pytest

from steerbo.study import to_frame
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
