"""The log marginal likelihood of a Gram matrix, and its gradient with respect to that matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from scipy.linalg import lapack

from .factor import packed_cholesky

_LOG_2PI = math.log(2.0 * math.pi)
_ROWS = 256  # of a matrix that are worked on at a time


@dataclass(frozen=True, eq=False)
class Evidence:
    """How likely residuals r are under N(0, K), whatever K is made of.

    Attributes:
        value: `ln N(r; 0, K) = −½ rᵀK⁻¹r − ½ ln|K| − n/2 ln 2π` (Rasmussen & Williams 2006, equation 5.8).
        alpha: (n,) `K⁻¹ r`, which is also the gradient with respect to a mean that r is measured from.
        pull: (n, n) `∂value/∂K = ½ (ααᵀ − K⁻¹)` (equation 5.9): a kernel's `gradient(X, pull)` is the rest of the way.
        jitter: what had to be added to K's diagonal.
    """

    value: float
    alpha: Float[np.ndarray, " n"]
    pull: Float[np.ndarray, "n n"]
    jitter: float


def evidence(gram: Float[np.ndarray, "n n"], residuals: Float[np.ndarray, " n"]) -> Evidence:
    """The log marginal likelihood of `residuals` (n,) for the Gram matrix (n, n), noise on its diagonal included.

    Raises:
        ModelFailure: the matrix is not finite, or so indefinite that no jitter helps.

    >>> round(evidence(np.eye(2), np.zeros(2)).value, 3)
    -1.838
    """
    n = len(residuals)
    L, jitter = packed_cholesky(gram)
    del gram  # here and below there is never a matrix that is no longer needed: n may be thousands
    half_log_determinant = float(np.log(np.diagonal(L)).sum())
    if not n:
        return Evidence(0.0, residuals, L, 0.0)
    alpha = lapack.dpotrs(L, residuals, lower=1)[0].reshape(n)
    value = -0.5 * float(residuals @ alpha) - half_log_determinant - 0.5 * n * _LOG_2PI
    pull = lapack.dpotri(L, lower=1, overwrite_c=1)[0].T  # K⁻¹, on and above the diagonal
    for first in range(0, n, _ROWS):
        rows, rest = slice(first, first + _ROWS), slice(first + _ROWS, None)
        block = np.triu(pull[rows, rows])
        pull[rows, rows] = block + np.triu(block, 1).T
        pull[rest, rows] = pull[rows, rest].T
    for first in range(0, n, _ROWS):
        rows = slice(first, first + _ROWS)
        pull[rows] = 0.5 * (np.outer(alpha[rows], alpha) - pull[rows])
    return Evidence(value, alpha, pull, jitter)
