"""The columns of `sobol.npy`, from SciPy: `python -m tests.optim.sobol_file` writes it anew."""

from __future__ import annotations

import numpy as np
from scipy.stats import qmc

from steerbo.optim._domain import KEPT_DIMENSIONS, KEPT_POWER, SCRAMBLE, SOBOL_FILE


def digits_of_scipy(power: int, dimension: int) -> np.ndarray:
    """The first 2^power points of the scrambled sequence, `(n, d)`, as whole numbers of 30 digits."""
    points = qmc.Sobol(dimension, scramble=True, bits=30, seed=SCRAMBLE).random_base2(power)
    return (points * 2.0**30).astype(np.int64)


def columns(dimension: int) -> np.ndarray:
    """The first point of a sequence, and the digits that are flipped at each power of two."""
    digits = digits_of_scipy(KEPT_POWER, dimension)
    ends = 2 ** np.arange(KEPT_POWER)
    return np.vstack([digits[:1], digits[ends] ^ digits[ends - 1]])


if __name__ == "__main__":
    dimensions = range(1, KEPT_DIMENSIONS + 1)
    np.save(SOBOL_FILE, np.hstack([columns(d) for d in dimensions]).astype(np.uint32))
