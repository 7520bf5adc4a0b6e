"""CoCa-BO's index."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.causal.problems import cosine, figure_1
from steerbo.gp import Regression
from steerbo.rounds import Optimizer
from steerbo.search import lattice
from tests.causal.test_methods import FIGURE
from tests.gp.examples import covariance


def test_the_papers_mean_of_bounds_is_that_of_models_fitted_one_by_one() -> None:
    """Algorithm 2's mean from one factor, against a model for every prefix of the data."""
    environment = figure_1()
    optimizer = Optimizer(environment.problem, "coca-bo", seed=2, arm_rule="ucb-mean", beta=2.0)
    environment.play(optimizer, 25, 2)
    method = optimizer._method
    for i in range(2):
        model = method.model(i)  # type: ignore[attr-defined]
        bounds = []
        for n in range(len(model)):
            before: Regression[Any] = Regression(model.kernel, noise=model.noise)
            before.set(before.hyperparameters.__class__(tuple(model.hyperparameters.theta), model.output))
            if n:
                before.replace(model.inputs[:n], model.outcomes[:n])
            mean, variance = before.marginals(model.inputs[n : n + 1])
            bounds.append(float(model.raw(mean + np.sqrt(2.0 * variance))[0]))
        assert method.mean_bound(i, optimizer.history, {}) == pytest.approx(np.mean(bounds), rel=1e-6)  # type: ignore[attr-defined]


def test_no_arm_is_neglected_for_long() -> None:
    environment = cosine()
    optimizer = Optimizer(environment.problem, "coca-bo", seed=100)
    environment.play(optimizer, 60, 100)
    plays = optimizer._method.plays  # type: ignore[attr-defined]
    assert plays.min() >= np.log2(60) - 1


def test_the_paired_index_is_that_of_the_average_over_the_policy() -> None:
    """Against the joint posterior of the policy's points, drawn up by hand on the index's own grid of actions."""
    environment = figure_1()
    optimizer = Optimizer(environment.problem, "coca-bo", seed=4)
    environment.play(optimizer, 30, 4)
    method = optimizer._method
    for i in range(2):
        model = method.model(i)  # type: ignore[attr-defined]
        seen = [row["c"] for row in method.pool(optimizer.history, i, {})]  # type: ignore[attr-defined]
        points = []
        for c in seen:
            rows = np.array([[x, (c + 1) / 2] for x in lattice(16, 1)[:, 0]])
            points.append(rows[int(np.argmax(model.predict(rows)[0]))])
        mean = model.predict(points)[0].mean()
        sd = model.scale * np.sqrt(covariance(model, np.array(points)).mean())
        assert method.paired_bound(i, optimizer.history, {}) == pytest.approx(mean + sd, rel=1e-9)  # type: ignore[attr-defined]


def test_theory_beta() -> None:
    method = Optimizer(FIGURE, "coca-bo", confidence="theory")._method
    assert method.theory(0, n=10) == pytest.approx(8 * np.log(5.14 * 2 * 10 / 0.1))  # type: ignore[attr-defined]
