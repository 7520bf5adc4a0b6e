"""A model of rows: what it is hangs on results and fits alone, and a correction is learned from at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from steerbo.core import DataAdded, Fit, Outcome, Result
from steerbo.gp import DriftModel, GPRegression, SquaredExponentialKernel
from steerbo.surrogate import Data, DriftTracker, RowsModel, errors_of


def fresh(drift_model: DriftModel | None) -> GPRegression[Any]:
    return GPRegression(SquaredExponentialKernel([0.3]))


def rows(told: Sequence[Result]) -> Data:
    outcomes = [each.outcome for each in told if each.outcome is not None]
    points = np.array([[one.realised["x"]] for one in outcomes]).reshape(-1, 1)
    return points, np.array([one.value for one in outcomes]), errors_of(told)


def result(number: int, x: float, value: float, sem: float | None = None) -> Result:
    outcome = Outcome(value=value, realised={"x": x}, sem=sem)
    return Result.of_data(f"added-{number}", DataAdded(outcome), 0, 0.0)


def results(n: int) -> tuple[Result, ...]:
    random = np.random.default_rng(0)
    return tuple(result(k, x, float(np.sin(5 * x))) for k, x in enumerate(random.random(n)))


def model() -> RowsModel:
    return RowsModel(DriftTracker(None), fresh, lambda each: each.outcome is not None, rows)


def test_a_correction_is_learned_from_at_once_and_one_that_is_taken_back_is_none() -> None:
    told = results(30)
    fit = Fit(31, model().given(told, None).fit(float), told)
    found = model().given(told, fit)
    assert not found.due()
    for wrong in (result(0, 0.5, 0.3), result(0, 0.9, told[0].outcome.value if told[0].outcome else 0.0)):
        assert found.given((wrong, *told[1:]), fit).corrected
        assert found.due(), "another outcome, and the same at another point"
    assert not found.given(told, fit).due()
    vaguer = result(0, told[0].realised["x"], told[0].outcome.value if told[0].outcome else 0.0, sem=0.5)
    assert found.given((vaguer, *told[1:]), fit).due(), "another accuracy"
    np.testing.assert_allclose(found.model.errors, [0.5, *[0.0] * 29])
    dearer = replace(told[0], cost=9.0)
    assert not found.given((dearer, *told[1:]), fit).due(), "rows are as they were"


def test_doubts_have_names_and_come_back() -> None:
    told = results(30)
    wrong = (*told[:9], result(9, 0.5, -80.0), *told[10:])
    fit = Fit(31, model().given(wrong, None).fit(float), wrong)
    found = model().given(wrong, fit)
    assert found.outliers == ["added-9"]
    assert not found.given(told, fit).outliers
    assert found.given(wrong, fit).outliers == ["added-9"]
    straight = model().given(wrong, fit)
    np.testing.assert_array_equal(found.model.predict([[0.4]]), straight.model.predict([[0.4]]))
