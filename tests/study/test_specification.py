"""Study files: what is read, and what every mistake is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from steerbo.costvarying import CostVarying
from steerbo.errors import InvalidProblem, InvalidStudy
from steerbo.study import Command, read_study
from tests.study.files import PROBLEM, STUDY, write_study
from tests.study.specifications import NOWHERE, OBJECTIVES, PROBLEMS, STUDIES


def test_a_study_is_read(tmp_path: Path) -> None:
    options = STUDY.replace('"random"', '"explore-then-commit"') + "[study.options]\nexplore_fraction = 0.3\n"
    study = read_study(write_study(tmp_path, study=options))
    assert isinstance(study.problem, CostVarying)
    assert study.problem.control_sets == (("temperature",), ("temperature", "ph"))
    assert study.problem.variables[0].unit == "°C"
    assert (study.settings.budget, study.settings.rounds, study.settings.seed) == (10, None, 3)
    assert study.settings.failures == 3
    assert isinstance(study.objective, Command)
    assert study.objective.timeout == 600
    assert study.log == tmp_path / "study.db"
    optimizer = study.optimizer()
    assert optimizer.events[0].options["explore_fraction"] == 0.3  # type: ignore[union-attr]


@pytest.mark.parametrize(("old", "new", "message"), PROBLEMS.values(), ids=PROBLEMS)
def test_wrong_problems(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in PROBLEM
    with pytest.raises(InvalidProblem, match=rf"^study\.toml: problem\.(.*\.)?{message}"):
        read_study(write_study(tmp_path, problem=PROBLEM.replace(old, new, 1)))


@pytest.mark.parametrize(("old", "new", "message"), STUDIES.values(), ids=STUDIES)
def test_wrong_settings(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(InvalidStudy, match=rf"^study\.toml: {message}"):
        read_study(write_study(tmp_path, study=STUDY.replace(old, new, 1)))


@pytest.mark.parametrize(("objective", "message"), OBJECTIVES.values(), ids=OBJECTIVES)
def test_wrong_objectives(tmp_path: Path, objective: str, message: str) -> None:
    with pytest.raises(InvalidStudy, match=rf"^study\.toml: {message}"):
        read_study(write_study(tmp_path, objective=objective))


@pytest.mark.parametrize("missing", ["problem", "study"])
def test_every_table_is_needed(tmp_path: Path, missing: str) -> None:
    path = write_study(tmp_path)
    path.write_text(path.read_text().replace(f"[{missing}]", f"[x]\n[x.{missing}]"))
    with pytest.raises(InvalidStudy, match=r"^study\.toml: x: "):
        read_study(path)
    path.write_text("")
    with pytest.raises(InvalidStudy, match=r"problem: None .* a table \[problem\]"):
        read_study(path)


def test_people_need_no_objective(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    path.write_text(path.read_text().partition("[objective]")[0])
    assert read_study(path).objective is None


@pytest.mark.parametrize(("objective", "message"), NOWHERE.values(), ids=NOWHERE)
def test_objectives_that_are_nowhere(tmp_path: Path, objective: str, message: str) -> None:
    """A study is read where its objective is not; it is checked and run only where it is."""
    path = write_study(tmp_path, objective=f"[objective]\n{objective}\n")
    found = read_study(path).objective
    assert found is not None
    for ask in (found.find, found.prepare):
        with pytest.raises(InvalidStudy, match=r"^objective\.(function|command\.0): "):
            ask()
    with pytest.raises(InvalidStudy, match=message):
        found.find()


def test_everything_wrong_is_said_at_once(tmp_path: Path) -> None:
    problem = PROBLEM.replace("low = 10", "lwo = 10").replace('kind = "uniform"', 'kind = "unifrom"')
    study = "[study]\nmethod = 3\nseed = -3\nbugdet = 10\n[study.options]\nbeta = 2\n"
    with pytest.raises(InvalidProblem) as caught:
        read_study(write_study(tmp_path, problem, study, '[objective]\ncomand = ["x"]\ntimeout = -1\n'))
    fields = [error.field for error in caught.value.errors]
    assert fields == [
        "study.toml: problem.variables.0.lwo",
        "study.toml: problem.variables.1.law.kind",
        "study.toml: study.bugdet",
        "study.toml: study.method",
        "study.toml: objective.comand",
        "study.toml: objective.timeout",
    ]
    assert "did you mean 'low'" in caught.value.errors[0].allowed
    assert str(caught.value).count("\n") == 5
    assert [entry["field"] for entry in json.loads(caught.value.to_json())] == fields
    settings = "[study]\nmethod = 'randon'\nseed = -3\nbudget = -1\n"
    with pytest.raises(InvalidStudy) as caught_too:
        read_study(write_study(tmp_path, study=settings))
    assert [error.field for error in caught_too.value.errors] == [
        f"study.toml: study.{name}" for name in ("method", "budget", "seed")
    ]
