"""Hyperparameters by maximum a posteriori, with analytic gradients, and the schedule of when to learn them anew."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float

from ..errors import ModelFailure
from .kernels import Kernel
from .likelihood import evidence
from .means import Mean
from .parameters import Parameter, log_prior
from .parameters import noise as noise_parameter
from .warp import Warp


def refit_due(last: int, n: int) -> bool:
    """Whether hyperparameters learned at `last` observations are due again at `n`: a quarter more, at least one.

    That is at 1, 2, 3, 4, 5, 7, 9, 12, 15, 19, …: fits of O(n³) each sum to O(n³) in all.

    >>> [n for n in range(1, 20) if refit_due(7, n)][0]
    9
    """
    return n >= max(last + 1, math.ceil(1.25 * last))


@dataclass(frozen=True)
class Prior:
    """All that a fit learns together: what is believed of standardised outcomes before seeing them.

    Args:
        kernel: covariances of bent inputs.
        mean: prior mean of bent inputs.
        noise: noise variance.
        warp: how inputs are bent.
    """

    kernel: Kernel
    mean: Mean
    noise: float
    warp: Warp

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the kernel, the mean, the noise and the warp, in this order."""
        return (
            *self.kernel.parameters,
            *self.mean.parameters,
            noise_parameter(self.noise),
            *self.warp.parameters,
        )

    @property
    def theta(self) -> Float[np.ndarray, " p"]:
        """Their values (p,)."""
        return np.array([parameter.value for parameter in self.parameters])

    def with_theta(self, theta: Float[np.ndarray, " p"]) -> Self:
        """The same with other values (p,)."""
        k, m = len(self.kernel.parameters), len(self.mean.parameters)
        return type(self)(
            self.kernel.with_theta(theta[:k]),
            self.mean.with_theta(theta[k : k + m]),
            float(np.exp(theta[k + m])),
            self.warp.with_theta(theta[k + m + 1 :]),
        )

    def log_likelihood(
        self, X: Float[np.ndarray, "n d"], z: Float[np.ndarray, " n"]
    ) -> tuple[float, Float[np.ndarray, " p"], float]:
        """Log marginal likelihood of standardised outcomes z (n,) at X (n, d), its gradient (p,), the jitter it took.

        Raises:
            ModelFailure: the covariances cannot be factorised.
        """
        bent = self.warp(X)
        gram, pull = self.kernel.linearise(bent)
        gram.flat[:: len(z) + 1] += self.noise
        found = evidence(gram, z - self.mean(bent))
        parts = [
            pull(found.pull),
            self.mean.gradient(bent, found.alpha),
            np.array([self.noise * np.trace(found.pull)]),
        ]
        if self.warp.columns:
            moved = 2.0 * self.kernel.input_gradient(bent, bent, found.pull)
            parts.append(self.warp.gradient(X, moved + found.alpha[:, None] * self.mean.input_gradient(bent)))
        return found.value, np.concatenate(parts), found.jitter


@dataclass(frozen=True, eq=False)
class Fit:
    """What a fit did.

    Attributes:
        theta: (p,) the best point found.
        log_posterior: log marginal likelihood plus log prior there, up to a constant.
        converged: whether the optimiser was satisfied.
        evaluations: how often the likelihood was computed.
        jitter: what had to be added to the Gram matrix there.
        notes: anything a user may want to know.
    """

    theta: Float[np.ndarray, " p"]
    log_posterior: float
    converged: bool
    evaluations: int
    jitter: float
    notes: tuple[str, ...] = ()


def maximum_a_posteriori(
    prior: Prior, X: Float[np.ndarray, "n d"], z: Float[np.ndarray, " n"], starts: Sequence[Float[np.ndarray, " p"]]
) -> Fit:
    """The best hyperparameters found by L-BFGS-B from the two most promising starts (above 400 observations: from one).

    Never raises for what the data are: where covariances cannot be factorised the search turns round, and if that is
    everywhere, the first start is the answer and `notes` says so.
    """
    from scipy.optimize import minimize

    parameters = prior.parameters
    low, high = np.array([p.low for p in parameters]), np.array([p.high for p in parameters])
    best = Fit(np.clip(starts[0], low, high), -math.inf, False, 0, 0.0)
    evaluations = 0

    def loss(theta: Float[np.ndarray, " p"]) -> tuple[float, Float[np.ndarray, " p"]]:
        nonlocal best, evaluations
        evaluations += 1
        try:
            value, gradient, jitter = prior.with_theta(theta).log_likelihood(X, z)
        except ModelFailure:
            return 1e100, np.zeros_like(theta)
        believed, pull = log_prior(parameters, theta)
        total, slope = value + believed, gradient + pull
        if not (math.isfinite(total) and np.isfinite(slope).all()):
            return 1e100, np.zeros_like(theta)
        if total > best.log_posterior:
            best = Fit(theta.copy(), total, False, 0, jitter)
        return -total, -slope

    distinct = list({start.tobytes(): start for start in (np.clip(s, low, high) for s in starts)}.values())
    distinct.sort(key=lambda start: loss(start)[0])
    many = len(z) > 400
    converged, notes = False, []
    for start in distinct[: 1 if many else 2]:
        options = {"maxiter": 30 if many else 60, "maxcor": 10}
        found = minimize(
            loss, start, jac=True, method="L-BFGS-B", bounds=list(zip(low, high, strict=True)), options=options
        )
        if -found.fun >= best.log_posterior:
            converged = bool(found.success)
    if not converged:
        notes.append("the search for hyperparameters stopped before it converged")
    if not math.isfinite(best.log_posterior):
        notes.append("no hyperparameters gave covariances that can be factorised: those before were kept")
    if best.jitter:
        notes.append(f"{best.jitter:.1e} was added to the diagonal of nearly singular covariances")
    return Fit(best.theta, best.log_posterior, converged, evaluations, best.jitter, tuple(notes))
