"""Priors that share kernel, drift and noise: one posterior on a box for all, from a bounded number of outcomes."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

from ..gp import GPPosterior, Kernel
from .kernels import spatial
from .memory import KEPT, MOST, condensed
from .problem import TimeVarying


class Shared:
    """Priors that share kernel, drift and noise, and differ in their means: one posterior, a column for each.

    Rows are points and their times, (x, t); the covariance is the kernel in space times the drift's over time.

    Args:
        problem: whose priors.
        ids: (k,) their numbers.
        static: leave drift out.
    """

    def __init__(self, problem: TimeVarying, ids: Int[np.ndarray, " k"], static: bool) -> None:
        prior, self.time = problem.given[ids[0]], len(problem.variables)
        self.ids = ids
        self.space = spatial(prior.kernel, problem.categorical)
        self.drift = None if static else prior.drift
        self.variance = prior.noise**2
        self.kernel: Kernel = self.space if self.drift is None else self.space * self.drift.over(self.time)
        self.bounded = not static
        self.clear()

    def clear(self) -> None:
        """Forget all outcomes."""
        self.posterior: GPPosterior[Kernel] = GPPosterior(
            self.kernel, np.zeros((0, self.time + 1)), np.zeros((0, len(self.ids))), np.zeros(0)
        )
        self.banked = np.zeros(len(self.ids))  # evidence beyond that of the outcomes that are kept
        self.most = MOST
        self.merged = False  # whether the last outcome has been merged with others

    @property
    def evidence(self) -> Float[np.ndarray, " k"]:
        """Log marginal likelihoods of all outcomes there ever were, given those kept before each, (k,)."""
        return self.banked + self.posterior.log_likelihood()

    def condense(self) -> None:
        """Keep fewer outcomes, where there are many: see `memory`."""
        self.merged = self.bounded and len(self.posterior) >= self.most
        if not self.merged:
            return
        evidence = self.evidence
        self.posterior = condensed(self.posterior, self.drift)
        self.banked = evidence - self.posterior.log_likelihood()
        self.most = len(self.posterior) + MOST - KEPT
