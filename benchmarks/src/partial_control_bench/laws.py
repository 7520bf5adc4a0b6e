"""The truncated normal law that has a given mean and variance after it was truncated."""

from __future__ import annotations

import functools

import numpy as np
from jaxtyping import Float
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri


@functools.cache
def parent_sd(sd: float, low: float = 0.0, high: float = 1.0) -> float:
    """The standard deviation of the normal law about the middle whose truncation to the bounds has `sd`.

    >>> round(parent_sd(0.02**0.5), 4)
    0.1418
    """
    half = 0.5 * (high - low)

    def excess(parent: float) -> float:
        z = half / parent
        density = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
        return float(parent * np.sqrt(1 - 2 * z * density / (2 * ndtr(z) - 1)) - sd)

    return float(brentq(excess, sd * (1 - 1e-9), 1e3 * half, xtol=1e-15, rtol=1e-14))


def quantile(
    u: Float[np.ndarray, " *n"], sd: float, low: float = 0.0, high: float = 1.0
) -> Float[np.ndarray, " *n"]:
    """Of the normal law about the middle with parent deviation `sd`, truncated to the bounds."""
    middle = 0.5 * (low + high)
    least = ndtr((low - middle) / sd)
    found: np.ndarray = np.clip(
        middle + sd * ndtri(least + np.asarray(u) * (1 - 2 * least)), low, high
    )
    return found
