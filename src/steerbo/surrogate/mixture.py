"""Several posteriors of one function as one: a mixture, such as over draws of the hyperparameters.

With means m_k and variances v_k of its K members, all as likely, a mixture has

    m = Σ_k m_k / K,    v = Σ_k (v_k + m_k²) / K − m²,

so that it is as unsure as its members are on average, and further by as much as they disagree.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from ..gp import mixture_quantile
from .expectation import Expectation
from .optimise import BatchedBounds


class Mixture:
    """Expected values of one scope by several processes, and `m + β √v` of their mixture as a function of settings.

    Args:
        expectations: K of them, over processes of the same observations, in the same standardised units.
        beta: β.
    """

    def __init__(self, expectations: Sequence[Expectation], beta: float = 0.0) -> None:
        self._stack, self._beta = BatchedBounds(expectations, [1.0]), beta
        self._each = expectations

    def moments(self, points: Float[np.ndarray, "r c"]) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, " r"]]:
        """Mean and deviation, m and √v, at points (r, c)."""
        means, deviations = np.array([each.moments(points) for each in self._each]).transpose(1, 0, 2)
        mean: Float[np.ndarray, " r"] = means.mean(axis=0)
        return mean, np.sqrt((deviations**2 + (means - mean) ** 2).mean(axis=0))

    def quantiles(self, point: Float[np.ndarray, " c"], levels: Sequence[float]) -> list[float]:
        """Quantiles of the mixture at one point."""
        means, deviations = np.array([each.moments(point[None]) for each in self._each])[:, :, 0].T
        return [mixture_quantile(means, deviations, level) for level in levels]

    def values(self, points: Float[np.ndarray, "r c"]) -> Float[np.ndarray, " r"]:
        """`m + β √v` at points (r, c)."""
        if not self._beta:
            return np.asarray(np.mean([each.mean(points) for each in self._each], axis=0))
        mean, deviation = self.moments(points)
        return mean + self._beta * deviation

    def curved(
        self, points: Float[np.ndarray, "r c"]
    ) -> tuple[Float[np.ndarray, " r"], Float[np.ndarray, "r c"], Float[np.ndarray, "r c c"]]:
        """`m + β √v`, its gradients and its Hessians at points (r, c)."""
        k, (r, c) = len(self._each), points.shape
        found = self._stack.moments(np.tile(points, (k, 1)), np.repeat(np.arange(k), r))
        means, rises, bends = found.mean.reshape(k, r), found.rise.reshape(k, r, c), found.bend.reshape(k, r, c, c)
        mean, rise, bend = means.mean(axis=0), rises.mean(axis=0), bends.mean(axis=0)
        if not self._beta:
            return mean, rise, bend
        away, apart = (means - mean)[:, :, None], rises - rise
        variance = (found.variance.reshape(k, r) + away[:, :, 0] ** 2).mean(axis=0)
        slope = (found.widening.reshape(k, r, c) + 2.0 * away * apart).mean(axis=0)
        curve = found.curve.reshape(k, r, c, c) + 2.0 * apart[..., None] * apart[:, :, None]
        curve = (curve + 2.0 * away[..., None] * (bends - bend)).mean(axis=0)
        sd = np.sqrt(variance)
        steep = 0.5 * self._beta / sd
        hessian = bend + steep[:, None, None] * curve
        hessian -= (0.5 * steep / variance)[:, None, None] * slope[:, :, None] * slope[:, None]
        return mean + self._beta * sd, rise + steep[:, None] * slope, hessian
