"""Runs are kept and taken up again."""

from __future__ import annotations

from pathlib import Path

from benchmarks.meanfield.runner import Job, play
from benchmarks.runs import finished, play_missing


def test_finished_runs_are_not_played_again(tmp_path: Path) -> None:
    file = tmp_path / "new" / "runs.jsonl"
    wanted = {job.key: job for job in (Job("swarm", "random", seed, rounds=20) for seed in (0, 1))}
    (first, second) = wanted
    assert [run["key"] for run in play_missing({first: wanted[first]}, play, file, 1)] == [first]
    assert [run["key"] for run in play_missing(wanted, play, file, 1)] == [second]
    assert list(finished(file)) == [first, second]
    assert finished(file)[first]["best"] == play(wanted[first])["best"], "a run depends on its job alone"
