"""Scrambled Sobol points that depend on nothing but a whole number."""

from __future__ import annotations

import functools

import numpy as np
from jaxtyping import Float

from ..errors import InvalidProblem
from .domain import Box

_MOST_DIMENSIONS = 21201  # as far as the published direction numbers go


def sobol_points(n: int, dimension: int, seed: int) -> Float[np.ndarray, "n d"]:
    """The first `n` points of a scrambled Sobol sequence in the unit cube, `(n, d)` (Owen 1998; Joe & Kuo 2008).

    Any `n` will do; powers of two are balanced best. The same seed gives the same points, and fewer points are the
    first of more points within the same power of two.

    Raises:
        InvalidProblem: more dimensions than there are direction numbers.

    >>> sobol_points(3, 2, seed=0).shape
    (3, 2)
    """
    if dimension > _MOST_DIMENSIONS:
        raise InvalidProblem("dimension", dimension, f"at most {_MOST_DIMENSIONS}", "Search over fewer variables.")
    if n < 1 or dimension == 0:
        return np.empty((max(n, 0), dimension))
    return _scrambled(n, dimension, seed).copy()


@functools.lru_cache(maxsize=32)  # searches of one round share their seed, and scrambling costs as much as a search
def _scrambled(n: int, dimension: int, seed: int) -> Float[np.ndarray, "n d"]:
    from scipy.stats import qmc  # half a second to import: only when the first points are wanted

    sequence = qmc.Sobol(dimension, scramble=True, seed=np.random.Generator(np.random.Philox(seed)))
    points: Float[np.ndarray, "n d"] = sequence.random_base2((n - 1).bit_length())[:n]
    return points


def sobol_in(box: Box, n: int, seed: int) -> Float[np.ndarray, "n d"]:
    """`n` scrambled Sobol points of a box, `(n, d)`, levels included.

    >>> sobol_in(Box([0], [9], levels=[range(10)]), 4, seed=0).shape
    (4, 1)
    """
    return box.place(sobol_points(n, box.dimension, seed))
