"""A study as a workbook: what it says is read back, and the answers stand beside it."""

from __future__ import annotations

import csv
import io
from itertools import zip_longest

import pytest

from steerbo.causal import Causal, CausalGraph
from steerbo.space import Float
from steerbo.study import MemoryLog, Study
from steerbo.study.files.export import rounds_csv, study_xlsx
from tests.study.frames import played

workbook = pytest.importorskip("steerbo.study.files.workbook")
pytest.importorskip("openpyxl", reason="openpyxl is not installed: pip install 'steerbo[xlsx]'")


def rows(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_the_sheet_of_rounds_is_the_table() -> None:
    study = played()
    sheets = workbook.sheets_of(study_xlsx(study))
    assert list(sheets) == ["rounds", "answers"]
    for found, expected in zip(rows(sheets["rounds"]), rows(rounds_csv(study.problem, study.history)), strict=True):
        for cell, other in zip_longest(found, expected, fillvalue=""):
            assert cell == other or float(cell) == float(other)


def test_the_sheet_of_answers_has_every_answer() -> None:
    study = played()
    header, *answers = rows(workbook.sheets_of(study_xlsx(study))["answers"])
    advice = study.recommend()
    assert [row[0] for row in answers] == [str(each.scope) for each in (advice, *advice.alternatives)]
    first = dict(zip(header, answers[0], strict=True))
    assert float(first["mean"]) == advice.mean
    assert {name: float(first[name]) for name in advice.values} == study.problem.rounded(advice.values)


def test_no_text_is_a_formula() -> None:
    study = played()
    study.fail(study.ask(), "=1+1", cost=1)
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(study_xlsx(study)))
    cells = [cell for row in book["rounds"].iter_rows() for cell in row]
    assert any("=1+1" in str(cell.value) for cell in cells)
    assert all(cell.data_type != "f" for cell in cells)


def test_policies_have_a_sheet_by_the_number_of_their_answer() -> None:
    graph = CausalGraph.from_text("age -> dose -> y; age -> y; dose -> harm", target="y", intervenable=["dose"])
    problem = Causal(graph, [Float("dose", 0, 1), Float("age", 20, 90)], outcomes={"harm": "minimize"})
    with Study.create(MemoryLog(), problem, rounds=5) as study:
        for k in range(6):
            study.add(k / 9, {"dose": k / 5, "age": 30 + 7 * k, "harm": k * k / 25})
        answers = study.recommend()
        header, *lines = rows(workbook.sheets_of(study_xlsx(study))["policies"])
    assert header == ["answer", "age", "dose"]
    assert {int(line[0]) for line in lines} == {*range(1, 2 + len(answers.alternatives))}
