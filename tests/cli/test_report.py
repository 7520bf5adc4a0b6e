"""Answers on the screen: within its width, or one JSON document."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

import steerbo as sb
from steerbo.cli import report
from steerbo.core import methods
from steerbo.study import read_study
from tests.study.files import write_study


def told() -> sb.Optimizer:
    variables = [sb.Float("oven", 100, 200, law=sb.Uniform(), unit="°C"), sb.Float("speed", 0, 1, law=sb.Uniform())]
    problem = sb.CostVarying(variables, [["oven"], ["oven", "speed"]], costs=[1, 2])
    optimizer = sb.Optimizer(problem, "random", seed=0, rounds=3)
    for _ in range(3):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(
            suggestion, value=1.0, cost=1.0, realised={"oven": 150.0, "speed": 0.5} | dict(suggestion.values)
        )
    return optimizer


def test_answers_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    report.print_answers(told(), False, {})
    said = capsys.readouterr().out
    assert "Recommended:" in said
    assert "°C" in said
    assert "Status: 3 of 3 rounds" in said
    assert max(map(len, said.splitlines())) <= 80


def test_answers_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    report.print_answers(told(), True, {"log": "here.db"})
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"recommendation", "explanation", "status", "log"}
    assert found["log"] == "here.db"
    assert found["status"]["rounds"] == 3


def test_what_is_recommended_has_its_unit() -> None:
    optimizer, written = told(), StringIO()
    report.print_recommendation(Console(file=written, width=80), optimizer.problem, optimizer.recommend())
    assert "°C" in written.getvalue()


def test_every_method_has_its_paragraph(capsys: pytest.CaptureFixture[str]) -> None:
    table = methods("cost-varying")
    report.print_methods(table)
    said = capsys.readouterr().out
    assert all(f"{row[1]} (cost-varying)" in said for row in table.rows)
    assert said.count("options:") == len(table.rows)


def test_a_study_file_in_words_and_as_data(tmp_path: Path) -> None:
    specification = read_study(write_study(tmp_path))
    words, data = report.describe(specification), report.described(specification)
    assert "is a valid study." in words
    assert all(variable.name in words for variable in specification.problem.space)
    assert data["study"]["method"] == specification.method
    assert data["exists"] is False
    json.dumps(data)
