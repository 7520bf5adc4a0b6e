"""Points spread evenly: a Kronecker sequence."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float


def lattice(n: int, d: int, seed: int | None = None) -> Float[np.ndarray, "n d"]:
    """`n` points spread evenly in the unit cube: a Kronecker sequence (Roberts 2018), shifted at random by `seed`.

    >>> lattice(3, 1).ravel().round(3)
    array([0.5  , 0.118, 0.736])
    """
    ratio = 2.0
    for _ in range(40):
        ratio = (1.0 + ratio) ** (1.0 / (d + 1))
    steps = ratio ** -np.arange(1, d + 1)
    start = np.full(d, 0.5) if seed is None else np.random.Generator(np.random.Philox(seed)).random(d)
    return np.asarray((start + np.outer(np.arange(n), steps)) % 1.0)
