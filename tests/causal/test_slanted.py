"""`slanted=True`: what is best may move along a line with what is seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.causal.problems import cosine
from steerbo.causal.arm_model import ModelOptions, slants
from steerbo.gp import SlantedRegression
from steerbo.rounds import Optimizer
from steerbo.space import Categorical, Float, Space

SPACE = Space((Float("x", 0, 1), Float("age", 20, 90), Categorical("line", ["a", "b"]), Float("z", 0, 1)))


def test_numbers_that_are_set_move_with_numbers_that_are_not() -> None:
    assert slants(SPACE, {"x", "z", "line"}) == [(0, 1), (3, 1)]
    assert slants(SPACE, {"x"}) == [(0, 1), (0, 3)]
    assert slants(SPACE, ()) == slants(None, {"x"}) == []


def test_a_model_has_slopes_where_something_is_seen_and_nothing_changes() -> None:
    slanted, usual = ModelOptions(slanted=True), ModelOptions()
    assert isinstance(slanted.model(SPACE, None, {"x"}), SlantedRegression)
    assert not isinstance(usual.model(SPACE, None, {"x"}), SlantedRegression)
    assert not isinstance(slanted.model(SPACE.subset(["x"]), None, {"x"}), SlantedRegression)
    assert not isinstance(slanted.model(None, None, {"x"}), SlantedRegression)


def test_slopes_are_found_kept_in_the_log_and_played_again() -> None:
    """On A.2 x2 should be c."""
    environment = cosine()
    optimizer = Optimizer(environment.problem, "coca-bo", seed=1, slanted=True)
    environment.play(optimizer, 130, 1)
    method: Any = optimizer._method
    model = max(method.models.each, key=len)
    slopes = model.process.theta[model._slopes]
    assert slopes.shape == (1,)
    assert -1.5 < slopes[0] < -0.5
    again = Optimizer.replay(environment.problem, optimizer.events)
    assert again.ask() == optimizer.ask()
    assert np.isfinite(optimizer.recommend().mean)  # type: ignore[arg-type]
