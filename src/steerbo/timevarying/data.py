"""Data exchanged between methods and surrogates: outcomes, pending places, views of a round, maximisers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Float, Int
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


@dataclass(frozen=True, eq=False)
class Places:
    """Places that can be chosen in a round: some sites of a finite domain, listed points or a part of a box, or all.

    Attributes:
        sites: numbers of sites, in order.
        points: encoded points of a box, (n, d).
        given: settings of these as they were given, by variable: encoded and decoded again a
            number may differ in its last digit.
        bounds: smallest and largest encoded coordinates of a part of a box, (2, d).
    """

    sites: Sequence[int] | None = None
    points: Float[np.ndarray, "n d"] | None = None
    given: Sequence[Mapping[str, Any]] = ()
    bounds: Float[np.ndarray, "2 d"] | None = None

    def __contains__(self, place: Place) -> bool:
        if self.sites is not None:
            return place in self.sites
        if self.points is not None:
            return self.number(place) is not None
        if self.bounds is not None:
            low, high = self.bounds
            return bool((low <= place).all() and (place <= high).all())
        return True

    def number(self, place: Place) -> int | None:
        """Number of a point among those listed; None: it is none of them."""
        if self.points is None:
            return None
        found = np.flatnonzero((self.points == place).all(axis=1))
        return int(found[0]) if found.size else None

    def only(self, numbers: Int[np.ndarray, " k"]) -> Places:
        """Some of the sites, or of the listed points, by their order here."""
        if self.sites is not None:
            return Places(sites=[self.sites[k] for k in numbers])
        assert self.points is not None
        return Places(points=self.points[numbers], given=[self.given[k] for k in numbers])


ANYWHERE = Places()


@dataclass(frozen=True)
class RoundView:
    """View of a round: its time, the available places, and the pending ones.

    `margin` is the feasibility margin of places; None: all are feasible, as far as is known.
    `gradients` are those of all requirements: see `FeasibleRegion`.
    """

    time: float
    available: Places = ANYWHERE
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
