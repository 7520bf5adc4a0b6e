"""`run`, `check` and `methods`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from steerbo.study import DatabaseLog
from tests.cli.calls import all_refused, call, refused
from tests.study.files import (
    ANSWER,
    MEASURE,
    PROBLEM,
    STUDY,
    logged,
    write_function,
    write_plant,
    write_study,
)
from tests.study.specifications import NOWHERE, OBJECTIVES, PROBLEMS, STUDIES


def test_run_answers_in_json(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    result = call("run", path, "--json", "--quiet")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    answer = json.loads(result.stdout)
    assert set(answer) == {"recommendation", "explanation", "status", "log"}
    assert answer["status"]["finished"]
    assert answer["status"]["told"] == answer["status"]["rounds"] > 3
    assert answer["recommendation"]["scope"]["set"] in (["temperature"], ["temperature", "ph"])
    again = call("run", path, "--json")
    assert json.loads(again.stdout) == answer
    assert "going on from" in again.stderr


def test_run_prints_tables_within_80_columns(tmp_path: Path) -> None:
    result = call("run", write_function(tmp_path, MEASURE))
    assert result.exit_code == 0, result.output
    for words in ("Recommended:", "temperature = ", "°C", "Control sets", "the budget is spent"):
        assert words in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "\x1b" not in result.stdout
    assert "round 1: spent" in result.stderr


def test_quiet_says_only_what_went_wrong(tmp_path: Path) -> None:
    result = call("run", write_study(tmp_path), "--quiet")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    result = call("run", write_plant(tmp_path, "sys.exit('[pump]')"), "--quiet", "--log", tmp_path / "other.db")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "[pump]" in result.stderr


def test_wait_is_checked(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    assert call("run", path, "--wait", 0, "--rounds", 1).exit_code == 0
    result = call("run", path, "--wait", -1)
    assert (result.exit_code, "wait: -1.0 is not allowed" in result.stderr) == (2, True)


def test_run_some_rounds(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    log = tmp_path / "kept" / "here.db"
    assert "no folder" in refused(call("run", path, "--log", log), 2), "none is made without a word"
    log.parent.mkdir()
    for rounds in (2, 4):
        result = call("run", path, "--json", "--rounds", 2, "--log", log)
        assert json.loads(result.stdout)["status"]["rounds"] == rounds
    assert log.exists()
    assert not list(tmp_path.glob("*.db"))
    assert call("run", path, "--rounds", 0).exit_code == 2


@pytest.mark.parametrize("command", ["run", "check"])
@pytest.mark.parametrize("name", [*PROBLEMS, *STUDIES])
def test_bad_study_files(tmp_path: Path, command: str, name: str) -> None:
    old, new, _ = (PROBLEMS | STUDIES)[name]
    problem = PROBLEM.replace(old, new, 1) if name in PROBLEMS else PROBLEM
    study = STUDY.replace(old, new, 1) if name in STUDIES else STUDY
    line = refused(call(command, write_study(tmp_path, problem, study)), 2)
    assert line.startswith("steerbo: study.toml: ")


@pytest.mark.parametrize("objective", [objective for objective, _ in OBJECTIVES.values()], ids=OBJECTIVES)
def test_bad_objectives(tmp_path: Path, objective: str) -> None:
    all_refused(call("check", write_study(tmp_path, objective=objective)), 2)


@pytest.mark.parametrize("objective", [objective for objective, _ in NOWHERE.values()], ids=NOWHERE)
def test_objectives_that_are_nowhere(tmp_path: Path, objective: str) -> None:
    """Neither `check` nor `run` goes on, and there is no log of a study that never began; by hand it can be played."""
    path = write_study(tmp_path, objective=f"[objective]\n{objective}\n")
    for command in ("check", "run"):
        assert "objective." in refused(call(command, path), 2)
    assert not path.with_suffix(".db").exists()
    assert call("new", path).exit_code == 0


def test_no_study_file(tmp_path: Path) -> None:
    assert "No such file" in refused(call("run", tmp_path / "none.toml"), 2)


def test_a_run_needs_an_objective(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    path.write_text(path.read_text().partition("[objective]")[0])
    assert "objective: nothing is given" in refused(call("run", path), 2)
    assert "evaluated by hand" in " ".join(call("check", path).stdout.split())


FAILING = {
    "failing command": ("sys.exit('the pump broke')", "the pump broke"),
    "slow command": ("time.sleep(60)", "did not answer within 0.5 s"),
    "rubbish": ("print('rubbish')", "which is not JSON"),
    "NaN": ('print(\'{"value": NaN, "cost": 1}\')', "value: nan"),
    "infinity": ('print(\'{"value": -Infinity, "cost": 1}\')', "value: -inf"),
    "no value": ("print('{\"cost\": 1}')", "'value' is missing"),
    "null": ("print('null')", "value: nothing is given"),
    "negative cost": ("answer['cost'] = -1; " + ANSWER, "cost: -1"),
    "no cost, but a budget": ("del answer['cost']; " + ANSWER, "cost: nothing is given"),
    "unmeasured": ("del answer['realised']['ph']\nanswer['realised'].pop('ph', 0); " + ANSWER, "'ph'"),
    "unknown variable": ("answer['realised']['acid'] = 3; " + ANSWER, "acid: 3"),
}


@pytest.mark.parametrize(("instead", "message"), FAILING.values(), ids=FAILING)
def test_failing_objectives(tmp_path: Path, instead: str, message: str) -> None:
    path = write_plant(tmp_path, instead)
    path.write_text(path.read_text().replace("[study]", "[study]\nfailures = 2") + "timeout = 0.5\n")
    if "time.sleep" not in instead:
        path.write_text(path.read_text().replace("timeout = 0.5", "timeout = 60"))
    line = refused(call("run", path), 1)
    assert line.startswith(
        ("steerbo: 2 evaluations failed in a row, the last: ", "steerbo: 2 answers could not be used")
    )
    assert message in line
    kinds = [event.kind for event in logged(path)]
    assert kinds.count("failed") == 2
    assert [kind for kind in kinds if kind in ("told", "failed")][-1] == "failed"


def test_check_says_what_will_be_run(tmp_path: Path) -> None:
    path = write_function(tmp_path, MEASURE)
    text = call("check", path).stdout
    for words in (
        "study.toml is a valid study",
        "temperature: float, 10 to 35 °C; always set",
        "ph: float, 4 to 8; left to itself uniform",
        "control set temperature + ph",
        "random, seed 3",
        "until       a budget of 10 is spent\n",
        "the Python function plant",
        "study.db",
    ):
        assert words in text
    assert "goes on from it" not in text
    assert not (tmp_path / "study.db").exists()
    call("run", path, "--rounds", 1)
    assert "goes on from it" in " ".join(call("check", path).stdout.split())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "seed = 3",
            "seed = 4",
            "study.db: seed: 4 is not allowed; expected 3, as in the log. To go on with this log, write",
        ),
        ("low = 4", "low = 5", "study.db: problem.variables.ph.low: 5.0 is not allowed"),
    ],
)
def test_check_compares_file_and_log_as_a_run_does(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = write_function(tmp_path, MEASURE)
    call("run", path, "--rounds", 1)
    before = logged(path)
    path.write_text(path.read_text().replace(old, new))
    checked, ran = call("check", path), call("run", path)
    assert said in refused(checked, 2)
    assert checked.output == ran.output
    assert logged(path) == before


def test_check_says_which_limits_a_run_will_go_by(tmp_path: Path) -> None:
    path = write_function(tmp_path, MEASURE)
    call("run", path, "--rounds", 1)
    path.write_text(path.read_text().replace("budget = 10", "budget = 12"))
    checked = call("check", path)
    assert checked.exit_code == 0
    assert "budget 12, which the next ask or run will go by; the log had" in checked.stderr
    call("run", path, "--rounds", 1)
    path.write_text(path.read_text().replace("budget = 12", "budget = 9"))
    call("run", path, "--rounds", 1)
    path.write_text(path.read_text().replace("budget = 9", "budget = 12"))
    assert "an older study file" in refused(call("check", path), 2)


def test_check_of_a_log_without_a_study(tmp_path: Path) -> None:
    path = write_function(tmp_path, MEASURE)
    DatabaseLog(tmp_path / "study.db").close()
    checked = call("check", path)
    assert (checked.exit_code, "goes on" in checked.stdout) == (0, False)


def test_methods() -> None:
    text = call("methods").stdout
    assert "explore-then-commit" in text
    assert "explore_fraction=0.6" in text
    assert max(map(len, text.splitlines())) <= 80
    rows = json.loads(call("methods", "cost-varying", "--json").stdout)
    assert {"random", "explore-then-commit"} <= {row["method"] for row in rows}
    assert "one of cost-varying" in refused(call("methods", "cost-variing"), 2)


STOPPING = STUDY.replace('"random"', '"cheap-first"')


def test_stop_ends_a_run_when_enough_is_known(tmp_path: Path) -> None:
    path = write_study(tmp_path, study=STOPPING)
    result = call("run", path, "--stop", "1e6", "--json", "--quiet")
    status = json.loads(result.stdout)["status"]
    assert status["finished"].startswith("enough is known: at most ")
    assert status["rounds"] < 10
    assert status["gain"] < 1e6
    again = json.loads(call("run", path, "--json", "--quiet").stdout)["status"]
    assert again["finished"] == "the budget is spent", "the file does not say it: the next run goes on"
    assert "gain" not in again


def test_a_study_file_says_when_enough_is_known(tmp_path: Path) -> None:
    path = write_study(tmp_path, study=f'{STOPPING}stop = "enough"\n')
    assert "or enough is known (stop when less can be gained than a round costs)" in " ".join(
        call("check", path).stdout.split()
    )
    assert json.loads(call("check", path, "--json").stdout)["study"]["stop"] == "enough"
    assert call("run", path, "--rounds", "3", "--quiet").exit_code == 0
    assert "The study will stop when less can be gained than a round costs" in " ".join(
        call("show", path).stdout.split()
    )


@pytest.mark.parametrize("typed", ["0", "soon", "nan", "-3", "inf"])
def test_what_is_no_rule_is_refused_before_anything_is_played(tmp_path: Path, typed: str) -> None:
    path = write_study(tmp_path, study=STOPPING)
    assert "stop: " in refused(call("run", path, f"--stop={typed}"), 2)
    assert not (tmp_path / "study.db").exists()


def test_a_method_without_bounds_refuses_to_stop(tmp_path: Path) -> None:
    fleet = '[problem]\nkind = "mean-field"\nactions = ["a", "b"]\nagents = 9\n'
    path = write_study(tmp_path, fleet, f'{STUDY}stop = "enough"\n')
    result = call("check", path)
    assert result.exit_code == 2
    assert "study.stop" in result.stderr
    assert "has no bounds" in result.stderr
