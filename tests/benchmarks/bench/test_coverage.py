"""Bounds are held against the truth on functions drawn from a registration's commit id."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from partial_control_bench.errors import BenchError
from partial_control_bench.fresh import coverage
from partial_control_bench.fresh.functions import KINDS, draw
from partial_control_bench.fresh.noise import NOISES, noise
from partial_control_bench.fresh.registration import seed_of
from partial_control_bench.fresh.wings import Policy
from partial_control_bench.fresh.world import FreshWorld, Shape
from partial_control_bench.randomness import even_points
from tests.benchmarks.bench.calls import pcb
from tests.sizes import size

COMMIT = "8a" * 20


@pytest.mark.parametrize("kind", KINDS)
def test_a_function_of_any_kind_has_deviation_one(kind: str) -> None:
    for seed in range(4):
        values = draw(seed, 3, 0.5, kinds=[kind]).value(even_points(4096, 3, 9))
        assert np.isfinite(values).all()
        assert values.std() == pytest.approx(1, abs=0.05)
        assert values.mean() == pytest.approx(0, abs=0.05)


def test_without_interaction_effects_add_up() -> None:
    function = draw(3, 3, 0.0)
    low, high = np.array([[0.1, 0.2, 0.3]]), np.array([[0.9, 0.6, 0.3]])
    mixed = np.array([[0.9, 0.2, 0.3], [0.1, 0.6, 0.3]])
    assert function.value(mixed).sum() == pytest.approx(float(function.value(low)[0] + function.value(high)[0]))
    together = draw(3, 3, 1.0)
    assert together.value(mixed).sum() != pytest.approx(float(together.value(low)[0] + together.value(high)[0]))


def test_seeds_hang_on_the_whole_commit_id() -> None:
    assert len({seed_of(COMMIT, i) for i in range(50)} | {seed_of("8b" * 20, i) for i in range(50)}) == 100
    with pytest.raises(BenchError, match="whole commit id"):
        seed_of(COMMIT[:8], 0)


@pytest.mark.parametrize("kind", NOISES)
def test_noise_has_no_mean(kind: str) -> None:
    random = np.random.default_rng(1)
    drawn = np.array([noise(kind, np.array([0.4, 0.7]), random) for _ in range(8000)])
    assert abs(np.mean(np.sort(drawn)[8:-8])) < 0.12  # five standard errors of the widest kind


def test_the_truth_is_what_many_plays_give() -> None:
    shape = Shape((0, 3, 0), ((0,), (0, 1)), (1.0, 2.0), (None, None, 0.15), 0.6, "normal .05")
    world = FreshWorld(shape, seed=5)
    values = {"x1": 0.3}
    played = [world.play(number, values, {}).value for number in range(2000)]
    assert np.mean(played) == pytest.approx(world.true_value(values), abs=5 * np.std(played) / np.sqrt(len(played)))
    assert world.best(1) >= world.true_value({"x1": 0.3, "x2": "b"}) - 1e-9


def test_coverage_is_written_once_and_paired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "coverage.jsonl"
    words = ["coverage", "--registration", "tuning", "--functions", "0", "--noise", "normal .2,t2", "--horizons", "3,6"]
    assert pcb(monkeypatch, *words, "--out", str(out)) == 0
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["rounds"] for row in lines[0]["rows"]] == [3, 6]
    assert all(row["covered"] == (row["lower"] <= row["truth"] <= row["upper"]) for row in lines[1]["rows"])
    capsys.readouterr()
    assert pcb(monkeypatch, *words, "--out", str(out), "--against", str(out)) == 0
    printed = capsys.readouterr()
    assert not printed.err
    assert "2 runs in pairs" in printed.out
    assert "+0.000 ± 0" in printed.out
    assert pcb(monkeypatch, *words, "--noise", "none") == 2
    with pytest.raises(BenchError, match="share no run"):
        coverage.compared(lines[:1], lines[1:])


@pytest.mark.few_draws
@pytest.mark.parametrize("wing", coverage.WINGS)
def test_answers_of_every_wing_are_held_against_the_truth(wing: str) -> None:
    run = coverage.Run("word", 1, "normal .05", (3, 6), wing=wing)
    line = run.play()
    assert line["key"] == run.key
    assert [row["rounds"] for row in line["rows"]] == [3, 6]
    for row in line["rows"]:
        assert np.isfinite(row["truth"])
        known = row["lower"] is not None
        assert row["covered"] == (row["lower"] <= row["truth"] <= row["upper"] if known else None)
    assert run.play()["rows"] == line["rows"]


@pytest.mark.few_draws
def test_the_truth_of_a_policy_is_the_mean_of_its_plays() -> None:
    """Within 5 standard errors of so many rounds: a false alarm in two million."""
    rounds = size(2000, 500)
    run = coverage.Run("word", 2, "normal .05", (8,), wing="causal")
    drawn = run.drawn()
    assert isinstance(drawn, Policy)
    optimizer = sb.Optimizer(drawn.problem, seed=0)
    for number in range(1, 9):
        drawn.round(optimizer, number)
    advice: Any = optimizer.recommend()
    name = drawn.world.names[2]
    told = []
    for number in range(100, 100 + rounds):
        z = drawn.seen.now(number)["context"][name]
        settings = advice({name: z}) if advice.scope.contexts else advice.values
        told.append(drawn.seen.play(number, settings, {}).value)
    assert drawn.truth(advice, 8) == pytest.approx(np.mean(told), abs=5 * np.std(told) / rounds**0.5)


def test_answers_without_bounds_are_counted_apart() -> None:
    """They cover nothing and miss nothing; where all are without, a table says so."""

    def line(key: str, lower: float | None, covered: bool | None) -> dict[str, Any]:
        upper = None if lower is None else lower + 2.0
        row = {"rounds": 10, "truth": 1.0, "mean": 1.0, "lower": lower, "upper": upper, "covered": covered}
        return {"key": key, "noise": "normal .5", "rows": [row], "seconds": 1.0}

    some = [line("a", 0.0, True), line("b", 2.0, False), line("c", None, None)]
    assert "50 / 2.00 / +0.00 / 1.00 (1 without bounds)" in coverage.table(some)
    assert "no bounds" in coverage.table(some[2:])
    assert "50 → 50" in coverage.compared(some, some)
    assert "no bounds" in coverage.compared(some[2:], some[2:])
