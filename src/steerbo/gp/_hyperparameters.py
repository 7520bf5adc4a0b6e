"""Hyperparameters in a form that survives a log to the last bit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from ..errors import InvalidStudy
from ._parameters import WHOLE
from ._standardisation import Standardisation


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
        theta: parameters of kernel, mean, noise and the noise's slopes, as `GPPrior.theta` has them.
        output: from the user's units to standardised ones; it stays until the next fit.
        draws: of theta from its posterior; none: outcomes are too many, or too few, for them to differ.
        doubted: outcomes that are probably wrong, by their numbers, and the noise variance that each has beside the
            common one, standardised.

    >>> found = Hyperparameters((0.1, -2.0), Standardisation(5.0, 3.0))
    >>> Hyperparameters.from_dict(found.to_dict()) == found
    True
    """

    theta: tuple[float, ...]
    output: Standardisation = field(default_factory=Standardisation)
    draws: tuple[tuple[float, ...], ...] = ()
    doubted: tuple[tuple[int, float], ...] = ()

    def check(self, names: Sequence[str]) -> Self:
        """Check that they fit these parameters, and complete those of older logs.

        Before there were weights all weights were 1; before noise had slopes it was the same everywhere.

        Raises:
            InvalidStudy: they belong to another kernel.
        """
        weights = [name.rpartition(".")[2].startswith("weight[") for name in names]
        level = (0.0,) * sum(name.startswith("noise_slope[") for name in names)
        theta, draws = self.theta, self.draws
        if level and len(theta) in {len(names) - len(level), len(names) - len(level) - sum(weights)}:
            theta, draws = (*theta, *level), tuple((*each, *level) for each in draws)
        if any(weights) and len(theta) == len(names) - sum(weights) and not self.draws:
            rest = iter(theta)
            theta = tuple(WHOLE if weight else next(rest) for weight in weights)
        for each in (theta, *draws):
            if len(each) != len(names) or max(map(abs, each), default=0.0) > 100:
                allowed = f"{len(names)} numbers from -100 to 100 ({', '.join(names)})"
                raise InvalidStudy("hyperparameters.theta", each, allowed)
        return replace(self, theta=theta, draws=draws)

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
            output = Standardisation(float(known["output"]["offset"]), float(known["output"]["scale"]))
            transformed = any(known["output"].get(name, none) != none for name, none in _NO_TRANSFORM.items())
            draws = tuple(tuple(map(float, each)) for each in known.get("draws", ()))
            doubted = tuple((int(i), float(variance)) for i, variance in known.get("doubted", {}).items())
        except (AttributeError, KeyError, TypeError, ValueError):
            raise InvalidStudy("hyperparameters", plain, "theta and output, with floats as hexadecimal text") from None
        if output.scale <= 0 or transformed:
            allowed = "an offset, a scale above 0, and no power transform: there is none any more"
            raise InvalidStudy("hyperparameters.output", plain["output"], allowed)
        if any(i < 0 or not variance > 0 for i, variance in doubted):
            raise InvalidStudy(
                "hyperparameters.doubted", plain["doubted"], "variances above 0, by number of the outcome"
            )
        return cls(theta, output, draws, doubted)
