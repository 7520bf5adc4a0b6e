"""Between what users set and what surrogates know."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steerbo import Categorical, Float, Integer, Prior, TimeVarying
from steerbo.timevarying import SquaredExponential
from steerbo.timevarying.problem import place_of, settings

SMOOTH = [Prior(SquaredExponential(0.2))]
SITES = TimeVarying([Float("x", 0, 1, step=0.5), Integer("n", 1, 3)], SMOOTH)
BOX = TimeVarying([Float("x", 0, 8), Integer("n", 0, 9)], SMOOTH)


def kernel(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    return np.exp(-((X[:, None, 0] - Z[:, 0]) ** 2)) * (X[:, None, 1] == Z[:, 1])


CHOICES = TimeVarying([Float("x", 0, 1), Categorical("mode", ["a", "b"])], [Prior(kernel)])


@pytest.mark.parametrize(
    ("problem", "values"),
    [(SITES, {"x": 0.5, "n": 3}), (BOX, {"x": 2.25, "n": 7}), (CHOICES, {"x": 0.1, "mode": "b"})],
)
def test_there_and_back(problem: TimeVarying, values: dict[str, Any]) -> None:
    found = settings(problem, place_of(problem, values))
    assert found == values
    assert [type(x) for x in found.values()] == [type(x) for x in values.values()]


def test_a_site_is_a_number_and_a_point_a_row() -> None:
    assert place_of(SITES, {"x": 0.5, "n": 3}) == 5
    np.testing.assert_array_equal(place_of(CHOICES, {"x": 0.1, "mode": "b"}), [0.1, 1.0])


def test_what_is_seen_is_not_set() -> None:
    problem = TimeVarying([Float("x", 0, 1), Float("weather", 0, 1, seen=True)], SMOOTH)
    assert settings(problem, np.array([0.25, 0.75])) == {"x": 0.25}
