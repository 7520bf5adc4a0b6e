"""What a fit found, in a form that survives a log to the last bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

import numpy as np

from ..errors import InvalidStudy
from .transforms import Output


@dataclass(frozen=True)
class Hyperparameters:
    """Everything a `Regression` needs beside its data.

    Attributes:
        theta: parameters of kernel, mean, noise and warp, in this order, as `Prior.theta` has them.
        output: from the user's units to standardised ones; it stays until the next fit.

    >>> found = Hyperparameters((0.1, -2.0), Output(5.0, 3.0))
    >>> Hyperparameters.from_plain(found.to_plain()) == found
    True
    """

    theta: tuple[float, ...]
    output: Output = field(default_factory=Output)

    def to_plain(self) -> dict[str, Any]:
        """A JSON form with floats as hexadecimal text."""
        output = {name: value.hex() for name, value in asdict(self.output).items()}
        return {"theta": [value.hex() for value in self.theta], "output": output}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """The inverse of `to_plain`.

        Raises:
            InvalidStudy: it is not what `to_plain` gives.
        """
        try:
            theta = tuple(float.fromhex(text) for text in plain["theta"])
            output = Output(**{each.name: float.fromhex(plain["output"][each.name]) for each in fields(Output)})
        except (KeyError, TypeError, ValueError, OverflowError):
            raise InvalidStudy("hyperparameters", plain, "theta and output, with floats as hexadecimal text") from None
        if not (np.isfinite(theta).all() and np.isfinite(list(asdict(output).values())).all()):
            raise InvalidStudy("hyperparameters", plain, "finite numbers")
        if output.scale <= 0 or output.spread <= 0 or not 0 <= output.power <= 2:
            raise InvalidStudy("hyperparameters.output", plain["output"], "scale and spread above 0, power from 0 to 2")
        return cls(theta, output)
