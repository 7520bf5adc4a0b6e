"""Hyperparameters by maximum a posteriori, with analytic gradients, and the schedule of when to learn them anew."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from ..errors import ModelFailure
from .factor import Factor
from .parameters import Parameter, log_prior

LogLikelihood = Callable[[np.ndarray], tuple[float, np.ndarray, float]]


@dataclass(frozen=True, eq=False)
class Weighed:
    """A log marginal likelihood, and what else its factor gives: only one of the two, and once.

    Attributes:
        value: its value.
        jitter: what had to be added to the Gram matrix.
        slope: its gradient (p,): two thirds of the work.
        factor: that of the Gram matrix; it may be None, where nobody has kept it.
    """

    value: float
    jitter: float
    slope: Callable[[], Float[np.ndarray, " p"]]
    factor: Callable[[], Factor | None] = lambda: None


def refit_due(last: int, n: int) -> bool:
    """Whether hyperparameters learned at `last` observations are due again at `n`: a quarter more, at least one.

    That is at 1, 2, 3, 4, 5, 7, 9, 12, 15, 19, …: fits of O(n³) each sum to O(n³) in all.

    >>> [n for n in range(1, 20) if refit_due(7, n)][0]
    9
    """
    return n >= max(last + 1, math.ceil(1.25 * last))


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
        factor: that of the Gram matrix there, if the search ended with it.
    """

    theta: Float[np.ndarray, " p"]
    log_posterior: float
    converged: bool
    evaluations: int
    jitter: float
    notes: tuple[str, ...] = ()
    factor: Factor | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Without the factor: it follows from the rest, and is large."""
        return {**vars(self), "factor": None}

    def made_at(self, theta: Sequence[float]) -> Factor | None:
        """The factor, if it is that of these hyperparameters."""
        return self.factor if self.theta.tolist() == list(theta) else None


def maximum_a_posteriori(
    parameters: Sequence[Parameter],
    log_likelihood: LogLikelihood,
    starts: Sequence[Float[np.ndarray, " p"]],
    many: bool = False,
    evaluations: int | None = None,
) -> Fit:
    """The best hyperparameters found by L-BFGS-B from the two most promising starts; from one, if data are `many`.

    Never raises for what the data are: where covariances cannot be factorised the search turns round, and if that is
    everywhere, the first start is the answer and `notes` says so.

    Args:
        parameters: what is believed of each of the p hyperparameters beforehand.
        log_likelihood: from hyperparameters (p,) to the log marginal likelihood, its gradient (p,) and the jitter it
            took; it may raise `ModelFailure`. Whatever has a Gram matrix can make one of `evidence`.
        starts: where to begin, (p,) each, at least one.
        many: save time.
        evaluations: of the likelihood, about the most in each climb; None: until it converges.

    >>> believed = Parameter("level", 0.0, centre=1.0, spread=1.0, low=-9.0, high=9.0)
    >>> fit = maximum_a_posteriori([believed], lambda t: (-0.5 * (t[0] - 2) ** 2, 2 - t, 0.0), [np.zeros(1)])
    >>> fit.theta.round(3), fit.converged
    (array([1.5]), True)
    """
    from scipy.optimize import minimize

    low, high = np.array([p.low for p in parameters]), np.array([p.high for p in parameters])
    best = Fit(np.clip(starts[0], low, high), -math.inf, False, 0, 0.0)
    done = 0

    def loss(theta: Float[np.ndarray, " p"]) -> tuple[float, Float[np.ndarray, " p"]]:
        nonlocal best, done
        done += 1
        try:
            value, gradient, jitter = log_likelihood(theta)
        except ModelFailure:
            return 1e100, np.zeros_like(theta)  # a plateau, not infinity: the line search can still interpolate back
        believed, pull = log_prior(parameters, theta)
        total, slope = value + believed, gradient + pull
        if not (math.isfinite(total) and np.isfinite(slope).all()):
            return 1e100, np.zeros_like(theta)
        if total > best.log_posterior:
            best = Fit(theta.copy(), total, False, 0, jitter)
        return -total, -slope

    distinct = list({start.tobytes(): start for start in (np.clip(s, low, high) for s in starts)}.values())
    climbs = 1 if many else 2
    if len(distinct) > climbs:
        distinct.sort(key=lambda start: loss(start)[0])
    options = {"maxiter": 30 if many else 60, "maxcor": 10} | ({"maxfun": evaluations} if evaluations else {})
    converged, notes = False, []
    for start in distinct[:climbs]:
        found = minimize(
            loss, start, jac=True, method="L-BFGS-B", bounds=list(zip(low, high, strict=True)), options=options
        )
        if math.isfinite(best.log_posterior) and -found.fun >= best.log_posterior:
            converged = bool(found.success)
    if not converged:
        notes.append("the search for hyperparameters stopped before it converged")
    if not math.isfinite(best.log_posterior):
        notes.append("no hyperparameters gave covariances that can be factorised: those before were kept")
    if best.jitter:
        notes.append(f"{best.jitter:.1e} was added to the diagonal of nearly singular covariances")
    return Fit(best.theta, best.log_posterior, converged, done, best.jitter, tuple(notes))
