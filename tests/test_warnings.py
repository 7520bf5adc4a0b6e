"""Warnings point to the program of the person who uses the library."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import steerbo as sb
from steerbo.study import MemoryLog, Study

PROBLEM = sb.CostVarying([sb.Float("heat", 10, 35, law=sb.Uniform()), sb.Float("ph", 4, 8)], [["ph"]])


@pytest.mark.parametrize("kept", ["in memory", "on a log"])
@pytest.mark.parametrize("verb", ["tell", "add"])
def test_a_warning_names_the_line_that_called_the_library(kept: str, verb: str) -> None:
    study = sb.Optimizer(PROBLEM, rounds=9) if kept == "in memory" else Study.create(MemoryLog(), PROBLEM, rounds=9)
    asked = study.ask()
    with warnings.catch_warnings(record=True, action="always") as caught:
        if verb == "tell":
            study.tell(asked, 7.0, realised={"heat": 6000.0})
        else:
            study.add(7.0, {"heat": 6000.0, "ph": 5.0})
    assert "far outside its range" in str(caught[0].message)
    assert {Path(each.filename) for each in caught} == {Path(__file__)}
