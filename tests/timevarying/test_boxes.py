"""Factors on a box against regression from scratch; slopes against differences; kernels of other libraries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.gaussian_process.kernels import Matern as SklearnMatern

from steerbo import Decay, Float, Optimizer, OutcomeConstraint, Prior, TimeVarying
from steerbo.errors import ModelFailure
from steerbo.timevarying import Bumps, Matern, MaternInTime, Periodic, SquaredExponential
from steerbo.timevarying._priors import spatial
from steerbo.timevarying.data import Datum, PendingPoint, RoundView
from steerbo.timevarying.surrogates import BoxSurrogate
from tests.timevarying.points import SQUARE
from tests.timevarying.reference import faded

HILL = Bumps([[0.3, 0.4]], [2.0], 0.2)
PRIORS = [
    Prior(SquaredExponential([0.3, 0.5]), HILL, Decay(0.05), 0.2),
    Prior(SquaredExponential([0.3, 0.5]), 1.0, Decay(0.05), 0.2),
    Prior(Matern(0.4, 0.5, 2.0), 0.0, Periodic(9.0), 0.3),
    Prior(Matern(0.4, 2.5), lambda X: np.sin(X[:, 0]), MaternInTime(4.0, 2.5), 0.1),
    Prior(Matern([0.4, 0.9], 1.5), HILL, None, 0.1),
]


def plane(priors: list[Prior] | None = None, **more: Any) -> TimeVarying:
    return TimeVarying([Float("a", 0, 1), Float("b", 0, 2)], priors or PRIORS, **more)


def outcomes(n: int = 25) -> list[Datum]:
    random = np.random.default_rng(0)
    return [Datum(float(i + i % 3), i, random.random(2), float(random.normal())) for i in range(n)]


def test_the_level_of_a_prior_does_not_change_where_climbs_end() -> None:
    """A climb ended where a step gained less than a share of the value: far from 0 that was at once."""

    def choices(level: float) -> list[list[float]]:
        prior = Prior(SquaredExponential(0.3, variance=0.04), mean=level, noise=0.02)
        limits = [OutcomeConstraint("heat", at_most=0.5, probability=0.9)]
        problem = TimeVarying([Float("x", 0, 1), Float("y", 0, 1)], [prior], limits=limits)
        optimizer, found = Optimizer(problem, "gp-ucb", seed=1), []

        def value(x: float, y: float) -> float:
            return level - 0.5 * (x - 0.375) ** 2 - 0.5 * (y - 0.375) ** 2

        for x, y in np.random.default_rng(0).random((8, 2)):
            optimizer.add(value(x, y), {"x": x, "y": y, "heat": x})
        for _ in range(3):
            asked = optimizer.ask()
            assert asked is not None
            found.append([*asked.values.values()])
            optimizer.tell(asked, value(*found[-1]), realised={"heat": found[-1][0]})
        return found

    assert_allclose(choices(2.0**20), choices(0.0), atol=1e-4)


@pytest.mark.parametrize("minimize", [False, True])
def test_posteriors_and_evidence(minimize: bool) -> None:
    problem, data = plane(minimize=minimize), outcomes()
    surrogate = BoxSurrogate(problem)
    for datum in reversed(data):  # in any order
        surrogate.add(datum)
    points = np.random.default_rng(1).random((9, 2))
    mean, sd = surrogate.posterior(points, 31.0)
    X, t, y = np.array([d.place for d in data]), np.array([d.time for d in data]), np.array([d.value for d in data])
    for p, prior in enumerate(problem.given):
        kernel = spatial(prior.kernel, problem.axes)
        given: Any = prior.mean if callable(prior.mean) else lambda X, c=prior.mean: np.full(len(X), c)

        def m(Z: np.ndarray, given: Any = given) -> Any:
            return given(Z * [1, 2])

        gram = kernel(X, X) * faded(prior.drift, t[:, None] - t) + prior.noise**2 * np.eye(len(y))
        cross = kernel(X, points) * faded(prior.drift, t - 31.0)[:, None]
        z = y - problem.sign * m(X)
        assert_allclose(mean[p], problem.sign * m(points) + cross.T @ np.linalg.solve(gram, z), rtol=1e-9, atol=1e-9)
        variance = np.diag(kernel(points, points)) - (cross * np.linalg.solve(gram, cross)).sum(0)
        assert_allclose(sd[p] ** 2, variance, rtol=1e-8, atol=1e-10)
        log = -0.5 * (z @ np.linalg.solve(gram, z) + np.linalg.slogdet(gram)[1] + len(y) * np.log(2 * np.pi))
        assert surrogate.evidence[p] == pytest.approx(log, rel=1e-10)


@pytest.mark.parametrize("unknown", [False, True])
def test_slopes_are_differences(unknown: bool) -> None:
    surrogate = BoxSurrogate(plane())
    for datum in outcomes(8):
        surrogate.add(datum)
    view = RoundView(12.0, unknown=[PendingPoint(np.array([0.5, 0.5]), 11.0, 2)] if unknown else [])
    betas, weights = np.array([2.0, 1.0, 0.5, 1.5, 2.5]), np.array([0.1, 0.3, 0.2, 0.15, 0.25])[:, None]
    points = np.random.default_rng(2).random((6, 2))

    def weigh(upper: np.ndarray) -> np.ndarray:
        return np.broadcast_to(weights, upper.shape)

    with surrogate._with(view):
        value, slope = surrogate._rise(points, 12.0, betas, weigh)
        mean, sd = surrogate.posterior(points, 12.0)
        assert_allclose(value, (weights * (mean + betas[:, None] * sd)).sum(0), rtol=1e-12)
        for j in range(2):
            step = np.eye(2)[j] * 1e-6
            up, down = (surrogate._rise(points + s, 12.0, betas, weigh)[0] for s in (step, -step))
            assert_allclose(slope[:, j], (up - down) / 2e-6, rtol=1e-5, atol=1e-6)


def test_the_best_point_is_best() -> None:
    surrogate = BoxSurrogate(plane(PRIORS[:2]))
    for datum in outcomes(12):
        surrogate.add(datum)
    betas = np.array([2.0, 2.0])
    grid = np.stack(np.meshgrid(np.linspace(0, 1, 60), np.linspace(0, 1, 60)), -1).reshape(-1, 2)
    mean, sd = surrogate.posterior(grid, 20.0)
    for priors in (np.array([0]), np.array([1]), np.array([0, 1])):
        pick = surrogate.optimistic(RoundView(20.0), betas, priors, np.random.default_rng(0))
        best = (mean + 2 * sd)[priors].max()
        assert pick.upper >= best - 1e-9
        assert pick.prior in priors
    weights = np.array([0.3, 0.7])
    pick = surrogate.averaged(RoundView(20.0), betas, weights, np.random.default_rng(0))
    assert pick.upper >= (weights @ (mean + 2 * sd)).max() - 1e-9


def test_unknown_places_are_avoided_and_leave_no_trace() -> None:
    surrogate = BoxSurrogate(plane(PRIORS[:2]))
    for datum in outcomes(5):
        surrogate.add(datum)
    betas, both = np.array([2.0, 2.0]), np.array([0, 1])
    before = surrogate.optimistic(RoundView(9.0), betas, both, np.random.default_rng(0))
    view = RoundView(9.0, unknown=[PendingPoint(before.place, 9.0, 1)])
    other = surrogate.optimistic(view, betas, both, np.random.default_rng(0))
    assert np.abs(other.place - before.place).max() > 0.01
    again = surrogate.optimistic(RoundView(9.0), betas, both, np.random.default_rng(0))
    assert (again.place == before.place).all()


def test_a_kernel_of_scikit_learn() -> None:
    kernel = 2.0 * SklearnMatern(0.4, nu=2.5) + RBF([0.5, 0.2])
    problem = plane([Prior(kernel, noise=0.3)])
    surrogate, data = BoxSurrogate(problem), outcomes(15)
    for datum in data:
        surrogate.add(datum._replace(time=0.0))
    X, y = np.array([d.place for d in data]), np.array([d.value for d in data])
    model = GaussianProcessRegressor(kernel + WhiteKernel(0.09), optimizer=None).fit(X * [1, 2], y)
    points = np.random.default_rng(3).random((7, 2))
    mean, sd = model.predict(points * [1, 2], return_std=True)
    ours = surrogate.posterior(points, 0.0)
    assert_allclose(ours[0][0], mean, rtol=1e-8)
    assert_allclose(ours[1][0] ** 2, sd**2 - 0.09, rtol=1e-6)
    assert surrogate.evidence[0] == pytest.approx(model.log_marginal_likelihood_value_, rel=1e-9)
    suggestion = Optimizer(problem, confidence=2.0).ask()
    assert suggestion is not None


def test_a_kernel_of_gpytorch() -> None:
    gpytorch = pytest.importorskip("gpytorch", reason="GPyTorch is not installed: pip install './benchmarks[peers]'")
    torch = pytest.importorskip("torch")
    kernel = gpytorch.kernels.RBFKernel().double()
    kernel.lengthscale = 0.3
    X, Z = np.random.default_rng(0).random((2, 4, 2))
    assert_allclose(spatial(kernel, SQUARE)(X, Z), SquaredExponential(0.3).over(SQUARE)(X, Z), rtol=1e-6)
    assert torch is not None


def test_categories_and_steps_on_a_large_domain() -> None:
    from steerbo import Categorical, Integer

    def kernel(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return np.exp(-0.5 * (X[:, None, 0] - Z[:, 0]) ** 2) * np.where(X[:, None, 2] == Z[:, 2], 1.0, 0.3)

    problem = TimeVarying([Float("x", 0, 1), Integer("n", 0, 9), Categorical("c", ["a", "b"])], [Prior(kernel)])
    optimizer = Optimizer(problem, "prior-elimination", confidence=2.0)
    for i in range(4):
        suggestion = optimizer.ask(available={"x": (0, 0.5), "n": (2, 2)} if i % 2 else None)
        assert suggestion is not None
        assert suggestion.values["c"] in ("a", "b")
        assert isinstance(suggestion.values["n"], int)
        if i % 2:
            assert suggestion.values["n"] == 2
        optimizer.tell(suggestion, 1.0)


def test_an_outcome_where_a_kernel_fails_is_not_lost_and_can_be_corrected() -> None:
    def holed(X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        K = np.exp(-0.5 * ((X[:, None] - Z) ** 2).sum(-1))
        return np.where((X[:, None, 0] == 0.25) | (Z[:, 0] == 0.25), np.nan, K)

    optimizer = Optimizer(plane([Prior(holed), Prior(holed, 1.0)]), "prior-elimination", confidence=2.0)
    first = optimizer.ask()
    assert first is not None
    optimizer.tell(first, 1.0, realised={"a": 0.25, "b": 0.5})
    with pytest.raises(ModelFailure):
        optimizer.ask()
    optimizer.amend(first, 1.0, realised={"a": 0.26, "b": 0.5})
    assert optimizer.ask() is not None
    assert [played.state for played in optimizer.history] == ["told", "open"]
