"""Tables that people fill in: a variable may be called like one of their columns."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import steerbo as sb
from steerbo.study import MemoryLog, Study
from steerbo.study.files.export import rounds_csv, suggestions_csv
from steerbo.study.files.import_csv import import_csv
from tests.hostile import SEEN


def a_study(folder: Path, name: str) -> sb.Study:
    law = sb.Uniform()
    problem = sb.CostVarying(
        [sb.Float("cost", 0, 10, law=law), sb.Float("value", 0, 10, law=law)], [["cost"], ["cost", "value"]]
    )
    return sb.Study.create(folder / name, problem, "random", budget=50)


def test_variables_called_cost_and_value_go_round(tmp_path: Path) -> None:
    study = a_study(tmp_path, "first.db")
    suggestion = study.ask()
    header, line = suggestions_csv(study.problem, [suggestion]).splitlines()
    assert header == "token,round,state,value,cost,charged,scope,variable cost,variable value,reason"
    filled = dict(zip(header.split(","), line.split(","), strict=True))
    assert float(filled["variable cost"]) == pytest.approx(suggestion.values["cost"], abs=0.01), "a thousandth"
    filled |= {"value": "7.5", "cost": "2", "variable value": "3"}
    (taken,) = import_csv(study, f"{header}\n{','.join(filled.values())}\n")
    assert taken.taken, taken
    (played,) = study.history
    assert (played.outcome.value, played.paid) == (7.5, 2.0)  # type: ignore[union-attr]
    assert played.realised["value"] == 3.0
    text = rounds_csv(study.problem, study.history)
    again = a_study(tmp_path, "second.db")
    (added,) = import_csv(again, "\n".join(row.partition(",")[2] for row in text.splitlines()))
    assert added.taken, added
    assert again.history.added[0].realised == {"cost": float(filled["variable cost"]), "value": 3.0}
    study.close()
    again.close()


FORMULAS = ["=1+1", "+x", "-x", "@a", "'=b", "'quoted", "-1.5 m", *SEEN]


def test_texts_are_no_formulas_and_come_back() -> None:
    """A spreadsheet computes cells that begin so; numbers stay numbers."""
    line = sb.Categorical("=line", FORMULAS, law=sb.Uniform())
    problem = sb.CostVarying([sb.Float("+x", -5, -1, law=sb.Uniform()), line], [["+x"], ["=line"]])
    one, other = (Study.create(MemoryLog(), problem, "random", rounds=len(FORMULAS)) for _ in range(2))
    for choice in FORMULAS:
        suggestion = one.ask()
        other.ask()
        one.tell(suggestion, -2.5, realised={"+x": -1.5, "=line": choice, **suggestion.values})
    table = rounds_csv(problem, one.history)
    rows = list(csv.reader(io.StringIO(table)))
    assert not [cell for row in rows for cell in row if cell[:1] in "=+@\t\r" and cell]
    assert not [cell for row in rows for cell in row if cell[:1] == "-" and not float(cell) < 0]
    assert rows[1][rows[0].index("value")] == "-2.5"
    assert all(line.taken for line in import_csv(other, table))
    assert [r.outcome for r in other.history] == [r.outcome for r in one.history]
