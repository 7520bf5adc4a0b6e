"""Rows of data given what is seen: rows that were measured under like circumstances, moved to these."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float

from .parts import Rows

MOST_GIVEN = 500
"""Rows that a law given something is made from, at most: every so many-eth of a longer log."""
APART = 1.06
"""Of Silverman's rule: circumstances are alike within so many standard deviations times m^(−1/(4 + c))."""
_UNLIKE = 8.0  # another choice is like this one by the fourth power of the width
_FAR = 1e6  # widths beyond which nothing is less alike
_LEAST = 1e-4  # of the largest weight: rows of less count for nothing
_RIDGE = 1e-9  # of a column's variance, where rows of like circumstances hardly differ


def given(
    rows: Float[np.ndarray, "m k"],
    known: Float[np.ndarray, " k"],
    categorical: Bool[np.ndarray, " k"],
) -> Rows:
    """The law of all columns where some are known, by local shift.

    A row counts by how near its circumstances z_j are to those known, z, `w_j ∝ exp(−½ Σ ((z_j − z)/h)²)`, and is moved
    to where it would have been by the line that fits best nearby, `r_j + B (z − z_j)`, within the range of its column.
    That follows any bend that is wide against h, and spreads that change with z; what jumps is rounded off.

    Args:
        rows: encoded, equally likely.
        known: values of the columns that are known; NaN in the others.
        categorical: which columns hold codes: these are never moved, and alike or not.

    >>> days = np.linspace(0, 1, 101)
    >>> law = given(np.column_stack([days, days**2]), np.array([0.5, np.nan]), np.array([False, False]))
    >>> round(float(law.weights @ law.points[:, 1]), 2)
    0.27
    """
    kept = rows[:: -(-len(rows) // MOST_GIVEN)]
    here = np.flatnonzero(~np.isnan(known))
    weights = alike(kept[:, here], known[here], categorical[here])
    if not weights.sum():  # nothing like it was ever seen: all rows are as good
        weights = np.ones(len(kept))
    some = weights >= _LEAST * weights.max()
    kept, weights = kept[some], weights[some] / weights[some].sum()
    numbers = here[~categorical[here]]
    moved = kept.copy()
    away = known[numbers] - kept[:, numbers]
    for d in np.flatnonzero(np.isnan(known) & ~categorical):
        slope = _slope(kept[:, numbers], kept[:, d], weights)
        moved[:, d] = np.clip(kept[:, d] + away @ slope, rows[:, d].min(), rows[:, d].max())
    return Rows(moved, weights, len(rows) / len(rows[:: -(-len(rows) // MOST_GIVEN)]) / float((weights**2).sum()))


def alike(
    circumstances: Float[np.ndarray, "m c"], known: Float[np.ndarray, " c"], categorical: Bool[np.ndarray, " c"]
) -> Float[np.ndarray, " m"]:
    """How much circumstances are like those known: 1 where they are the same. NaN is like nothing."""
    count, columns = circumstances.shape
    width = APART * max(count, 1) ** (-1 / (4 + columns))
    exponent = np.zeros(count)
    for column, value, codes in zip(circumstances.T, known, categorical, strict=True):
        unknown = np.isnan(column)
        if codes:
            exponent += np.where(column == value, 0.0, -_UNLIKE * np.log(min(width, 1.0)))
        elif (spread := float(np.std(column[~unknown])) if not unknown.all() else 0.0) > 0.0:
            exponent += np.minimum(np.abs(column - value) / (width * spread), _FAR) ** 2
        exponent[unknown] = np.inf
    return np.asarray(np.exp(-0.5 * exponent))


def _slope(
    inputs: Float[np.ndarray, "m c"], outputs: Float[np.ndarray, " m"], weights: Float[np.ndarray, " m"]
) -> Float[np.ndarray, " c"]:
    """The weighted line of least squares."""
    x, y = inputs - weights @ inputs, outputs - weights @ outputs
    gram = (x * weights[:, None]).T @ x
    gram.flat[:: len(gram) + 1] += _RIDGE * (inputs.var(axis=0) + 1.0)
    return np.asarray(np.linalg.solve(gram, (x * weights[:, None]).T @ y))
