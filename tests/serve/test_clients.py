"""Clients in other languages play a study over HTTP, as their files in `examples/bench` say."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.calls import call
from tests.serve.processes import commanded

BENCH = Path(__file__).parents[2] / "examples" / "bench"
CLIENTS = {"curl": ("sh", "play.sh"), "perl": ("perl", "play.pl")}


@pytest.mark.parametrize("tool", CLIENTS)
def test_a_controller_plays(tool: str, tmp_path: Path) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    shutil.copy(BENCH / "study.toml", tmp_path)
    study = tmp_path / "study.toml"
    assert call("new", study).exit_code == 0
    program, file = CLIENTS[tool]
    with commanded(study, options=("--keys",)) as made:
        key = call("key", "create", study, "--name", "the controller").stdout.strip()
        words = [program, str(BENCH / file), made.url.rstrip("/"), "study", "3"]
        without = subprocess.run(words, capture_output=True, text=True, check=False, env={"PATH": _path()})
        assert without.returncode != 0
        done = subprocess.run(words, capture_output=True, text=True, check=False, env={"PATH": _path(), "KEY": key})
        assert (done.returncode, done.stdout.split()) == (0, ["1", "2", "3"]), done.stderr
    assert "3 of 8 rounds" in call("show", study).stdout


def _path() -> str:
    return os.environ["PATH"]
