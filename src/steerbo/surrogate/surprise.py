"""How far off a model is about what comes next."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from ..gp import Regression


def surprise(model: Regression[Any], point: Float[np.ndarray, " d"], outcome: float) -> float:
    """By how many predictive deviations (its own, and the noise's) a model is off about an outcome it does not have.

    >>> from ..gp import SquaredExponentialKernel
    >>> model = Regression(SquaredExponentialKernel([0.3]), noise=0.25)
    >>> model.add([0.2], 0.0)
    >>> round(surprise(model, np.array([5.0]), 1.0), 2)
    0.89
    """
    mean, deviation = model.predict(point[None])
    expected = float(np.hypot(deviation[0], model.scale * np.sqrt(model.noise)))
    return (outcome - float(mean[0])) / max(expected, 1e-300)
