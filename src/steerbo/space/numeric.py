"""Variables that are numbers. Bounds are what can be SET; the law, where there is one, is what nature does."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, ClassVar, Literal

import jaxtyping as jt
import numpy as np

from ..errors import InvalidOutcome, InvalidProblem, InvalidRequest
from ..record import record
from .atoms import Atoms
from .change import Change
from .distribution import Distribution
from .fields import Flag, Number, Positive, Text, Whole, as_number, as_whole, tag
from .laws import GivenLaw, Law, Uniform
from .variable import MOST_LEVELS, Numeric, finite

_SLACK = 1e-9  # how far off a bound, relative to the range, a setting may be through rounding
_OFF_STEP = 1e-5  # how far off a step, relative to it, a setting may be: what 15 digits leave open of the finest
_FINEST = 1e-9  # the finest step, relative to the largest value: multiples of a finer one drown in rounding


@record
class Float(Numeric):
    """A real variable that can be set from `low` to `high`, in steps from `low` on if `step` is given.

    Args:
        name: unique within a problem.
        low, high: the bounds of what can be set, in `unit`.
        law: what nature does where it is not set.
        scale: "linear", or "log" where ratios matter (then low > 0).
        step: distance between settable values, in user units.
        unit: for reading only.
        seen: whether it is known before each choice, as today's weather is: it is given to `ask`, and never set.
        change: what moving it from where it is costs, beside the price of holding it; for cost-varying problems.

    Raises:
        InvalidProblem: bounds, step or law are not allowed.

    >>> Float("ph", 4, 8, step=0.5).decode([0.0, 0.3, 1.0])
    [4.0, 5.0, 8.0]
    """

    name: Text
    low: Number
    high: Number
    law: GivenLaw | None = None
    scale: Literal["linear", "log"] = "linear"
    step: Positive | None = None
    unit: str = ""
    seen: Flag = field(default=None, kw_only=True)
    change: Change | None = field(default=None, kw_only=True)
    kind: Literal["float"] = tag("float")

    def __post_init__(self) -> None:
        """Check bounds, step and law."""
        self._check_bounds()
        if self.step is not None:
            finest, widest = _FINEST * max(abs(self.low), abs(self.high)), (self.high - self.low) * (1 + _SLACK)
            if not finest <= self.step <= widest:
                allowed = f"at most high - low, which is {self.high - self.low:g}, and at least {finest:.3g}"
                raise InvalidProblem(f"{self.name}.step", self.step, allowed)
        if self.law is not None:
            _ = self.distribution
        self._check_change()

    @cached_property
    def levels(self) -> jt.Float[np.ndarray, " k"] | None:
        """The encoded values that can be set, ascending; None where continuous or more than 100 000."""
        return None if self._grid is None else self._scaling.forward(self._grid)

    def decode(self, z: Sequence[float] | jt.Float[np.ndarray, " n"]) -> list[float]:
        """Encoded values (n,) to settable ones: clipped to the bounds and snapped to the step."""
        x = self._scaling.backward(finite(self.name, z))
        if self.step is not None:
            k = np.clip(np.rint((x - self.low) / self.step), 0, self._steps)
            x = np.minimum(self.low + k * self.step, self.high) if self._grid is None else self._grid[k.astype(int)]
        return x.tolist()

    def check_setting(self, value: Any) -> float:
        """`value` as a float if it can be set: within the bounds and on a step.

        Raises:
            InvalidRequest: it cannot be set.
        """
        number = as_number(value)
        if number is None:
            raise InvalidRequest(self.name, value, f"a number from {self.low:g} to {self.high:g}")
        slack = _SLACK * (self.high - self.low)
        if not self.low - slack <= number <= self.high + slack:
            raise InvalidRequest(self.name, value, f"from {self.low:g} to {self.high:g}")
        number = min(max(number, self.low), self.high)
        if self.step is None:
            return number
        k = (number - self.low) / self.step
        snapped = self.decode(self.encode([number]))[0]
        if abs(k - round(k)) > _OFF_STEP or round(k) > self._steps:
            raise InvalidRequest(
                self.name, value, f"a multiple of {self.step} above {self.low}", f"The nearest is {snapped}."
            )
        return snapped

    def check_measured(self, value: Any) -> float:
        """`value` as a float if it may have been measured: inside the bounds or not, above 0 on a log scale.

        Raises:
            InvalidOutcome: it cannot be a value of this variable, or lies further out than `FARTHEST`.
        """
        number = as_number(value)
        if number is None or (self.scale == "log" and number <= 0):
            raise InvalidOutcome(self.name, value, f"a finite number{self._above_zero}")
        self.encode([number])  # refuses what is too far out for any model
        return number

    @cached_property
    def _steps(self) -> int:
        return math.floor((self.high - self.low) / (self.step or math.inf) * (1 + _SLACK) + _SLACK)

    @cached_property
    def _grid(self) -> jt.Float[np.ndarray, " k"] | None:
        """What can be set, in user units, written as a person would: .3 and not .30000000000000004."""
        if self.step is None or self._steps >= MOST_LEVELS:
            return None
        short = [float(f"{x:.15g}") for x in self.low + self.step * np.arange(self._steps + 1)]
        return np.clip(short, self.low, self.high)

    def _place(self, law: Law) -> Distribution:
        placed = self._on_bounds(law)
        self._suits(law, placed)
        return placed


@record
class Integer(Numeric):
    """A variable that takes the whole values from `low` to `high`.

    Its law has whole atoms: `Uniform`, `Discrete`, `Empirical`, or a discrete distribution of scipy.stats. For the rest
    see `Float`.

    Raises:
        InvalidProblem: bounds or law are not allowed.

    >>> Integer("plants", 1, 12, law=Uniform()).distribution.mean
    6.5
    """

    name: Text
    low: Whole
    high: Whole
    law: GivenLaw | None = None
    scale: Literal["linear", "log"] = "linear"
    unit: str = ""
    seen: Flag = field(default=None, kw_only=True)
    change: Change | None = field(default=None, kw_only=True)
    kind: Literal["integer"] = tag("integer")
    instead: ClassVar[Mapping[str, str]] = {"step": "It takes all whole numbers; for others use a ‹Float› with a step."}

    def __post_init__(self) -> None:
        """Check bounds and law."""
        self._check_bounds()
        if self.law is not None:
            _ = self.distribution
        self._check_change()

    @cached_property
    def levels(self) -> jt.Float[np.ndarray, " k"] | None:
        """The encoded whole values, ascending; None for more than 100 000."""
        if self.high - self.low >= MOST_LEVELS:
            return None
        return self._scaling.forward(np.arange(self.low, self.high + 1, dtype=float))

    def decode(self, z: Sequence[float] | jt.Float[np.ndarray, " n"]) -> list[int]:
        """Encoded values (n,) to the nearest whole ones within the bounds."""
        return np.rint(self._scaling.backward(finite(self.name, z))).astype(np.int64).tolist()

    def check_setting(self, value: Any) -> int:
        """`value` as an int if it can be set.

        Raises:
            InvalidRequest: it cannot be set.
        """
        number = as_whole(value)
        if number is None:
            raise InvalidRequest(self.name, value, f"a whole number from {self.low} to {self.high}")
        if not self.low <= number <= self.high:
            raise InvalidRequest(self.name, value, f"from {self.low} to {self.high}")
        return number

    def check_measured(self, value: Any) -> int:
        """`value` as an int if it may have been measured: inside the bounds or not, above 0 on a log scale.

        Raises:
            InvalidOutcome: it cannot be a value of this variable.
        """
        number = as_whole(value)
        if number is None or (self.scale == "log" and number <= 0):
            raise InvalidOutcome(self.name, value, f"a whole number{self._above_zero}")
        return number

    def _place(self, law: Law) -> Distribution:
        placed = self._on_bounds(law)
        if isinstance(law, Uniform):
            first, last = math.ceil(placed.support[0]), math.floor(placed.support[1])
            if not 0 <= last - first < MOST_LEVELS:
                raise InvalidProblem(
                    f"{self.name}.law", law, f"from 1 to {MOST_LEVELS} whole values", "Use ‹Float› for more."
                )
            placed = Atoms.of(np.arange(first, last + 1), np.ones(last - first + 1))
        if placed.atoms is None or any(as_whole(value) is None for value in placed.atoms[0]):
            raise InvalidProblem(
                f"{self.name}.law", law, "a law with whole values only", "Use ‹Discrete› or ‹Empirical›."
            )
        self._suits(law, placed)
        return placed
