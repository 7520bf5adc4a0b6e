"""Hyperparameters of many observations: nearly what all of them say, in a few evaluations of all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from steerbo.errors import ModelFailure
from steerbo.gp import (
    MANY,
    GPRegression,
    Learner,
    Parameter,
    SquaredExponentialKernel,
    evenly,
    log_prior,
    refine_on_all,
)
from steerbo.gp._fit import Curvature, LogLikelihood, _sizes, maximum_a_posteriori, quasi_newton, weighing

TWO = [Parameter(name, 0.0, 0.0, 100.0, -5.0, 5.0) for name in ("x", "y")]
CURVED = np.array([[3.0, 1.0], [1.0, 2.0]])


def hill(times: float, at: tuple[float, float]) -> LogLikelihood:
    def density(theta: np.ndarray) -> tuple[float, np.ndarray, float]:
        away = theta - np.array(at)
        return -0.5 * times * float(away @ CURVED @ away), -times * CURVED @ away, 0.0

    return density


def counted(of: LogLikelihood, seen: list[np.ndarray]) -> LogLikelihood:
    def density(theta: np.ndarray) -> tuple[float, np.ndarray, float]:
        seen.append(theta)
        return of(theta)

    return density


def test_some_are_spread_over_all() -> None:
    assert evenly(MANY).tolist() == list(range(MANY))
    kept = evenly(3 * MANY)
    assert (len(kept), kept[0], kept[-1]) == (MANY, 0, 3 * MANY - 1)
    assert set(np.diff(kept).tolist()) <= {2, 3, 4}


def test_the_curvature_of_some_leads_to_the_summit_of_all_in_a_step() -> None:
    seen: list[np.ndarray] = []
    found = refine_on_all(
        TWO, counted(hill(4.0, (0.5, -0.2)), seen), hill(1.0, (0.4, 0.0)), np.zeros(2), share=0.25, evaluations=6
    )
    assert found.theta == pytest.approx([0.5, -0.2], abs=1e-3)
    assert found.converged
    assert found.evaluations == len(seen) == 2


def test_curvature_that_misleads_is_learned_better() -> None:
    """Some observations say that it is ten times as curved as it is: the first step is short, the next are not."""
    found = refine_on_all(TWO, hill(1.0, (0.9, -0.9)), hill(10.0, (0.0, 0.0)), np.zeros(2), share=1.0, evaluations=6)
    assert found.theta == pytest.approx([0.9, -0.9], abs=0.05)


def test_a_step_that_leads_down_is_halved() -> None:
    def cliff(theta: np.ndarray) -> tuple[float, np.ndarray, float]:
        if theta[0] > 0.3:
            raise ModelFailure("beyond the edge")
        return hill(1.0, (0.25, 0.0))(theta)

    found = refine_on_all(TWO, cliff, hill(0.2, (0.0, 0.0)), np.zeros(2), share=1.0, evaluations=6)
    assert found.theta[0] == pytest.approx(0.25, abs=0.1)


def test_where_nothing_can_be_computed_the_beginning_is_kept() -> None:
    def nowhere(theta: np.ndarray) -> tuple[float, np.ndarray, float]:
        raise ModelFailure("no covariances")

    found = refine_on_all(TWO, nowhere, nowhere, np.full(2, 9.0), share=0.5, evaluations=3)
    assert found.theta.tolist() == [5.0, 5.0], "within its bounds"
    assert not found.converged
    assert found.notes == ("no hyperparameters gave covariances that can be factorised: the earlier ones were kept",)


def test_a_regression_of_very_many_is_nearly_as_good_as_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    X = random.random((700, 2))
    y = np.sin(7 * X[:, 0]) + X[:, 1] + 0.1 * random.normal(size=700)
    quick, slow = (GPRegression(SquaredExponentialKernel([0.3, 0.3])) for _ in range(2))
    for model in (quick, slow):
        model.replace(X, y)
    quick.fit()
    with monkeypatch.context() as patch:
        patch.setattr(Learner, "staged", len(X))
        slow.fit()
    assert quick.last is not None
    assert slow.last is not None
    assert quick.last.fit.log_posterior == pytest.approx(slow.last.fit.log_posterior, abs=0.2)
    assert quick.last.fit.evaluations <= 6
    quick.set(quick.fit())
    assert quick.last.fit.converged
    quick.fit()
    assert quick.last.fit.evaluations <= 2, "it begins where it was"


def drawn(n: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(5)
    X = random.random((n, 3))
    return X, np.sin(5 * X[:, 0]) * X[:, 2] + X[:, 1] ** 2 + 0.1 * random.normal(size=n)


def test_the_posterior_takes_over_the_factor_of_the_fit_and_a_replay_makes_it_anew() -> None:
    """To the last bit: who opens a log fits nothing."""
    X, y = drawn(900)
    fitted, replayed = (GPRegression(SquaredExponentialKernel([0.3, 0.3, 0.3])) for _ in range(2))
    for model in (fitted, replayed):
        model.replace(X, y)
    found = fitted.fit()
    assert fitted.last is not None
    made = fitted.last.fit.factor
    assert made is not None
    fitted.set(found)
    replayed.set(found)
    assert fitted.factor is made
    assert fitted.last.fit.factor is None, "it is handed out once"
    for model in (fitted, replayed):
        model.add(X[3] / 2, 0.4)
    assert fitted.weights.tobytes() == replayed.weights.tobytes()
    assert fitted.factor.inverse().tobytes() == replayed.factor.inverse().tobytes()


def test_a_factor_of_other_points_or_hyperparameters_is_not_taken_over() -> None:
    X, y = drawn(900)
    models = [GPRegression(SquaredExponentialKernel([0.3, 0.3, 0.3])) for _ in range(3)]
    for model in models:
        model.replace(X, y)
        found = model.fit()
    added, replaced, other = models
    added.add(X[0] / 2, 0.0)
    replaced.replace(X[::-1], y[::-1])
    given = (found, found, replace(found, theta=(found.theta[0] + 0.1, *found.theta[1:])))
    for model, hyperparameters in zip((added, replaced, other), given, strict=True):
        model.set(hyperparameters)
        anew = GPRegression(SquaredExponentialKernel([0.3, 0.3, 0.3]))
        anew.replace(model.inputs, model.outcomes)
        anew.set(hyperparameters)
        assert model.weights.tobytes() == anew.weights.tobytes()


@pytest.mark.parametrize("n", [900, 1300])
def test_a_first_search_ends_as_high_as_one_with_all_of_them(n: int) -> None:
    X, y = drawn(n)
    model = GPRegression(SquaredExponentialKernel([0.3, 0.3, 0.3]))
    model.replace(X, y)
    theta, z = np.array(model.fit().theta), (y - y.mean()) / y.std()
    assert model.last is not None
    given, found = model.prior, model.last.fit
    every = maximum_a_posteriori(given.parameters, lambda t: given.with_theta(t).log_likelihood(X, z), [theta])
    assert found.converged
    assert every.log_posterior - 0.1 < found.log_posterior <= every.log_posterior + 1e-6
    exact = given.with_theta(theta).log_likelihood(X, z)[0] + log_prior(given.parameters, theta)[0]
    assert found.log_posterior == pytest.approx(exact, abs=1e-7), "what is said is what was computed"


def test_many_hyperparameters_begin_with_more_observations() -> None:
    assert _sizes(2000, 9) == [250, 1000]
    assert _sizes(2000, 26) == [500, 1000]
    assert _sizes(801, 9) == [250, 400]


def test_the_same_search_as_ever_below_that() -> None:
    random = np.random.default_rng(0)
    model = GPRegression(SquaredExponentialKernel([0.3]))
    model.replace(random.random((30, 1)), random.normal(size=30))
    given = model.prior
    found = model.fit()
    z = found.output.forward(model.outcomes)
    short = given.theta - np.log(3.0) * np.array(["lengthscale" in p.name for p in given.parameters])
    again = maximum_a_posteriori(
        given.parameters, lambda t: given.with_theta(t).log_likelihood(model.inputs, z), [given.theta, short]
    )
    assert found.theta == tuple(again.theta.tolist())


def test_curvature_that_grows_less_than_the_number_of_observations_is_seen_to() -> None:
    """Along x it grows as their number, along y not at all: a quarter of some tells, and a step leads to the summit."""

    def density(n: float, at: tuple[float, float]) -> LogLikelihood:
        def of(theta: np.ndarray) -> tuple[float, np.ndarray, float]:
            away = theta - np.array(at)
            H = np.diag([n, 50.0])
            return -0.5 * float(away @ H @ away), -H @ away, 0.0

        return of

    whole, few, fewer = density(160.0, (0.5, -0.4)), density(16.0, (0.3, 0.0)), density(4.0, (0.0, 0.0))
    start = np.zeros(2)
    curvature = Curvature.found(TWO, weighing(few), start, weighing(fewer))
    knowing = quasi_newton(TWO, weighing(whole), start, curvature.inverse(0.1), evaluations=2)
    plain = refine_on_all(TWO, whole, few, start, share=0.1, evaluations=2)
    assert knowing.theta == pytest.approx([0.5, -0.4], abs=1e-3)
    assert abs(plain.theta[1] + 0.4) > 0.3
