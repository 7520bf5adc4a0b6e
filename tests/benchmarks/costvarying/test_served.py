"""Suggestions chosen for others, beside suggestions chosen alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.costvarying import served
from partial_control_bench.kept import text_of

RUNS = Path(__file__).parents[3] / "docs" / "results" / "runs/served-runs.jsonl"


@pytest.mark.parametrize(
    ("seeds", "recommended", "played", "paid"),
    [
        (served.BEFORE, [-0.02, -0.51, 0.46], [0.03, -0.39, 0.45], [0.1, -0.42, 0.62]),
        (served.SEEDS, [-0.08, -0.34, 0.17], [0.01, -0.29, 0.3], [-0.25, -0.52, 0.03]),
    ],
)
def test_what_the_page_says_comes_of_the_runs(
    seeds: range, recommended: list[float], played: list[float], paid: list[float]
) -> None:
    runs = [json.loads(line) for line in text_of(RUNS).splitlines()]
    some = [run for run in runs if run["seed"] in seeds]
    assert len(some) == len(served.WORLDS) * len(served.ARMS) * len(seeds)
    said = {"recommended": recommended, "played": played, "paid": paid}
    for measure, figures in said.items():
        assert [round(value, 2) for value in served.paired(runs, measure, seeds)["all"]] == figures


def test_both_arms_begin_alike_and_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "ROUNDS", 8)
    monkeypatch.setattr("steerbo.gp._regression.DRAWN_UP_TO", 0)  # with draws every choice looks everywhere
    one, other = (served.play("hartmann", arm, seed=3) for arm in served.ARMS)
    assert (one["arm"], other["arm"]) == ("served", "alone")
    assert one["recommended"] != other["recommended"]
    assert all(each["played"] > 0 and each["paid"] > 0 for each in (one, other))
