"""Hyperparameters drawn from their posterior: against quadrature, and where the likelihood cannot be computed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from steerbo.errors import ModelFailure
from steerbo.gp import AnovaKernel, GPRegression, Parameter, mixture_quantile
from steerbo.gp._draws import DRAWN_UP_TO, DRAWS, posterior_draws


def believed(count: int) -> list[Parameter]:
    return [Parameter(f"p{i}", 0.0, centre=0.0, spread=1.5, low=-6.0, high=6.0) for i in range(count)]


def test_draws_have_the_moments_of_a_bent_posterior() -> None:
    """A banana that no normal distribution fits, by quadrature; within 5 standard errors of 600 draws."""

    def likelihood(theta: np.ndarray) -> float:
        return float(-2.0 * (theta[1] - theta[0] ** 2) ** 2 - 0.5 * theta[0] ** 2)

    def gradient(theta: np.ndarray) -> np.ndarray:
        bend = theta[1] - theta[0] ** 2
        return np.array([8.0 * bend * theta[0] - theta[0], -4.0 * bend])

    draws, evidence = posterior_draws(
        believed(2), likelihood, gradient, np.zeros(2), np.random.default_rng(0), count=600
    )
    grid = np.stack(np.meshgrid(np.linspace(-6, 6, 301), np.linspace(-6, 6, 301), indexing="ij"), axis=-1)
    heights = np.array([likelihood(point) for point in grid.reshape(-1, 2)]) - 0.5 * (
        grid.reshape(-1, 2) ** 2 / 1.5**2
    ).sum(axis=1)
    weights = np.exp(heights - heights.max())
    assert evidence == pytest.approx(heights.max() + np.log(weights.sum() * 0.04**2), abs=0.3)  # of 600 draws
    weights /= weights.sum()
    for power in (1, 2):
        values = grid.reshape(-1, 2) ** power
        mean = weights @ values
        sd = np.sqrt(weights @ (values - mean) ** 2)
        assert (
            np.abs((draws**power).mean(axis=0) - mean) < 5 * 2 * sd / np.sqrt(600)
        ).all()  # draws share chains' starts


def test_what_cannot_be_computed_is_never_drawn() -> None:
    def likelihood(theta: np.ndarray) -> float:
        if theta[0] > 0.5:
            raise ModelFailure("no factor")
        return float(theta[0]) if theta[0] > -1.0 else float("nan")

    draws, _ = posterior_draws(
        believed(1), likelihood, lambda theta: np.full(1, np.inf), np.zeros(1), np.random.default_rng(0), count=100
    )
    assert draws.shape == (100, 1)
    assert draws.max() <= 0.5
    assert draws.min() > -1.0


def test_a_fit_draws_where_it_has_a_seed_and_outcomes_are_few() -> None:
    random = np.random.default_rng(0)

    def fitted(n: int, seed: int | None) -> GPRegression[AnovaKernel]:
        model = GPRegression(AnovaKernel([0.3, 0.3]), seed=seed)
        points = random.random((n, 2))
        model.replace(points, np.sin(6 * points[:, 0]) + 0.3 * random.standard_normal(n))
        model.set(model.fit())
        return model

    drawn = fitted(20, 3)
    assert len(drawn.members) == DRAWS
    assert drawn.member(DRAWS + 1) is drawn.members[1]
    assert np.ptp([member.noise for member in drawn.members]) > 0
    assert fitted(20, None).members == ()
    assert fitted(DRAWN_UP_TO + 1, 3).members == ()
    told = drawn.predictive(np.array([0.5, 0.5]))
    assert told[1] > np.mean([member.noise**0.5 * member.scale for member in drawn.members]) / 2


@pytest.mark.parametrize("level", [0.02, 0.5, 0.97725])
def test_the_quantile_of_a_mixture_has_its_probability_below_it(level: float) -> None:
    means, deviations, shares = np.array([0.0, 2.0, -1.0]), np.array([1.0, 0.1, 3.0]), np.array([0.2, 0.5, 0.3])
    found = mixture_quantile(means, deviations, level, shares)
    assert shares @ ndtr((found - means) / deviations) == pytest.approx(level, abs=1e-9)
    assert mixture_quantile(np.zeros(3), np.zeros(3), level) == 0.0
