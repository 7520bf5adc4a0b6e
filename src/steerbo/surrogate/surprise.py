"""How far off a model is about what comes next."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from ..gp import Later, Regression


@dataclass(frozen=True)
class Expected:
    """What a model expected of an outcome, and the outcome as it stands now.

    Args:
        mean: of what was expected.
        deviation: give or take so much: the model's own, and the noise's.
        outcome: None where it is void.
    """

    mean: float
    deviation: float
    outcome: float | None

    @property
    def surprise(self) -> float:
        """By how many of its deviations the model was off; not a number where the outcome is void."""
        return math.nan if self.outcome is None else (self.outcome - self.mean) / max(self.deviation, 1e-300)


@dataclass(frozen=True)
class Awaited:
    """The same where what was expected is computed when somebody wants to know: first `settle` what is put off.

    Args:
        later: what was expected.
        outcome: None where it is void.
    """

    later: Later
    outcome: float | None

    @property
    def surprise(self) -> float:
        """See `Expected.surprise`."""
        assert self.later.found is not None, "it is settled"
        return Expected(*self.later.found, self.outcome).surprise


def awaited(model: Regression[Any], point: Float[np.ndarray, " d"], outcome: float) -> Expected | Awaited:
    """The same as `expected`; put off, where the model has no factor to compute it with, and that is soon made.

    A model of another library that stands in for ours is asked at once: what it knows is not ours to put off.

    >>> from ..gp import SquaredExponentialKernel
    >>> awaited(Regression(SquaredExponentialKernel([0.3])), np.array([5.0]), 1.0).outcome
    1.0
    """
    if isinstance(model, Regression) and (later := Later.of(model, point)).worth:
        return Awaited(later, outcome)
    return expected(model, point, outcome)


def expected(model: Regression[Any], point: Float[np.ndarray, " d"], outcome: float) -> Expected:
    """What a model expects of an outcome that it does not have.

    >>> from ..gp import SquaredExponentialKernel
    >>> model = Regression(SquaredExponentialKernel([0.3]), noise=0.25)
    >>> model.add([0.2], 0.0)
    >>> round(expected(model, np.array([5.0]), 1.0).surprise, 2)
    0.89
    """
    mean, deviation = model.predict(point[None])
    return Expected(float(mean[0]), float(np.hypot(deviation[0], model.scale * np.sqrt(model.noise))), outcome)
