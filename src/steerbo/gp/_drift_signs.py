"""Signs of drift in the residuals of a process that does not drift: change points, and the periods of seasons.

A change point is the simplest drift: at one moment everything becomes another function. With the
covariances K of outcomes in order of time, noise included, a change before outcome k leaves two
blocks on the diagonal:

    gain_k = ln N(r_{<k}; 0, K_{<k}) + ln N(r_{≥k}; 0, K_{≥k}) − ln N(r; 0, K).

The first terms of all k are sums of one-step predictions, which one Cholesky factor holds; the
second ones those of a factor in the opposite order. So all moments together cost two factors and no
more. The same holds where the mean m and the scale s² of outcomes are not known but profiled:
`rᵀK⁻¹r`, `1ᵀK⁻¹r` and `1ᵀK⁻¹1` are such sums, too.

A season multiplies the covariance between two outcomes by a function of the time between them. For
a small share ε of such a season, with signal covariances S, all covariances K = S + noise and α =
K⁻¹ r, the log evidence of

    K + ε S ∘ cos(2π |t − t'| / P)

rises with slope ½ Σ_ij (α_i α_j − (K⁻¹)_ij) S_ij cos(2π (t_i − t_j) / P), a score test for each
period P. As a function of P that is a periodogram of residuals, of which two count together where
the signal says that they belong together: a season that moves the optimum, and not the level, is
seen, too. All periods take O(n² · periods) in all.
"""

from __future__ import annotations

import numpy as np

from .._arrays import Float
from ._factor import packed_cholesky
from ._process import density_of_forms, inverted

LATEST = 400
"""Outcomes that a period is sought in: the latest."""
_FINE = 4.0  # frequencies tried between two that all outcomes can tell apart
_REPEATED = 1.25  # how often a season has to come back, at least, in the time that has passed


def changepoint_gains(
    gram: Float[np.ndarray, "n n"], residuals: Float[np.ndarray, " n"]
) -> Float[np.ndarray, " n"]:
    """Gain in log evidence of a change before each outcome, (n,); zero before the first one. O(n³).

    The gains hold for the hyperparameters of K. Hyperparameters that were learned long ago, or that
    explain the change by noise, hide it: fit them again first, with a change and without, and
    compare the likeliest ones.

    Args:
        gram: covariances of outcomes in order of time, noise included.
        residuals: outcomes less their prior mean, in the same order.

    Raises:
        ModelFailure: the covariances cannot be factorised.

    >>> apart = np.array([1.0, 1.0, -1.0, -1.0])
    >>> int(changepoint_gains(np.full((4, 4), 0.9) + 0.1 * np.eye(4), apart).argmax())
    2
    """
    density = changepoint_densities(gram, residuals)
    return density[:-1] - density[-1]


def changepoint_densities(
    gram: Float[np.ndarray, "n n"], outcomes: Float[np.ndarray, " n"], profiled: bool = False
) -> Float[np.ndarray, " m"]:
    """Log densities of outcomes with a change before each of them, (n + 1,): the last without any. O(n³).

    Args:
        gram: covariances of outcomes in order of time, noise included.
        outcomes: less their prior mean; `profiled`: of mean m and scale s², both at their
            likeliest: see `Level`.
        profiled: whether these are unknown; the density is then that of `profiled_log_density`.

    Raises:
        ModelFailure: the covariances cannot be factorised.

    >>> from steerbo.gp import profiled_log_density
    >>> y = np.array([1.0, 3.0])
    >>> bool(np.isclose(changepoint_densities(np.eye(2), y, profiled=True)[-1], profiled_log_density(np.eye(2), y)))
    True
    """
    before, logs = _beginnings(gram, outcomes)
    after, others = (each[::-1] for each in _beginnings(gram[::-1, ::-1], outcomes[::-1]))
    forms, logs = before + after, logs + others
    if not profiled:
        return np.asarray(-0.5 * forms[:, 0] - logs)
    return density_of_forms(forms, logs, len(outcomes))


def _beginnings(
    gram: Float[np.ndarray, "n n"], outcomes: Float[np.ndarray, " n"]
) -> tuple[Float[np.ndarray, "m 3"], Float[np.ndarray, " m"]]:
    """Accumulate `yᵀK⁻¹y`, `yᵀK⁻¹1`, `1ᵀK⁻¹1` (n + 1, 3) and ½ ln|K| (n + 1,) over the first 0, 1, …, n outcomes."""
    from scipy.linalg import solve_triangular

    L, _ = packed_cholesky(gram)
    L = np.tril(L)
    both = np.column_stack([outcomes, np.ones(len(outcomes))])
    y, ones = (solve_triangular(L, both, lower=True) if len(L) else both).T
    start = np.zeros((1, 3))
    sums = np.concatenate([start, np.cumsum(np.column_stack([y**2, y * ones, ones**2]), axis=0)])
    return sums, np.concatenate([[0.0], np.cumsum(np.log(np.diagonal(L)))])


def likely_periods(
    times: Float[np.ndarray, " n"],
    signal: Float[np.ndarray, "n n"],
    gram: Float[np.ndarray, "n n"],
    residuals: Float[np.ndarray, " n"],
    most: int,
) -> list[float]:
    """Periods at the highest peaks of the periodogram, the highest first; none where all is at one time.

    The shortest one that is tried is twice the mean time between outcomes.

    Args:
        times: of the outcomes.
        signal: covariances of the objective at the outcomes.
        gram: the same with noise.
        residuals: outcomes less their prior mean.
        most: how many.

    Raises:
        ModelFailure: the covariances cannot be factorised.

    >>> t = np.arange(60.0)
    >>> near = likely_periods(t, np.ones((60, 60)), np.ones((60, 60)) + np.eye(60), np.cos(2 * np.pi * t / 12), 1)
    >>> bool(abs(near[0] - 12) < 0.5)
    True
    """  # fmt: skip
    latest = np.argsort(times, kind="stable")[-LATEST:]
    times, residuals, some = times[latest], residuals[latest], np.ix_(latest, latest)
    elapsed, n = float(np.ptp(times)), len(times)
    if n < 3 or not elapsed > 0:
        return []
    inverse = inverted(gram[some])[0]
    alpha = inverse @ residuals
    pull = (np.outer(alpha, alpha) - inverse) * signal[some]
    lowest, highest = _REPEATED / elapsed, 0.5 * (n - 1) / elapsed
    frequencies = np.arange(lowest, highest, 1.0 / (_FINE * elapsed))
    phases = 2.0 * np.pi * np.outer(frequencies, times - times[0])
    cosines, sines = np.cos(phases), np.sin(phases)
    scores = ((cosines @ pull) * cosines + (sines @ pull) * sines).sum(axis=1)
    peaks = np.flatnonzero(
        (scores >= np.append(scores[1:], -np.inf)) & (scores >= np.append(-np.inf, scores[:-1]))
    )
    peaks = peaks[scores[peaks] > 0]
    return (1.0 / frequencies[peaks[np.argsort(-scores[peaks], kind="stable")][:most]]).tolist()
