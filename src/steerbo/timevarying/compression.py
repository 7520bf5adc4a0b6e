"""Compression of long streams of outcomes on a box, so that the cost of a round stops growing.

Nothing leaves before there are 320 outcomes. Then

1. outcomes leave that the prior itself has forgotten: the square of their correlation with now, in time, is below 1e-3
   (never where the drift is periodic: what was, returns);
2. if more than 256 are left, pairs that say next to the same, of a correlation C of at least .95, become one, at the
   point and time of the one with less noise: residuals are averaged with weights 1/λ, one over the noise variance, and
   these add up. That pair goes first whose difference is hardest to see: least `k (1 − C) / (λ_i + λ_j)`;
3. if there is no such pair, the most faded outcome leaves, of several the oldest.

What outcomes said of the priors by then is banked: log marginal likelihoods go on from there.

Places that were tried and have no outcome are forgotten by the first rule too, there and on finite domains; of a box
the last 256 are kept.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from ..gp import GPPosterior, Kernel
from ..gp.drift import Drift, Periodic, correlation

MOST, KEPT = 320, 256
"""Outcomes, at which something is forgotten, and of which so many are kept at most."""
FORGOTTEN = 1e-3
"""Squared correlation with now, below which nothing is left of what was."""
_ALIKE = 0.95  # correlation


def remembered(drift: Drift | None, ages: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """How much is left of what happened some time ago: the squared correlation; all, where it may return.

    >>> from steerbo import Decay
    >>> remembered(Decay(0.19), np.array([0.0, 2.0])).round(2), remembered(None, np.array([9.0]))
    (array([1.  , 0.66]), array([1.]))
    """
    left: np.ndarray = np.ones(len(ages)) if isinstance(drift, Periodic) else correlation(drift, ages) ** 2
    return left


def compress(posterior: GPPosterior[Kernel], drift: Drift | None) -> GPPosterior[Kernel]:
    """The same process on at most `KEPT` rows; the last column of its points is time."""
    points, residuals, noise = posterior.points, posterior.residuals.copy(), posterior.noise.copy()
    times = points[:, -1]
    ages = times.max() - times
    faded = remembered(drift, ages)
    left = faded >= FORGOTTEN
    points, residuals, noise, faded = points[left], residuals[left], noise[left], faded[left]
    kept = _merge(posterior.kernel, points, residuals, noise, faded)
    return GPPosterior(posterior.kernel, points[kept], residuals[kept], noise[kept])


def _merge(
    kernel: Kernel,
    points: Float[np.ndarray, "n d"],
    residuals: Float[np.ndarray, "n k"],
    noise: Float[np.ndarray, " n"],
    faded: Float[np.ndarray, " n"],
) -> np.ndarray:
    """Which rows are left, (n,), after residuals and noises of others went into theirs."""
    kept = np.ones(len(points), dtype=bool)
    if len(points) <= KEPT:
        return kept
    K = kernel(points, points)
    size = np.sqrt(np.diagonal(K))
    unlike = np.maximum(size * size[:, None] - K, 0.0)  # k (1 − C)
    allowed = (_ALIKE * size * size[:, None] <= K) & ~np.eye(len(K), dtype=bool)
    cost = np.where(allowed, unlike / (noise + noise[:, None]), np.inf)
    for _ in range(len(points) - KEPT):
        i, j = divmod(int(cost.argmin()), len(cost))
        if not np.isfinite(cost[i, j]):
            gone = min(np.flatnonzero(kept).tolist(), key=lambda row: (faded[row], points[row, -1], row))
        else:
            # the one with less noise stays; of two alike the newer
            gone, stays = (i, j) if (-noise[i], points[i, -1], i) < (-noise[j], points[j, -1], j) else (j, i)
            share = noise[stays] / (noise[stays] + noise[gone])  # weights are 1 / noise
            residuals[stays] += share * (residuals[gone] - residuals[stays])
            noise[stays] *= 1 - share
            row = np.where(allowed[stays] & kept, unlike[stays] / (noise + noise[stays]), np.inf)
            cost[stays] = cost[:, stays] = row
        kept[gone] = False
        cost[gone] = cost[:, gone] = np.inf
    return kept
