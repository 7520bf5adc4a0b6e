"""What cannot be believed is found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from partial_control_bench.checking import again, check
from partial_control_bench.registry import contender
from partial_control_bench.running import Job, play_missing


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    file = tmp_path / "runs.jsonl"
    list(play_missing([Job(contender("random"), "daily", seed) for seed in (3, 1000)], file))
    return file


def test_good_files(kept: Path) -> None:
    found = check(kept)
    assert found.complaints == []
    assert dict(found.runs) == {("daily", "random", "tuning"): 1, ("daily", "random", "reported"): 1}
    assert [alike for _, alike in again(kept, 5)] == [True, True]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"problem": "dayly"}, "did you mean 'daily'"),
        ({"version": 7}, "of version 1"),
        ({"rounds": 100}, "100 rounds are more than the budget"),
        ({"money": 9.0, "budget": {"rounds": 72, "money": 8.0}}, "more than the budget"),
        ({"curve": {"unit": "money", "at": [1], "simple": [0]}}, "in this problem rounds"),
    ],
)
def test_faults(kept: Path, change: dict[str, Any], said: str) -> None:
    first = json.loads(kept.read_text().splitlines()[0])
    kept.write_text(json.dumps(first | change) + "\n")
    (complaint,) = check(kept).complaints
    assert said in complaint
    assert "runs.jsonl, line 1" in complaint


def test_the_same_run_twice(kept: Path) -> None:
    kept.write_text(2 * kept.read_text())
    assert [c.partition(": ")[2] for c in check(kept).complaints] == [
        "the same run as line 1",
        "the same run as line 2",
    ]


def test_a_figure_that_was_made_better_is_found(kept: Path) -> None:
    runs = [json.loads(line) for line in kept.read_text().splitlines()]
    for run in runs:
        run["curve"]["cumulative"][-1] *= 1.01
    kept.write_text("".join(json.dumps(run) + "\n" for run in runs))
    assert check(kept).complaints == []
    assert [alike for _, alike in again(kept, 2)] == [False, False]
