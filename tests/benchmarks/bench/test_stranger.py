"""An entrant of a stranger's is run, checked and drawn by what its page says, and by nothing else."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks.bench.calls import pcb

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "benchmark-entrant"


def test_the_instructions_are_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One command in a process of its own, as a stranger calls it; the others in this one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "random_search", raising=False)
    (tmp_path / "random_search.py").write_bytes((EXAMPLE / "random_search.py").read_bytes())
    blocks = re.findall(r"```sh\n(.*?)```", (EXAMPLE / "README.md").read_text(), re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines()]
    assert len(commands) == 6
    said = []
    for number, command in enumerate(commands):
        words = shlex.split(command)[1:]
        if number == 1:
            said.append(_pcb(tmp_path, *words))
        else:
            assert pcb(monkeypatch, *words) == 0
            said.append(capsys.readouterr().out)
    assert "toy-h5-l0.5" in said[0]
    assert "5 played now" in said[1]
    assert "all is well" in said[-2]
    runs = [json.loads(line) for line in (tmp_path / "runs.jsonl").read_text().splitlines()]
    assert [run["seed"] for run in runs] == [*range(1000, 1005)] * 3
    regret = {run["entrant"]: run["curve"]["cumulative"][-1] for run in runs}
    assert regret["RandomSearch"] > regret["prior-elimination"] >= 0
    page = (tmp_path / "page" / "index.md").read_text()
    assert "# My first entrant" in page
    assert "| RandomSearch (again 5) | 5 |" in page
    assert (tmp_path / "page" / "toy-h5-l0.5.png").read_bytes().startswith(b"\x89PNG")
    with (tmp_path / "page" / "runs.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 15 * 7
    assert pcb(monkeypatch, *shlex.split(commands[1])[1:]) == 0
    assert "0 played now, 5 were there" in capsys.readouterr().out


def test_the_entrant_is_forty_lines_and_imports_nothing_of_ours() -> None:
    text = (EXAMPLE / "random_search.py").read_text()
    assert len(text.splitlines()) <= 40
    assert re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE) == ["random"]


def _pcb(folder: Path, *words: str) -> str:
    paths = os.pathsep.join([str(ROOT / "benchmarks" / "src"), str(ROOT / "src")])
    command = [sys.executable, "-m", "partial_control_bench", *words]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
