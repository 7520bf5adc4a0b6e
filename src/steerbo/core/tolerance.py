"""Tolerances: quality that may be given up for money."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from ..errors import InvalidProblem
from ..records import record


@record
class Fraction:
    """A set is acceptable if it reaches a fraction `1 − share` of the best, counted from the worst value there is.

    Args:
        share: the share of the value that may be given up, in [0, 1).
        worst: the worst value that the objective can take, in the user's units. The paper assumes
            0; None: the worst posterior mean at the data.

    >>> Fraction(0.1, worst=0).acceptable(best=5.0, worst=None, sign=1)
    4.5
    """

    share: float
    worst: float | None = None
    kind: Literal["fraction"] = "fraction"
    instead: ClassVar[Mapping[str, str]] = {"fraction": "It is called share: 10 % are share = 0.1."}

    @model_validator(mode="after")
    def _check(self) -> Fraction:
        if not 0 <= self.share < 1:
            raise InvalidProblem("share", self.share, "a number in [0, 1)")
        if self.worst is not None and not math.isfinite(self.worst):
            raise InvalidProblem("worst", self.worst, "a finite number")
        return self

    def __str__(self) -> str:
        of = (
            "way from the worst expected value"
            if self.worst is None
            else f"way from {self.worst:g}"
        )
        return f"what gives up at most {100 * self.share:g} % of the {of} to the best"

    def acceptable(self, best: float, worst: float, sign: float) -> float:
        """The least acceptable value; `best`, `worst` and the answer in units of `sign · value`."""
        worst = sign * self.worst if self.worst is not None else worst
        return worst + (1 - self.share) * (best - worst)


@record
class Absolute:
    """A set is acceptable if it comes within `difference` (in the objective's units) of the best."""

    difference: float
    kind: Literal["absolute"] = "absolute"

    @model_validator(mode="after")
    def _check(self) -> Absolute:
        if not 0 <= self.difference < math.inf:
            raise InvalidProblem("difference", self.difference, "a finite number not below 0")
        return self

    def acceptable(self, best: float, worst: float, sign: float) -> float:
        """The least acceptable value; `best`, `worst` and the answer in units of `sign · value`."""
        return best - self.difference

    def __str__(self) -> str:
        return f"within {self.difference:g} of the best"


@record
class Threshold:
    """A set is acceptable if it reaches `value` (in the objective's units)."""

    value: float
    kind: Literal["threshold"] = "threshold"

    @model_validator(mode="after")
    def _check(self) -> Threshold:
        if not math.isfinite(self.value):
            raise InvalidProblem("value", self.value, "a finite number")
        return self

    def acceptable(self, best: float, worst: float, sign: float) -> float:
        """The least acceptable value, which may be out of reach, above `best`: answers say so, choices take `best`."""
        return sign * self.value

    def __str__(self) -> str:
        return f"what reaches {self.value:g}"


UNSTATED = Fraction(0.05)
"""Tolerance of problems that state none, for choices and answers alike.

A dear play for less than a twentieth of the range buys no better answer: see
evidence/costvarying-registered.md.
"""

Tolerance = Annotated[Fraction | Absolute | Threshold, Field(discriminator="kind")]
