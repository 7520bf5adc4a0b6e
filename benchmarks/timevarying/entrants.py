"""What is played beside our methods: the best constant, which knows the truth, and Optuna's TPE."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from steerbo.timevarying import TimeVarying

from .play import play
from .tpe import tpe

CONSTANT, TPE = "best constant", "TPE (Optuna)"


def regret(
    problem: TimeVarying,
    truth: Float[np.ndarray, "T X"],
    noise: float,
    method: str,
    seed: int,
    *,
    available: Any = None,
    **options: Any,
) -> Float[np.ndarray, " T"]:
    """The regret of each round of one run, in the objective's units.

    Args:
        problem: with a finite domain of X points.
        truth: the objective without noise, by round and point.
        noise: standard deviation of what is told.
        method: `CONSTANT`, `TPE` or one of our methods.
        seed: of method and noise.
        available: as for `play`; the two rivals take no notice of it.
        options: of our methods.
    """
    if method == CONSTANT:
        lost = truth.max(axis=1, keepdims=True) - truth
        return np.asarray(lost[:, int(lost.mean(axis=0).argmin())])
    if method == TPE:
        return np.asarray(tpe(problem, truth, noise, seed))
    return play(problem, truth, noise, method, seed, available, **options).regret
