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
from typer.testing import CliRunner

import steerbo
from steerbo.cli import main
from tests.cli.calls import call, refused
from tests.study.files import (
    ANSWER,
    MEASURE,
    PLANT,
    STUDY,
    bodies,
    write_function,
    write_plant,
    write_study,
)
from tests.study.programs import gone


def test_version() -> None:
    assert call("--version").stdout == f"steerbo {steerbo.__version__}\n"


def test_a_fault_of_our_own_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(*_: Any) -> None:
        raise KeyError("postgresql://me:secret@host/base")

    monkeypatch.setattr("steerbo.cli.running.read_study", faulty)
    result = call("check", tmp_path / "study.toml")
    assert "a fault of steerbo's own (KeyError" in refused(result, 1)
    assert "secret" not in result.output
    result = CliRunner().invoke(main, ["check", "study.toml", "--json"])
    assert json.loads(result.stdout)["errors"][0]["kind"] == "Fault"
    monkeypatch.setenv("STEERBO_TRACEBACK", "1")
    assert isinstance(call("check", "study.toml").exception, KeyError)


def test_colours_can_be_switched_off(tmp_path: Path) -> None:
    path = write_function(tmp_path, MEASURE)
    said = {}
    for name in ("FORCE_COLOR", "NO_COLOR"):
        environment = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR", "TERM")}
        environment |= {"FORCE_COLOR": "1", "TERM": "xterm-256color"} | {name: "1"}
        said[name] = subprocess.run(
            [sys.executable, "-m", "steerbo", "run", str(path), "--rounds", "1"],
            env=environment,
            capture_output=True,
            check=True,
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
