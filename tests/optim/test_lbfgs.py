from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear, minimize

from steerbo.optim._lbfgs import differences, maximise_batched
from tests.sizes import examples

from .problems import Points, Values, hartmann, quadratic, rosenbrock


@settings(deadline=None, max_examples=examples(40), derandomize=True)
@given(seed=st.integers(0, 10_000), d=st.integers(1, 12))
def test_bounded_concave_quadratics_end_at_their_only_maximum(seed: int, d: int) -> None:
    H, centre = quadratic(seed, d)

    def value_and_gradient(Z: Points) -> tuple[Values, Points]:
        away = Z - centre
        return -0.5 * np.einsum("rd,de,re->r", away, H, away), -away @ H

    _, values = maximise_batched(
        value_and_gradient, np.random.default_rng(seed).random((3, d)), np.zeros(d), np.ones(d)
    )
    root = np.linalg.cholesky(H).T  # an active-set method: exact, and nothing like a quasi-Newton climb
    exact = -lsq_linear(root, root @ centre, (0, 1), method="bvls", tol=1e-14, max_iter=1000).cost
    np.testing.assert_allclose(values, exact, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("d", [2, 5])
def test_curved_valleys_end_where_scipy_ends(d: int) -> None:
    starts = np.random.default_rng(d).random((6, d))
    _, values = maximise_batched(rosenbrock, starts, np.zeros(d), np.ones(d), iterations=500)

    def loss(z: Values) -> tuple[float, Values]:
        value, gradient = rosenbrock(z[None])
        return -float(value[0]), -gradient[0]

    rivals = [-minimize(loss, z, jac=True, bounds=[(0, 1)] * d, method="L-BFGS-B").fun for z in starts]
    assert values.max() == pytest.approx(max(rivals), abs=1e-8)
    assert np.median(values) >= np.median(rivals) - 1e-8


@settings(deadline=None, max_examples=examples(15), derandomize=True)
@given(seed=st.integers(0, 10_000))
def test_restarts_never_fall_stay_inside_and_end_where_no_bound_allows_a_rise(seed: int) -> None:
    random = np.random.default_rng(seed)
    starts, low = random.random((5, 6)), random.random(6) * 0.4
    high = low + random.random(6) * 0.6
    points, values = maximise_batched(hartmann, starts, low, high)
    assert (points >= low).all()
    assert (points <= high).all()
    assert (values >= hartmann(np.clip(starts, low, high))[0]).all()
    found, gradients = hartmann(points)
    np.testing.assert_allclose(values, found, rtol=1e-12)
    np.testing.assert_allclose(np.clip(points + gradients, low, high), points, atol=1e-3)


@settings(deadline=None, max_examples=10, derandomize=True)
@given(order=st.permutations(range(6)))
def test_restarts_do_not_feel_each_other(order: list[int]) -> None:
    starts = np.random.default_rng(1).random((6, 6))
    points, values = maximise_batched(hartmann, starts, np.zeros(6), np.ones(6))
    shuffled_points, shuffled_values = maximise_batched(hartmann, starts[order], np.zeros(6), np.ones(6))
    np.testing.assert_allclose(shuffled_values, values[order], rtol=1e-12)
    np.testing.assert_allclose(shuffled_points, points[order], atol=1e-8)


def test_bounds_of_single_restarts_hold_coordinates() -> None:
    starts = np.random.default_rng(2).random((3, 6))
    low, high = np.zeros((3, 6)), np.ones((3, 6))
    low[1, :3] = high[1, :3] = starts[1, :3]
    low[2] = high[2] = starts[2]
    points, values = maximise_batched(hartmann, starts, low, high)
    np.testing.assert_array_equal(points[1, :3], starts[1, :3])
    np.testing.assert_array_equal(points[2], starts[2])
    assert values[0] > hartmann(starts)[0][0]
    assert values[1] > hartmann(starts)[0][1]


@pytest.mark.parametrize("scale", [1e-290, 1e-12, 1e12, 1e290])
def test_scale_of_values_does_not_matter(scale: float) -> None:
    starts = np.random.default_rng(3).random((4, 6))

    def scaled(Z: Points) -> tuple[Values, Points]:
        value, gradient = hartmann(Z)
        return scale * value, scale * gradient

    points, values = maximise_batched(hartmann, starts, np.zeros(6), np.ones(6))
    scaled_points, scaled_values = maximise_batched(scaled, starts, np.zeros(6), np.ones(6))
    np.testing.assert_allclose(scaled_points, points, atol=1e-5)
    np.testing.assert_allclose(scaled_values / scale, values, rtol=1e-9)


def test_values_that_are_no_numbers_are_walls() -> None:
    def cliff(Z: Points) -> tuple[Values, Points]:
        return np.where(Z[:, 0] < 0.7, Z[:, 0], np.nan), np.ones_like(Z)

    points, values = maximise_batched(cliff, np.array([[0.1], [0.9]]), np.zeros(1), np.ones(1))
    assert 0.69 < points[0, 0] < 0.7
    assert values[1] == -np.inf
    assert points[1, 0] == 0.9


def test_unknown_slopes_hold_their_coordinate_only() -> None:
    def half_blind(Z: Points) -> tuple[Values, Points]:
        return Z.sum(axis=1), np.column_stack([np.ones(len(Z)), np.full(len(Z), np.nan)])

    points, values = maximise_batched(half_blind, np.array([[0.4, 0.6]]), np.zeros(2), np.ones(2))
    np.testing.assert_array_equal(points, [[1.0, 0.6]])
    assert values[0] == 1.6


def test_differences_agree_with_the_gradient_also_at_the_bounds() -> None:
    points = np.concatenate([np.random.default_rng(4).random((5, 6)), np.zeros((1, 6)), np.ones((1, 6))])
    moving = np.array([True, True, False, True, False, True])
    values, gradients = differences(lambda Z: hartmann(Z)[0], np.zeros(6), np.ones(6), moving)(points)
    exact, slopes = hartmann(points)
    np.testing.assert_array_equal(values, exact)
    np.testing.assert_allclose(gradients[:5], (slopes * moving)[:5], atol=1e-7)
    np.testing.assert_allclose(gradients[5:], (slopes * moving)[5:], atol=1e-3)
