"""Prior means and their slopes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from steerbo import Categorical, Float, Integer, Optimizer, Prior, TimeVarying
from steerbo.core.registry import read_problem
from steerbo.errors import InvalidProblem
from steerbo.records import to_dict
from steerbo.timevarying import Bumps, SquaredExponential
from steerbo.timevarying.means import Means
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
    rows = (("new", 5.0), ("new", 6.5), ("old", 5.0), ("spare", 5.0))
    points = problem.space.encode([{"machine": machine, "speed": speed} for machine, speed in rows])
    expected = [3.25, 0.25 + 3 * np.exp(-0.5), 0.25 + np.exp(-2.0), 0.25]
    if problem.points is not None:
        assert_allclose(means(problem.points)[0, [problem.site({"machine": "new", "speed": 6.5})]], expected[1])
    assert_allclose(means(points)[0], expected)
    slope = means.slope(points, np.ones((1, 4)))
    assert_allclose(slope[:, 0], 0.0)
    assert_allclose(slope[1, 1], -3 * np.exp(-0.5) / 1.5 * 10)
    again = read_problem(to_dict(problem))
    assert again == problem


def test_a_function_as_a_mean_warns_of_nothing() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        given = Prior(SquaredExponential(0.2), mean=lambda X: np.asarray(X[:, 0]))
        assert Optimizer(TimeVarying([Float("x", 0, 1)], [given])).ask() is not None
    assert not caught


@pytest.mark.parametrize("unit", [1.0, 1e-40, 1e40])
def test_on_a_logarithmic_scale_functions_see_values_and_hills_are_as_wide_in_every_decade(unit: float) -> None:
    number = Float("x", 1e-4 * unit, 1e4 * unit, scale="log")
    hills = Bumps([[1e-2 * unit], [1e3 * unit]], [1.0, 1.0], 0.5)
    means = Means(
        TimeVarying([number], [Prior(SquaredExponential(0.2), m) for m in (lambda X: np.log10(X[:, 0] / unit), hills)])
    )
    points = number.encode(unit * 10.0 ** np.arange(-4.0, 4.0))[:, None]
    assert_allclose(means(points)[0], np.arange(-4.0, 4.0), atol=1e-12)
    assert_allclose(means.slope(points, np.array([[1.0], [0.0]]) * np.ones(8))[:, 0], 8.0, rtol=1e-6)
    near = number.encode(unit * 10.0 ** np.array([-1.5, 2.5]))[:, None]
    assert_allclose(means(near)[1], np.exp(-0.5), rtol=1e-9)


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_functions_are_asked_within_the_bounds_alone(scale: Any) -> None:
    """Slopes asked tables just beyond their ends: interpolators refused, and roots were no numbers."""
    seen: list[float] = []

    def root(X: np.ndarray) -> np.ndarray:
        seen.extend(X[:, 0].tolist())
        return np.asarray(np.sqrt(X[:, 0] - 1.0) + np.sqrt(4.0 - X[:, 0]))

    variables: list[Any] = [Float("x", 1, 4, scale=scale), Categorical("line", ["a", "b"])]
    means = Means(TimeVarying(variables, [Prior(SquaredExponential([1.0, 1.0]), root)]))
    points = np.array([[0.0, 1.0], [0.5, 0.0], [1.0, 0.0]])
    slope = means.slope(points, np.ones((1, 3)))
    assert min(seen) >= 1.0
    assert max(seen) <= 4.0
    assert slope[0, 0] > 100.0 > abs(slope[1, 0])
    assert slope[2, 0] < -100.0
    assert_allclose(slope[:, 1], 0.0)


@pytest.mark.parametrize("centre", [0.0, -1.0])
def test_a_hill_beyond_a_logarithmic_scale_is_refused(centre: float) -> None:
    with pytest.raises(InvalidProblem, match=r"priors\.0\.mean\.centres: .* above 0"):
        TimeVarying([Float("x", 1, 10, scale="log")], [Prior(SquaredExponential(0.2), Bumps([[centre]], [1.0], 0.1))])


def test_functions_see_whole_numbers_and_coordinates_as_they_were_written() -> None:
    """Encoding rounds: 3 became 2.9999999999999996, and a table gave its entry 2."""
    table = np.arange(100.0)
    prior = Prior(SquaredExponential(20.0), mean=lambda X: table[X[:, 0].astype(int)])
    for low in range(1, 20):
        problem = TimeVarying([Integer("n", low, 99)], [prior])
        assert problem.points is not None
        assert_allclose(Means(problem)(problem.points)[0], np.arange(low, 100), atol=0)
    places = TimeVarying([Categorical("x", [*map(str, range(50))])], [prior], coordinates=[[k] for k in range(1, 51)])
    assert places.points is not None
    assert_allclose(Means(places)(places.points)[0], np.arange(1, 51), atol=0)


def test_the_slope_of_a_function_is_right_on_a_narrow_range_far_from_zero() -> None:
    width = 0.01234
    prior = Prior(SquaredExponential(0.01), mean=lambda X: np.sin(400 * (X[:, 0] - 1550.1)))
    means = Means(TimeVarying([Float("wavelength", 1550.1, 1550.1 + width)], [prior]))
    points = np.random.default_rng(0).random((50, 1))
    expected = 400 * width * np.cos(400 * width * points[:, 0])
    assert_allclose(means.slope(points, np.ones((1, 50)))[:, 0], expected, atol=2e-3)


def test_hills_in_words() -> None:
    given = Prior(SquaredExponential([0.7, 2.0]), Bumps([["new", 8.0]], [3.0], width=2.0))
    assert "mean bumps (centres new 8, heights 3, width 2, base 0)" in str(given)
