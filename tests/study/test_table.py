"""Tables that people fill in: a variable may be called like one of their columns."""

from __future__ import annotations

from pathlib import Path

import steerbo as sb
from steerbo.study.table import import_csv, rounds_csv, suggestions_csv


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
    assert header == "token,round,state,value,cost,variable cost,variable value,reason"
    filled = dict(zip(header.split(","), line.split(","), strict=True))
    assert float(filled["variable cost"]) == suggestion.values["cost"]
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
    assert again.history.added[0].realised == {"cost": suggestion.values["cost"], "value": 3.0}
    study.close()
    again.close()
