"""The kernel of what no outcome has shown: its unit of distance is the span of the rows."""

from typing import Any

import numpy as np
import pytest

from steerbo.gp import GPRegression
from steerbo.gp._process import GPPrior
from steerbo.gp._unseen import variance_after_steps
from steerbo.gp.kernels import AnovaKernel, DecayKernel, Kernel, UnseenKernel
from steerbo.optim._lbfgs import differences

CATEGORICAL = np.array([False, False, True])


def seen(rows: np.ndarray) -> UnseenKernel:
    return UnseenKernel(CATEGORICAL).seeing(rows)


def unseen_of(model: GPRegression[Any]) -> UnseenKernel:
    assert model._unseen is not None
    return model._unseen


def some_rows(n: int = 7) -> np.ndarray:
    random = np.random.default_rng(3)
    rows = np.array([0.3, 0.5, 0.0]) + [0.2, 0.05, 0.0] * random.random((n, 3))
    rows[:, 2] = random.integers(2, size=n)
    return np.asarray(rows)


def test_slopes_are_those_of_differences() -> None:
    kernel, rows = seen(some_rows()), some_rows()
    weights, tried = np.random.default_rng(0).normal(size=len(rows)), np.array([[0.1, 0.9, 1.0], [0.45, 0.52, 0.0]])
    along_numbers = differences(lambda X: kernel(X, rows) @ weights, np.zeros(3), np.ones(3), ~CATEGORICAL)
    wanted = along_numbers(tried)[1]
    found = kernel.input_gradient(tried, rows, np.tile(weights, (2, 1)))
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_with_its_slope_it_has_the_same_bits() -> None:
    rows, tried = some_rows(), np.random.default_rng(1).random((3, 3)).round(1)
    for kernel in (seen(rows), UnseenKernel(CATEGORICAL, dimensions=(0, 2))):
        assert np.array_equal(kernel.with_slope(tried, rows)[0], kernel(tried, rows))


def test_a_covariance_is_that_of_its_differences_and_of_its_factors() -> None:
    kernel, rows = seen(some_rows()), some_rows()
    apart = [rows[:, d, None].ravel() - rows[0, d] for d in range(3)]
    np.testing.assert_allclose(kernel.of_differences(apart), kernel(rows, rows[:1])[:, 0])
    np.testing.assert_allclose(kernel.diagonal(rows), np.diag(kernel(rows, rows)))
    for held in ([0], [1, 2]):
        ((own, others),) = kernel.separated(held) or ((None, None),)
        assert own is not None
        assert others is not None
        assert own.columns == tuple(held)
        np.testing.assert_allclose(own(rows, rows) * others(rows, rows), kernel(rows, rows))
    assert np.linalg.eigvalsh(kernel(rows, rows)).min() > -1e-9


def test_rows_in_a_narrow_corner_say_less_of_the_rest() -> None:
    whole = UnseenKernel(CATEGORICAL).seeing(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))
    here, there = np.array([[0.4, 0.52, 0.0]]), np.array([[0.9, 0.52, 0.0]])
    assert seen(some_rows())(here, there) < whole(here, there)


def test_what_is_seen_along_each_variable_says_little_of_both_together() -> None:
    kernel = UnseenKernel(np.array([False, False])).seeing(np.array([[0.0, 0.0], [1.0, 1.0]]))
    along = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    model = kernel(along, along)
    corner = kernel(np.array([[1.0, 1.0]]), along)
    left = kernel.diagonal(along)[0] - (corner @ np.linalg.solve(model, corner.T))[0, 0]
    assert left > 0.5 * kernel.variance


def test_a_span_that_hardly_grows_is_the_same_kernel() -> None:
    rows = some_rows()
    once = seen(rows)
    assert once.seeing(np.vstack([rows, rows[:1]])) is once


@pytest.mark.parametrize("drifts", [False, True])
def test_a_fit_takes_the_span(drifts: bool) -> None:
    kernel: Kernel = AnovaKernel.over(CATEGORICAL)
    if drifts:
        kernel = kernel * DecayKernel(3, 0.01)
    rows = np.column_stack([some_rows(12), np.arange(12.0)])[:, : 4 if drifts else 3]
    model = GPRegression(kernel, seed=0, unseen=UnseenKernel(CATEGORICAL))
    model.replace(rows, rows[:, 0] + rows[:, 1])
    assert model.outgrown
    model.set(model.fit())
    assert not model.outgrown
    assert unseen_of(model).spans == seen(rows[:, :3]).spans
    beyond = rows[:1].copy()
    beyond[0, 0] = 0.9
    model.extend(beyond, [1.0])
    assert model.outgrown, "a fit is due: the rows span more now"


def even(rows: np.ndarray, surprise: float) -> np.ndarray:
    """Outcomes of a line which then rises by `surprise` where nothing has been."""
    return np.asarray(rows[:, 0] + surprise * np.maximum(rows[:, 0] - 0.5, 0.0) ** 2)


@pytest.mark.parametrize(("surprise", "less"), [(0.0, True), (300.0, False)])
def test_steps_that_were_chosen_say_how_much_may_lie_beyond(surprise: float, less: bool) -> None:
    """Rows in a corner say nothing of it; steps out of it that hold no surprise do, and those that hold one."""
    corner = np.column_stack([np.linspace(0.1, 0.5, 10)[np.random.default_rng(0).permutation(10)], np.zeros((10, 2))])
    steps = np.column_stack([np.linspace(0.55, 0.9, 8), np.zeros((8, 2))])
    rows, chosen = np.vstack([corner, steps]), np.arange(18) >= 10
    prior, outcomes = GPPrior(AnovaKernel.over(CATEGORICAL), 1e-3), even(rows, surprise)
    variances = [
        variance_after_steps(seen(rows), prior, rows, outcomes, np.zeros(18), chosen=some).variance
        for some in (chosen & False, chosen)
    ]
    assert variances[0] == 8.0
    assert variances[1] < 4.0 if less else variances[1] > 8.0
