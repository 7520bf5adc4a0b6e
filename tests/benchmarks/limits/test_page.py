"""What the page of limits says of runs: who has lost, and what chance allows."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest

import steerbo as sb
from benchmarks.limits import causal
from benchmarks.limits.claims import NOW, THIRD, share, verdict
from benchmarks.limits.page import best_there_is, in_causal_problems, picture, table
from benchmarks.limits.play import broken, rounded
from benchmarks.limits.worlds import drawn, vessel, worlds

KNOWN = [drawn(0), vessel()]


def run(
    arm: str, value: float | None, likely: float = 1.0, late: int = 5, world: str = "drawn-0", seed: int = 0
) -> dict[str, Any]:
    kept = [[1]] * 20 + [[1]] * late + [[0]] * (5 - late)
    return {
        "arm": arm,
        "world": world,
        "seed": seed,
        "linear": 0,
        "kept": kept,
        "value": value,
        "likely": likely,
        "set": "a",
    }


def test_the_share_is_of_plays_after_the_twentieth() -> None:
    found, n, least = share([run("steerbo", 1.0, late=3), run("steerbo", 1.0, late=5)])
    assert (found, n) == (0.8, 10)
    assert least == pytest.approx(0.9 - 2 * math.sqrt(0.09 / 10))


def test_the_page_is_made_of_what_was_played(tmp_path: Path) -> None:
    runs = [run("steerbo", 1.0), run("botorch", 2.0), run("steerbo", 6.2, world="vessel"), run("average", 1.0)]
    lines = table(runs, KNOWN).splitlines()
    assert len(lines) == 5
    assert ["on average" in line for line in lines[2:]] == [False, True, False]
    assert "| – |" in lines[4]
    assert best_there_is(KNOWN[0], 300) <= -1.0
    picture(runs, KNOWN, tmp_path / "limits.png")
    assert (tmp_path / "limits.png").stat().st_size > 10_000


def test_claims_are_of_the_fourth_registration_and_the_third_stands_beside() -> None:
    only_looked = {**run("botorch", 0.5, likely=0.0, seed=NOW), "truly": 2.0}
    ours = [run("steerbo", 1.0, seed=NOW), run("average", 3.0, late=2, seed=NOW)]
    before = [run("steerbo", 9.0, late=0, seed=THIRD), run("botorch", 2.0, likely=0.0, seed=THIRD)]
    lines = verdict([*ours, only_looked, *before], worlds()).splitlines()[2:]
    wanted = (
        "no suggestion.* .*holds.* none of 75",
        "in each play.* 1.000 of 5;.* versions before 0.000",
        "on average.*does not hold.* 0.400 of 5;",
        "in each play.*open.* no worse on 1 of the 1 .*in part.*drawn-0 -",
        "on average.*open.* no worse on 0 of the 1 ",
        "third.*open.* no worse on 0 of the 1 .* is none: no worse on 1; drawn-0 .BoTorch has none.",
    )
    for line, pattern in zip(lines, wanted, strict=True):
        assert re.search(pattern, line), line


def test_causal_runs_are_judged_by_late_plays_and_by_answers() -> None:
    good = {"arm": "limited", "seed": causal.NOW, "kept": [0] * 20 + [1] * 10, "likely": 0.9, "value": 0.5}
    bad = {"arm": "ignorant", "seed": causal.NOW, "kept": [1] * 20 + [0] * 10, "likely": 0.1, "value": 0.9}
    assert in_causal_problems([good, bad] * 10).count("**holds**") == 2
    poor = {**good, "kept": bad["kept"], "likely": 0.5}
    worse = in_causal_problems([good, bad] * 8 + [poor, bad] * 2)
    assert worse.count("**does not hold**") == 2
    older = in_causal_problems([good, bad] * 10 + [{**poor, "seed": causal.NOW - 1}])
    assert older.count("**holds**") == 2, "versions before count for no claim"
    assert "10 of 10; the version before 0 of 1; not told 0" in older
    assert "the version before 0.000" in older


def test_a_causal_run_says_what_was_kept_and_who_ignores_the_limit_breaks_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(causal, "ROUNDS", 14)
    monkeypatch.setattr(causal, "DRAWS", 200)
    runs = {arm: causal.played(arm, 100) for arm in causal.ARMS}
    assert [len(run["kept"]) for run in runs.values()] == [14, 14]
    assert runs["limited"]["likely"] > runs["ignorant"]["likely"]


def test_there_are_ten_worlds_and_each_can_be_played() -> None:
    found = worlds()
    assert len({world.name for world in found}) == 10
    for world in found:
        x = rounded(
            world, world.problem.space.encode([world.problem.space.decode([[0.5] * world.problem.space.dimension])[0]])
        )
        assert {
            limit.name for limit in world.problem.limits or () if isinstance(limit, sb.OutcomeConstraint)
        } < world.truth(x).keys()


def test_the_rivals_steps_are_rounded_to_what_keeps_to_linear_limits() -> None:
    """Plates in steps of a sixteenth of an inch: of half of the points at a limit the nearest plate is too thin."""
    world = vessel()
    low, high = 0.0625, 2.0
    for k in range(20):
        shell = 0.4 + 0.03 * k
        at = {"shell": shell, "head": 1.5, "radius": shell / 0.0193, "length": 150.0}
        unit = world.problem.space.encode([at])
        unit[0, 0] = (shell - low) / (high - low)
        assert not broken(world, rounded(world, unit), sb.LinearConstraint)
