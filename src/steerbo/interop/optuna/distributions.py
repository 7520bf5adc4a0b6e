"""Variables as Optuna's distributions."""

from __future__ import annotations

from typing import Any

import optuna

from ...space import Categorical, Integer, Variable


def distribution(variable: Variable | None) -> Any:
    """Where Optuna believes that a parameter lies; None: a share, from 0 to 1.

    Steps are left out: rounding may put a value beside them.

    >>> from steerbo import Float
    >>> distribution(Float("ph", 4, 8))
    FloatDistribution(high=8.0, log=False, low=4.0, step=None)
    """
    if variable is None:
        return optuna.distributions.FloatDistribution(0.0, 1.0)
    if isinstance(variable, Categorical):
        return optuna.distributions.CategoricalDistribution(variable.choices)
    log = variable.scale == "log"
    if isinstance(variable, Integer):
        return optuna.distributions.IntDistribution(variable.low, variable.high, log=log)
    return optuna.distributions.FloatDistribution(variable.low, variable.high, log=log)
