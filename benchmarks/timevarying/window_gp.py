"""A rival where nobody knows a prior: a Gaussian process on a window, its hyperparameters learned in every round."""

from __future__ import annotations

from itertools import product

import numpy as np
from jaxtyping import Float
from scipy.linalg import cho_factor, cho_solve

from steerbo.core import keyed

LENGTHSCALES = (0.05, 0.1, 0.2, 0.4, 0.8)
NOISES = (0.05, 0.1, 0.2, 0.4, 0.8)
_STARTS = 3


def window_gp(  # noqa: PLR0917
    points: Float[np.ndarray, "X d"],
    values: Float[np.ndarray, "T X"],
    noise: float,
    seed: int,
    window: int,
    beta: float = 1.5,
) -> Float[np.ndarray, " T"]:
    """Regrets (T,) of GP-UCB on the last outcomes, standardised.

    Args:
        points: of the unit cube.
        values: the objective in every round.
        noise: standard deviation of an outcome; the rival is not told.
        seed: of noise and starts.
        window: how many outcomes are remembered.
        beta: how wide the bands are.
    """
    random, regret = keyed(seed, 0, "noise"), np.empty(len(values))
    stretch = max(1.0, (points.shape[1] / 2) ** 0.5)
    squares = ((points[:, None] - points) ** 2).sum(-1)
    tables = [np.exp(-0.5 * squares / (stretch * ell) ** 2) for ell in LENGTHSCALES]
    played: list[int] = []
    told: list[float] = []
    for t, row in enumerate(values):
        if t < _STARTS:
            x = int(random.integers(len(points)))
        else:
            at, y = np.array(played[-window:]), np.array(told[-window:])
            z = (y - y.mean()) / (y.std() or 1.0)
            x = _best(tables, at, z, beta)
        regret[t] = row.max() - row[x]
        played.append(x)
        told.append(float(row[x] + noise * random.standard_normal()))
    return regret


def _best(tables: list[np.ndarray], at: np.ndarray, z: np.ndarray, beta: float) -> int:
    """The largest upper bound under the kernel and the noise of largest likelihood."""
    found = []
    for K, sd in product(tables, NOISES):
        factor = cho_factor(K[np.ix_(at, at)] + sd**2 * np.eye(len(at)), lower=True, check_finite=False)
        weights = cho_solve(factor, z, check_finite=False)
        found.append((-0.5 * z @ weights - np.log(np.diag(factor[0])).sum(), K, factor, weights))
    _, K, factor, weights = max(found, key=lambda one: one[0])
    cross = K[at]
    variance = 1 - (cross * cho_solve(factor, cross, check_finite=False)).sum(axis=0)
    return int((weights @ cross + beta * np.sqrt(np.maximum(variance, 0))).argmax())
