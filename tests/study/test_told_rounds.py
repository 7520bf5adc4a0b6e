"""Lines of a table that are about rounds."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.study import MemoryLog, Study
from steerbo.study.files.import_csv import import_csv

PROBLEM = sb.CostVarying([sb.Float("ph", 4, 8, law=sb.Uniform())], [["ph"]])


@pytest.mark.parametrize(
    ("line", "state", "fate"),
    [
        ({"value": "1.5"}, "told", "taken"),
        ({"state": "failed", "reason": "it broke", "cost": "2"}, "failed", "taken"),
        ({"state": "abandoned"}, "abandoned", "taken"),
        ({}, "open", "left"),
        ({"state": "failed", "value": "1.5"}, "open", "refused"),
    ],
)
def test_a_round_becomes_what_its_line_says(line: dict[str, Any], state: str, fate: str) -> None:
    with Study.create(MemoryLog(), PROBLEM, "random") as study:
        asked = study.ask()
        assert asked is not None
        columns = ("token", "value", "cost", "state", "reason")
        cells = {"token": asked.token, **line}
        table = "\n".join([",".join(columns), ",".join(cells.get(name, "") for name in columns)])
        (found,) = import_csv(study, table)
        assert found.fate == fate
        assert study.history[asked.token].state == state
        if fate == "taken":
            (again,) = import_csv(study, table)
            assert "there already" in again.message
