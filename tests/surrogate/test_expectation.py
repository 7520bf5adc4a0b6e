"""Structured expectations against brute-force Monte Carlo, finite differences and closed forms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.stats

import steerbo as sb
from steerbo.gp import AnovaKernel, GPRegression
from steerbo.optim import sobol_points
from steerbo.space import Variable
from steerbo.surrogate import Controlled, Expectation, LawOf, Observed, Part, ProductKernelPosterior, Rows, Uncontrolled
from steerbo.surrogate._batched_expectation import BatchedBounds
from steerbo.surrogate._expectation import HELD
from tests.surrogate.examples import a_process, kernel, parts, posterior

DRAWS = 40_000
LAWS: dict[str, Variable] = {
    "uniform": sb.Float("v", 0, 1, law=sb.Uniform()),
    "narrow uniform": sb.Float("v", 0, 1, law=sb.Uniform(0.2, 0.4)),
    "normal": sb.Float("v", 0, 1, law=sb.Normal(0.5, 0.15)),
    "truncated normal": sb.Float("v", 0, 1, law=sb.TruncatedNormal(0.5, 0.2)),
    "truncated moments": sb.Float("v", 0, 1, law=sb.TruncatedNormal(0.5, 0.2, moments="truncated")),
    "log-normal": sb.Float("v", 0.01, 20, law=sb.space.LogNormal(0, 1)),
    "log-normal on a log scale": sb.Float("v", 0.01, 20, law=sb.space.LogNormal(0, 1), scale="log"),
    "beta": sb.Float("v", 0, 1, law=sb.space.Beta(0.5, 2)),
    "scipy": sb.Float("v", 0, 30, law=scipy.stats.weibull_min(2, scale=8)),
    "empirical": sb.Float("v", 0, 1, law=sb.space.Empirical(np.linspace(0, 1, 700).tolist())),
    "few atoms": sb.Float("v", 0, 1, law=sb.space.Discrete({0.1: 0.2, 0.7: 0.5, 0.9: 0.3})),
    "whole numbers": sb.Integer("v", 0, 9, law=sb.space.Discrete({1: 0.5, 8: 0.5})),
    "uniform whole numbers": sb.Integer("v", 0, 9, law=sb.Uniform()),
    "categories": sb.Categorical("v", ["a", "b", "c"], law=sb.space.Discrete({"a": 0.2, "b": 0.7, "c": 0.1})),
}


def problem_with(variable: Variable) -> tuple[list[Variable], ProductKernelPosterior, Expectation]:
    variables: list[Variable] = [
        sb.Float("held", 0, 1, law=sb.Uniform()),
        variable,
        sb.Float("other", 0, 1, law=sb.space.Beta(2, 3)),
    ]
    process = a_process(variables)
    return variables, process, Expectation.over(process, parts(variables, [0]))


@pytest.mark.parametrize("law", LAWS)
def test_expectations_against_monte_carlo(law: str) -> None:
    """E μ, E σ² and sd[g] within 5 standard errors of 40 000 draws: a false alarm in 3 of 10⁷ checks."""
    variables, process, expectation = problem_with(LAWS[law])
    random = np.random.default_rng(1)
    for held in (0.1, 0.6):
        point = np.array([[held]])
        draws = np.stack([v.encoded_ppf(random.random(DRAWS)) for v in variables], axis=1)
        draws[:, 0] = held
        mean, variance = posterior(process, draws)
        sd_of_mean, sd_of_variance = mean.std() / DRAWS**0.5, variance.std() / DRAWS**0.5
        assert abs(expectation.mean(point)[0] - mean.mean()) < 5 * sd_of_mean + 1e-7
        bound = expectation.bound(point, 1.0)[0][0] - expectation.mean(point)[0]
        assert abs(bound**2 - variance.mean()) < 5 * sd_of_variance + 1e-6
        # Var g is the mean posterior covariance of two independent draws
        pairs = draws.reshape(-1, 2, 3)
        left, right = (
            kernel(
                pairs[:, k], process.inputs, process.lengthscales, process.shares, process.categorical, process.variance
            )
            for k in (0, 1)
        )
        gap = pairs[:, 0] - pairs[:, 1]
        bells = np.where(process.categorical, gap == 0, np.exp(-0.5 * gap**2 / process.lengthscales**2))
        prior = process.variance * np.prod(1 - process.shares + process.shares * bells, axis=1)
        covariance = prior - np.einsum("pn,nm,pm->p", left, process.inverse, right)
        spread = expectation.of_mean().bound(point, 1.0)[0][0] - expectation.mean(point)[0]
        assert abs(spread**2 - covariance.mean()) < 5 * covariance.std() / len(pairs) ** 0.5 + 1e-6


def test_covariances_on_a_grid_against_monte_carlo() -> None:
    """`cov[g(x), g(x')]` within 5 standard errors of 40 000 draws: a false alarm in 3 of 10⁷ checks."""
    variables, process, expectation = problem_with(LAWS["normal"])
    exact = expectation.of_mean()
    random = np.random.default_rng(2)
    for held in ((0.1, 0.6), (0.3, 0.33)):
        draws = np.stack([v.encoded_ppf(random.random(DRAWS)) for v in variables], axis=1).reshape(-1, 2, 3)

        def covariances(first: float, second: float, draws: np.ndarray = draws) -> np.ndarray:
            """Posterior covariances of f at independent draws of nature, held at two settings."""
            pairs = draws.copy()
            pairs[:, :, 0] = first, second
            left, right = (
                kernel(
                    pairs[:, k],
                    process.inputs,
                    process.lengthscales,
                    process.shares,
                    process.categorical,
                    process.variance,
                )
                for k in (0, 1)
            )
            bells = np.exp(-0.5 * (pairs[:, 0] - pairs[:, 1]) ** 2 / process.lengthscales**2)
            prior = process.variance * np.prod(1 - process.shares + process.shares * bells, axis=1)
            return np.asarray(prior - np.einsum("pn,nm,pm->p", left, process.inverse, right))

        sampled = covariances(*held)
        grid = [([0], np.array([held[1:], held[:1]]))]
        found = exact.covariance_on_grid(np.array(held[:1]), grid)
        assert abs(found[0] - sampled.mean()) < 5 * sampled.std() / len(sampled) ** 0.5 + 1e-6
        assert found[1] == pytest.approx(exact.moments(np.array([held[:1]]))[1][0] ** 2)


def test_means_and_covariances_on_a_grid_are_those_of_all_its_points() -> None:
    _, process, _ = problem_with(LAWS["uniform"])
    whole = Expectation.over(process, [Controlled()] * 3).of_mean()
    random = np.random.default_rng(5)
    axes = [([1], random.random((4, 1))), ([], np.zeros((1, 0))), ([2, 0], random.random((5, 2)))]
    points = np.array([[c, a, b] for (a,) in axes[0][1] for b, c in axes[2][1]])
    np.testing.assert_allclose(whole.mean_on_grid(axes).ravel(), whole.mean(points), atol=1e-12)
    point = random.random(3)
    found = whole.covariance_on_grid(point, axes).ravel()
    for one, other in zip(points, found, strict=True):
        both = whole.covariance_on_grid(one, [([0, 1, 2], one[None])])[0]
        assert both == pytest.approx(whole.moments(one[None])[1][0] ** 2)
        assert other == pytest.approx(whole.covariance_on_grid(one, [([0, 1, 2], point[None])])[0], abs=1e-12)


def test_sampled_expectation_is_an_average_of_posteriors() -> None:
    _variables, process, expectation = problem_with(LAWS["truncated normal"])
    draws = np.random.default_rng(2).random((64, 3))
    point = np.array([[0.4], [0.8]])
    got = expectation.sampled(2.0, draws)(point)[0]
    for row, held in zip(got, point[:, 0], strict=True):
        full = np.column_stack([np.full(64, held), draws[:, 1:]])
        sd = np.sqrt(posterior(process, full)[1]).mean()
        assert row == pytest.approx(expectation.mean(np.array([[held]]))[0] + 2 * sd, rel=1e-9)


def test_jensen_the_climbed_bound_is_never_below_the_exact_one() -> None:
    variables, _, expectation = problem_with(LAWS["uniform"])
    unit = sobol_points(4096, 3, seed=0)
    draws = np.stack([v.encoded_ppf(u) for v, u in zip(variables, unit.T, strict=True)], axis=1)
    points = np.linspace(0, 1, 11)[:, None]
    above = expectation.bound(points, 2.0)[0] - expectation.sampled(2.0, draws)(points)[0]
    assert (above > -1e-4).all()
    assert above.max() < 0.2


@pytest.mark.parametrize("which", ["bound", "bound of the mean", "sampled"])
@pytest.mark.parametrize("beta", [2.0, -1.0])
def test_gradients_against_finite_differences(which: str, beta: float) -> None:
    variables: list[Variable] = [sb.Float(f"x{d}", 0, 1, law=sb.TruncatedNormal(0.5, 0.2)) for d in range(4)]
    process = a_process(variables)
    expectation = Expectation.over(process, parts(variables, [1, 3]))
    of = {
        "bound": lambda points: expectation.bound(points, beta),
        "bound of the mean": lambda points: expectation.of_mean().bound(points, beta),
        "sampled": expectation.sampled(beta, np.random.default_rng(5).random((32, 4))),
    }
    value = of[which]
    points = np.random.default_rng(3).random((5, 2))
    gradient = value(points)[1]
    for j in range(2):
        step = np.zeros(2)
        step[j] = 1e-6
        difference = (value(points + step)[0] - value(points - step)[0]) / 2e-6
        np.testing.assert_allclose(gradient[:, j], difference, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("of_mean", [False, True])
@pytest.mark.parametrize("beta", [2.0, -1.0])
def test_the_hessian_against_finite_differences(beta: float, of_mean: bool) -> None:
    variables: list[Variable] = [
        sb.Float("a", 0, 1, law=sb.TruncatedNormal(0.5, 0.2)),
        sb.Categorical("b", ["x", "y"], law=sb.space.Discrete({"x": 0.5, "y": 0.5})),
        sb.Float("c", 0, 1, law=sb.Uniform()),
        sb.Float("d", 0, 1, law=sb.space.Beta(2, 3)),
    ]
    process = a_process(variables)
    expectation = Expectation.over(process, parts(variables, [0, 1, 3]))
    expectation = expectation.of_mean() if of_mean else expectation
    points = np.random.default_rng(3).random((5, 3))
    points[:, 1] = [0, 1, 1, 0, 1]
    value, gradient, hessian = BatchedBounds([expectation], beta).curved(points, np.zeros(5, dtype=int))
    plain, slope = expectation.bound(points, beta)
    np.testing.assert_allclose(value, plain, rtol=1e-12)
    np.testing.assert_allclose(gradient, slope, rtol=1e-9, atol=1e-11)
    np.testing.assert_array_equal(hessian[:, 1], 0.0)
    for j in (0, 2):
        step = np.zeros(3)
        step[j] = 1e-5
        difference = (expectation.bound(points + step, beta)[1] - expectation.bound(points - step, beta)[1]) / 2e-5
        np.testing.assert_allclose(hessian[:, j], difference, rtol=1e-5, atol=1e-5)


def unsure() -> tuple[ProductKernelPosterior, list[Part], Rows]:
    """One column that is set, one that is known, two that rows of data draw, and one with a law that is known."""
    variables: list[Variable] = [sb.Float(name, 0, 1, law=sb.space.Beta(2, 3)) for name in "abcde"]
    process = a_process(variables)
    points = np.random.default_rng(5).random((12, 2))
    rows = Rows(points, np.arange(1.0, 13.0) / 78, count=30)
    some: list[Part] = [
        Controlled(),
        Observed(0.4),
        Uncontrolled(rows, 1),
        Uncontrolled(rows, 0),
        Uncontrolled(LawOf(variables[4])),
    ]
    return process, some, rows


def test_what_rows_leave_open_of_their_law_widens_the_bounds_of_the_mean() -> None:
    process, some, rows = unsure()
    known = [
        Uncontrolled(replace(rows, count=None), part.dimension) if isinstance(part, Uncontrolled) else part
        for part in some
    ]
    known[4] = some[4]
    known[3] = Uncontrolled(known[2].law, 0)  # type: ignore[union-attr]
    points = np.array([[0.2], [0.7]])
    mean, sure = Expectation.over(process, known).of_mean().moments(points)
    again, wide = Expectation.over(process, some).of_mean().moments(points)
    np.testing.assert_allclose(again, mean, rtol=1e-12)
    at_rows = np.array(
        [
            Expectation.over(process, [Controlled(), Observed(0.4), Observed(row[1]), Observed(row[0]), some[4]]).mean(
                points
            )
            for row in rows.points
        ]
    )
    spread = rows.weights @ (at_rows - rows.weights @ at_rows) ** 2
    np.testing.assert_allclose(wide**2 - sure**2, spread / 31, rtol=1e-6)


@pytest.mark.parametrize("beta", [2.0, -1.0])
def test_bounds_with_a_law_in_doubt_have_their_derivatives(beta: float) -> None:
    process, some, _ = unsure()
    expectation = Expectation.over(process, [Controlled(), Controlled(), *some[2:]]).of_mean()
    points = np.random.default_rng(3).random((4, 2))
    _, gradient, hessian = BatchedBounds([expectation], beta).curved(points, np.zeros(4, dtype=int))
    for j in range(2):
        step = np.zeros(2)
        step[j] = 1e-5
        above, below = (expectation.bound(points + sign * step, beta) for sign in (1, -1))
        np.testing.assert_allclose(gradient[:, j], (above[0] - below[0]) / 2e-5, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(hessian[:, j], (above[1] - below[1]) / 2e-5, rtol=1e-5, atol=1e-5)


def test_without_observations_it_is_the_prior_and_flat() -> None:
    none = np.zeros((0, 2))
    variables: list[Variable] = [sb.Float(name, 0, 1, law=sb.Uniform()) for name in "ab"]
    process = ProductKernelPosterior(
        none, np.zeros(0), np.zeros((0, 0)), np.ones(2), np.ones(2), np.zeros(2, dtype=bool), 1.7, 0.3, np.zeros(0)
    )
    expectation = Expectation.over(process, parts(variables, [0]))
    value, gradient, hessian = BatchedBounds([expectation], 2.0).curved(
        np.array([[0.2], [0.9]]), np.zeros(2, dtype=int)
    )
    np.testing.assert_allclose(value, 0.3 + 2 * 1.7**0.5)
    np.testing.assert_array_equal(gradient, 0.0)
    np.testing.assert_array_equal(hessian, 0.0)


def test_products_do_not_depend_on_how_many_rows_are_worked_on_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    _, process, expectation = problem_with(LAWS["beta"])
    monkeypatch.setattr("steerbo.surrogate._expectation._ROWS", 7)
    monkeypatch.setattr("steerbo.surrogate._expectation._KEPT_LAW", 0)
    again = problem_with(LAWS["beta"])[2]
    np.testing.assert_allclose(
        np.asarray(again.product), np.asarray(expectation.product), rtol=1e-13, atol=1e-13 * abs(process.inverse).max()
    )


def test_a_set_that_controls_everything_is_the_posterior_itself() -> None:
    variables, process, _ = problem_with(LAWS["categories"])
    expectation = Expectation.over(process, parts(variables, [0, 1, 2]))
    points = np.array([[0.2, 1.0, 0.3], [0.5, 2.0, 0.9]])
    mean, variance = posterior(process, points)
    np.testing.assert_allclose(expectation.mean(points), mean, rtol=1e-10)
    for which in (expectation.bound, expectation.of_mean().bound):
        np.testing.assert_allclose(which(points, 1.0)[0], mean + np.sqrt(variance), rtol=1e-8)


def test_posteriors_of_draws_together_hold_no_more_than_one() -> None:
    """Sixteen draws that held factors of a screen each took half a gigabyte."""
    model = GPRegression(AnovaKernel([0.3, 0.4]), seed=0)
    random = np.random.default_rng(0)
    model.replace(random.random((40, 2)), random.normal(size=40))
    model.set(model.fit())
    each = ProductKernelPosterior.of_each(model.members, np.zeros((0, 2)))
    assert len(each) > 1
    for one in each:
        for _ in range(HELD // (40 * 1024) + 2):
            one.kernel_to_data(0, random.random(1024))
    assert sum(factor.size for one in each for factor in one._factors.values()) <= HELD
