"""Prior means and their slopes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from steerbo import Categorical, Float, Optimizer, Prior, TimeVarying
from steerbo.core.registry import read_problem
from steerbo.records import to_dict
from steerbo.timevarying import Bumps, SquaredExponential
from steerbo.timevarying.surrogates import Means
from tests.timevarying.points import RANDOM, X


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_means_and_their_slopes(sign: float) -> None:
    hills = [Bumps([[0.2, 0.3], [0.8, 0.9]], [1.0, -2.0], 0.3, 0.5), Bumps([[0.5, 0.5]], [3.0], 0.1)]
    given: list[Any] = [*hills, 2.0, lambda X: X[:, 0] ** 2 + np.sin(X[:, 1])]
    priors = [Prior(SquaredExponential(1.0), mean) for mean in given]
    means = Means(TimeVarying([Float("a", 0, 1), Float("b", 0, 1)], priors, minimize=sign < 0))
    plain = [mean(X) if callable(mean) else np.full(5, mean) for mean in given]
    assert_allclose(means(X), sign * np.array(plain), rtol=1e-12)
    weights = RANDOM.random((4, 5))
    slope = means.slope(X, weights)
    for j in range(2):
        step = np.eye(2)[j] * 1e-5
        rise = (weights * (means(X + step) - means(X - step))).sum(axis=0) / 2e-5
        assert_allclose(slope[:, j], rise, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("place", ["new", 1])
@pytest.mark.parametrize("step", [None, 0.5])
def test_a_hill_is_in_its_own_category_only(place: Any, step: float | None) -> None:
    variables: list[Any] = [Categorical("machine", ["old", "new", "spare"]), Float("speed", 0, 10, step=step)]
    hill = Bumps([[place, 5.0], ["old", 2.0]], [3.0, 1.0], 1.5, base=0.25)
    problem = TimeVarying(variables, [Prior(SquaredExponential([1.0, 2.0]), hill)])
    means = Means(problem)
    points = np.array([problem.place(row) for row in (("new", 5.0), ("new", 6.5), ("old", 5.0), ("spare", 5.0))])
    expected = [3.25, 0.25 + 3 * np.exp(-0.5), 0.25 + np.exp(-2.0), 0.25]
    if problem.points is not None:
        assert_allclose(means(problem.points)[0, [problem.site({"machine": "new", "speed": 6.5})]], expected[1])
    assert_allclose(means(points)[0], expected)
    slope = means.slope(points, np.ones((1, 4)))
    assert_allclose(slope[:, 0], 0.0)
    assert_allclose(slope[1, 1], -3 * np.exp(-0.5) / 1.5)
    again = read_problem(to_dict(problem))
    assert again == problem


def test_a_function_as_a_mean_warns_of_nothing() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        given = Prior(SquaredExponential(0.2), mean=lambda X: np.asarray(X[:, 0]))
        assert Optimizer(TimeVarying([Float("x", 0, 1)], [given])).ask() is not None
    assert not caught


def test_the_slope_of_a_function_on_a_logarithmic_scale_is_right_in_every_decade() -> None:
    """Steps of a millionth of the range are as large as small values: they led to logarithms of 0, and below."""
    given = Prior(SquaredExponential(0.2), mean=lambda X: np.asarray(np.log10(X[:, 0])))
    points = 10.0 ** np.arange(-4.0, 4.0)[:, None]
    means = Means(TimeVarying([Float("x", 1e-4, 1e4, scale="log")], [given]))
    slope = means.slope(points, np.ones((1, len(points))))
    assert_allclose(slope, 1 / (points * np.log(10)), rtol=1e-6)


def test_hills_in_words() -> None:
    given = Prior(SquaredExponential([0.7, 2.0]), Bumps([["new", 8.0]], [3.0], width=2.0))
    assert "mean bumps (centres new 8, heights 3, width 2, base 0)" in str(given)
