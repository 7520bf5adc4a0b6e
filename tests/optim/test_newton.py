from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from steerbo.optim._lbfgs import maximise_batched
from steerbo.optim._newton import _solve, _solve_two, maximise_newton
from tests.sizes import examples

from .problems import Points, Values, quadratic


def wavy(Z: Points, rows: object = None) -> tuple[Values, Points, np.ndarray]:
    """Many maxima and saddles: `Π cos(5 z_d) − ½|z|²`, with derivatives by hand."""
    c, s = np.cos(5 * Z), np.sin(5 * Z)
    d = Z.shape[1]
    rest = np.stack([np.delete(c, j, axis=1).prod(axis=1) for j in range(d)], axis=1)
    hessian = np.empty((len(Z), d, d))
    for a in range(d):
        for b in range(d):
            others = np.delete(c, [a, b], axis=1).prod(axis=1)
            hessian[:, a, b] = -25 * c.prod(axis=1) - 1 if a == b else 25 * s[:, a] * s[:, b] * others
    return c.prod(axis=1) - 0.5 * (Z**2).sum(axis=1), -5 * s * rest - Z, hessian


@settings(deadline=None, max_examples=examples(40), derandomize=True)
@given(seed=st.integers(0, 10_000), d=st.integers(1, 12))
def test_bounded_concave_quadratics_end_at_their_only_maximum(seed: int, d: int) -> None:
    H, centre = quadratic(seed, d)

    def function(Z: Points, rows: object) -> tuple[Values, Points, np.ndarray]:
        away = Z - centre
        return -0.5 * np.einsum("rd,de,re->r", away, H, away), -away @ H, np.broadcast_to(-H, (len(Z), d, d))

    _, values = maximise_newton(function, np.random.default_rng(seed).random((3, d)), np.zeros(d), np.ones(d))
    root = np.linalg.cholesky(H).T
    exact = -lsq_linear(root, root @ centre, (0, 1), method="bvls", tol=1e-14, max_iter=1000).cost
    np.testing.assert_allclose(values, exact, rtol=1e-6, atol=1e-9)


@settings(deadline=None, max_examples=examples(25), derandomize=True)
@given(seed=st.integers(0, 10_000), d=st.integers(1, 4))
def test_restarts_never_fall_stay_inside_and_end_where_no_bound_allows_a_rise(seed: int, d: int) -> None:
    random = np.random.default_rng(seed)
    starts, low = random.random((6, d)) * 2 - 1, -random.random(d)
    high = low + random.random(d)
    points, values = maximise_newton(wavy, starts, low, high)
    assert (points >= low).all()
    assert (points <= high).all()
    assert (values >= wavy(np.clip(starts, low, high))[0]).all()
    found, gradients, _ = wavy(points)
    np.testing.assert_array_equal(values, found)
    np.testing.assert_allclose(np.clip(points + gradients, low, high), points, atol=1e-4)


def test_it_ends_as_high_as_quasi_newton_climbs() -> None:
    starts = np.random.default_rng(0).random((40, 3)) * 2 - 1
    low, high = np.full(3, -1.0), np.ones(3)
    newton = maximise_newton(wavy, starts, low, high)[1]
    other = maximise_batched(lambda Z: wavy(Z)[:2], starts, low, high)[1]
    assert np.isclose(newton.max(), other.max(), rtol=1e-9)
    assert newton.mean() > other.mean() - 0.1


def test_equal_bounds_hold_coordinates() -> None:
    starts = np.array([[0.2, 0.7, -0.3], [0.2, 0.7, -0.3]])
    low, high = np.full((2, 3), -1.0), np.ones((2, 3))
    low[0, 1] = high[0, 1] = 0.7
    low[1] = high[1] = starts[1]
    points, values = maximise_newton(wavy, starts, low, high)
    assert points[0, 1] == 0.7
    assert values[0] > wavy(starts)[0][0]
    np.testing.assert_array_equal(points[1], starts[1])


@settings(deadline=None, max_examples=examples(60), derandomize=True)
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(["any", "round", "flat", "zero", "held"]))
def test_two_dimensions_by_formula_are_what_eigenvalues_give(seed: int, kind: str) -> None:
    random = np.random.default_rng(seed)
    root = random.normal(size=(5, 2, 2))
    H, g = root + root.transpose(0, 2, 1), random.normal(size=(5, 2))
    if kind == "round":
        H = random.normal(size=(5, 1, 1)) * np.eye(2)
    elif kind == "flat":
        H = np.einsum("rd,re->rde", root[:, 0], root[:, 0])
    elif kind == "zero":
        H, g = np.zeros_like(H), np.zeros_like(g)
    elif kind == "held":
        H[:, 0] = H[:, :, 0] = g[:, 0] = 0.0
    np.testing.assert_allclose(_solve_two(H, g), _solve(H, g), rtol=1e-6, atol=1e-9 * np.abs(_solve(H, g)).max())


def test_climbs_that_have_met_go_on_as_one_and_end_as_high() -> None:
    starts = np.random.default_rng(1).uniform(-0.3, 0.3, (12, 3))
    counts: list[int] = []

    def function(Z: Points, rows: object) -> tuple[Values, Points, np.ndarray]:
        counts.append(len(Z))
        return wavy(Z)

    ends = []
    for together in (0.0, 0.01):
        counts.clear()
        _, values = maximise_newton(function, starts, -np.ones(3), np.ones(3), rivals=12, together=together)
        ends.append((values.max(), sum(counts)))
    assert ends[1][1] < ends[0][1]
    np.testing.assert_allclose(ends[1][0], ends[0][0], rtol=1e-12)
