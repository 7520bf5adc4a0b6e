"""Periods that outcomes speak for, where a function of position changes with a season.

A season multiplies the covariance between two outcomes by a function of the time between them. For a small share ε of
such a season, with signal covariances S, all covariances K = S + noise and α = K⁻¹ r, the log evidence of

    K + ε S ∘ cos(2π |t − t'| / P)

rises with slope ½ Σ_ij (α_i α_j − (K⁻¹)_ij) S_ij cos(2π (t_i − t_j) / P), a score test for each period P. As a function
of P that is a periodogram of residuals, of which two count together where the signal says that they belong together: a
season that moves the optimum, and not the level, is seen, too. All periods take O(n² · periods) in all.
"""

from __future__ import annotations

import numpy as np

from .._arrays import Float
from ._likelihood import inverted

LATEST = 400
"""Outcomes that a period is sought in: the latest."""
_FINE = 4.0  # frequencies tried between two that all outcomes can tell apart
_REPEATED = 1.25  # how often a season has to come back, at least, in the time that has passed


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
    peaks = np.flatnonzero((scores >= np.append(scores[1:], -np.inf)) & (scores >= np.append(-np.inf, scores[:-1])))
    peaks = peaks[scores[peaks] > 0]
    return (1.0 / frequencies[peaks[np.argsort(-scores[peaks], kind="stable")][:most]]).tolist()
