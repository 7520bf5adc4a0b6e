"""Worlds whose truths are known: what is played there averages to them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import steerbo as sb
from benchmarks.calibration.__main__ import run
from benchmarks.calibration.wings import HORIZONS, WINGS
from benchmarks.calibration.world import World, drawn, middles, noise

EVERY = [(wing, name) for wing, module in WINGS.items() for name in module.PROBLEMS]


@pytest.mark.few_draws
@pytest.mark.parametrize(("wing", "name"), EVERY)
def test_outcomes_average_to_the_truth(wing: str, name: str) -> None:
    """Forty plays of one recommendation; five standard errors: false alarms once in a million."""
    world = WINGS[wing].PROBLEMS[name](3)
    optimizer = sb.Optimizer(world.problem, world.method, seed=3)
    for _ in range(7):
        world.advance(optimizer, 3)
    advice, suggestion = optimizer.recommend(), optimizer.ask()
    assert suggestion is not None
    values = [outcome(world, advice, suggestion, seed) for seed in range(40)]
    error = float(np.std(values)) / np.sqrt(len(values)) + 1e-9
    assert abs(float(np.mean(values)) - world.truth(advice, suggestion.round)) < 5 * error + 2e-3


def outcome(world: World, advice: sb.core.Recommendation, suggestion: sb.core.Suggestion, seed: int) -> float:
    """Of the recommended choice, looked for and played anew."""
    played = replace(suggestion, scope=advice.scope, values=advice.values, observe=advice.scope.contexts)
    if played.observe:
        seen = world.look(played, noise(seed, 1))
        played = replace(played, context=seen, values=advice(seen), observe=())  # type: ignore[operator]
    return float(world.play(played, noise(seed, 1))["value"])


def test_a_run_says_every_horizon_and_depends_on_its_seed_alone() -> None:
    job = ("time-varying", "given, one is true", 5)
    first, again = run(job), run(job)
    assert [row["rounds"] for row in first["rows"]] == list(HORIZONS)
    assert first["rows"] == again["rows"]


def test_functions_are_draws_of_variance_one() -> None:
    """The mean square over 400 draws; its deviation is sqrt(2/400)."""
    values = np.array([drawn([0.3], seed)(np.array([[0.2], [0.25], [0.9]])) for seed in range(400)])
    assert abs(float((values**2).mean()) - 1) < 4 * np.sqrt(2 / 400)
    assert float(np.mean(values[:, 0] * values[:, 1])) == pytest.approx(np.exp(-0.5 * (0.05 / 0.3) ** 2), abs=0.3)
    assert list(middles(2)) == [0.25, 0.75]
