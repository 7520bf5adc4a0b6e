"""Randomness that depends on nothing but what it is for, and points that fill a cube evenly."""

from __future__ import annotations

import functools
import hashlib

import numpy as np
from jaxtyping import Float, Int
from scipy.stats import qmc

_BITS = 30
_SCRAMBLE = 6


def keyed(seed: int, number: int, stream: str) -> np.random.Generator:
    """The generator of a seed, a number (of a round, say) and what it is for: the same ones give the same draws.

    >>> keyed(0, 3, "noise").random() == keyed(0, 3, "noise").random()
    True
    """
    key = hashlib.blake2b(f"{seed}|{number}|{stream}".encode(), digest_size=16).digest()
    return np.random.Generator(np.random.Philox(key=int.from_bytes(key, "little")))


def even_points(n: int, dimension: int, seed: int) -> Float[np.ndarray, "n d"]:
    """The first n points of a scrambled Sobol sequence in the open unit cube, shifted digitally by the seed.

    >>> even_points(3, 2, seed=0).shape
    (3, 2)
    """
    if n < 1 or dimension == 0:
        return np.empty((max(n, 0), dimension))
    shift = np.random.Generator(np.random.Philox(seed)).integers(0, 2**_BITS, dimension)
    shifted: Float[np.ndarray, "n d"] = (
        (_digits((n - 1).bit_length(), dimension)[:n] ^ shift) + 0.5
    ) * 2.0**-_BITS
    return shifted


@functools.lru_cache(maxsize=32)
def _digits(power: int, dimension: int) -> Int[np.ndarray, "n d"]:
    points = qmc.Sobol(dimension, scramble=True, bits=_BITS, seed=_SCRAMBLE).random_base2(power)
    return (points * 2.0**_BITS).astype(np.int64)
