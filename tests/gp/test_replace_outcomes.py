"""Outcomes that were put right, in a model that is factorised already."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from steerbo.errors import InvalidOutcome
from steerbo.gp import GPRegression, SquaredExponentialKernel, replace_outcomes
from steerbo.gp._posterior import subset_of_data


def test_an_outcome_that_is_put_right_leaves_the_factor_as_it_was() -> None:
    random = np.random.default_rng(2)
    X, y = random.random((30, 2)), random.standard_normal(30)
    model, anew = (GPRegression(SquaredExponentialKernel([0.3, 0.3])) for _ in range(2))
    for x, value in zip(X, y, strict=True):
        model.add(x, value)
    model.predict(X)
    before = model.factor
    y[[3, 17]] = 5.0, -5.0
    replace_outcomes(model, X, y)
    anew.replace(X, y)
    assert model.factor is before
    np.testing.assert_allclose(model.predict(X[:4] + 0.1), anew.predict(X[:4] + 0.1), rtol=1e-10)
    X[3] += 0.1
    replace_outcomes(model, X, y)
    anew.replace(X, y)
    assert model.factor is not before, "it was made elsewhere"
    np.testing.assert_array_equal(model.predict(X), anew.predict(X))
    replace_outcomes(model, X[1:], y[1:])
    assert len(model) == 29


def test_of_many_outcomes_others_count_where_another_is_the_best_now(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    monkeypatch.setattr("steerbo.gp._regression.subset_of_data", partial(subset_of_data, most=20))
    X, y = random.random((60, 1)), random.random(60)
    model, anew = (GPRegression(SquaredExponentialKernel([0.3])) for _ in range(2))
    model.replace(X, y)
    before = model.counted
    assert len(before) == 20
    worst = next(i for i in np.argsort(y) if i not in before)
    y[worst] -= 1.0
    replace_outcomes(model, X, y)
    np.testing.assert_array_equal(model.counted, before)
    y[worst] = 9.0
    replace_outcomes(model, X, y)
    anew.replace(X, y)
    np.testing.assert_array_equal(model.counted, anew.counted)
    assert worst in model.counted


def test_what_is_no_number_is_refused_and_changes_nothing() -> None:
    model = GPRegression(SquaredExponentialKernel([0.3]))
    model.replace([[0.1], [0.9]], [1.0, 2.0])
    with pytest.raises(InvalidOutcome):
        replace_outcomes(model, [[0.1], [0.9]], [1.0, np.nan])
    assert model.outcomes.tolist() == [1.0, 2.0]
