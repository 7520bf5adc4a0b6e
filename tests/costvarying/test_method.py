"""What all methods of the wing answer: the recommended set, and what could still be gained."""

from __future__ import annotations

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Optimizer
from tests.costvarying.worlds import PROBLEM, notes, play_on

pytestmark = pytest.mark.few_draws

METHOD = "explore-then-commit"


def test_negative_values_leave_some_set_acceptable() -> None:
    """S₁ empty: far below zero `(1 − α) lcb` lies above every ucb; counting from the worst value mends it."""
    optimizer = play_on(Optimizer(PROBLEM, METHOD, explore_cycles=2), 14, shift=-1000.0)
    assert all(note["acceptable"] for note in notes(optimizer))


def test_a_threshold_nobody_reaches_falls_back_to_the_largest_upper_bound() -> None:
    hopeless = sb.CostVarying(PROBLEM.variables, PROBLEM.control_sets, tolerance=sb.costvarying.Threshold(1e6))
    optimizer = play_on(Optimizer(hopeless, METHOD, explore_cycles=2), 9)
    last = notes(optimizer)[-1]
    assert last["acceptable"] == [int(np.argmax(last["possible"]))]


def gain_of(optimizer: Optimizer) -> float:
    return optimizer._method.gain()


def test_what_can_be_gained_covers_every_set() -> None:
    """Without a tolerance: the largest upper bound of any set, less the lower one of what is recommended."""
    strict = sb.CostVarying(PROBLEM.variables, PROBLEM.control_sets, tolerance=sb.Absolute(0.0))
    optimizer = play_on(Optimizer(strict, METHOD, explore_cycles=2), 9)
    advice = optimizer.recommend()
    assert advice.lower is not None
    uppers = [each.upper for each in (advice, *advice.alternatives) if each.upper is not None]
    assert gain_of(optimizer) >= max(uppers) - advice.lower - 1e-9


def test_what_is_tolerated_is_no_gain() -> None:
    found = []
    for given_up in (0.0, 0.5, 100.0):
        problem = sb.CostVarying(PROBLEM.variables, PROBLEM.control_sets, tolerance=sb.Absolute(given_up))
        found.append(gain_of(play_on(Optimizer(problem, METHOD, explore_cycles=2), 9)))
    assert found[1] < found[0]
    assert found[2] < 0, "which counts as none"


def test_the_gain_is_unbounded_until_enough_outcomes_tell_a_scale() -> None:
    assert gain_of(play_on(Optimizer(PROBLEM, METHOD, explore_cycles=2), 4)) == np.inf
    assert gain_of(play_on(Optimizer(PROBLEM, METHOD, explore_cycles=2), 9)) < np.inf
