"""Units in which priors are stated, beside the encoded coordinates in which places are searched.

Models and searches know a place by its encoded values, as in all kinds of problems. A stated prior
counts distances along a variable in its own unit, along a logarithmic scale in decades, and between
two categories as 1. Functions of points get the values themselves.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._arrays import Float
from ..space import Categorical, Space


def unit_of(variable: Any) -> str:
    """Name the unit of distances along a variable.

    >>> from steerbo.space import Float as Number
    >>> unit_of(Number("pitch", 200, 20_000, scale="log", unit="Hz")), unit_of(Number("heat", 20, 60, unit="°C"))
    ('decades', '°C')
    """
    logarithmic = not isinstance(variable, Categorical) and variable.scale == "log"
    return "decades" if logarithmic else variable.unit


def widths(axes: Space) -> Float[np.ndarray, " d"]:
    """Distances that one unit of each encoded coordinate stands for, (d,).

    >>> from steerbo.space import Float as Number
    >>> widths(Space([Number("pitch", 200, 20_000, scale="log"), Number("heat", 20, 60)]))
    array([ 2., 40.])
    """
    found = np.ones(len(axes))
    for j, variable in enumerate(axes):
        if not isinstance(variable, Categorical):
            low, high = float(variable.low), float(variable.high)
            found[j] = math.log10(high / low) if variable.scale == "log" else high - low
    return found


def values_at(axes: Space, points: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
    """Values of variables at encoded points, (n, d), as they were written; categories by number.

    >>> from steerbo.space import Integer
    >>> values_at(Space([Integer("n", 1, 1000, scale="log")]), np.array([[0.0], [1 / 3], [1.0]]))
    array([[   1.],
           [  10.],
           [1000.]])
    """
    found = points.copy()
    for j, variable in enumerate(axes):
        if not isinstance(variable, Categorical):
            x = np.array(variable.measured_at(points[:, j]))
            ends = max(abs(variable.low), abs(variable.high))
            found[:, j] = _as_written(x, np.abs(x) if variable.scale == "log" else ends)
    return found


def _as_written(
    x: Float[np.ndarray, " n"], size: Float[np.ndarray, " n"] | float
) -> Float[np.ndarray, " n"]:
    """Undo what encoding rounded, as a table is read by whole numbers: a value of 14 digits of its size is one again.

    >>> _as_written(np.array([2.9999999999999996, 1 / 3]), 10.0).tolist()
    [3.0, 0.3333333333333333]
    """
    power = 13.0 - np.floor(np.log10(np.where(np.equal(size, 0), 1.0, size)))
    exact = (power >= 0) & (power <= 22)  # powers of ten that are floats
    scale = 10.0 ** np.where(exact, power, 0.0)
    short = np.rint(x * scale) / scale
    return np.where(exact & (np.abs(short - x) <= 1e-15 * size), short, x)
