"""Parameters of a fit, one number each, with bounds and a prior; and hyperparameters as a log holds them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np

from .._arrays import Float
from ..errors import InvalidStudy
from ._standardisation import Standardisation


@dataclass(frozen=True)
class Parameter:
    """One number that a fit learns: `value` in [`low`, `high`], normal about `centre` with sd `spread` beforehand.

    All five are of the number as the fit sees it: the natural logarithm of a lengthscale, a
    variance or a rate.
    """

    name: str
    value: float
    centre: float
    spread: float
    low: float
    high: float


def lengthscale(value: float, dimension: int, name: str) -> Parameter:
    """A lengthscale's logarithm, with the dimension-scaled weak prior of Hvarfner et al. (2024, equation 8).

    Their `ℓ ~ LogNormal(√2 + ln(d)/2, √3)`, as a density in ℓ, is a normal one in ln ℓ, up to a
    constant: its centre is the mode, three below their location: ln(.205 √d).
    """
    mode = math.sqrt(2.0) - 3.0 + 0.5 * math.log(dimension)
    return Parameter(name, math.log(value), mode, math.sqrt(3.0), math.log(1e-2), math.log(1e3))


def variance(value: float, name: str) -> Parameter:
    """A signal variance's logarithm: outcomes are standardised, so about one, give or take a factor of twenty."""
    return Parameter(name, math.log(value), 0.0, 1.5, math.log(1e-4), math.log(1e4))


def weight(value: float, name: str, usual: float = 0.5) -> Parameter:
    """The log odds of a variable's weight in an ANOVA kernel: those of `usual`, give or take a factor of seven.

    A weight of 1, as a plain product has, is at the upper end.
    """
    return Parameter(name, _odds(value), _odds(usual), 2.0, -WHOLE, WHOLE)


def tail(value: float, name: str) -> Parameter:
    """Logarithm of the exponent a of rational quadratics: about `USUAL_TAIL`, give or take a factor of four and a half.

    A rational quadratic is a mixture of squared exponentials of many lengthscales, the more alike
    the larger a is: a smooth function has a large one, a function with peaks a small one.
    """
    usual, low, high = math.log(USUAL_TAIL), math.log(0.1), math.log(1e6)
    return Parameter(name, math.log(value), usual, 1.5, low, high)


USUAL_TAIL = 0.5
"""Exponent of rational quadratics believed beforehand: about 2 holds less often at peaks, and no better elsewhere."""


def _odds(share: float) -> float:
    if 0.0 < share < 1.0:
        return min(max(math.log(share) - math.log1p(-share), -WHOLE), WHOLE)
    return WHOLE if share >= 1.0 else -WHOLE


WHOLE = 40.0
"""Log odds of a weight that is 1 to the last bit."""

LIKELY_NOISE = math.exp(-2.0)
"""Noise variance believed beforehand, against outcomes of variance one: between hardly any and all of it."""


def noise(
    value: float, likely: float = LIKELY_NOISE, spread: float = 2.0, least: float = 0.0
) -> Parameter:
    """The noise variance's logarithm: about `likely`, give or take a factor of 7 where little is known of it.

    It is at least `least`, where that is known of how outcomes were rounded.
    """
    least, most = min(max(least, 1e-8), 1.0), 10.0
    about = math.log(min(max(likely, least), most))
    return Parameter("noise", math.log(value), about, spread, math.log(least), math.log(most))


def noise_slope(value: float, column: int) -> Parameter:
    """Change of the logarithm of the noise variance from one end of a column to the other: none, give or take 1.

    A factor of 2.7 is believed at first; a hundred outcomes whose noise grows fifty times are not
    hindered by that.
    """
    return Parameter(f"noise_slope[{column}]", value, 0.0, 1.0, -20.0, 20.0)


def log_prior(
    parameters: Sequence[Parameter], theta: Float[np.ndarray, " p"]
) -> tuple[float, Float[np.ndarray, " p"]]:
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


# -- in a log, to the last bit ---------------------------------------------------------------------


