"""Lengthscales that outcomes have not ruled out."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.gp import Course, Decay, Regression, SquaredExponentialKernel, doubted, log_prior, rougher

DEVIATIONS = 2.0


def fitted(points: np.ndarray, outcomes: np.ndarray) -> Regression[SquaredExponentialKernel]:
    model = Regression(SquaredExponentialKernel.over([False] * points.shape[1]))
    model.replace(points, outcomes)
    model.set(model.fit())
    return model


def plots(values: list[float], seed: int = 0) -> Regression[SquaredExponentialKernel]:
    """Outcomes at few values of the first variable and many of the second; only that matters."""
    random = np.random.default_rng(seed)
    points = np.column_stack([np.repeat(values, 6), random.random(6 * len(values))])
    return fitted(points, np.sin(12 * points[:, 1]) + 0.01 * random.standard_normal(len(points)))


def height(model: Regression[SquaredExponentialKernel]) -> float:
    process, outcomes = model.process, model.output.forward(model.outcomes)
    return process.log_likelihood(model.inputs, outcomes)[0] + log_prior(process.parameters, process.theta)[0]


def test_two_neighbouring_values_say_nothing_of_the_others() -> None:
    model = plots([0.5, 0.53])
    mode = np.exp(model.process.parameters[0].centre)
    assert model.kernel.lengthscales[0] > 1.5 * mode, "the likeliest is long, as nothing was seen to change"
    assert doubted(model, [0], DEVIATIONS) > 0.5
    other = rougher(model, [0], 1)
    assert other.kernel.lengthscales[0] == pytest.approx(mode)
    far = np.array([[0.0, 0.5]])
    assert other.predict(far)[1] > 2 * model.predict(far)[1]


def test_many_values_rule_it_out() -> None:
    model = plots([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    share = doubted(model, [0], DEVIATIONS)
    assert share < 1
    assert height(rougher(model, [0], share)) >= height(model) - 0.5 * DEVIATIONS**2
    assert height(rougher(model, [0], share + 1 / 8)) < height(model) - 0.5 * DEVIATIONS**2
    assert doubted(model, [0], 0.0) == 0, "where nothing is doubted"
    assert doubted(model, [0], 1.0) <= share <= doubted(model, [0], 5.0)


def test_what_is_short_already_or_not_named_stays_as_it_is() -> None:
    model = plots([0.5, 0.53])
    assert model.process.parameters[1].value < model.process.parameters[1].centre
    assert doubted(model, [1], DEVIATIONS) == 0
    before, other = model.process.theta.copy(), rougher(model, [0, 1], 0.5)
    assert np.array_equal(other.process.theta[1:], before[1:])
    assert other.output == model.output
    other.add([0.1, 0.1], 0.0)
    assert (len(model), len(other)) == (12, 13)
    assert np.array_equal(model.process.theta, before), "the model itself is left alone"


def test_of_no_outcomes_everything_may_be() -> None:
    model = Regression(SquaredExponentialKernel([2.0, 2.0]))
    assert doubted(model, [0], DEVIATIONS) == 1


def test_with_a_drift_the_first_columns_are_those_of_space() -> None:
    course = Course.of(Decay(0.1))
    model = Regression(course.over(SquaredExponentialKernel([2.0, 0.2]), 2))
    for time, x in enumerate((0.1, 0.2, 0.3)):
        model.add([x, 0.5, time], x)
    assert doubted(model, [0], DEVIATIONS) == 1
    scales = rougher(model, [0], 1).kernel.members[0].lengthscales
    assert scales == pytest.approx([np.exp(model.process.parameters[0].centre), 0.2])
