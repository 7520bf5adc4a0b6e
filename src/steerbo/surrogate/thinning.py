"""Few weighted rows in the place of many: what a kernel averages over them stays the same."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Bool, Float

from .parts import Rows

MOST_ROWS = 200
"""Rows that averages are computed over: within .003 of averages over 5000 rows, of one to six columns."""
_WIDTH = 0.3  # of the kernel whose averages are kept, as a share of every column's range
_WIDER = {1.0: 1.0, 3.0: 100.0}  # kernels so many times wider, and what each counts: one alone keeps only its own
_TURNS = 10  # of the k-means rule: more move hardly anything
_GOLDEN = (math.sqrt(5) - 1) / 2
_JITTER, _SUM = 1e-8, 1e3  # on the diagonal; how much the weights' sum counts for while they are found


def thinned(points: Float[np.ndarray, "m k"], categorical: Bool[np.ndarray, " k"], most: int = MOST_ROWS) -> Rows:
    """A law of at most `most` of the rows, weighted so that averages over all of them stay what they are.

    One row of each k-means cluster, with the weights, none negative and with sum 1, under which averages of
    squared-exponential kernels come nearest to those over all rows. Nothing is drawn: the same rows give the same law.
    How many rows there were is kept, since averages are no surer than they allow.

    Args:
        points: encoded rows, equally likely; rows that are there twice count twice.
        categorical: which columns hold codes.
        most: how many rows may stay.

    >>> thinned(np.array([[0.2], [0.7], [0.2]]), np.array([False])).weights
    array([0.66666667, 0.33333333])
    """
    distinct, counts = np.unique(points, axis=0, return_counts=True)
    shares = counts / counts.sum()
    if len(distinct) <= most:
        return Rows(distinct, shares, len(points))
    places = _distances_count(distinct, categorical)
    members = _members(places, shares, most)
    return Rows(distinct[members], _weights(places, shares, members), len(points))


def _distances_count(points: Float[np.ndarray, "m k"], categorical: Bool[np.ndarray, " k"]) -> Float[np.ndarray, "m c"]:
    """Coordinates in kernel widths; a category becomes one column for each of its choices."""
    columns = [
        np.equal.outer(column, np.unique(column)) / math.sqrt(2) if codes else column[:, None] / (np.ptp(column) or 1.0)
        for column, codes in zip(points.T, categorical, strict=True)
    ]
    return np.hstack(columns) / _WIDTH


def _members(places: Float[np.ndarray, "m c"], shares: Float[np.ndarray, " m"], most: int) -> list[int]:
    """One row of each cluster, the nearest to its mean, ascending: begun as k-means++, but nothing is drawn."""
    from scipy.spatial.distance import cdist  # a tenth of the start of every command, and long logs are rare

    chosen = [int(((places - shares @ places) ** 2).sum(1).argmin())]
    squares = ((places - places[chosen[0]]) ** 2).sum(1)
    for k in range(1, most):
        edges = np.cumsum(shares * squares)
        chosen.append(int(np.searchsorted(edges, edges[-1] * (k * _GOLDEN % 1), side="right")))
        np.minimum(squares, ((places - places[chosen[-1]]) ** 2).sum(1), out=squares)
    centres = places[chosen]
    for _ in range(_TURNS):
        nearest = cdist(places, centres, "sqeuclidean").argmin(1)
        mass = np.bincount(nearest, shares, most)
        sums = np.column_stack([np.bincount(nearest, shares * column, most) for column in places.T])
        centres = np.where(mass[:, None] > 0, sums / np.maximum(mass, 1e-300)[:, None], centres)
    return sorted(set(cdist(centres, places, "sqeuclidean").argmin(1).tolist()))


def _weights(
    places: Float[np.ndarray, "m c"], shares: Float[np.ndarray, " m"], members: list[int]
) -> Float[np.ndarray, " q"]:
    """Weights of the members under which means of kernels are nearest to those over all rows."""
    from scipy.optimize import nnls  # as above
    from scipy.spatial.distance import cdist

    squares = cdist(places[members], places, "sqeuclidean")
    kernel = sum((counts * np.exp(-0.5 * squares / wider**2) for wider, counts in _WIDER.items()), np.zeros(()))
    gram = kernel[:, members].copy()
    gram.flat[:: len(members) + 1] += _JITTER
    root = np.linalg.cholesky(gram)
    system = np.vstack([root.T, np.full((1, len(members)), _SUM)])
    wanted = np.append(np.linalg.solve(root, kernel @ shares), _SUM)
    try:
        found = nnls(system, wanted)[0]
    except RuntimeError:  # it gave up: what each member stands for is a law, too
        nearest = cdist(places, places[members], "sqeuclidean").argmin(1)
        found = np.bincount(nearest, shares, len(members))
    return np.asarray(found / found.sum())