def to_hex(numbers: Any) -> Any:
    """Write numbers, also in lists or mappings, as hexadecimal text, which JSON holds to the last bit.

    >>> to_hex({"lengthscale": 0.1}), to_hex((-2.0,))
    ({'lengthscale': '0x1.999999999999ap-4'}, ['-0x1.0000000000000p+1'])
    """
    if isinstance(numbers, Mapping):
        return {name: to_hex(number) for name, number in numbers.items()}
    return numbers.hex() if isinstance(numbers, float) else [to_hex(number) for number in numbers]


def from_hex(plain: Any) -> Any:
    """The inverse of `to_hex`; lists become tuples.

    Raises:
        InvalidStudy: something in it is no hexadecimal text of a finite number.

    >>> from_hex(to_hex({"lengthscale": 0.1}))
    {'lengthscale': 0.1}
    """
    if isinstance(plain, Mapping):
        return {name: from_hex(text) for name, text in plain.items()}
    if isinstance(plain, list | tuple):
        return tuple(from_hex(text) for text in plain)
    try:
        number = float.fromhex(plain)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InvalidStudy("hyperparameters", plain, "finite numbers as hexadecimal text")
    return number


_NO_TRANSFORM = {"power": 1.0, "centre": 0.0, "spread": 1.0}
"""Constants beside offset and scale in logs of versions that could transform outcomes by a power."""


@dataclass(frozen=True)
class Hyperparameters:
    """All numbers that a `GPRegression` needs beside its data.

    Attributes:
        theta: parameters of kernel, mean, noise and the noise's slopes, as `GPPrior.theta` has
            them.
        output: from the user's units to standardised ones; it stays until the next fit.
        draws: of theta from its posterior; none: outcomes are too many, or too few, for them to
            differ.
        doubted: outcomes that are probably wrong, by their numbers, and the noise variance that
            each has beside the common one, standardised.

    >>> found = Hyperparameters((0.1, -2.0), Standardisation(5.0, 3.0))
    >>> Hyperparameters.from_dict(found.to_dict()) == found
    True
    """

    theta: tuple[float, ...]
    output: Standardisation = field(default_factory=Standardisation)
    draws: tuple[tuple[float, ...], ...] = ()
    doubted: tuple[tuple[int, float], ...] = ()

    def check(self, names: Sequence[str]) -> Self:
        """Check that they fit these parameters.

        Raises:
            InvalidStudy: they belong to another kernel.
        """
        for each in (self.theta, *self.draws):
            if len(each) != len(names) or max(map(abs, each), default=0.0) > 100:
                allowed = f"{len(names)} numbers from -100 to 100 ({', '.join(names)})"
                raise InvalidStudy("hyperparameters.theta", each, allowed)
        return self

    def to_dict(self) -> dict[str, Any]:
        """A JSON form with floats as hexadecimal text."""
        plain = {"theta": to_hex(self.theta), "output": to_hex(asdict(self.output))}
        if self.draws:
            plain["draws"] = to_hex(self.draws)
        if self.doubted:
            plain["doubted"] = to_hex({str(i): variance for i, variance in self.doubted})
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Read the data that `to_dict` writes.

        Raises:
            InvalidStudy: it is not a result of `to_dict`.
        """
        known = from_hex(plain)
        try:
            theta = tuple(map(float, known["theta"]))
            output = Standardisation(
                float(known["output"]["offset"]), float(known["output"]["scale"])
            )
            transformed = any(
                known["output"].get(name, none) != none for name, none in _NO_TRANSFORM.items()
            )
            draws = tuple(tuple(map(float, each)) for each in known.get("draws", ()))
            doubted = tuple(
                (int(i), float(variance)) for i, variance in known.get("doubted", {}).items()
            )
        except (AttributeError, KeyError, TypeError, ValueError):
            raise InvalidStudy(
                "hyperparameters", plain, "theta and output, with floats as hexadecimal text"
            ) from None
        if output.scale <= 0 or transformed:
            allowed = "an offset and a scale above 0; power transforms are no longer supported"
            raise InvalidStudy("hyperparameters.output", plain["output"], allowed)
        if any(i < 0 or not variance > 0 for i, variance in doubted):
            raise InvalidStudy(
                "hyperparameters.doubted",
                plain["doubted"],
                "variances above 0, by number of the outcome",
            )
        return cls(theta, output, draws, doubted)
