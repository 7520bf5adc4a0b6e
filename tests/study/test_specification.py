"""Study files: what is read, and what every mistake is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from steerbo.costvarying import CostVarying
from steerbo.errors import InvalidProblem, InvalidStudy
from steerbo.study import Command, read_study
from tests.study.files import PROBLEM, STUDY, command, write_study


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


PROBLEMS = {
    "unknown variable": ('["temperature"],', '["temprature"],', r"control_sets\.0: 'temprature' .* mean 'temperature'"),
    "empty control set": ('["temperature"],', "[],", r"control_sets\.0: \[\] .* at least one variable"),
    "bounds reversed": ("low = 10, high = 35", "low = 35, high = 10", r"temperature\.low: 35.0 .* less than high"),
    "NaN bound": ("low = 10", "low = nan", r"low: nan .* finite number"),
    "infinite bound": ("high = 35", "high = inf", r"high: inf .* finite number"),
    "text bound": ("low = 10", 'low = "cold"', r"low: 'cold' .* number"),
    "law outside bounds": (
        'law = { kind = "uniform" }',
        'law = { kind = "normal", mean = 20, sd = 1 }',
        r"ph\.law: .* at most 1 % of its mass outside",
    ),
    "unknown law": ('kind = "uniform"', 'kind = "unifrom"', r"law\.kind: 'unifrom' .* mean 'uniform'"),
    "law missing": (', law = { kind = "uniform" }', "", r"ph\.law: None .* a law"),
    "unknown kind": ('"cost-varying"', '"cost-variyng"', r"kind: 'cost-variyng' .* mean 'cost-varying'"),
    "no kind": ('kind = "cost-varying"', "", r"kind: None"),
    "unknown field": ("control_sets", "control_set", r"control_set: .* mean 'control_sets'"),
    "negative costs": ("variables", "costs = [-1, 2]\nvariables", r"costs\.0: -1"),
}


@pytest.mark.parametrize(("old", "new", "message"), PROBLEMS.values(), ids=PROBLEMS)
def test_wrong_problems(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in PROBLEM
    with pytest.raises(InvalidProblem, match=rf"^study\.toml: problem\.(.*\.)?{message}"):
        read_study(write_study(tmp_path, problem=PROBLEM.replace(old, new, 1)))


STUDIES = {
    "unknown method": ('"random"', '"randon"', r"study\.method: 'randon' .* mean 'random'"),
    "method is no text": ('"random"', "3", r"study\.method: 3"),
    "negative budget": ("10", "-1", r"study\.budget: -1"),
    "NaN budget": ("10", "nan", r"study\.budget: nan"),
    "text budget": ("10", '"much"', r"study\.budget: 'much'"),
    "no limit": ("budget = 10", "", r"study\.budget: None .* a budget, or a number of rounds"),
    "no rounds": ("budget = 10", "rounds = 0", r"study\.rounds: 0"),
    "half a round": ("budget = 10", "rounds = 1.5", r"study\.rounds: 1\.5"),
    "negative seed": ("seed = 3", "seed = -3", r"study\.seed: -3"),
    "true seed": ("seed = 3", "seed = true", r"study\.seed: True"),
    "unknown key": ("seed", "sead", r"study\.sead: 3 .* mean 'seed'"),
    "no failures": ("seed = 3", "failures = 0", r"study\.failures: 0"),
    "unknown option": ("seed = 3", "options = { beta = 2 }", r"study\.options\.beta: 2 .* expected one of nothing"),
    "an option that is a setting": ("seed = 3", "options = { log = 2 }", r"study\.options\.log: 2"),
    "bad option": ('"random"', '"explore-then-commit"\noptions = { beta = -1 }', r"study\.options\.beta: -1"),
}


@pytest.mark.parametrize(("old", "new", "message"), STUDIES.values(), ids=STUDIES)
def test_wrong_settings(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(InvalidStudy, match=rf"^study\.toml: {message}"):
        read_study(write_study(tmp_path, study=STUDY.replace(old, new, 1)))


OBJECTIVES = {
    "neither": ("[objective]\n", r"objective: \{\} .* either function"),
    "both": (command("a.py") + 'function = "a:b"\n', r"objective: .* either function"),
    "unknown key": ('[objective]\ncomand = ["x"]\n', r"objective\.comand: .* mean 'command'"),
    "a text as command": ('[objective]\ncommand = "python plant.py"\n', r"objective\.command: .* a list of texts"),
    "an empty command": ("[objective]\ncommand = []\n", r"objective\.command: \[\]"),
    "timeout 0": (command("a.py") + "timeout = 0\n", r"objective\.timeout: 0 .* above 0"),
    "timeout NaN": (command("a.py") + "timeout = nan\n", r"objective\.timeout: nan"),
    "timeout of a function": ('[objective]\nfunction = "math:sin"\ntimeout = 3\n', r"objective\.timeout: 3 .* command"),
    "no colon": ('[objective]\nfunction = "plant"\n', r"objective\.function: 'plant' .* .module:function"),
    "number": ("[objective]\nfunction = 3\n", r"objective\.function: 3"),
    "unknown table": (command("a.py") + "[objectives]\n", r"objectives: \{\} .* mean 'objective'"),
}


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


NOWHERE = {
    "no such program": ('command = ["no-such-program"]', r"objective\.command\.0: 'no-such-program'"),
    "no such module": (
        'function = "no_such_plant:f"',
        r"objective\.function: .* a module that is installed",
    ),
    "no such inner module": ('function = "json.no_such_plant:f"', r"objective\.function: 'json\.no_such_plant:f'"),
    "nothing in a module": ('function = "json.plant:f"', r"objective\.function: 'json\.plant:f'"),
}


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
