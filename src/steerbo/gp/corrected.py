"""Outcomes that were put right: a model of them that costs no more than it must."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .regression import Regression


def put_right(model: Regression[Any], X: ArrayLike, y: ArrayLike) -> None:
    """Have a model hold outcomes y (n,) at X (n, d), some of them put right. O(n²) where all points are as before.

    Its factor stays then. It does not where only some outcomes count and another one is the best now.

    Raises:
        InvalidOutcome: values that are not finite numbers, or shapes that do not fit.

    >>> from steerbo.gp import SquaredExponentialKernel
    >>> model = Regression(SquaredExponentialKernel([0.3]), noise=1e-6)
    >>> model.add([0.2], 10.0)
    >>> put_right(model, [[0.2]], [1.0])
    >>> model.outcomes
    array([1.])
    """
    outcomes = np.asarray(y)
    same = 0 < len(model) == len(outcomes) and np.array_equal(X, model.inputs)
    if same and (len(model.counted) == len(model) or outcomes.argmax() == model.outcomes.argmax()):
        model.revise(outcomes)
    else:
        model.replace(X, outcomes)
