"""Suggestions chosen for others, beside suggestions chosen alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.costvarying import served

RUNS = Path(__file__).parents[3] / "docs" / "results" / "served-runs.jsonl"


def test_what_the_page_says_comes_of_the_runs() -> None:
    runs = [json.loads(line) for line in RUNS.read_text().splitlines()]
    first = [run for run in runs if run["seed"] in served.BEFORE]
    assert len(first) == len(served.WORLDS) * len(served.ARMS) * len(served.BEFORE)
    found = {
        measure: served.paired(runs, measure, served.BEFORE)["all"] for measure in ("recommended", "played", "paid")
    }
    assert [round(value, 2) for value in found["recommended"]] == [-0.02, -0.51, 0.46]
    assert [round(value, 2) for value in found["played"]] == [0.03, -0.39, 0.45]
    assert [round(value, 2) for value in found["paid"]] == [0.1, -0.42, 0.62]


def test_both_arms_begin_alike_and_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "ROUNDS", 8)
    one, other = (served.play("hartmann", arm, seed=3) for arm in served.ARMS)
    assert (one["arm"], other["arm"]) == ("served", "alone")
    assert one["recommended"] != other["recommended"]
    assert all(each["played"] > 0 and each["paid"] > 0 for each in (one, other))
