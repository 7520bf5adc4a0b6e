"""Standardisation of outcomes: the user's units and those in which a Gaussian process is fitted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import Float
from .._evidence import COMPARABLE

_EPS, _LARGEST_FLOAT = np.finfo(np.float64).eps, np.finfo(np.float64).max
_FARTHEST = 1e100  # the square of it is a float
_ELSEWHERE = 4.0  # outcomes that those of elsewhere count as, together
# of a fixed point at most, and the relative step at which it is reached
_STEPS, _SETTLED = 50, 1e-3
_WHOLE = 1e-6  # how nearly outcomes are to be multiples of a step


@dataclass(frozen=True)
class Standardisation:
    """`z = (y − offset) / scale`.

    >>> output = Standardisation.fitted(np.array([10.0, 20.0, 30.0]))
    >>> output.forward(np.array([20.0])), output.backward(np.array([0.0]))
    (array([0.]), array([20.]))
    """

    offset: float = 0.0
    scale: float = 1.0

    @classmethod
    def fitted(
        cls,
        y: Float[np.ndarray, " n"],
        elsewhere: Float[np.ndarray, " m"] | None = None,
        errors: Float[np.ndarray, " n"] | None = None,
    ) -> Standardisation:
        """Fit mean and standard deviation to outcomes y (n,).

        Outcomes that are constant, or differ by rounding errors only, get scale 1 (more, where
        rounding errors are). Works from 1e-300 to 1e300. Outcomes of the same quantity `elsewhere`
        count as a few more, with the mean and the deviation that they have: two that happen to be
        alike tell no scale. With standard `errors` (n,) they are those of the measured quantity,
        see `_weighted`: an outcome that says little does not decide the units.

        >>> Standardisation.fitted(np.array([5.0, 5.1]), elsewhere=np.array([0.0, 4.0, 10.0, 6.0])).scale.__round__(1)
        2.9
        """
        if not len(y):
            return cls()
        offset, scale = _mean_and_deviation(y)
        if errors is not None and errors.any():
            offset, scale = _weighted(y, errors, offset, scale)
        if elsewhere is not None and len(elsewhere):
            there, wide = _mean_and_deviation(elsewhere)
            more = min(_ELSEWHERE, len(elsewhere))
            share = more / (len(y) + more)
            if wide > 0.0:
                apart = 0.5 * there - 0.5 * offset
                size = max(scale, wide, abs(apart))
                parts = (1.0 - share) * (scale / size) ** 2 + share * (wide / size) ** 2
                scale = size * float(
                    np.sqrt(parts + share * (1.0 - share) * (2.0 * apart / size) ** 2)
                )
                offset += 2.0 * share * apart
        if not scale > 0.0:
            return cls(offset, max(1.0, 1e4 * _EPS * float(np.abs(y).max())))
        return cls(offset, min(scale, float(_LARGEST_FLOAT)))

    def at_least(self, scale: float) -> Standardisation:
        """Widen the scale to one that is believed.

        >>> Standardisation(1.0, 0.25).at_least(0.5)
        Standardisation(offset=1.0, scale=0.5)
        """
        return type(self)(self.offset, min(max(self.scale, scale), float(_LARGEST_FLOAT)))

    def forward(self, y: Float[np.ndarray, " *s"]) -> Float[np.ndarray, " *s"]:
        """Convert the user's units to standardised ones, at most ±1e100."""
        with np.errstate(over="ignore"):
            z: np.ndarray = np.clip(
                (0.5 * y - 0.5 * self.offset) / (0.5 * self.scale), -_FARTHEST, _FARTHEST
            )
        return z

    def backward(self, z: Float[np.ndarray, " *s"]) -> Float[np.ndarray, " *s"]:
        """Convert standardised units to the user's."""
        with np.errstate(over="ignore"):
            y: np.ndarray = np.clip(self.offset + self.scale * z, -_LARGEST_FLOAT, _LARGEST_FLOAT)
        return y

    def moments(
        self, mean: Float[np.ndarray, " n"], sd: Float[np.ndarray, " n"]
    ) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
        """Mean and standard deviation in the user's units, (n,) each, of variables with these in standardised ones."""
        with np.errstate(over="ignore"):
            return self.backward(mean), np.minimum(self.scale * sd, _LARGEST_FLOAT)


def rounding_step(outcomes: Float[np.ndarray, " n"]) -> float:
    """Step that outcomes (n,) were rounded to, such as 1 of counts and of marks; 0 where they do not seem rounded.

    It takes at least eight outcomes, of which at most half are different, and these differ by
    multiples of the smallest difference. Of two values, as where a play succeeds or does not, that
    is the range, and a twelfth of its square about the variance of such outcomes, too.

    >>> rounding_step(np.array([3.0, 4.0, 4.0, 2.0, 4.0, 3.0, 6.0, 4.0])), rounding_step(np.linspace(0.0, 1.0, 8))
    (1.0, 0.0)
    """
    if len(outcomes) < COMPARABLE:
        return 0.0
    levels = np.unique(outcomes)
    if not 1 < len(levels) <= len(outcomes) / 2:
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = np.diff(levels)
        multiples = gaps / gaps.min()
        whole = np.abs(multiples - np.rint(multiples)).max() < _WHOLE
    return float(gaps.min()) if whole else 0.0


def _mean_and_deviation(y: Float[np.ndarray, " n"]) -> tuple[float, float]:
    """Mean and root mean square deviation; 0 where outcomes differ by no more than rounding."""
    size = float(np.abs(y).max()) or 1.0
    mean = float(np.mean(y / size)) * size
    away = 0.5 * y - 0.5 * mean  # halves: the difference itself may not fit into a float
    largest = float(np.abs(away).max())
    if len(y) < 2 or largest <= 4.0 * _EPS * size or largest < 1e-300:
        return mean, 0.0
    return mean, 2.0 * largest * float(np.sqrt(np.mean((away / largest) ** 2)))


def _weighted(
    y: Float[np.ndarray, " n"], errors: Float[np.ndarray, " n"], mean: float, deviation: float
) -> tuple[float, float]:
    """Mean and deviation, where outcomes y (n,) with standard `errors` (n,) count by their precision.

    The weights are `1 / (s² + e²)`, with the deviation s that follows from them: the fixed point
    from above, which begins at the mean and deviation of all.

    >>> mean, deviation = _weighted(np.array([0.0, 1.0, 2.0, 900.0]), np.array([0.0, 0.0, 0.0, 1000.0]), 225.0, 389.0)
    >>> round(mean), round(deviation)
    (1, 1)
    >>> _weighted(np.array([0.0, 2.0]), np.array([0.0, 9.0]), 1.0, 1.0)
    (1.0, 1.0)
    """
    for _ in range(_STEPS):
        if not deviation > 0.0:
            break
        precision = 1.0 / (1.0 + np.minimum(errors / deviation, _FARTHEST) ** 2)
        weights = precision / precision.sum()
        if weights @ weights > 0.5:  # of fewer than two outcomes, by their precision, there is none
            break
        mean = float(weights @ y)
        before, deviation = deviation, float(np.sqrt(weights @ (y - mean) ** 2))
        if deviation >= (1.0 - _SETTLED) * before:
            break
    return mean, deviation
