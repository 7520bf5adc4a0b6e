"""The Cholesky factor of a matrix, in its place, with jitter that is never silent."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float
from scipy.linalg import lapack

from ..errors import ModelFailure

_LADDER = tuple(10.0**power for power in range(-13, 0))


def packed_cholesky(gram: Float[np.ndarray, "n n"], overwrite: bool = False) -> tuple[Float[np.ndarray, "n n"], float]:
    """The lower factor L of `gram + jitter·1`, with `gram` itself left above the diagonal; and the jitter.

    With `overwrite` that may be in the place of `gram`: of thousands of rows each copy counts.

    The jitter is zero, or the first step of a ladder that makes it work: from 1e-13 to 0.1 of the mean diagonal entry
    in powers of ten.

    Raises:
        ModelFailure: `gram` holds values that are not finite, or is so indefinite that no step helps.

    >>> packed_cholesky(np.array([[4.0, 2.0], [2.0, 1.0]]))[1] > 0
    True
    """
    if not (n := len(gram)):
        return np.zeros((0, 0)), 0.0
    if not np.isfinite(gram).all():
        raise ModelFailure("covariances that are not finite: look for inputs or kernel parameters of an absurd size")
    diagonal = np.diagonal(gram).copy()
    mean = float(np.abs(diagonal).mean())
    for share in (0.0, *_LADDER):
        jitter = share * mean
        trial = gram.T if overwrite else gram.T.copy(order="F")
        if overwrite and share:  # LAPACK overwrites its lower triangle and leaves the upper one alone
            trial[...] = np.triu(trial, 1) + np.triu(trial, 1).T
        trial.flat[:: n + 1] = diagonal + jitter
        packed, info = lapack.dpotrf(trial, lower=1, clean=0, overwrite_a=1)
        if info == 0 and sound(packed, diagonal):
            return packed, jitter
    raise ModelFailure(
        f"covariances of {n} points that are no covariances: a tenth of their diagonal did not mend them"
    )


def sound(factor: Float[np.ndarray, "n n"], diagonal: Float[np.ndarray, " n"]) -> bool:
    """Whether no pivot is all rounding error: nothing can be built on such a one."""
    least = 4.0 * np.finfo(np.float64).eps * diagonal
    return bool(np.all(np.diagonal(factor) ** 2 >= least))
