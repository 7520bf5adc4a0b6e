"""Variance beyond all rows, learned from the steps that plays took there.

A likelihood of all rows would not do: those in one corner are explained without it, and say nothing
of the rest. The criterion is how far each step was from the expectation of the rows before it,
`ln p(z_i | z_1 … z_(i−1))`. The Cholesky factor has it row by row.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._arrays import Bool, Float
from ._factor import Factor
from ._fit import evenly
from ._process import GPPrior
from .kernels import Kernel, UnseenKernel


def unseen_after_steps(
    prior: GPPrior[Any],
    X: Float[np.ndarray, "n d"],
    z: Float[np.ndarray, " n"],
    beside: Float[np.ndarray, " n"],
    chosen: Bool[np.ndarray, " n"],
) -> Kernel | None:
    """Find s² of the unseen part from rows that were chosen beyond all before them.

    Beforehand it is log-normal about that of `UnseenKernel`, give or take a factor of e; the mean
    of ln s² is taken. Of many rows the steps are read, and some of the others.

    Args:
        prior: with the hyperparameters of a fit.
        X: (n, d) in the order in which they came.
        z: (n,) outcomes, standardised.
        beside: (n,) noise variances beside the common one.
        chosen: (n,) rows that a play chose; others lie together for reasons of their own.
    """
    unseen = prior.kernel.unseen
    if not isinstance(unseen, UnseenKernel) or not (steps := chosen & unseen.beyond(X)).any():
        return unseen
    read = np.union1d(np.flatnonzero(steps), evenly(len(z)))
    X, z, beside, steps = X[read], z[read], beside[read], steps[read]
    noise = np.diag(prior.noise_at(X) + beside)
    exponents = np.linspace(-3.0, 3.0, 13)
    logs = -0.5 * exponents**2
    for k, exponent in enumerate(exponents):
        believed = prior.with_unseen(unseen.times(math.exp(exponent)))
        factor = Factor(believed.kernel(X, X) + noise)
        surprise = factor.half_solve((z - prior.mean)[:, None])[:, 0]
        logs[k] -= (0.5 * surprise**2 + np.log(factor.pivots))[steps].sum()
    shares = np.exp(logs - logs.max())
    return unseen.times(math.exp(float(shares @ exponents / shares.sum())))
