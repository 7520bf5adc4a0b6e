"""Known, drawn and drifting columns, against a Gaussian process that knows nothing of parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.errors import InvalidProblem
from steerbo.gp import DecayKernel, GPRegression, Kernel, Matern32, SquaredExponentialKernel
from steerbo.gp.kernels import PeriodicKernel
from steerbo.optim import Box
from steerbo.surrogate import (
    Controlled,
    Domain,
    Expectation,
    LawOf,
    Observed,
    Part,
    ProductKernelPosterior,
    Rows,
    Uncontrolled,
    maximise_bounds,
    parts_of,
    polished,
)
from steerbo.surrogate._batched_expectation import BatchedBounds
from steerbo.surrogate._parts import drawn, gauss_rule

WIND = sb.Float("wind", 0, 1, law=sb.TruncatedNormal(0.4, 0.2))
ROWS = Rows(np.array([[0.1, 0.9], [0.5, 0.4], [0.8, 0.3], [0.2, 0.7]]), np.array([0.4, 0.1, 0.2, 0.3]))
NOW = 1.3
DRIFTS: dict[str, Kernel] = {
    "a column": SquaredExponentialKernel([0.4, 0.6, 0.5, 0.8]),
    "a column of its own": SquaredExponentialKernel([0.4, 0.6, 0.5])
    * SquaredExponentialKernel([0.8], dimensions=[3], learn_variance=False),
    "decay": SquaredExponentialKernel([0.4, 0.6, 0.5], 1.3) * DecayKernel(3, 0.4),
    "matern": SquaredExponentialKernel([0.4, 0.6, 0.5]) * Matern32([0.7], dimensions=[3], learn_variance=False),
    "column and decay": SquaredExponentialKernel([0.4, 0.6, 0.5, 0.8]) * DecayKernel(3, 0.2),
    "season and decay": SquaredExponentialKernel([0.4, 0.6, 0.5]) * PeriodicKernel(3, 0.5, 1.0) * DecayKernel(3, 0.2),
}
"""Kernels over setting, wind, sun and time."""


def told(kernel: Kernel, n: int = 25) -> GPRegression[Kernel]:
    """Outcomes at random in the unit cube, over a time from 0 to 1."""
    random = np.random.default_rng(2)
    X = random.random((n, 4))
    model = GPRegression(kernel, noise=0.01)
    model.replace(X, np.sin(5 * X[:, 0] + 2 * X[:, 3]) + X[:, 1] * X[:, 2] + 0.1 * random.standard_normal(n))
    return model


def moments(model: GPRegression[Kernel], rows: Any, weights: Any) -> tuple[float, float, float]:
    """E μ, E σ² and Var of the average of f over weighted rows, straight from the textbook."""
    cross, A = model.kernel(rows, model.inputs), model.factor.inverse()
    covariance = model.kernel(rows, rows) - cross @ A @ cross.T
    mean = model.mean + cross @ model.weights
    return float(weights @ mean), float(weights @ np.diag(covariance)), float(weights @ covariance @ weights)


def check(model: GPRegression[Kernel], parts: list[Part], rows: Any, weights: Any) -> None:
    """Compare an expectation with weighted rows, whose set columns are filled in here."""
    expectation = Expectation.over(ProductKernelPosterior.of(model, np.zeros((0, 4))), parts)
    held = [d for d, part in enumerate(parts) if isinstance(part, Controlled)]
    points = np.random.default_rng(3).random((4, len(held)))
    for point in points:
        rows[:, held] = point
        mean, variance, of_mean = moments(model, rows, weights)
        assert expectation.mean(point[None])[0] == pytest.approx(mean, rel=1e-8, abs=1e-9)
        assert expectation.moments(point[None])[1][0] ** 2 == pytest.approx(variance, rel=1e-6)
        assert expectation.of_mean().moments(point[None])[1][0] ** 2 == pytest.approx(of_mean, rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("drift", DRIFTS)
def test_time_is_a_column_that_is_known(drift: str) -> None:
    """Wind is drawn from its law, sun is set, and the rest of the posterior is conditioned on the time that it is."""
    nodes, weights = gauss_rule(WIND, 0.1)
    rows = np.column_stack([np.zeros(len(nodes)), nodes, np.zeros(len(nodes)), np.full(len(nodes), NOW)])
    check(told(DRIFTS[drift]), [Controlled(), Uncontrolled(LawOf(WIND)), Controlled(), Observed(NOW)], rows, weights)


def test_time_that_is_known_against_monte_carlo() -> None:
    """Within 5 standard errors of 40 000 draws: a false alarm in 10⁶ runs."""
    model = told(DRIFTS["decay"])
    parts: list[Part] = [Controlled(), Uncontrolled(LawOf(WIND)), Observed(0.2), Observed(NOW)]
    expectation = Expectation.over(ProductKernelPosterior.of(model, np.zeros((0, 4))), parts)
    rows = drawn(parts, np.random.default_rng(5).random((40_000, 4)))
    rows[:, 0] = 0.6
    mean, variance = model.marginals(rows)
    got, deviation = expectation.moments(np.array([[0.6]]))
    assert abs(got[0] - mean.mean()) < 5 * mean.std() / 200
    assert abs(deviation[0] ** 2 - variance.mean()) < 5 * variance.std() / 200


@pytest.mark.parametrize("drift", ["a column", "decay"])
def test_columns_that_share_a_law_are_drawn_together(drift: str) -> None:
    rows = np.column_stack([np.zeros(4), ROWS.points, np.full(4, NOW)])
    check(
        told(DRIFTS[drift]),
        [Controlled(), Uncontrolled(ROWS, 0), Uncontrolled(ROWS, 1), Observed(NOW)],
        rows,
        ROWS.weights,
    )
    swapped = np.column_stack([np.zeros(4), ROWS.points[:, ::-1], np.full(4, NOW)])
    check(
        told(DRIFTS[drift]),
        [Controlled(), Uncontrolled(ROWS, 1), Uncontrolled(ROWS, 0), Observed(NOW)],
        swapped,
        ROWS.weights,
    )
    # what is set or known does not condition the other column
    check(told(DRIFTS[drift]), [Controlled(), Controlled(), Uncontrolled(ROWS, 1), Observed(NOW)], rows, ROWS.weights)
    rows[:, 1] = 0.55
    check(told(DRIFTS[drift]), [Controlled(), Observed(0.55), Uncontrolled(ROWS, 1), Observed(NOW)], rows, ROWS.weights)


def test_what_is_known_is_a_law_with_one_atom() -> None:
    process = ProductKernelPosterior.of(told(DRIFTS["a column"]), np.zeros((0, 4)))
    atom = Uncontrolled(LawOf(sb.Float("wind", 0, 1, law=sb.space.Discrete({0.35: 1.0}))))
    rest: list[Part] = [Uncontrolled(ROWS, 1), Observed(NOW)]
    known, law = (Expectation.over(process, [Controlled(), part, *rest]) for part in (Observed(0.35), atom))
    points = np.linspace(0, 1, 7)[:, None]
    for one, other in ((known, law), (known.of_mean(), law.of_mean())):
        np.testing.assert_allclose(one.bound(points, 2.0)[0], other.bound(points, 2.0)[0], rtol=1e-9)


def test_pending_points_shrink_the_variance_at_their_time() -> None:
    model = told(DRIFTS["decay"])
    pending = np.array([[0.5, 0.4, 0.6, NOW]])
    parts: list[Part] = [Controlled(), Observed(0.4), Observed(0.6), Observed(NOW)]
    before, after = (
        Expectation.over(ProductKernelPosterior.of(model, points), parts).moments(np.array([[0.5]]))
        for points in (pending[:0], pending)
    )
    with model.with_fantasies(pending):
        mean, variance = model.marginals(pending)
    assert after[0][0] == pytest.approx(before[0][0], rel=1e-9)
    assert after[0][0] == pytest.approx(mean[0], rel=1e-9)
    assert after[1][0] ** 2 == pytest.approx(variance[0], rel=1e-6)
    assert after[1][0] < before[1][0]


@pytest.mark.parametrize("beta", [2.0, -1.0])
def test_gradients_and_curvature_where_something_is_known_and_drifts(beta: float) -> None:
    process = ProductKernelPosterior.of(told(DRIFTS["column and decay"]), np.zeros((0, 4)))
    expectation = Expectation.over(process, [Controlled(), Uncontrolled(LawOf(WIND)), Controlled(), Observed(NOW)])
    points = np.random.default_rng(3).random((5, 2))
    value, gradient, hessian = BatchedBounds([expectation], beta).curved(points, np.zeros(5, dtype=int))
    plain, slope = expectation.bound(points, beta)
    np.testing.assert_allclose(value, plain, rtol=1e-10)
    np.testing.assert_allclose(gradient, slope, rtol=1e-8, atol=1e-10)
    sampled = expectation.sampled(beta, drawn(expectation.parts, np.random.default_rng(4).random((16, 4))))
    for j in range(2):
        step = np.zeros(2)
        step[j] = 1e-5
        ahead, behind = expectation.bound(points + step, beta), expectation.bound(points - step, beta)
        np.testing.assert_allclose(slope[:, j], (ahead[0] - behind[0]) / 2e-5, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(hessian[:, j], (ahead[1] - behind[1]) / 2e-5, rtol=1e-5, atol=1e-5)
        rise = (sampled(points + step)[0] - sampled(points - step)[0]) / 2e-5
        np.testing.assert_allclose(sampled(points)[1][:, j], rise, rtol=1e-5, atol=1e-6)


def test_an_average_over_draws_is_taken_at_what_is_known() -> None:
    model = told(DRIFTS["decay"])
    parts: list[Part] = [Controlled(), Uncontrolled(ROWS, 0), Uncontrolled(ROWS, 1), Observed(NOW)]
    expectation = Expectation.over(ProductKernelPosterior.of(model, np.zeros((0, 4))), parts)
    draws = drawn(parts, np.random.default_rng(4).random((32, 4)))
    assert {tuple(row) for row in draws[:, 1:3]} <= {tuple(row) for row in ROWS.points}
    assert (draws[:, 3] == NOW).all()
    draws[:, 0] = 0.7
    _, variance = model.marginals(draws)
    bound = expectation.sampled(2.0, draws)(np.array([[0.7]]))[0][0]
    spread = expectation.mean(np.array([[0.7]]))[0] + 2 * np.sqrt(variance).mean()
    assert bound == pytest.approx(spread, rel=1e-8)


def test_a_scope_that_sets_nothing_has_one_value() -> None:
    process = ProductKernelPosterior.of(told(DRIFTS["a column"]), np.zeros((0, 4)))
    nothing = Domain([Observed(0.3), Uncontrolled(ROWS, 0), Uncontrolled(ROWS, 1), Observed(NOW)], Box([], []))
    one = Domain([Controlled(), Uncontrolled(ROWS, 0), Uncontrolled(ROWS, 1), Observed(NOW)], Box([0.0], [1.0]))
    stays, free = maximise_bounds(process, [nothing, one], 2.0, seed=0)
    below, _ = maximise_bounds(process, [nothing, one], -2.0, seed=0)
    expectation = Expectation.over(process, nothing.parts)
    assert stays.point.shape == (0,)
    assert stays.value == pytest.approx(expectation.bound(np.zeros((1, 0)), 2.0)[0][0])
    assert stays.value == pytest.approx(Expectation.over(process, one.parts).bound(np.array([[0.3]]), 2.0)[0][0])
    assert below.value < stays.value <= free.value + 1e-9
    assert polished(expectation, nothing.box, stays, 2.0, 0) is stays


def test_every_column_gets_its_part() -> None:
    laws = {"wind": Uncontrolled(LawOf(WIND)), "knob": Uncontrolled(LawOf(WIND))}
    columns = ["knob", "wind", "time"]
    assert parts_of(columns, ["knob"], {"time": 2, "knob": 0.1}, laws) == (Controlled(), laws["wind"], Observed(2.0))
    assert parts_of(columns, [], {"time": 2, "knob": 0.1}, laws)[0] == Observed(0.1)
    with pytest.raises(InvalidProblem, match=r"variables\.time\.law: None is not allowed"):
        parts_of(columns, ["knob"], {}, laws)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidProblem, match="with sum 1"):
        Rows(np.zeros((2, 1)), np.array([0.5, 0.6]))
    with pytest.raises(InvalidProblem, match="not below 0"):
        Rows(np.zeros((2, 1)), np.array([1.5, -0.5]))
    process = ProductKernelPosterior.of(told(DRIFTS["decay"]), np.zeros((0, 4)))
    with pytest.raises(InvalidProblem, match="the drift reads them"):
        Expectation.over(process, [Controlled(), Controlled(), Controlled(), Uncontrolled(LawOf(WIND))])
    with pytest.raises(InvalidProblem, match="a product with one"):
        ProductKernelPosterior.of(told(Matern32([0.4, 0.6, 0.5, 0.8])), np.zeros((0, 4)))
