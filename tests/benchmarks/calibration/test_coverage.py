"""Bounds hold about as often as they say, on a few quick problems with fixed seeds (choices were made on these)."""

from __future__ import annotations

from benchmarks.calibration.__main__ import run
from benchmarks.calibration.page import covered
from benchmarks.calibration.wings import WINGS


def test_bounds_of_time_varying_answers_cover_the_truth() -> None:
    """Of 48 bounds; where 95 % hold, fewer than 40 do so once in five thousand."""
    problems = WINGS["time-varying"].PROBLEMS
    found = {
        name: [covered(row) for seed in (0, 1) for row in run(("time-varying", name, seed))["rows"]]
        for name in problems
    }
    assert sum(map(sum, found.values())) >= 40, found
