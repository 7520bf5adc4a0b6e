"""What methods ask of a surrogate: where to look next, given what is available now. Sites and boxes answer alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from ..optim import Margin

Place = Any
"""The number of a point of a finite domain, or the coordinates (d,) of a point of a box."""


class Datum(NamedTuple):
    """One outcome, in units of sign · value; `number` orders outcomes of the same time."""

    time: float
    number: float
    place: Place
    value: float


class PendingPoint(NamedTuple):
    """A place that was tried `times` times, last at `time`, and has no outcome yet, or will never have one."""

    place: Place
    time: float
    times: int


@dataclass(frozen=True)
class RoundView:
    """One round: the time, what is available (see `read_available`; None: everything), and what is still unknown.

    `margin` says of places by how much they are likely enough to keep to limits on outcomes; None: there are no such.
    """

    time: float
    available: Any = None
    unknown: Sequence[PendingPoint] = ()
    margin: Margin | None = None


@dataclass(frozen=True)
class Maximiser:
    """A place, the prior behind it, and what that prior expects there, in units of sign · value.

    `sd` is the posterior one, without places that are still unknown; `upper` is the score that won.
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
