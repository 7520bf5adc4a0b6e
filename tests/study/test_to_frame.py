"""The rounds as a DataFrame."""

from __future__ import annotations

import math

import pytest

import steerbo as sb
from steerbo.study import MemoryLog, Study, to_frame

REASON = "pandas is not installed: pip install 'steerbo[pandas]'"


def study() -> Study:
    variables = [sb.Float("t", 10, 35, law=sb.Normal(22, 3)), sb.Float("ph", 4, 8, law=sb.Uniform())]
    return Study.create(MemoryLog(), sb.CostVarying(variables, [["t"], ["ph"]]), "random", budget=30, seed=1)


def played() -> Study:
    made = study()
    first, second = made.ask(batch=2)
    made.tell(first, value=1.5, cost=1, realised={"t": 20.0, "ph": 6.0} | first.values)
    made.fail(second, "the pump broke", cost=0.5)
    made.add(7.25, realised={"t": 21.5, "ph": 5.123456789012345})
    return made


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
