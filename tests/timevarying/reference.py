"""Exact Gaussian process regression the plain way: one Gram matrix over points and times, one factor."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve


def refit(
    prior_mean: np.ndarray,
    K: np.ndarray,
    between: object,
    noise: float,
    data: list[tuple[float, int, float]],
    time: float,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Means and variances at all sites, and the log marginal likelihood; `data` are (time, site, value)."""
    t = np.array([d[0] for d in data])
    at = np.array([d[1] for d in data])
    y = np.array([d[2] for d in data])
    correlate = between if callable(between) else np.ones_like
    gram = K[np.ix_(at, at)] * correlate(t[:, None] - t) + noise**2 * np.eye(len(t))
    cross = K[at] * correlate(t - time)[:, None]
    factor = cho_factor(gram, lower=True)
    z = y - prior_mean[at]
    mean = prior_mean + cross.T @ cho_solve(factor, z)
    variance = np.diag(K) - (cross * cho_solve(factor, cross)).sum(axis=0)
    log = -0.5 * z @ cho_solve(factor, z) - np.log(np.diag(factor[0])).sum() - 0.5 * len(t) * np.log(2 * np.pi)
    return mean, variance, float(log)
