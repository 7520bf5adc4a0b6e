"""Noise that differs from place to place: what a study says of it, and that a log leads to the same answers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import steerbo as sb


@pytest.mark.parametrize("loud", [True, False])
def test_a_study_says_where_measurements_are_loud(loud: bool) -> None:
    """After forty outcomes whose deviation grows from .03 to 1.5 along b; where it is .5 everywhere nothing is said."""
    problem = sb.CostVarying([sb.Float("a", 0, 1), sb.Float("b", 10, 20)], [["a", "b"]], costs=[1])
    optimizer, random = sb.Optimizer(problem, seed=1), np.random.default_rng(1)
    for a, b in random.random((40, 2)).tolist():
        deviation = 0.03 + 1.5 * b**2 if loud else 0.5
        value = float(np.sin(4 * a) + b + deviation * random.normal())
        optimizer.add(value, realised={"a": a, "b": 10 + 10 * b})
    optimizer.tell(optimizer.ask(), 1.0)
    optimizer.ask()
    said = optimizer.explain().text
    assert ("A measurement is off by about" in said) == loud
    assert ("where b is smallest" in said) == loud
    again = sb.load(optimizer.to_json())
    assert again.explain().text == said
    assert again.recommend() == optimizer.recommend()


@pytest.mark.parametrize("seed", range(4))
def test_noisy_rows_that_are_added_before_anything_is_fitted_are_not_doubted(seed: int) -> None:
    """Noise is as large as the function. Only a typing error is said."""
    problem = sb.CostVarying([sb.Float("a", 0, 1), sb.Float("b", 0, 1)], [["a", "b"]], costs=[1])
    optimizer, random = sb.Optimizer(problem, seed=seed), np.random.default_rng(seed)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for a, b in random.random((40, 2)).tolist():
            optimizer.add(float(np.sin(4 * a) + b + random.normal()), realised={"a": a, "b": b})
    assert not [str(each.message) for each in said]
    with pytest.warns(sb.errors.UnusualOutcomeWarning, match="is far from what was expected there"):
        optimizer.add(17.0, realised={"a": 0.5, "b": 0.5})
