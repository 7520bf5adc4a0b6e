"""The command says what it did, and what is not allowed in a line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from partial_control_bench.cli import main
from partial_control_bench.record import read
from partial_control_bench.running import play_missing
from tests.benchmarks.bench.calls import pcb

MINE = """import math

class Fine:
    def __init__(self, known, seed, step=1):
        self.levels = known["variables"][0]["levels"]

    def ask(self, now):
        return {"setting": self.levels[0]}

    def tell(self, values, outcome):
        pass

class Raises(Fine):
    def ask(self, now):
        return {"setting": math.sqrt(-1)}

class Words(Fine):
    def ask(self, now):
        return {"setting": "hot"}
"""


def stranger(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with entrants of a stranger's."""
    monkeypatch.chdir(folder)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    Path("mine.py").write_text(MINE)
    Path("broken.py").write_text("x = = 3")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "random", "dayly"), "did you mean 'daily'"),
        (("run", "randm", "daily"), "did you mean 'random'"),
        (("run", "random", "daily", "--seeds", "5-3"), "--seeds '5-3'"),
        (("run", "random", "daily", "--seeds", "x"), "whole numbers"),
        (("run", "random", "daily", "--option", "beta"), "NAME=VALUE"),
        (("check", "none.jsonl"), "no such file"),
        (("page", "none.jsonl"), "no such file"),
        (("list", "nothing"), "none of this name"),
        (("run", "random", "daily", "--until", "73"), "at most the budget, 72 rounds"),
        (("run", "wdbo", "swarm"), "wdbo: plays time-varying problems; swarm is mean-field"),
        (("run", "mine.Mine", "daily"), "yours is named FILE.py:Class"),
        (("run", "mine.py:Raises", "daily"), "Raises: ask, round 1: ValueError: math domain error (mine.py, line 15)"),
        (("run", "mine.py:Words", "daily"), "Words: round 1, what ask returned, {'setting': 'hot'}: ValueError"),
        (("run", "mine.py:Fin", "daily"), "has no 'Fin'; did you mean 'Fine'?"),
        (("run", "mine.py:Fine", "daily", "--option", "stp=2"), "options {'stp': 2}: TypeError"),
        (("run", "broken.py:Fine", "daily"), "broken: cannot be read: invalid syntax (broken.py, line 1)"),
    ],
)
def test_what_is_not_allowed(
    words: tuple[str, ...],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    stranger(tmp_path, monkeypatch)
    assert pcb(monkeypatch, *words) == 2
    assert said in capsys.readouterr().err


def test_run_check_and_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["pcb", "run", "random", "daily", "--seeds", "1000,5000-5001"])
    with pytest.raises(SystemExit):
        main()
    assert [r.seed for r in read(tmp_path / "runs.jsonl")] == [1000, 5000, 5001]
    assert pcb(monkeypatch, "check", "runs.jsonl", "--again", "1") == 0
    assert "all is well" in capsys.readouterr().out
    told = Path("runs.jsonl").read_text()
    Path("runs.jsonl").write_text(told.replace('"seed":1000', '"seed":5002'))
    assert pcb(monkeypatch, "check", "runs.jsonl") == 0
    assert "no run was played again: whether seeds and figures are true, --again 3 says" in capsys.readouterr().out
    assert pcb(monkeypatch, "check", "runs.jsonl", "--again", "3") == 1
    assert "seed 5002: NOT the same" in capsys.readouterr().out
    Path("runs.jsonl").write_text(told.replace('"seed":1000', '"seed":5000'))
    assert pcb(monkeypatch, "check", "runs.jsonl") == 1
    assert "1 fault\n" in capsys.readouterr().out


def test_lists(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in (
        (("list",), "toy-h5-l0.5"),
        (("list", "daily"), "72 rounds"),
        (("schema",), "partial-control-bench"),
    ):
        monkeypatch.setattr(sys, "argv", ["pcb", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        assert said in capsys.readouterr().out


def test_a_stranger_s_runs_are_played_again_where_its_class_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stranger(tmp_path, monkeypatch)
    assert pcb(monkeypatch, "run", "mine.py:Fine", "daily", "--seeds", "1000") == 0
    assert pcb(monkeypatch, "check", "runs.jsonl", "--again", "1") == 0
    assert "not played: nobody here has this name" in capsys.readouterr().out
    assert pcb(monkeypatch, "check", "runs.jsonl", "--again", "1", "--entrant", "mine.py:Fine") == 0
    assert "seed 1000: the same" in capsys.readouterr().out


def test_what_was_played_is_kept_when_it_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*given: Any) -> Iterator[Any]:
        yield from [*play_missing(*given)][:1]
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("partial_control_bench.cli.play_missing", stopped)
    assert pcb(monkeypatch, "run", "random", "daily", "--seeds", "1000") == 130
    assert "stopped; runs.jsonl has what was played" in capsys.readouterr().err
    assert len([*read(Path("runs.jsonl"))]) == 1
