"""Scrambled Sobol sequence in a few dimensions, digit for digit that of `scipy.stats.qmc`.

Importing `scipy.stats` takes longer than all else in a first choice. Searches over more variables than the table below
has rows are rare: these import it.
"""

from __future__ import annotations

import numpy as np

from .._arrays import Int

# fmt: off
_PUBLISHED: tuple[tuple[int, tuple[int, ...]], ...] = (
    (3, (1,)), (7, (1, 3)), (11, (1, 3, 1)), (13, (1, 1, 1)), (19, (1, 1, 3, 3)), (25, (1, 3, 5, 13)),
    (37, (1, 1, 5, 5, 17)), (41, (1, 1, 5, 5, 5)), (47, (1, 1, 7, 11, 19)), (55, (1, 1, 5, 1, 1)),
    (59, (1, 1, 1, 3, 11)), (61, (1, 3, 5, 5, 31)), (67, (1, 3, 3, 9, 7, 49)), (91, (1, 1, 1, 15, 21, 21)),
    (97, (1, 3, 1, 13, 27, 49)), (103, (1, 1, 1, 15, 7, 5)), (109, (1, 3, 1, 15, 13, 25)),
    (115, (1, 1, 5, 5, 19, 61)), (131, (1, 3, 7, 11, 23, 15, 103)), (137, (1, 3, 7, 13, 13, 15, 69)),
    (143, (1, 1, 3, 13, 7, 35, 63)), (145, (1, 3, 5, 9, 1, 25, 53)), (157, (1, 3, 1, 13, 9, 35, 107)),
)
# fmt: on
"""Primitive polynomials and initial direction numbers of the second dimension on, as Joe & Kuo (2008) published them.

The bits of a polynomial are its coefficients, the highest power first.
"""

MOST_DIMENSIONS = 1 + len(_PUBLISHED)
"""Dimensions up to which digits are computed here."""


def scrambled_digits(power: int, dimension: int, bits: int, seed: int) -> Int[np.ndarray, "n d"]:
    """The first `2**power` points as whole numbers of `bits` binary digits, scrambled (Matoušek 1998).

    >>> scrambled_digits(2, 1, bits=30, seed=6).shape
    (4, 1)
    """
    random = np.random.default_rng(seed)
    shift = random.integers(0, 2, (dimension, bits), dtype=np.uint32).astype(np.int64) @ (1 << np.arange(bits))
    lower = np.tril(random.integers(0, 2, (dimension, bits, bits), dtype=np.uint32)).astype(np.int64)
    lower[:, range(bits), range(bits)] = 1
    highest_first = np.arange(bits - 1, -1, -1)
    digits = _directions(dimension, bits)[:, None, :] >> highest_first[:, None] & 1
    directions = np.tensordot(1 << highest_first, (lower @ digits) & 1, axes=(0, 1))
    points = shift[None]
    for k in range(power):  # in the order of Gray's code: the second half of each block is the first, turned round
        points = np.concatenate([points, points[::-1] ^ directions[:, k]])
    return points


def _directions(dimension: int, bits: int) -> Int[np.ndarray, "d b"]:
    """Direction numbers by their recurrence, as whole numbers of `bits` binary digits."""
    found = np.ones((dimension, bits), dtype=np.int64)
    for row, (polynomial, first) in zip(found[1:], _PUBLISHED, strict=False):
        degree = len(first)
        numbers = list(first)
        for j in range(degree, bits):
            new = numbers[j - degree]
            for k in range(1, degree + 1):
                if polynomial >> (degree - k) & 1:
                    new ^= numbers[j - k] << k
            numbers.append(new)
        row[:] = numbers
    return found << np.arange(bits - 1, -1, -1)
