"""Quasi-random points: a Kronecker sequence, and Sobol points shifted by a seed."""

from __future__ import annotations

import functools

import numpy as np
from jaxtyping import Float, Int

from ..errors import InvalidProblem
from .domain import Box


def kronecker(n: int, d: int, seed: int | None = None) -> Float[np.ndarray, "n d"]:
    """`n` points spread evenly in the unit cube: a Kronecker sequence (Roberts 2018), shifted at random by `seed`.

    >>> kronecker(3, 1).ravel().round(3)
    array([0.5  , 0.118, 0.736])
    """
    ratio = 2.0
    for _ in range(40):
        ratio = (1.0 + ratio) ** (1.0 / (d + 1))
    steps = ratio ** -np.arange(1, d + 1)
    start = np.full(d, 0.5) if seed is None else np.random.Generator(np.random.Philox(seed)).random(d)
    return np.asarray((start + np.outer(np.arange(n), steps)) % 1.0)


_MOST_DIMENSIONS = 21201  # as far as the published direction numbers go
_BITS = 30
_SCRAMBLE = (
    6  # of eight tried, what leaves the smallest gaps in a square: smaller ones than a fresh scramble for each seed
)


def sobol_points(n: int, dimension: int, seed: int) -> Float[np.ndarray, "n d"]:
    """The first `n` points of a scrambled Sobol sequence in the open unit cube, `(n, d)`, shifted digitally at random.

    The sequence is scrambled once and for all (Matoušek 1998; direction numbers of Joe & Kuo 2008); the seed's shift
    flips the same binary digits in every point, which keeps its balance and costs microseconds. Any `n` will do;
    powers of two are balanced best. The same seed gives the same points, and fewer points are the first of more.

    Raises:
        InvalidProblem: more dimensions than there are direction numbers.

    >>> sobol_points(3, 2, seed=0).shape
    (3, 2)
    """
    if dimension > _MOST_DIMENSIONS:
        raise InvalidProblem("dimension", dimension, f"at most {_MOST_DIMENSIONS}", "Search over fewer variables.")
    if n < 1 or dimension == 0:
        return np.empty((max(n, 0), dimension))
    shift = np.random.Generator(np.random.Philox(seed)).integers(0, 2**_BITS, dimension)
    shifted: Float[np.ndarray, "n d"] = ((_digits((n - 1).bit_length(), dimension)[:n] ^ shift) + 0.5) * 2.0**-_BITS
    return shifted


@functools.lru_cache(maxsize=32)
def _digits(power: int, dimension: int) -> Int[np.ndarray, "n d"]:
    """The scrambled sequence, as whole numbers of `_BITS` binary digits."""
    from scipy.stats import qmc  # half a second to import: only when the first points are wanted

    points = qmc.Sobol(dimension, scramble=True, bits=_BITS, seed=_SCRAMBLE).random_base2(power)
    return (points * 2.0**_BITS).astype(np.int64)


def sobol_in_box(box: Box, n: int, seed: int) -> Float[np.ndarray, "n d"]:
    """`n` Sobol points of a box, `(n, d)`, levels included.

    >>> sobol_in_box(Box([0], [9], levels=[range(10)]), 4, seed=0).shape
    (4, 1)
    """
    return box.place(sobol_points(n, box.dimension, seed))
