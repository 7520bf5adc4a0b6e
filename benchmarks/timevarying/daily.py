"""A daily cycle: should a method that knows several candidate priors not beat the best constant setting?

A setting from 0 to 100 is worth `100 − ((x − c(t)) / 5)²`, and the best one goes round once in 24 rounds:
`c(t) = centre + 20 sin(2π (t + phase) / 24)`. Of four candidate priors the one with that period is right; outcomes have
noise of standard deviation 2.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float as Floats

from steerbo.rounds import keyed
from steerbo.space import Float
from steerbo.timevarying import Decay, Periodic, Prior, SquaredExponential, TimeVarying

ROUNDS = 72
NOISE = 2.0
STEP = 5.0


def problem() -> TimeVarying:
    """Four opinions on how the best setting moves."""
    space = SquaredExponential(lengthscale=40.0, variance=2500.0)
    drifts = {"never": None, "slowly": Decay(0.02), "fast": Decay(0.2), "daily": Periodic(24.0, 1.5)}
    some = [Prior(space, 50.0, drift, NOISE, name) for name, drift in drifts.items()]
    return TimeVarying([Float("setting", 0, 100, step=STEP)], some)


def truth(seed: int) -> Floats[np.ndarray, "T X"]:
    """What every setting is worth in every round, (72, 21)."""
    random = keyed(seed, 0, "daily")
    centre, phase = 40 + 20 * random.random(), 24 * random.random()
    best = centre + 20 * np.sin(2 * np.pi * (np.arange(1, ROUNDS + 1) + phase) / 24)
    return 100 - ((np.arange(0, 100 + STEP, STEP) - best[:, None]) / 5) ** 2
