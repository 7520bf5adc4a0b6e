"""Runs are kept and taken up again."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.meanfield.runner import Job, play
from benchmarks.runs import command, finished, play_missing


def test_finished_runs_are_not_played_again(tmp_path: Path) -> None:
    file = tmp_path / "new" / "runs.jsonl"
    wanted = {job.key: job for job in (Job("swarm", "random", seed, rounds=20) for seed in (0, 1))}
    (first, second) = wanted
    assert [run["key"] for run in play_missing({first: wanted[first]}, play, file, 1)] == [first]
    assert [run["key"] for run in play_missing(wanted, play, file, 1)] == [second]
    assert list(finished(file)) == [first, second]
    assert finished(file)[first]["best"] == play(wanted[first])["best"], "a run depends on its job alone"


def test_a_command_plays_what_is_missing_and_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "kept.jsonl"
    file.write_text('{"key": "a/1", "value": 7}\n')
    monkeypatch.setattr("sys.argv", ["entrant", "--runs", str(file)])
    command("what it does", "kept.jsonl", [("a", 1), ("a", 2)], _length, lambda place: str(len(finished(place))))
    assert capsys.readouterr().out == "2\n"
    assert finished(file)["a/1"]["value"] == 7


def _length(job: tuple[str, int]) -> dict[str, object]:
    return {"key": "/".join(map(str, job)), "value": len(job)}
