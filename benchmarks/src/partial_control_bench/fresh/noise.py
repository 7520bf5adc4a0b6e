"""Noise of a measurement, in standard deviations of the function: normal, uneven, heavy-tailed, skewed, with outliers.

Each has mean 0 at every place, so that the expected value of a setting is that of the function.
"""

from __future__ import annotations

import math

import numpy as np

NOISES = (
    "normal .05",
    "normal .2",
    "normal .5",
    "normal 1",
    "heteroscedastic",
    "t2",
    "skew",
    "outliers",
)

_SKEW = 0.8  # of the logarithm
_OUTLYING, _FAR = 0.06, 8.0  # how often, and how far in standard deviations of the function


def noise(kind: str, x: np.ndarray, random: np.random.Generator) -> float:
    """A draw at a point (d,) of the unit cube.

    >>> abs(noise("normal .05", np.zeros(2), np.random.default_rng(0))) < 0.25
    True
    """
    if kind.startswith("normal"):
        return float(kind.split()[1]) * float(random.normal())
    if kind == "heteroscedastic":  # quiet at one end of the last variable, wild at the other
        return (0.03 + 1.5 * float(x[-1]) ** 2) * float(random.normal())
    if kind == "t2":
        return 0.35 * float(random.standard_t(2))
    if kind == "skew":
        return 0.8 * (math.exp(_SKEW * float(random.normal())) - math.exp(0.5 * _SKEW**2))
    assert kind == "outliers"
    plain, outlying, far = (
        0.15 * float(random.normal()),
        float(random.random()),
        float(random.normal()),
    )
    return plain + (
        math.copysign(_FAR, far) * (1 + 0.25 * abs(far)) if outlying < _OUTLYING else 0.0
    )
