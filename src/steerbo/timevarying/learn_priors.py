"""Priors learned from a panel of past days: covariance between sites, decay and noise by maximum likelihood."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from ..errors import InvalidProblem, one_of
from ..gp.drift import Decay
from .kernels import Covariance

_TOGETHER = 8  # times that two sites must have in common before their covariance is believed
_FLOOR = 1e-6  # least eigenvalue, relative to the mean variance


Learned = tuple[Covariance, float | tuple[float, ...], Decay, float]
"""Covariance, mean or one mean for each site, drift and noise."""


def learned(panel: ArrayLike, names: Sequence[str] = (), means: str = "day") -> list[tuple[*Learned, str]]:
    """Covariance, mean, drift, noise and name of each day's prior: see `Prior.from_panel`."""
    try:
        days = np.empty(0) if isinstance(panel, range) else np.array(panel, dtype=np.float64)
    except Exception:  # whatever the panel's own class raises
        days = np.empty(0)
    if days.ndim != 3 or not days.size:
        raise InvalidProblem("panel", days.shape, "an array of days × times × sites")
    if np.isinf(days).any():
        raise InvalidProblem("panel", math.inf, "finite numbers, and NaN where nothing was measured")
    if isinstance(names, np.ndarray):
        names = names.tolist()
    if not isinstance(names, list | tuple) or (names and len(names) != len(days)):
        raise InvalidProblem("names", names, f"{len(days)} names, one for each day")
    if not all(isinstance(name, str) for name in names):
        raise InvalidProblem("names", names, "texts")
    if not isinstance(means, str) or means not in ("day", "sites"):
        raise InvalidProblem("means", means, one_of(("day", "sites"), means))
    labels = names or [f"day {i + 1}" for i in range(len(days))]
    by_site = means == "sites"
    return [(*_learn(day, str(label), by_site), str(label)) for day, label in zip(days, labels, strict=True)]


def _learn(day: Float[np.ndarray, "T X"], name: str, by_site: bool) -> Learned:
    """What one day teaches."""
    if (~np.isnan(day)).sum() < _TOGETHER or np.nanmax(day) == np.nanmin(day):
        raise InvalidProblem(f"panel.{name}", day.shape, f"at least {_TOGETHER} values that are not all the same")
    centre = float(np.nanmean(day))
    K = empirical_covariance(day)
    mean: float | np.ndarray = site_means(day, centre) if by_site else centre
    epsilon, noise = fit_decay(day - mean, K)
    told = mean if isinstance(mean, float) else tuple(mean.tolist())
    return Covariance(tuple(map(tuple, K.tolist()))), told, Decay(epsilon), noise


def site_means(day: Float[np.ndarray, "T X"], centre: float) -> Float[np.ndarray, " X"]:
    """The mean of each site over the day, (X,); `centre` where there is too little data."""
    seen = ~np.isnan(day)
    counts = seen.sum(axis=0)
    means = np.where(seen, day, 0.0).sum(axis=0) / np.maximum(counts, 1)
    return np.where(counts >= _TOGETHER, means, centre)


def empirical_covariance(day: Float[np.ndarray, "T X"]) -> Float[np.ndarray, "X X"]:
    """Covariances between sites over the day, (X, X), from the times that each pair has in common.

    A site with too little data gets the mean variance, a pair with too little in common the mean correlation;
    eigenvalues are kept above a millionth of the mean variance, and the variances as they were.
    """
    seen = ~np.isnan(day)
    counts = seen.sum(axis=0)
    enough = counts >= _TOGETHER
    means = np.where(seen, day, 0.0).sum(axis=0) / np.maximum(counts, 1)
    residuals = np.where(seen, day - means, 0.0)
    variances = (residuals**2).sum(axis=0) / np.maximum(counts - 1, 1)
    spread = variances[enough & (variances > 0)]
    typical = float(spread.mean()) if spread.size else float(np.nanvar(day))
    variances = np.where(enough & (variances > 0), variances, typical)

    common = seen.T.astype(float) @ seen
    known = (common >= _TOGETHER) & enough & enough[:, None]
    # both variances over the common times, so that no correlation leaves [−1, 1]
    squares = (residuals**2).T @ seen
    scale = np.sqrt(squares * squares.T)
    known &= scale > 0
    correlations = np.divide(residuals.T @ residuals, scale, out=np.zeros(scale.shape), where=known)
    others = known & ~np.eye(len(known), dtype=bool)
    correlations[~known] = float(correlations[others].mean()) if others.any() else 0.0
    np.fill_diagonal(correlations, 1.0)
    values, vectors = np.linalg.eigh(correlations)
    lifted = (vectors * np.maximum(values, _FLOOR)) @ vectors.T
    sd = np.sqrt(variances / np.diag(lifted))
    K: np.ndarray = lifted * sd * sd[:, None]
    return (K + K.T) / 2


def fit_decay(residuals: Float[np.ndarray, "T X"], K: Float[np.ndarray, "X X"]) -> tuple[float, float]:
    """ε and the noise sd of largest likelihood, for `residuals ~ GP(0, K (1 − ε)^{|t − t'|/2}) + noise`.

    Residuals are (T, X), NaN in gaps; one row is one unit of time.
    """
    from scipy.optimize import minimize

    size = math.sqrt(float(np.diag(K).mean()))

    def loss(theta: np.ndarray) -> float:
        epsilon, noise = _settings(theta, size)
        return -log_likelihood(residuals, K, epsilon, noise)

    starts = [np.array([logit, math.log(share)]) for logit in (-5.0, -2.0) for share in (0.05, 0.3)]
    start = min(starts, key=loss)
    found = minimize(loss, start, method="Nelder-Mead", options={"maxfev": 60, "xatol": 0.02, "fatol": 0.1})
    return _settings(found.x, size)


def _settings(theta: np.ndarray, size: float) -> tuple[float, float]:
    logit = float(np.clip(theta[0], -14.0, 8.0))
    return 1 / (1 + math.exp(-logit)), size * math.exp(float(np.clip(theta[1], -7.0, 2.0)))


def log_likelihood(
    residuals: Float[np.ndarray, "T X"], K: Float[np.ndarray, "X X"], epsilon: float, noise: float
) -> float:
    """Ln p of a day: a Kalman filter over its times, gaps left out."""
    from scipy.linalg import cho_factor, cho_solve

    mean, P, total = np.zeros(len(K)), K, 0.0
    for row in residuals:
        at = np.flatnonzero(~np.isnan(row))
        if at.size:
            factor = cho_factor(P[np.ix_(at, at)] + noise**2 * np.eye(at.size), lower=True, check_finite=False)
            z = row[at] - mean[at]
            gain = cho_solve(factor, P[at], check_finite=False)
            total -= 0.5 * float(z @ cho_solve(factor, z, check_finite=False)) + float(np.log(np.diag(factor[0])).sum())
            total -= 0.5 * at.size * math.log(2 * math.pi)
            mean = mean + z @ gain
            P = P - P[at].T @ gain
        mean = math.sqrt(1 - epsilon) * mean
        P = (1 - epsilon) * P + epsilon * K
    return total
