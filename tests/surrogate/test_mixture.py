"""A mixture of posteriors: moments by Monte Carlo, slopes by differences, quantiles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import steerbo as sb
from steerbo.optim import Box, box_of
from steerbo.space import Space, Variable
from steerbo.surrogate import Controlled, Expectation, Mixture, Observed, Part, highest_of, highest_of_each
from tests.surrogate.examples import a_process, parts

VARIABLES: list[Variable] = [sb.Float(name, 0, 1, law=sb.Uniform()) for name in "abc"]
EACH = [Expectation.over(a_process(VARIABLES, seed=seed), parts(VARIABLES, [0, 2])).of_mean() for seed in range(3)]
POINTS = np.array([[0.2, 0.7], [0.5, 0.5], [0.9, 0.1]])


def test_moments_are_those_of_draws() -> None:
    mean, deviation = Mixture(EACH).moments(POINTS)
    random = np.random.default_rng(0)
    means, deviations = np.array([each.moments(POINTS) for each in EACH]).transpose(1, 0, 2)
    chosen = random.integers(3, size=200_000)
    draws = means[chosen] + deviations[chosen] * random.standard_normal((200_000, 3))
    assert_allclose(draws.mean(axis=0), mean, atol=5 * deviation.max() / np.sqrt(200_000))
    assert_allclose(draws.std(axis=0), deviation, rtol=0.02)
    middle, (low, high) = Mixture(EACH).mean_and_quantiles(POINTS[0], (0.1, 0.9))
    assert middle == pytest.approx(mean[0], rel=1e-12)
    assert (draws[:, 0] < low).mean() == pytest.approx(0.1, abs=0.005)
    assert (draws[:, 0] < high).mean() == pytest.approx(0.9, abs=0.005)


@pytest.mark.parametrize("beta", [0.0, 2.0, -2.0])
def test_slopes_and_curves_are_those_by_differences(beta: float) -> None:
    mixture, step = Mixture(EACH, beta), 1e-5
    value, slope, curve = mixture.curved(POINTS)
    assert_allclose(value, mixture.values(POINTS), rtol=1e-9)
    for alone, beside in zip(mixture.risen(POINTS), (value, slope), strict=True):
        assert_allclose(alone, beside, rtol=1e-9)
    for i in range(2):
        away = step * np.eye(2)[i]
        up, down = mixture.curved(POINTS + away), mixture.curved(POINTS - away)
        assert_allclose(slope[:, i], (up[0] - down[0]) / (2 * step), rtol=1e-4, atol=1e-6)
        assert_allclose(curve[:, :, i], (up[1] - down[1]) / (2 * step), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("cell", [0.0, 0.3])
def test_scopes_in_several_contexts_share_kernels_and_no_values(cell: float) -> None:
    """At settings that were played, too, which have an effect of their own only in their context."""
    each = [replace(a_process(VARIABLES, seed=seed), cell=cell) for seed in range(3)]
    (_, b, c), (_, other_b, _) = each[0].inputs[:2]
    scopes: list[list[Part]] = [
        [Controlled(), Observed(b), Controlled()],
        [Controlled(), Observed(other_b), Controlled()],
        [Controlled(), Observed(0.5), Controlled()],
        [Controlled(), Controlled(), Observed(c)],
        [Controlled(), Controlled(), Observed(0.5)],
    ]
    means = [Mixture([Expectation.of_means(one, scope) for one in each]) for scope in scopes]
    points = each[0].inputs[:, [0, 2]]
    elsewhere = points[::-1]
    for placed in ([points] * 5, [points, elsewhere, elsewhere, points, points]):
        together = Mixture.values_of_each(means, np.array(placed))
        alone = [mean.values(some) for mean, some in zip(means, placed, strict=True)]
        assert_allclose(together, alone, rtol=1e-12)


def test_scopes_that_are_searched_together_end_where_each_ends_alone() -> None:
    """Of one, two and three columns; and of categories nothing is known before."""
    held = [[0], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]]
    each = [a_process(VARIABLES, seed=seed) for seed in range(3)]
    means = [Mixture([Expectation.of_means(one, parts(VARIABLES, some)) for one in each]) for some in held]
    boxes = [box_of(Space(VARIABLES), some) for some in held]
    together = highest_of_each(means, boxes, seed=1)
    for found, mean, box in zip(together, means, boxes, strict=True):
        assert found is not None
        alone = highest_of(mean, box, seed=1)
        assert_allclose(found.point, alone.point, atol=1e-9)
        assert_allclose(found.value, alone.value, rtol=1e-12)
        assert found.screen is not None
        assert_allclose(found.screen[1], mean.values(found.screen[0]), rtol=1e-12)
    assert highest_of_each(means[:1], [Box([0], [1], [[0, 1]])], seed=1) == [None]
