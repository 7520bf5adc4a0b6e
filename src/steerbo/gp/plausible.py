"""How rough a function may yet turn out to be, where outcomes say little about it."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np

from ..errors import ModelFailure
from .hyperparameters import Hyperparameters
from .parameters import log_prior
from .regression import Regression

STEPS = 8
"""From the lengthscales in use to the prior's."""


def doubted(model: Regression[Any], columns: Sequence[int], deviations: float) -> float:
    """How far from the lengthscales in use towards the prior's, of some columns, is still plausible: from 0 to 1.

    Few different values of a variable say little about how fast a function changes with it: the likeliest lengthscale
    may be far too long, and a model that takes it for granted is sure of what it has never seen. What is plausible has
    a posterior density of at least `exp(−deviations²/2)` of what is in use: a normal one falls so far within as many
    deviations. Lengthscales that are short already are not doubted.

    Args:
        model: the first of its hyperparameters are the lengthscales, one for each column.
        columns: whose lengthscales are doubted, all at once.
        deviations: how far.

    >>> from steerbo.gp import SquaredExponentialKernel
    >>> model = Regression(SquaredExponentialKernel([2.0, 0.2]))
    >>> for x, y in ((0.1, 0.0), (0.15, 0.1), (0.2, 0.0)):
    ...     model.add([x, 10 * (x - 0.1)], y)
    >>> doubted(model, [0], 2.0), doubted(model, [1], 2.0)
    (1.0, 0.0)
    """
    theta, way = model.process.theta, _way(model, columns)
    if not way.any() or not len(model):
        return float(way.any())
    outcomes = model.output.forward(model.outcomes)

    def height(at: np.ndarray) -> float:
        process = model.process.with_theta(at)
        try:
            return process.log_likelihood(model.inputs, outcomes)[0] + log_prior(process.parameters, at)[0]
        except ModelFailure:
            return -np.inf

    lowest = height(theta) - 0.5 * deviations**2
    for step in range(1, STEPS + 1):
        if not height(theta + step / STEPS * way) >= lowest:
            return (step - 1) / STEPS
    return 1.0


def rougher(model: Regression[Any], columns: Sequence[int], share: float) -> Regression[Any]:
    """The same outcomes, where lengthscales of some columns go this share of the way to the prior's."""
    found = model.process.theta + share * _way(model, columns)
    other = copy(model)  # `set` leaves what both have in common as it is
    other.set(Hyperparameters(tuple(found.tolist()), model.output))
    return other


def _way(model: Regression[Any], columns: Sequence[int]) -> np.ndarray:
    """From hyperparameters in use (p,) to those lengthscales, where they are shorter."""
    way = np.zeros(len(model.process.theta))
    for d in columns:
        known = model.process.parameters[d]
        way[d] = min(known.centre - known.value, 0.0)
    return way
