"""Points and outcomes that are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo.errors import InvalidOutcome
from steerbo.gp import Constant, GPRegression, SquaredExponentialKernel


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([0.1, np.nan], 1.0),
        ([0.1, np.inf], 1.0),
        ([0.1, 1e200], 1.0),
        ([0.1], 1.0),
        ([[0.1, 0.2]], 1.0),
        (["a", 0.2], 1.0),
        ([0.1, 0.2], np.nan),
        ([0.1, 0.2], -np.inf),
        ([0.1, 0.2], "one"),
        ([0.1, 0.2], None),
        ([0.1, 0.2], [1.0]),
    ],
)
def test_bad_observations_are_refused_and_change_nothing(x: Any, y: Any) -> None:
    X, outcomes = np.random.default_rng(0).random((5, 2)), np.arange(5.0)
    model = GPRegression(SquaredExponentialKernel([0.3, 0.5]))
    model.replace(X, outcomes)
    before = model.predict(X)[0].tobytes()
    with pytest.raises(InvalidOutcome):
        model.add(x, y)
    with pytest.raises(InvalidOutcome):
        model.replace([x, x], [y, y])
    assert len(model) == 5
    assert model.predict(X)[0].tobytes() == before


@pytest.mark.parametrize("X", [3.0, None, "points", [0.1, 0.2], [[0.1]], [[[0.1, 0.2]]]])
def test_bad_points_are_refused(X: Any) -> None:
    with pytest.raises(InvalidOutcome, match="points"):
        GPRegression(SquaredExponentialKernel([0.3, 0.5])).predict(X)


def test_columns_that_nobody_reads_may_follow_until_something_is_told() -> None:
    for model in (GPRegression(SquaredExponentialKernel([0.3], dimensions=[3])), GPRegression(Constant() + Constant())):
        width = 4 if model.kernel.width else 0
        model.add(np.zeros(width + 1), 1.0)
        with pytest.raises(InvalidOutcome, match=f"rows of {width + 1} numbers"):
            model.add(np.zeros(width), 1.0)
    with pytest.raises(InvalidOutcome, match="rows of 4 numbers"):
        GPRegression(SquaredExponentialKernel([0.3], dimensions=[3])).add([0.5], 1.0)


def test_points_of_no_columns_are_points() -> None:
    model = GPRegression(Constant())
    for y in (1.0, 3.0):
        model.add([], y)
    assert len(model) == 2
    assert model.predict(np.zeros((3, 0)))[0].shape == (3,)
