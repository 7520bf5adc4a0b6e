"""Parts of a function that a fit does not learn: one as large as rows have shown, and one that no row has shown.

A fit takes a function that is even where rows lie for even everywhere. So a limit's function is
`f = g + u + v`: a fit learns g alone; u is as large as the rows' evidence has it (`variance_shown`);
v adds to variances, as if each row had shown it with the row's noise, and moves no mean.

With u as large as v in the kernel of a fit, every place may differ from its neighbours by luck: the
fit took noise for roughness, and a search for the best likely settings went where luck was best.
Without u means do not follow a step that g cannot: see evidence/limits.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .._arrays import Bool, Float
from ._factor import Factor
from ._fit import evenly
from ._posterior import GPPosterior
from ._process import Density, GPPrior
from .kernels import Kernel, Product, UnseenKernel


class Unseen:
    """Variance of what no row has shown (v), standardised: a process that all draws of hyperparameters share.

    Args:
        kernel: of v.
        prior: of the model: its noise is that of the rows.
        points: (n, d) rows to begin with.
        beside: (n,) noise variances of these beside the common one.
    """

    def __init__(
        self,
        kernel: UnseenKernel,
        prior: GPPrior[Any],
        points: Float[np.ndarray, "n d"],
        beside: Float[np.ndarray, " n"],
    ) -> None:
        self._rows_prior, aged = prior, aging(kernel, prior.kernel)
        self.prior: GPPrior[Kernel] = GPPrior(aged, noise=1.0)
        noise = prior.noise_at(points) + beside
        self.posterior = GPPosterior(aged, points, np.zeros((len(points), 1)), noise)

    def __len__(self) -> int:
        return len(self.posterior)

    def append(self, points: Float[np.ndarray, "m d"], beside: Float[np.ndarray, " m"]) -> None:
        """Append rows."""
        noise = self._rows_prior.noise_at_each(points) + beside
        self.posterior.append(points, np.zeros((len(points), 1)), noise)


def variance_after_steps(
    kernel: UnseenKernel,
    prior: GPPrior[Any],
    X: Float[np.ndarray, "n d"],
    z: Float[np.ndarray, " n"],
    beside: Float[np.ndarray, " n"],
    *,
    chosen: Bool[np.ndarray, " n"],
) -> UnseenKernel:
    """Find s² of what no row has shown (v) from rows that were chosen beyond all before them.

    A likelihood of all rows would not do: those in one corner are explained without it, and say nothing
    of the rest. The criterion is how far each step was from the expectation of the rows before it,
    `ln p(z_i | z_1 … z_(i−1))`. Cholesky factors have it row by row. Of many rows the steps are
    read, and some of the others.

    Args:
        kernel: of the unseen part.
        prior: with the hyperparameters of a fit.
        X: (n, d) in the order in which they came.
        z: (n,) outcomes, standardised.
        beside: (n,) noise variances beside the common one.
        chosen: (n,) rows that a play chose; others lie together for reasons of their own.
    """
    steps = chosen & kernel.beyond(X)
    if not steps.any():
        return kernel
    read = np.union1d(np.flatnonzero(steps), evenly(len(z)))
    X, z, steps = X[read], z[read], steps[read]
    noise = prior.noise_at(X) + beside[read]
    known = Factor(prior.kernel(X, X) + np.diag(noise))
    surprise = known.half_solve((z - prior.mean)[:, None])[:, 0] * known.pivots
    unseen = aging(kernel.times(1.0), prior.kernel)(X, X)

    def log_evidence(factor: float) -> float:
        variance = Factor(factor * unseen + np.diag(noise)).pivots ** 2 - noise + known.pivots**2
        return -0.5 * float((surprise**2 / variance + np.log(variance))[steps].sum())

    return kernel.times(_likely_factor(log_evidence))


def variance_shown(
    kernel: UnseenKernel,
    prior: GPPrior[Any],
    X: Float[np.ndarray, "n d"],
    z: Float[np.ndarray, " n"],
    beside: Float[np.ndarray, " n"],
) -> UnseenKernel:
    """Find s² of what rows have shown beside what a fit has learned (u). Of many rows some are read.

    Args:
        kernel: of the unseen part.
        prior: with the hyperparameters of a fit.
        X: (n, d) rows.
        z: (n,) outcomes, standardised.
        beside: (n,) noise variances beside the common one.
    """
    read = evenly(len(z))
    X, residuals = X[read], z[read] - prior.mean
    known = prior.kernel(X, X) + np.diag(prior.noise_at(X) + beside[read])
    unseen = aging(kernel.times(1.0), prior.kernel)(X, X)
    return kernel.times(
        _likely_factor(lambda factor: Density.of(known + factor * unseen, residuals).value)
    )


def _likely_factor(log_evidence: Callable[[float], float]) -> float:
    """Find the factor of a variance by its log evidence: the mean of its logarithm.

    Beforehand it is log-normal about 1, give or take a factor of e.
    """
    exponents = np.linspace(-6.0, 3.0, 19)
    logs = -0.5 * exponents**2 + [log_evidence(math.exp(each)) for each in exponents]
    shares = np.exp(logs - logs.max())
    return math.exp(float(shares @ exponents / shares.sum()))


def aging(kernel: UnseenKernel, learned: Kernel) -> Kernel:
    """Let rows lose as much of what they show with time as they do for the kernel that is `learned`."""
    factors = learned.members if isinstance(learned, Product) else ()
    in_time = [each for each in factors if set(each.columns).isdisjoint(kernel.columns)]
    return Product((kernel, *in_time)) if in_time else kernel
