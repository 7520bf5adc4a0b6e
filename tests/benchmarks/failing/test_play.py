"""Worlds in which evaluations fail, and the table of what was played there."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.failing.play import FUNCTIONS, rows_of, table
from benchmarks.failing.worlds import drawn

RESULTS = Path(__file__).parents[3] / "docs" / "results"


def test_the_best_place_fails_at_an_edge_and_in_a_hole() -> None:
    random = np.random.default_rng(0)
    for kind in ("edge", "hole"):
        world, free = drawn(kind, 11, "cost-varying"), drawn("luck", 11, "cost-varying")
        assert world.best < free.best
        points = random.random((4000, world.problem.space.dimension))
        top = points[int(world.value(points).argmax())]
        assert world.fails(top, random)
        assert not all(world.fails(point, random) for point in points[:50])


def test_luck_fails_a_fifth_and_weather_by_the_last_variable() -> None:
    random = np.random.default_rng(0)
    luck, weather = drawn("luck", 12, "time-varying"), drawn("weather", 12, "cost-varying")
    assert 0.15 < np.mean([luck.fails(np.full(2, 0.5), random) for _ in range(1000)]) < 0.25
    assert weather.fails(np.array([0.5, 0.8]), random)
    assert not weather.fails(np.array([0.5, 0.6]), random)


def test_the_page_has_the_tables_of_the_runs() -> None:
    rows, page = rows_of(RESULTS / "runs/failing-runs.jsonl"), (RESULTS / "failing.md").read_text("utf-8")
    for registration in FUNCTIONS:
        assert table([row for row in rows if row["seed"] == 2 + registration]) in page


def test_the_table_has_a_line_for_each_kind_and_version() -> None:
    row = {"method": "ucb-psq", "failed": 3, "late": 1, "behind": 0.25, "answer": 0.0, "seed": 3}
    rows = [{**row, "world": f"edge-{n}", "version": v} for n in (1, 2) for v in ("before", "now")]
    assert table(rows).splitlines()[2:] == [
        "| edge | ucb-psq | before | 3.0 | 1.0 | 0.25 | 0.00 |",
        "| edge | ucb-psq | now | 3.0 | 1.0 | 0.25 | 0.00 |",
    ]
