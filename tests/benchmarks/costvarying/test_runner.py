"""One run of one method."""

from __future__ import annotations

from benchmarks.costvarying.problems import World
from benchmarks.costvarying.results import grid
from benchmarks.costvarying.runner import Run, play
from steerbo.core.tolerance import Absolute


def test_a_tolerance_is_the_problem_s_and_not_the_method_s() -> None:
    run = Run(World("hartmann", "cheap", 0.02), "cheap-first", 0, rounds=3, options={"tolerance": 0})
    done = play(run)
    assert sum(done["plays"][-1]) == 3
    assert done["run"]["options"] == {"tolerance": 0}
    assert "cheap-first(tolerance=0)" in done["key"] == run.key
    assert run.world.problem(tolerance=0.5).tolerance == Absolute(0.5)
    assert run.world.problem().tolerance is None


def test_the_default_is_played_with_no_tolerance_and_told_nothing() -> None:
    runs = grid([World("hartmann", "cheap", 0.02)], ["cheap-first", "random"], [0, 1], 400)
    assert [(run.method, run.options, run.seed) for run in runs] == [
        (method, options, seed)
        for seed in (0, 1)
        for method, options in (("cheap-first", {"tolerance": 0}), ("cheap-first", {}), ("random", {}))
    ]
