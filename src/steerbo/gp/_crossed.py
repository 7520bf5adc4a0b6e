"""Outcomes at rows that combine settings with draws of what nature does, and their slopes along settings.

With a kernel `k(x, z) = Σ_t a_t(x, z) b_t(x, z)`, where every a_t reads what is set and every b_t what is drawn, the
b_t are computed once for all settings, and slopes along settings are those of the a_t with weights summed over draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import Float
from ._posterior import GPPosterior, Solved
from ._process import GPPrior


@dataclass(frozen=True, eq=False)
class CrossedMoments:
    """Means and variances of n · s outcomes, with the intermediate results that their slopes need.

    Attributes:
        mean: (n, s), standardised.
        variance: (n, s), noise included.
        noise: (n, s), its share of the variance.
        solved: the same outcomes in one row, without mean and noise.
    """

    mean: Float[np.ndarray, "n s"]
    variance: Float[np.ndarray, "n s"]
    noise: Float[np.ndarray, "n s"]
    solved: Solved


class CrossedOutcomes:
    """Outcomes at rows that have their `held` columns from one table (n, d), and the others from W (s, d).

    Args:
        given: posterior of one process.
        prior: its prior.
        W: what the other columns are.
        held: columns that are set.

    >>> from steerbo.gp import AnovaKernel, GPRegression
    >>> model = GPRegression(AnovaKernel([0.5, 0.5]))
    >>> model.replace([[0.1, 0.2], [0.8, 0.4]], [1.0, 2.0])
    >>> outcomes = model.crossed(np.array([[0.0, 0.2], [0.0, 0.9]]), [0])
    >>> np.allclose(outcomes.moments(np.array([[0.5]])).mean, model.means(np.array([[0.5, 0.2], [0.5, 0.9]])))
    True
    """

    def __init__(self, given: GPPosterior[Any], prior: GPPrior[Any], W: Float[np.ndarray, "s d"], held: Sequence[int]):
        self._given, self._prior, self._W, self._held = given, prior, W, list(held)
        terms = prior.kernel.separated(held)
        self._terms = terms and [
            (a, np.ones((1, len(given.rows))) if b is None else b(W, given.rows)) for a, b in terms
        ]

    def moments(self, points: Float[np.ndarray, "n c"]) -> CrossedMoments:
        """Moments at n settings. O(s m²) a point of m observations."""
        n, (s, d) = len(points), self._W.shape
        rows = np.repeat(self._W[None], n, axis=0)
        rows[:, :, self._held] = points[:, None]
        flat = rows.reshape(n * s, d)  # where nothing is set there are no columns
        solved = self._given.solve(flat) if self._terms is None else self._solved(flat, rows[:, 0])
        noise = self._prior.noise_at(flat)
        mean, variance = self._prior.mean + solved.mean[0], solved.variance + noise
        return CrossedMoments(mean.reshape(n, s), variance.reshape(n, s), noise.reshape(n, s), solved)

    def _solved(self, flat: Float[np.ndarray, "m d"], settings: Float[np.ndarray, "n d"]) -> Solved:
        given, observed = self._given, self._given.rows
        cross = np.zeros((len(settings), len(self._W), len(observed)))
        for a, drawn in self._terms or ():
            cross += drawn if a is None else a(settings, observed)[:, None] * drawn
        return given.solved(flat, cross.reshape(len(flat), len(observed)))

    def slopes(
        self, at: CrossedMoments, of_mean: Float[np.ndarray, "n s"], of_variance: Float[np.ndarray, "n s"]
    ) -> Float[np.ndarray, "n c"]:
        """`∂/∂x_n Σ_s (c_ns μ_ns + v_ns σ²_ns)` along the settings, for given c and v."""
        n, s = at.mean.shape
        flat, observed = at.solved.points, self._given.rows
        if self._terms is None:
            each = self._given.slope(at.solved, of_mean.reshape(1, -1), of_variance.ravel())
            slope = each.reshape(n, s, flat.shape[1]).sum(axis=1)
        else:
            pull = self._given.pull(at.solved, of_mean.reshape(1, -1), of_variance.ravel()).T
            pull = pull.reshape(n, s, len(observed))
            settings = flat[::s]
            level = self._prior.kernel.diagonal_gradient(flat).reshape(n, s, flat.shape[1])
            slope = (of_variance[:, :, None] * level).sum(axis=1)
            for a, drawn in self._terms:
                if a is not None:
                    slope += a.input_gradient(settings, observed, (pull * drawn).sum(axis=1))
        if any(self._prior.slopes):
            slope[:, self._prior.uneven] += np.outer((of_variance * at.noise).sum(axis=1), self._prior.slopes)
        return slope[:, self._held]
