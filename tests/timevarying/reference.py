"""Exact Gaussian process regression the plain way: one Gram matrix over points and times, one factor."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from steerbo.gp.drift import Drift
from steerbo.timevarying import Decay, MaternInTime, Periodic


def faded(drift: Drift | None, apart: np.ndarray) -> np.ndarray:
    """The correlations over time, written out."""
    match drift:
        case Decay():
            return (1 - drift.epsilon) ** (np.abs(apart) / 2)
        case Periodic():
            return np.exp(-2 * np.sin(np.pi * apart / drift.period) ** 2 / drift.lengthscale**2)
        case MaternInTime():
            r = np.sqrt(2 * drift.nu) * np.abs(apart) / drift.lengthscale
            return (1 + r + (r**2 / 3 if drift.nu == 2.5 else 0)) * np.exp(-r)
    return np.ones_like(apart)


def refit(
    prior_mean: np.ndarray,
    K: np.ndarray,
    drift: Drift | None,
    noise: float,
    data: list[tuple[float, int, float]],
    time: float,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Means and variances at all sites, and the log marginal likelihood; `data` are (time, site, value)."""
    t = np.array([d[0] for d in data])
    at = np.array([d[1] for d in data])
    y = np.array([d[2] for d in data])
    gram = K[np.ix_(at, at)] * faded(drift, t[:, None] - t) + noise**2 * np.eye(len(t))
    cross = K[at] * faded(drift, t - time)[:, None]
    factor = cho_factor(gram, lower=True)
    z = y - prior_mean[at]
    mean = prior_mean + cross.T @ cho_solve(factor, z)
    variance = np.diag(K) - (cross * cho_solve(factor, cross)).sum(axis=0)
    log = -0.5 * z @ cho_solve(factor, z) - np.log(np.diag(factor[0])).sum() - 0.5 * len(t) * np.log(2 * np.pi)
    return mean, variance, float(log)
