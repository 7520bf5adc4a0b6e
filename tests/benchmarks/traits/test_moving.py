"""Worlds that move: what is expected of a play is what plays give, and tables say what runs say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.runs import keep
from benchmarks.traits.moving import CUTS, GIVEN, LEARNED, STILL, jobs, key_of, run
from benchmarks.traits.moving_page import false_cuts, grouped, table
from benchmarks.traits.moving_worlds import ROUNDS, World


def test_what_is_expected_is_the_mean_of_what_is_given() -> None:
    world = World("linear", 2000)
    settings = np.array([[0.3, 0.7]])
    given = [world.play(n, {"x0": 0.3, "x1": 0.7}) for n in range(1, 401)]
    now = [float(world.value(np.array([[*x.values()]]), 0.25)[0]) for _, x in given]
    error = np.std(now) / np.sqrt(len(now))
    assert abs(np.mean(now) - world.expected((0, 1), settings, 0.25)[0]) < 4 * error + 1e-3
    everything = np.array([[0.3, 0.7, 0.2]])
    np.testing.assert_allclose(world.expected((0, 1, 2), everything, 0.5), world.value(everything, 0.5))


@pytest.mark.parametrize("name", ["linear", "sine", "days", "switch", "still", "rough", "linear, aslant"])
def test_what_moves_moves_and_what_is_still_does_not(name: str) -> None:
    world, x = World(name, 2001), np.random.default_rng(0).random((20, 3))
    start, later = world.value(x, 0.0), world.value(x, 0.8)
    if name in ("linear", "sine", "days"):  # along x0
        back = x + np.array([world.moved(0.8) * world._direction[0], 0.0, 0.0])
        np.testing.assert_allclose(world.value(back, 0.8), start)
    assert np.allclose(start, later) == (name in ("still", "rough"))
    if name == "switch":
        np.testing.assert_array_equal(start, world.value(x, world.seen(ROUNDS // 2)))
        np.testing.assert_array_equal(later, world.value(x, world.seen(ROUNDS // 2 + 1)))


def test_no_play_is_better_than_the_best() -> None:
    world = World("sine", 2002)
    least, _ = world.oracle(0.25)
    assert world.value(np.random.default_rng(1).random((500, 3)), 0.25).max() <= least + 0.1 + 1e-6


def test_jobs_have_keys_of_their_own() -> None:
    keys = [key_of(job) for job in jobs()]
    assert len(set(keys)) == len(keys) >= 6 * 12 + 100


def test_one_set_of_plays_where_nothing_moves() -> None:
    assert run(("still", CUTS, 0))["cuts"] == []


def test_tables_compare_run_by_run(tmp_path: Path) -> None:
    def kept(method: str, seed: int, loss: float, **more: Any) -> None:
        about = {"key": f"linear / {method} / {seed}", "world": "linear", "method": method, "seed": seed}
        played = {"loss": loss, "advice": [loss, 0.0], "cuts": [], "kinds": [], "spent": 20.4}
        keep(tmp_path / "runs", {**about, **played, **more})

    for seed, (still, learned) in enumerate([(4.0, 1.0), (6.0, 2.0)]):
        kept(STILL, seed, still)
        kept(LEARNED, seed, learned, cuts=[3.0] * seed)
    kept(GIVEN, 0, 0.5)
    kept(CUTS, 0, 0.0, kinds=["steady", "smooth"])
    kept(CUTS, 1, 0.0, cuts=[2.0])
    groups = grouped(tmp_path / "runs")
    lines = table(groups).splitlines()
    assert lines[2].startswith("| linear | no drift | 2 | 5.00 ± 1.00 |  |")
    share = "0.30 (-3.50 ± 0.50) | 0.750 ± 0.250 | 0.30 (-1.750 ± 0.250)"
    assert lines[3] == f"| linear | learned | 2 | 1.50 ± 0.50 | {share} | 20 | 1 |"
    assert "| linear | given | 1 | 0.50 | 0.12 (-3.50) | 0.250 | 0.12 (-1.750) |" in lines[4]
    assert false_cuts(groups) == "2 sets of random plays where nothing moves: 1 cut, a drift said at some time of 1\n"
