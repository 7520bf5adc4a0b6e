"""Remarks of people on rounds and data: kept, shown, exported, found, and never computed with."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.errors import InvalidOutcome, UnknownSuggestion
from steerbo.study import MemoryLog, Study
from steerbo.study.files.export import REMARKS, rounds_csv, to_frame
from steerbo.study.files.import_csv import import_csv
from steerbo.study.formatting import shown_rounds
from tests.core.kinds import PROBLEMS

PROBLEM = sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]])
LOT = "lot 7, new stirrer"


def remarked() -> Study:
    study = Study.create(MemoryLog(), PROBLEM, rounds=9)
    for value in (1.0, 2.0):
        study.tell(study.ask(), value)
    study.add(3.0, {"ph": 5})
    study.remark(study.history.last(1)[0].suggestion, LOT)
    study.remark("added-1", "of last year")
    return study


@pytest.mark.parametrize("kind", PROBLEMS)
def test_nothing_follows_from_a_remark(kind: str) -> None:
    problem, realised = PROBLEMS[kind]
    chosen = []
    for remarks in (False, True):
        study = sb.Optimizer(problem, seed=0, rounds=5)
        study.add(1.0, realised)
        suggestion = study.ask()
        if remarks:
            study.remark(suggestion, LOT)
            study.remark("added-1", LOT)
        chosen.append(study.ask().values)
        assert sb.load(study.to_json()).history.remarks == study.history.remarks
    assert chosen[0] == chosen[1]


def test_the_same_remark_twice_is_one() -> None:
    study = remarked()
    token = study.history.last(1)[0].suggestion.token
    events = len(study.events)
    assert study.remark(token, f" {LOT} ") == ("this remark is there already: it is kept once",)
    assert len(study.events) == events
    assert study.remark(token, "photo: a7.jpg") is None
    assert study.history.remarks[token] == (LOT, "photo: a7.jpg")


def test_a_remark_is_shown_and_found() -> None:
    study = remarked()
    assert shown_rounds(study).columns[-1] == "remarks"
    (row,) = shown_rounds(study, "LOT 7").rows
    assert (row[0], row[-1]) == (2, LOT)
    assert shown_rounds(study, "nothing of the kind").rows == ()


def test_a_remark_is_exported_and_its_table_is_read() -> None:
    study = remarked()
    table = rounds_csv(PROBLEM, study.history)
    assert table.splitlines()[0].endswith(REMARKS)
    assert LOT in table
    events = len(study.events)
    assert all(line.taken for line in import_csv(study, table))
    assert len(study.events) == events, "it says nothing new"
    plain = Study.create(MemoryLog(), PROBLEM, rounds=9)
    assert REMARKS not in rounds_csv(PROBLEM, plain.history)
    frame = pytest.importorskip("pandas") and to_frame(study)
    assert list(frame[REMARKS])[1:] == [LOT, "of last year"]


@pytest.mark.parametrize("text", ["", "  ", None, 7, "x" * 10_001])
def test_what_is_no_remark_is_refused(text: Any) -> None:
    study = remarked()
    with pytest.raises(InvalidOutcome, match="text"):
        study.remark("added-1", text)
    with pytest.raises(UnknownSuggestion):
        study.remark("no-such", LOT)
