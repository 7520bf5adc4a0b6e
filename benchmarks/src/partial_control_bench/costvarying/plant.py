"""Plant growth: a sparse Gaussian process of *Marchantia*'s largest leaf area, published by Tay et al. (2023)."""

from __future__ import annotations

import functools

import numpy as np
from jaxtyping import Float

from .. import data


@functools.cache
def _process() -> tuple[
    Float[np.ndarray, "2 d"],
    Float[np.ndarray, "m d"],
    Float[np.ndarray, " m"],
    Float[np.ndarray, " d"],
    float,
]:
    """Bounds, inducing points, their weights, lengthscales and variance."""
    stored = data.required_json("plant_gp.json")
    mean = stored["mean"]
    return (
        np.array(stored["bounds"], dtype=float).T,
        np.array(mean["inducing_points"], dtype=float),
        np.array(mean["weights"], dtype=float),
        np.array(mean["lengthscales"], dtype=float),
        float(mean["variance"]),
    )


def leaf_area(x: Float[np.ndarray, "p 5"]) -> Float[np.ndarray, " p"]:
    """The standardised largest leaf area at inputs (p, 5) scaled to [0, 1]: Ca, B, NH3, K, pH.

    Raises:
        DataMissing: `STEERBO_DATA` does not hold the fitted process, which has no public home of
            its own.
    """
    (low, high), points, weights, lengthscales, variance = _process()
    a, b = (low + x * (high - low)) / lengthscales, points / lengthscales
    squared = np.maximum((a**2).sum(1)[:, None] + (b**2).sum(1) - 2 * a @ b.T, 0.0)
    return variance * np.exp(-0.5 * squared) @ weights
