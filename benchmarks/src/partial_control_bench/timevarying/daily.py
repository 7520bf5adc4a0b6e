"""A daily cycle: should a method that knows several candidate priors not beat the best constant setting?

A setting from 0 to 100 is worth `100 − ((x − c(t)) / 5)²`, and the best one goes round once in 24
rounds: `c(t) = centre + 20 sin(2π (t + phase) / 24)`. Of four candidate priors the one with that
period is right; outcomes have noise of standard deviation 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float as Floats

from ..randomness import keyed
from .world import Stream, prior

ROUNDS = 72
NOISE = 2.0
STEP = 5.0
DRIFTS: dict[str, dict[str, Any] | None] = {
    "never": None,
    "slowly": {"kind": "decay", "rate": 0.02},
    "fast": {"kind": "decay", "rate": 0.2},
    "daily": {"kind": "periodic", "period": 24.0, "lengthscale": 1.5},
}
"""Four opinions on how the best setting moves."""


def world(seed: int) -> Stream:
    """Settings in steps of 5."""
    levels = np.arange(0, 100 + STEP, STEP).tolist()
    variables = [{"name": "setting", "low": 0.0, "high": 100.0, "levels": levels}]
    some = [prior(name, 40.0, 50.0, 2500.0, drift, NOISE) for name, drift in DRIFTS.items()]
    return Stream(variables, truth(seed), NOISE, seed, some)


def truth(seed: int) -> Floats[np.ndarray, "T X"]:
    """What every setting is worth in every round, (72, 21)."""
    random = keyed(seed, 0, "daily")
    centre, phase = 40 + 20 * random.random(), 24 * random.random()
    best = centre + 20 * np.sin(2 * np.pi * (np.arange(1, ROUNDS + 1) + phase) / 24)
    return 100 - ((np.arange(0, 100 + STEP, STEP) - best[:, None]) / 5) ** 2
