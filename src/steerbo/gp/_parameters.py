"""Parameters of a fit: one number each, with bounds and a prior."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .._arrays import Float


@dataclass(frozen=True)
class Parameter:
    """One number that a fit learns: `value` in [`low`, `high`], normal about `centre` with sd `spread` beforehand.

    All five are of the number as the fit sees it: the natural logarithm of a lengthscale, a variance or a rate.
    """

    name: str
    value: float
    centre: float
    spread: float
    low: float
    high: float


def lengthscale(value: float, dimension: int, name: str) -> Parameter:
    """A lengthscale's logarithm, with the dimension-scaled weak prior of Hvarfner et al. (2024, equation 8).

    Their `ℓ ~ LogNormal(√2 + ln(d)/2, √3)`, as a density in ℓ, is a normal one in ln ℓ, up to a constant: its centre is
    the mode, three below their location: ln(.205 √d).
    """
    mode = math.sqrt(2.0) - 3.0 + 0.5 * math.log(dimension)
    return Parameter(name, math.log(value), mode, math.sqrt(3.0), math.log(1e-2), math.log(1e3))


def variance(value: float, name: str) -> Parameter:
    """A signal variance's logarithm: outcomes are standardised, so about one, give or take a factor of twenty."""
    return Parameter(name, math.log(value), 0.0, 1.5, math.log(1e-4), math.log(1e4))


def weight(value: float, name: str) -> Parameter:
    """The log odds of a variable's weight in an ANOVA kernel: even odds, give or take a factor of seven.

    A weight of 1, as a plain product has, is at the upper end.
    """
    odds = math.inf if value >= 1.0 else math.log(value) - math.log1p(-value) if value > 0.0 else -math.inf
    return Parameter(name, min(max(odds, -WHOLE), WHOLE), 0.0, 2.0, -WHOLE, WHOLE)


WHOLE = 40.0
"""Log odds of a weight that is 1 to the last bit."""

LIKELY_NOISE = math.exp(-2.0)
"""Noise variance believed beforehand, against outcomes of variance one: between hardly any and all of it."""


def noise(value: float, likely: float = LIKELY_NOISE, spread: float = 2.0) -> Parameter:
    """The noise variance's logarithm: about `likely`, give or take a factor of 7 where little is known of it."""
    low, high = math.log(1e-8), math.log(10.0)
    return Parameter("noise", math.log(value), min(max(math.log(likely), low), high), spread, low, high)


def noise_slope(value: float, column: int) -> Parameter:
    """Change of the logarithm of the noise variance from one end of a column to the other: none, give or take 1.

    A factor of 2.7 is believed at first; a hundred outcomes whose noise grows fifty times are not hindered by that.
    """
    return Parameter(f"noise_slope[{column}]", value, 0.0, 1.0, -20.0, 20.0)


def log_prior(parameters: Sequence[Parameter], theta: Float[np.ndarray, " p"]) -> tuple[float, Float[np.ndarray, " p"]]:
    """Log density at `theta` (p,), up to a constant, and its gradient (p,)."""
    return prior_density(parameters)(theta)


def prior_density(
    parameters: Sequence[Parameter],
) -> Callable[[Float[np.ndarray, " p"]], tuple[float, Float[np.ndarray, " p"]]]:
    """Return `log_prior` of these parameters as a function of `theta` (p,), for searches that evaluate it often."""
    centres = np.array([p.centre for p in parameters])
    spreads = np.array([p.spread for p in parameters])

    def density(theta: Float[np.ndarray, " p"]) -> tuple[float, Float[np.ndarray, " p"]]:
        away = (theta - centres) / spreads
        return -0.5 * float(away @ away), -away / spreads

    return density
