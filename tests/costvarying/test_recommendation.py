"""The final answer."""

from __future__ import annotations

import numpy as np

import steerbo as sb
from steerbo.rounds import Optimizer
from tests.costvarying.test_explore_then_commit import METHOD, notes, play
from tests.costvarying.worlds import PROBLEM


def test_negative_values_leave_some_set_acceptable() -> None:
    """S₁ empty: far below zero `(1 − α) lcb` lies above every ucb; counting from the worst value mends it."""
    optimizer = play(Optimizer(PROBLEM, METHOD, explore_cycles=2), 14, shift=-1000.0)
    assert all(note["acceptable"] for note in notes(optimizer))


def test_a_threshold_nobody_reaches_falls_back_to_the_largest_upper_bound() -> None:
    hopeless = sb.CostVarying(PROBLEM.variables, PROBLEM.control_sets, tolerance=sb.Threshold(1e6))
    optimizer = play(Optimizer(hopeless, METHOD, explore_cycles=2), 9)
    last = notes(optimizer)[-1]
    assert last["acceptable"] == [int(np.argmax(last["possible"]))]
