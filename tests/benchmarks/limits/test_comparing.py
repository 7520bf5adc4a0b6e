"""Who is worse within limits, as registered and where what breaks a limit is no answer."""

from __future__ import annotations

import math
from typing import Any

import pytest

from benchmarks.limits.comparing import against, as_registered, behind, listed, no_worse, truly
from benchmarks.limits.worlds import drawn


def run(arm: str, value: float | None, likely: float = 1.0) -> dict[str, Any]:
    return {"arm": arm, "world": "drawn-0", "seed": 0, "value": value, "likely": likely}


def test_worse_is_counted_in_deviations_of_the_value() -> None:
    world = drawn(0)
    gap = behind(world, run("steerbo", 1.0), run("botorch", 0.5))
    assert gap == pytest.approx(0.5 / world.deviations()["value"])
    assert behind(world, run("steerbo", 1.0), run("botorch", None)) == -math.inf
    assert behind(world, run("steerbo", -9.0, likely=0.8), run("botorch", 0.5)) == math.inf


def test_an_answer_that_truly_breaks_a_limit_is_none_whoever_gives_it() -> None:
    world = drawn(0)
    ours, rival, unit = run("steerbo", 1.0), run("botorch", 0.5), world.deviations()["value"]
    only_looked = run("botorch", -9.0, likely=0.0)
    assert truly(world, [(ours, rival)]) == as_registered(world, [(ours, rival)]) == pytest.approx(0.5 / unit)
    assert as_registered(world, [(ours, only_looked)]) > 1
    assert truly(world, [(ours, only_looked)]) == -math.inf
    assert truly(world, [(ours, rival), (ours, only_looked)]) == pytest.approx(0.5 / unit), "of pairs with both"
    assert truly(world, [(run("steerbo", -9.0, likely=0.8), only_looked)]) == math.inf


def test_worlds_that_both_have_played_are_compared() -> None:
    gaps = against([run("steerbo", 1.0), run("botorch", -9.0, likely=0.0)], [drawn(0), drawn(1)], truly)
    assert gaps == {"drawn-0": -math.inf}
    assert no_worse(gaps) == 1
    assert listed(gaps) == "drawn-0 (BoTorch has none)"
    lost = against([run("steerbo", 1.0, likely=0.5)], [drawn(0)], truly)
    assert lost == {"drawn-0": math.inf}, "whether or not the rival was played"
