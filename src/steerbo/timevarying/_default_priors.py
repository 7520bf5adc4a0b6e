"""Default candidate priors, in units of the outcomes, for problems whose user gave none.

Outcomes are standardised: less their mean, over their standard deviation. Then three lengthscales (shares of each
variable's range), three rates of forgetting (for the mean time between outcomes) and three noises make 27 candidates,
and a method that weighs candidates learns which of them hold. The scale is computed anew whenever there are a
quarter more outcomes; from 128 on whenever there are twice as many, of the last 256 alone, and what came
before these is forgotten.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from ..bandit import scale_inflation
from ..gp import refit_due
from ..gp.drift import Decay
from ..space import Categorical
from ._priors import Prior, SquaredExponential
from .data import Datum
from .problem import TimeVarying

LENGTHSCALES = (0.1, 0.2, 0.4)
RATES = (0.0, 0.01, 0.1)
NOISES = (0.05, 0.2, 0.6)
RECENT = 256
"""Outcomes that are kept when there are twice as many as the last time."""
_MANY = 128
_LEAST = 1e-12  # of the largest outcome's size: a smaller spread is rounding


@dataclass(frozen=True)
class OutcomeScale:
    """Centre and scale by which outcomes are standardised, in units of sign · value.

    Args:
        centre: their mean.
        spread: their standard deviation; their size where they do not differ, and 1 where there is none.
        gap: the mean time between them; 0 where no time has passed: then nothing is forgotten.
        inflation: inflation of bounds for a spread learned from these outcomes alone; see `scale_inflation`.

    >>> OutcomeScale.of([Datum(0.0, 1, 0, 4.0), Datum(10.0, 2, 0, 4.0)])  # they do not differ
    OutcomeScale(centre=4.0, spread=4.0, gap=10.0, inflation=inf)
    """

    centre: float = 0.0
    spread: float = 1.0
    gap: float = 0.0
    inflation: float = math.inf

    @classmethod
    def of(cls, data: Sequence[Datum]) -> OutcomeScale:
        """Of these outcomes, in order of time."""
        n = len(data)
        if not n:
            return cls()
        values = [datum.value for datum in data]
        centre = math.fsum(value / n for value in values)
        largest = max(abs(value) for value in values)
        spread = largest and largest * math.sqrt(
            math.fsum(((v - centre) / largest) ** 2 for v in values) / max(n - 1, 1)
        )
        gap = (data[-1].time - data[0].time) / max(n - 1, 1)
        if spread <= _LEAST * largest:
            spread = largest
        places = np.array([np.atleast_1d(datum.place) for datum in data])
        inflation = scale_inflation(places, np.array(values))
        return cls(centre, spread if spread > 1e-100 else 1.0, gap if gap > 1e-100 else 0.0, inflation)


def due(last: int, n: int) -> bool:
    """Whether outcomes are to be standardised anew: there are n, and at the last time there were `last`."""
    return refit_due(last, n) if n < _MANY else n >= 2 * max(last, _MANY // 2)


def default_priors(problem: TimeVarying, standard: OutcomeScale) -> tuple[Prior, ...]:
    """The 27 priors, in the user's units."""
    ranges = _ranges(problem)
    stretch = max(1.0, math.sqrt(len(ranges) / 2))
    return tuple(
        Prior(
            SquaredExponential([1.0 if r is None else share * stretch * r for r in ranges], standard.spread**2),
            mean=problem.sign * standard.centre,
            drift=Decay(rate, per=standard.gap) if rate and standard.gap else None,
            noise=noise * standard.spread,
            name=f"ℓ {share:g}, ε {rate:g}, noise {noise:g}",
        )
        for share, rate, noise in product(LENGTHSCALES, RATES, NOISES)
    )


def _ranges(problem: TimeVarying) -> list[float | None]:
    """How far each coordinate goes; None for categories."""
    if problem.coordinates is not None:
        spans = np.ptp(np.array(problem.coordinates), axis=0).tolist()
        return [span if span > 0 else 1.0 for span in spans]
    return [None if isinstance(v, Categorical) else float(v.high - v.low) for v in problem.variables]
