"""The command line: answers, exit codes, and one clear line for every bad input."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import steerbo
from steerbo.cli import main
from tests.study.files import (
    ANSWER,
    MEASURE,
    PLANT,
    PROBLEM,
    STUDY,
    bodies,
    logged,
    write_function,
    write_plant,
    write_study,
)
from tests.study.test_objective import gone
from tests.study.test_specification import NOWHERE, OBJECTIVES, PROBLEMS, STUDIES


def call(*arguments: Any) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def refused(result: Result, code: int) -> str:
    """The one line on standard error."""
    (line,) = all_refused(result, code)
    return line


def all_refused(result: Result, code: int) -> list[str]:
    """The lines on standard error, one for each thing that is wrong."""
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    lines = [line for line in result.stderr.splitlines() if line.startswith("steerbo: ")]
    assert result.stderr.rstrip().endswith(lines[-1])
    assert "Traceback" not in result.output
    return lines


def test_version() -> None:
    assert call("--version").stdout == f"steerbo {steerbo.__version__}\n"


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
    assert "evaluated by hand" in call("check", path).stdout


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
    assert line.startswith("steerbo: 2 evaluations failed in a row, the last: ")
    assert message in line
    kinds = [event.kind for event in logged(path)]
    assert [kind for kind in kinds if kind in ("told", "failed")][-2:] == ["failed", "failed"]


def test_check_says_what_will_be_run(tmp_path: Path) -> None:
    path = write_function(tmp_path, MEASURE)
    text = call("check", path).stdout
    for words in (
        "study.toml is a valid study",
        "temperature: float, 10 to 35 °C; always set",
        "ph: float, 4 to 8; left to itself uniform",
        "control set temperature + ph",
        "random, seed 3",
        "until       a budget of 10 is spent",
        "the Python function plant",
        "study.db",
    ):
        assert words in text
    assert "goes on from it" not in text
    assert not (tmp_path / "study.db").exists()
    call("run", path, "--rounds", 1)
    assert "goes on from it" in call("check", path).stdout


def test_methods() -> None:
    text = call("methods").stdout
    assert "explore-then-commit" in text
    assert "explore_fraction=0.6" in text
    assert max(map(len, text.splitlines())) <= 80
    rows = json.loads(call("methods", "cost-varying", "--json").stdout)
    assert {"random", "explore-then-commit"} <= {row["method"] for row in rows}
    assert "one of cost-varying" in refused(call("methods", "cost-variing"), 2)


def test_colours_can_be_switched_off(tmp_path: Path) -> None:
    path = write_function(tmp_path, MEASURE)
    said = {}
    for name in ("FORCE_COLOR", "NO_COLOR"):
        environment = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR", "TERM")}
        environment |= {"FORCE_COLOR": "1", "TERM": "xterm-256color"} | {name: "1"}
        said[name] = subprocess.run(
            [sys.executable, "-m", "steerbo", "run", str(path)], env=environment, capture_output=True, check=True
        ).stdout
    assert b"\x1b[1;38;5;" in said["FORCE_COLOR"]
    assert b"\x1b[1;38;5;" not in said["NO_COLOR"]


# -- killed and stopped -----------------------------------------------------------------------------------------------

SLOW = PLANT + "open('done', 'a').write(question['token'] + '\\n')\ntime.sleep(0.05)\n" + ANSWER


def start(path: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "steerbo", "run", str(path)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_lines(file: Path, number: int) -> list[str]:
    for _ in range(2400):
        if file.exists() and len(lines := file.read_text().splitlines()) >= number:
            return lines
        time.sleep(0.025)
    pytest.fail("the run does not get on")


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_killed_and_run_again_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    whole = write_study(tmp_path / "whole")
    (tmp_path / "plant.py").write_text(SLOW)
    path = write_study(tmp_path, objective="\n" + whole.read_text().partition(STUDY)[2])
    after: list[str] = []
    for number in (4, 10):
        process = start(path)
        done = wait_for_lines(tmp_path / "done", number // 2)
        process.kill()
        process.communicate()
        before, after = after, bodies(path)
        assert after[: len(before)] == before, "history never changes"
        assert sum('"kind":"told"' in body for body in after) >= len(set(done)) - 1
    process = start(path)
    said = process.communicate()
    assert process.returncode == 0, said
    assert bodies(path)[: len(after)] == after
    assert call("run", whole).exit_code == 0
    assert bodies(path) == bodies(whole), "as if nothing had happened"


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("by", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_ctrl_c_says_how_to_go_on(tmp_path: Path, by: str) -> None:
    sleep = "if question['round'] == 3:\n    open('asleep', 'w').write(f'{os.getpid()}\\n')\n    time.sleep(60)\n"
    path = write_plant(tmp_path, "import os\n" + sleep + ANSWER)
    process = start(path)
    (plant,) = wait_for_lines(tmp_path / "asleep", 1)
    process.send_signal(getattr(signal, by))
    out, err = process.communicate()
    assert process.returncode == 130
    assert out == ""
    assert "stopped after 3 rounds" in err
    assert "Run the same command again" in err
    assert gone(int(plant)), "the command does not outlive the run"
    assert "Traceback" not in err
