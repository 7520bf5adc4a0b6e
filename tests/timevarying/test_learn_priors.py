"""Priors learned from a panel: recovered where the truth is known, gaps and all."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from steerbo import Categorical, Decay, Optimizer, Prior, TimeVarying
from steerbo.errors import InvalidProblem
from steerbo.timevarying import Covariance
from steerbo.timevarying._priors import empirical_covariance, fit_decay, log_likelihood

X, T = 5, 300


def world(seed: int = 0, epsilon: float = 0.1, noise: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    """A covariance, and a day drawn from it, (T, X)."""
    random = np.random.default_rng(seed)
    root = np.linalg.cholesky(0.4 * np.ones((X, X)) + 0.6 * np.diag([1.0, 1.0, 2.0, 2.0, 0.5]))
    f, rows = root @ random.standard_normal(X), []
    for _ in range(T):
        rows.append(f + noise * random.standard_normal(X))
        f = np.sqrt(1 - epsilon) * f + np.sqrt(epsilon) * root @ random.standard_normal(X)
    return root @ root.T, np.array(rows)


def test_the_likelihood_is_the_gaussian_one() -> None:
    K, day = world()
    day = day[:12].copy()
    day[3, 1] = day[7] = np.nan
    at = np.argwhere(~np.isnan(day))
    rho = np.sqrt(0.9) ** np.abs(at[:, None, 0] - at[:, 0])
    gram = K[at[:, None, 1], at[:, 1]] * rho + 0.09 * np.eye(len(at))
    y = day[at[:, 0], at[:, 1]]
    whole = -0.5 * (y @ np.linalg.solve(gram, y) + np.linalg.slogdet(gram)[1] + len(y) * np.log(2 * np.pi))
    assert log_likelihood(day, K, 0.1, 0.3) == pytest.approx(whole, rel=1e-10)


def test_decay_and_noise_are_recovered() -> None:
    K, day = world()
    epsilon, noise = fit_decay(day, K)
    assert epsilon == pytest.approx(0.1, rel=0.3)
    assert noise == pytest.approx(0.3, rel=0.15)
    assert log_likelihood(day, K, epsilon, noise) >= log_likelihood(day, K, 0.1, 0.3) - 0.2


def test_covariances_without_gaps_are_the_usual_ones() -> None:
    _, day = world()
    assert_allclose(empirical_covariance(day), np.cov(day.T), rtol=1e-9)


def test_gaps_move_covariances_little_and_leave_them_covariances() -> None:
    _, day = world()
    holes = day.copy()
    holes[np.random.default_rng(1).random(day.shape) < 0.3] = np.nan
    K = empirical_covariance(holes)
    assert np.abs(K - np.cov(day.T)).max() < 0.35 * np.cov(day.T).max()
    assert np.linalg.eigvalsh(K)[0] > 0


def test_a_site_never_seen_is_an_average_site() -> None:
    _, day = world()
    day[:, 2] = np.nan
    day[:4, 2] = 100.0  # four values are not enough to be believed
    K = empirical_covariance(day)
    others = [0, 1, 3, 4]
    assert K[2, 2] == pytest.approx(np.diag(K)[others].mean(), rel=1e-6)
    assert 0 < K[2, 0] < K[2, 2]


def test_one_prior_a_day_from_that_day_only() -> None:
    days = np.array([world(seed)[1] + 20 * seed for seed in range(3)])
    priors = Prior.from_panel(days, ["mon", "tue", "wed"])
    assert [p.name for p in priors] == ["mon", "tue", "wed"]
    assert_allclose([p.mean for p in priors], days.mean(axis=(1, 2)))  # type: ignore[arg-type]
    assert Prior.from_panel(days[1:2], ["tue"])[0] == priors[1]
    assert isinstance(priors[0].kernel, Covariance)
    assert isinstance(priors[0].drift, Decay)
    problem = TimeVarying([Categorical("site", list("abcde"))], priors)
    assert Optimizer(problem).ask() is not None


def test_sites_with_means_of_their_own() -> None:
    _, day = world(noise=0.1)
    levels = np.array([0.0, 5.0, -5.0, 10.0, 2.0])
    panel = (day + levels)[None]
    panel[0, :7, 0] = np.nan
    panel[0, 5:, 4] = np.nan
    (one,), (own,) = Prior.from_panel(panel), Prior.from_panel(panel, means="sites")
    assert one.mean == pytest.approx(np.nanmean(panel))
    assert isinstance(own.mean, tuple)
    assert_allclose(own.mean[:4], np.nanmean(panel[0, :, :4], axis=0))
    assert own.mean[4] == one.mean, "five values are not enough to be believed"
    assert own.kernel == one.kernel

    def fits(prior: Prior) -> float:
        rest = panel[0] - np.array(prior.mean)
        return log_likelihood(rest, np.array(prior.kernel.matrix), prior.drift.epsilon, prior.noise)  # type: ignore[union-attr]

    assert fits(own) > fits(one) + 10
    flat = Prior.from_panel((day + 3.0)[None], means="sites")[0]
    assert_allclose(flat.mean, 3.0, atol=1.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("means", ["site", None, ["sites"]])
def test_means_that_nobody_knows(means: object) -> None:
    with pytest.raises(InvalidProblem, match="sites"):
        Prior.from_panel(world()[1][None], means=means)  # type: ignore[arg-type]


def test_refused() -> None:
    _, day = world()
    for panel, match in [
        (day, "days × times × sites"),
        ("panel", "days × times × sites"),
        (np.full((1, 4, 2), np.inf), "finite numbers"),
        (np.full((1, 4, 2), np.nan), "at least 8 values"),
        (np.ones((1, 10, 2)), "not all the same"),
    ]:
        with pytest.raises(InvalidProblem, match=match):
            Prior.from_panel(panel)  # type: ignore[arg-type]
    with pytest.raises(InvalidProblem, match="one for each day"):
        Prior.from_panel(day[None], ["mon", "tue"])
