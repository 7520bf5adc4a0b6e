"""Does forgetting the older outcomes pay? How much likelier outcomes are where those before a moment tell nothing.

A cut is the simplest drift there is: at one moment everything became another function. With the covariances K of
outcomes in order of time, noise included, a cut before outcome k leaves two blocks on the diagonal:

    gain_k = ln N(r_{<k}; 0, K_{<k}) + ln N(r_{≥k}; 0, K_{≥k}) − ln N(r; 0, K).

The first terms of all k are sums of one-step predictions, which one Cholesky factor holds; the second ones those of a
factor in the opposite order. So all moments together cost two factors and no more.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from .cholesky import packed_cholesky


def cut_gains(gram: Float[np.ndarray, "n n"], residuals: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """What a cut before each outcome gains in log evidence, (n,); zero before the first one, which cuts nothing. O(n³).

    These are gains under the hyperparameters that K was made with. Where they were learned long ago, or all outcomes at
    once had to be explained by noise, they say little: learn them anew first, and compare what is likeliest with a cut
    and without.

    Args:
        gram: covariances of outcomes in order of time, noise included.
        residuals: outcomes less their prior mean, in the same order.

    Raises:
        ModelFailure: the covariances cannot be factorised.

    >>> apart = np.array([1.0, 1.0, -1.0, -1.0])
    >>> int(cut_gains(np.full((4, 4), 0.9) + 0.1 * np.eye(4), apart).argmax())
    2
    """
    before = _beginnings(gram, residuals)
    after = _beginnings(gram[::-1, ::-1], residuals[::-1])[::-1]
    return np.asarray(before[:-1] + after[:-1] - before[-1])


def _beginnings(gram: Float[np.ndarray, "n n"], residuals: Float[np.ndarray, " n"]) -> Float[np.ndarray, " m"]:
    """Log densities of the first 0, 1, …, n outcomes, but for factors 1/√2π, which cancel, (n + 1,)."""
    from scipy.linalg import solve_triangular

    L, _ = packed_cholesky(gram)
    L = np.tril(L)
    half = solve_triangular(L, residuals, lower=True) if len(L) else residuals
    return np.concatenate([[0.0], -np.cumsum(0.5 * half**2 + np.log(np.diagonal(L)))])
