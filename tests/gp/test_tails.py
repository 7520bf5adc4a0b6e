"""How smooth a function is: learned from thirty outcomes on, by the tail of its kernel."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.gp import AnovaKernel, GPRegression, Hyperparameters
from steerbo.gp._learning import PLAIN_BELOW

Model = GPRegression[AnovaKernel]


def empty() -> Model:
    kernel = AnovaKernel.over([False, False])
    return GPRegression(kernel, detailed=kernel.with_tail(), seed=0)


def told(rows: int, peak: bool = True) -> Model:
    random = np.random.default_rng(3)
    X = random.random((rows, 2))
    height = np.exp(-6 * np.abs(X[:, 0] - 0.4)) if peak else np.sin(3 * X[:, 0])
    model = empty()
    model.replace(X, 3 * height * (1 + X[:, 1]) + 0.05 * random.standard_normal(rows))
    model.set(model.fit())
    return model


def names(model: Model) -> list[str]:
    return [each.name for each in model.prior.parameters]


def test_a_tail_is_learned_where_outcomes_are_enough() -> None:
    assert "tail" not in names(told(PLAIN_BELOW - 1))
    assert "tail" in names(told(PLAIN_BELOW))


def test_a_peak_has_a_heavier_tail_than_a_wave() -> None:
    tails = [[each.kernel.tail for each in told(60, peak).members] for peak in (True, False)]
    assert np.median(tails[0]) < np.median(tails[1])


@pytest.mark.parametrize("rows", [PLAIN_BELOW - 1, PLAIN_BELOW + 1])
def test_a_log_says_whether_it_was_learned(rows: int) -> None:
    model, again = told(rows), empty()
    found = model.fit()  # what a log holds; logarithms of the kernel's own numbers may differ in their last bit
    model.set(found)
    again.replace(model.inputs, model.outcomes)
    again.set(Hyperparameters.from_dict(found.to_dict()))
    X = np.random.default_rng(0).random((5, 2))
    assert names(again) == names(model)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_fewer_outcomes_are_a_smooth_function_again() -> None:
    model = told(PLAIN_BELOW)
    model.replace(model.inputs[:20], model.outcomes[:20])
    model.set(model.fit())
    assert "tail" not in names(model)
