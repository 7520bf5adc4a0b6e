"""Data exchanged between methods and surrogates: outcomes, pending places, views of a round, maximisers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Float
from ..optim import Margin, MarginGradients

Place = Any
"""The number of a point of a finite domain, or the encoded coordinates (d,) of a point of a box."""


class Datum(NamedTuple):
    """One outcome, in units of sign · value; `number` orders outcomes of the same time.

    Its noise variance is that of each prior times `inflation`, plus the `stated` one, the square of
    its standard error; `name` is that of the data, or the token of the round.
    """

    time: float
    number: float
    place: Place
    value: float
    inflation: float = 1.0
    name: str = ""
    stated: float = 0.0


class PendingPoint(NamedTuple):
    """Place without an outcome, yet or for ever, that was tried `times` times, last at `time`."""

    place: Place
    time: float
    times: int


@dataclass(frozen=True)
class RoundView:
    """View of a round: its time, the available places (see `TimeVarying.within`; None: all), and the pending ones.

    `margin` is the feasibility margin of places; None: all are feasible, as far as is known.
    `gradients` are those of all requirements: see `FeasibleRegion`.
    """

    time: float
    available: Any = None
    unknown: Sequence[PendingPoint] = ()
    margin: Margin | None = None
    gradients: MarginGradients | None = None


@dataclass(frozen=True)
class Maximiser:
    """Place that maximises an acquisition, with the prior behind it and its expectation, in units of sign · value.

    `sd` is the posterior standard deviation without pending places; `upper` is the maximal upper
    bound.
    """

    place: Place
    prior: int
    mean: float
    sd: float
    upper: float


def draw_largest(scores: Float[np.ndarray, " n"], random: np.random.Generator) -> int:
    """The index of the largest score; of several that are equal but for rounding, any.

    >>> draw_largest(np.array([1.0, 3.0, 2.0]), np.random.default_rng(0))
    1
    """
    top = float(scores.max())
    tied = np.flatnonzero(scores >= top - 1e-12 * max(abs(top), 1e-300))
    return int(tied[0]) if tied.size == 1 else int(random.choice(tied))
