"""The command says what it did, and what is not allowed in a line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from partial_control_bench.cli import main
from partial_control_bench.record import read


def pcb(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["pcb", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


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
    ],
)
def test_what_is_not_allowed(
    words: tuple[str, ...],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert pcb(monkeypatch, *words) == 2
    assert said in capsys.readouterr().err


def test_run_check_and_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["pcb", "run", "random", "daily", "--seeds", "1000,1002-1003"])
    with pytest.raises(SystemExit):
        main()
    assert [r.seed for r in read(tmp_path / "runs.jsonl")] == [1000, 1002, 1003]
    assert pcb(monkeypatch, "check", "runs.jsonl", "--again", "1") == 0
    assert "all is well" in capsys.readouterr().out
    Path("runs.jsonl").write_text(Path("runs.jsonl").read_text().replace('"seed":1000', '"seed":600'))
    assert pcb(monkeypatch, "check", "runs.jsonl") == 1
    assert "1 faults" in capsys.readouterr().out


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
