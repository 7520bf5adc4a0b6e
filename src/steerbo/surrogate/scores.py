"""What a point is worth, from the mean and standard deviation that a Gaussian process has there, with gradients."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtr

LEAST_SD = 1e-12

Moments = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
"""Mean (r,), standard deviation (r,) and their gradients (r, d)."""

Score = Callable[[Moments], tuple[np.ndarray, np.ndarray]]
"""Moments to values (r,) and gradients (r, d)."""


def upper_bound(beta: float) -> Score:
    """`μ + sqrt(β) σ`, equation (53) of the paper."""
    root = float(np.sqrt(beta))

    def score(moments: Moments) -> tuple[np.ndarray, np.ndarray]:
        mean, sd, mean_slope, sd_slope = moments
        return mean + root * sd, mean_slope + root * sd_slope

    return score


def expected_improvement(incumbent: float) -> Score:
    """`E max(f − incumbent, 0)` (Močkus 1975), of the mean and standard deviation of f."""

    def score(moments: Moments) -> tuple[np.ndarray, np.ndarray]:
        mean, sd, mean_slope, sd_slope = moments
        sd = np.maximum(sd, LEAST_SD)
        u = np.clip((mean - incumbent) / sd, -37.0, 1e150)  # below, the density underflows; above, u² overflows
        density = np.exp(-0.5 * u * u) / np.sqrt(2 * np.pi)
        above = ndtr(u)
        value = sd * (density + u * above)
        return value, above[:, None] * mean_slope + density[:, None] * sd_slope

    return score
