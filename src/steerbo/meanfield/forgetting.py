"""A demand that has changed: whether the older outcomes had better be forgotten.

Where the payoffs changed for good, outcomes from before mislead: distributions that were best are played on, and a fit
takes the contradiction for noise. A cut is a change at one moment: outcomes before and after are unrelated. Forgetting
pays where this is so much likelier that no noise explains it.
"""

from __future__ import annotations

import math

import numpy as np

from ..errors import ModelFailure
from ..gp import profiled_log_density
from .kernels import Inputs, Parameters, PayoffKernel
from .process import Observations

ENOUGH = 20
"""Outcomes from which on a change is looked for."""
LATEST = range(4, 16)
"""How many outcomes there may be since the change."""
UNNOTICED = "Whether payoffs have changed for good is then no longer noticed."
"""What is said where not all outcomes are counted: those of before and after can then not be compared."""
_WINDOW = 400  # observations that are looked at, the latest ones
_SHARES = 1.0, 0.1, 0.01, 0.001  # of the noise that was learned as if nothing had changed
_ODDS = 4.0  # by how much, beyond the logarithm of how many outcomes there are, a cut must be likelier


def outdated(data: Observations, kernel: PayoffKernel, parameters: Parameters) -> int:
    """How many outcomes, oldest first, tell nothing of what they would be now; mostly none.

    Args:
        data: what was observed.
        kernel: of the payoffs.
        parameters: hyperparameters learned from all of it.
    """
    outcomes = int(data.outcome.max(initial=-1)) + 1
    recent = np.sort(np.argsort(-data.outcome, kind="stable")[:_WINDOW])
    number = data.outcome[recent]
    if number.size == 0 or outcomes - number.min() < ENOUGH:
        return 0
    inputs = data.inputs
    seen = None if inputs.seen is None else inputs.seen[recent]
    gram, _ = kernel.covariances(Inputs(inputs.weights[recent], inputs.tables[recent], seen))(parameters, slopes=False)
    values, noise = data.values[recent], math.exp(parameters["noise"]) / data.agents[recent]

    def density(covariances: np.ndarray) -> float:
        """Logarithm of the density, with the likeliest share of the noise: a change has passed for noise."""
        found = -math.inf
        for share in _SHARES:
            noisy = covariances.copy()
            noisy.flat[:: len(noisy) + 1] += share * noise
            try:
                found = max(found, profiled_log_density(noisy, values))
            except ModelFailure:
                continue
        return found

    whole = density(gram)
    gains = [density(_cut(gram, number >= outcomes - k)) - whole for k in LATEST]
    best = int(np.argmax(gains))
    return outcomes - LATEST[best] if gains[best] > _ODDS + math.log(outcomes) else 0  # not where neither is a number


def _cut(gram: np.ndarray, late: np.ndarray) -> np.ndarray:
    """Without the covariances between late and early."""
    return np.where(late[:, None] == late, gram, 0.0)
