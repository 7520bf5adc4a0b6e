"""What could still be gained, by the priors that are believed."""

from __future__ import annotations

import numpy as np
import pytest

import steerbo as sb
from partial_control_bench.timevarying.rivals import ForgettingGPUCB
from steerbo.timevarying import SquaredExponential
from steerbo.timevarying.learned_drift import LearnedDrift
from steerbo.timevarying.method import TimeVaryingMethod
from steerbo.timevarying.surrogates import FiniteSurrogate
from tests.timevarying.cases import case, sites


def method(optimizer: sb.Optimizer) -> TimeVaryingMethod:  # type: ignore[type-arg]
    assert isinstance(optimizer._method, TimeVaryingMethod)
    return optimizer._method


def test_the_priors_that_hold_nearly_all_of_the_weight() -> None:
    world = case("fully-bayesian", sites())
    ours = method(world.play(world.start(), 12))
    weights = ours.weights()
    chosen = ours.likely_priors()
    assert weights[chosen].sum() >= 0.95
    assert weights[chosen[:-1]].sum() < 0.95
    assert list(chosen) == ours.trusted()[: len(chosen)]


@pytest.mark.parametrize("name", ["gp-ucb", "sw-gp-ucb"])
def test_it_is_the_largest_upper_bound_less_the_lower_one_of_the_answer(name: str) -> None:
    problem = sb.TimeVarying([sb.Float("x", 0, 1, step=0.05)], [sb.Prior(SquaredExponential(0.2))])
    optimizer = sb.Optimizer(problem, name, seed=2)
    for _ in range(7):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, 5 * float(np.sin(9 * suggestion.values["x"])))
    ours, advice = method(optimizer), optimizer.recommend()
    window = isinstance(ours, ForgettingGPUCB)
    surrogate = ours.surrogate_at(ours.now)
    assert isinstance(surrogate, FiniteSurrogate)
    mean, deviation = surrogate.posterior(0.0 if window else ours.now)
    assert advice.lower is not None
    width = 2 * ours.calibration.factor
    assert (width == 2) == window
    expected = float((mean + width * deviation).max()) - advice.lower
    assert ours.gain() == pytest.approx(expected)


def test_with_todays_settings_it_is_what_can_be_gained_within_reach_of_them() -> None:
    """It was that of all places, also those to which neither a round nor the answer may go."""
    problem = sb.TimeVarying([sb.Float("x", 0, 1, step=0.05)], current={"x": 0.2})
    optimizer, noise = sb.Optimizer(problem, rounds=40, seed=3), np.random.default_rng(3)
    for _ in range(9):
        suggestion = optimizer.ask()
        assert suggestion is not None
        optimizer.tell(suggestion, float(np.sin(3 * suggestion.values["x"]) + 0.05 * noise.normal()))
    ours, advice = optimizer._method, optimizer.recommend()
    assert isinstance(ours, LearnedDrift)
    mean, deviation = ours.surrogate.posterior(ours.now)
    upper = (mean + 2 * ours.bound_inflation(advice.scope) * deviation)[0]
    near = ours.places(ours.now, {}).sites
    assert near is not None
    assert advice.lower is not None
    assert ours.gain() == pytest.approx(float(upper[near].max()) - advice.lower)
    assert float(upper[near].max()) < float(upper.max()) - 0.01
