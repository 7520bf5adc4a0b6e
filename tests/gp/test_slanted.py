"""Regression in which the best setting may move along a line."""

from __future__ import annotations

import math
from typing import Any, TypeVar

import numpy as np
import pytest

from steerbo.gp import Matern52, Regression
from steerbo.gp.slanted import LEAST, SlantedRegression

R = TypeVar("R", bound=Regression[Any])


def told(model: R, n: int, slope: float, noise: float = 0.05, seed: int = 0) -> R:
    """Outcomes of a ridge that moves in column 0 by `slope` with column 1."""
    random = np.random.default_rng(seed)
    X = random.random((n, 2))
    model.replace(X, np.exp(-8 * (X[:, 0] - 0.5 - slope * (X[:, 1] - 0.5)) ** 2) + noise * random.standard_normal(n))
    return model


def slanted() -> SlantedRegression:
    return SlantedRegression(Matern52.over([False, False]), [(0, 1)], likely_noise=1.0)


def slope_of(model: SlantedRegression) -> float:
    model.set(model.fit())
    return float(model.process.theta[model._slopes][0])


@pytest.mark.parametrize("slope", [-0.8, 0.8])
def test_a_slope_is_found_and_helps(slope: float) -> None:
    model = slanted()
    assert slope_of(told(model, 120, slope)) == pytest.approx(-slope, abs=0.15)
    plain = told(Regression(Matern52.over([False, False]), likely_noise=1.0), 120, slope)
    plain.set(plain.fit())
    grid = np.random.default_rng(1).random((500, 2))
    truth = np.exp(-8 * (grid[:, 0] - 0.5 - slope * (grid[:, 1] - 0.5)) ** 2)
    ours, theirs = (float(np.square(m.predict(grid)[0] - truth).mean()) for m in (model, plain))
    assert ours < 0.8 * theirs


def test_without_a_ridge_aslant_there_is_no_slope() -> None:
    assert [slope_of(told(slanted(), 120, 0.0, seed=seed)) for seed in range(3)] == [0, 0, 0]


def test_few_outcomes_have_no_slope_and_are_as_they_were() -> None:
    model, plain = slanted(), Regression(Matern52.over([False, False]), likely_noise=1.0)
    told(model, LEAST - 1, 0.8)
    told(plain, LEAST - 1, 0.8)
    assert slope_of(model) == 0
    plain.set(plain.fit())
    kept = ~model._slopes
    np.testing.assert_allclose(model.process.theta[kept], plain.process.theta, rtol=1e-3, atol=1e-3)


def test_a_slope_goes_again_where_it_is_not_worth_it() -> None:
    model = told(slanted(), 120, 0.8)
    assert slope_of(model) != 0
    assert slope_of(told(model, 120, 0.0)) == 0


def test_outcomes_that_do_not_differ() -> None:
    model = slanted()
    model.replace(np.random.default_rng(0).random((120, 2)), np.ones(120))
    assert slope_of(model) == 0


def test_many_are_learned_from_some_first() -> None:
    model = slanted()
    model.many, model.very_many = 60, 110  # type: ignore[misc]
    first = slope_of(told(model, 120, 0.8))
    assert first == pytest.approx(-0.8, abs=0.2)
    assert slope_of(model) == pytest.approx(first, abs=0.2)
    assert model.last_fit is not None
    assert math.isfinite(model.last_fit.log_posterior)
