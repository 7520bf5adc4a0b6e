"""What the kinds of variables share: a law placed on their bounds, and for numbers an interval and its scale."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cached_property
from typing import Any, Self

import jaxtyping as jt
import numpy as np

from ..errors import InvalidInput, InvalidOutcome, InvalidProblem
from .change import Change
from .distribution import Distribution
from .fields import as_number, is_interval
from .laws import Law, Learned, share_outside
from .scaling import Scaling

MOST_LEVELS = 100_000
"""A variable with more settable values than these is searched as if it were continuous; `decode` still snaps."""
_LARGEST_SHARE = 0.01  # mass that a law may put outside the bounds

FAR = 0.5
"""Widths of its range that a measured value may lie outside before somebody is asked whether it is meant."""
_RARE = 1e-6  # probability of what a law does on either side of what is usual
FARTHEST = 1e100
"""Widths of its range that a measured value may lie outside: models square distances."""


class Lawful(ABC):
    """A variable that may have a law; a kind of variable says how to place it and how to encode its values."""

    name: str
    law: Law | None
    seen: bool | None
    """Whether it is known before each choice; None where it is not."""
    change: Change | None
    """What moving it from where it is costs; None where that costs nothing."""

    @cached_property
    def distribution(self) -> Distribution:
        """The law placed on the bounds, in user units; a Categorical's in codes 0..c−1. A learned one's as at first.

        Raises:
            InvalidProblem: the variable has no law, or the law does not suit it.
        """
        if self.law is None:
            raise InvalidProblem(
                f"{self.name}.law", None, "a law, such as ‹law›", "Nature cannot choose the variable without one."
            )
        return self._place(self.law.at_first if isinstance(self.law, Learned) else self.law)

    def encoded_ppf(self, u: jt.Float[np.ndarray, " ..."]) -> jt.Float[np.ndarray, " ..."]:
        """The encoded value at the law's quantile `u`, strictly between 0 and 1, any shape."""
        return self._code(self.distribution.ppf(u))

    @cached_property
    def encoded_atoms(self) -> tuple[jt.Float[np.ndarray, " k"], jt.Float[np.ndarray, " k"]] | None:
        """The law's atoms, encoded, and their weights; None for a continuous law."""
        atoms = self.distribution.atoms
        return None if atoms is None else (self._code(atoms[0]), atoms[1])

    def is_far(self, value: Any, beyond: float = FAR) -> bool:
        """Whether a measured value is hard to believe; never where values have no distance."""
        return False

    @property
    def range_text(self) -> str:
        """Which values there are, in words."""
        return "its choices"

    def _check_change(self) -> None:
        if self.change is not None and self.seen:
            hint = "It is seen before choosing, so nobody moves it: leave out one of the two."
            raise InvalidProblem(f"{self.name}.change", self.change, "nothing", hint)

    @abstractmethod
    def _place(self, law: Law) -> Distribution:
        """The law on the variable's bounds."""

    @abstractmethod
    def _code(self, x: jt.Float[np.ndarray, " ..."]) -> jt.Float[np.ndarray, " ..."]:
        """Encoded values."""


class Numeric(Lawful):
    """A variable on an interval: encoded onto [0, 1] by its scale."""

    low: float
    high: float
    scale: str

    def encode(self, values: Sequence[Any] | jt.Shaped[np.ndarray, " n"]) -> jt.Float[np.ndarray, " n"]:
        """Values (n,) to the unit interval; measured values outside the bounds go outside it.

        Raises:
            InvalidOutcome: not finite numbers, not above 0 on a log scale, or further out than `FARTHEST`.
        """
        if len(values) == 0:
            return np.empty(0)
        try:
            x = np.asarray(values)
        except ValueError:  # rows of different lengths
            x = np.array(None)
        if x.ndim != 1 or x.dtype.kind not in "iuf":
            raise InvalidOutcome(self.name, values, "a list of finite numbers")
        z = self._code(x.astype(float))
        for index in np.flatnonzero(~(np.abs(z) <= FARTHEST))[:1].tolist():
            allowed = f"a finite number{self._above_zero}, less far from [{self.low}, {self.high}]"
            raise InvalidOutcome(self.name, x[index].item(), allowed)
        return z

    def is_far(self, value: Any, beyond: float = FAR) -> bool:
        """Whether a measured value lies more than half the range's width (on the variable's scale) beyond its ends.

        The range is that of the bounds and of what the law, if there is one, does but once in a million times.

        Args:
            value: measured.
            beyond: another share of the width than half of it.
        """
        low, high = self._usual
        return not abs(float(self.encode([value])[0]) - (low + high) / 2) <= (0.5 + beyond) * (high - low)

    @property
    def range_text(self) -> str:
        """The bounds, with the unit."""
        return f"{self.low:g} to {self.high:g} {getattr(self, 'unit', '')}".rstrip()

    def widened(self, low: Any, high: Any) -> Self:
        """The same variable with wider bounds. A law that the bounds gave its ends keeps those.

        Raises:
            InvalidProblem: they are narrower, or steps from the new low would miss what could be set before.
        """
        for field, given, narrower in (("low", low, self.low), ("high", high, self.high)):
            number = as_number(given)
            if number is None or (number > narrower if field == "low" else number < narrower):
                allowed = f"a finite number {'not above' if field == 'low' else 'not below'} {narrower:g}"
                hint = "Bounds can be widened, not narrowed: rounds were played within the present ones."
                raise InvalidProblem(f"{self.name}.{field}", given, allowed, hint)
        step = getattr(self, "step", None)
        if step is not None and abs((steps := (self.low - low) / step) - round(steps)) > 1e-6:
            raise InvalidProblem(f"{self.name}.low", low, f"a whole number of steps of {step:g} below {self.low:g}")
        law: Any = self.law
        if law is not None and (low, high) != (self.low, self.high):
            law = replace(law, prior=self._bounded(law.at_first)) if isinstance(law, Learned) else self._bounded(law)
        return replace(self, low=low, high=high, law=law)  # type: ignore[type-var]

    def _bounded(self, law: Any) -> Any:
        """A law that has its ends from the bounds, with these ends as its own."""
        if not {"low", "high"} <= {field.name for field in fields(law)}:
            return law
        own = {"low": self.low if law.low is None else law.low, "high": self.high if law.high is None else law.high}
        return replace(law, **own)

    @cached_property
    def _usual(self) -> tuple[float, float]:
        """The range of values that nobody wonders at, encoded."""
        ends = [0.0, 1.0]
        if self.law is not None:
            ends += self.encoded_ppf(np.array([_RARE, 1 - _RARE])).tolist()
        return min(ends), max(ends)

    @cached_property
    def _scaling(self) -> Scaling:
        return Scaling(float(self.low), float(self.high), self.scale == "log")

    @property
    def _above_zero(self) -> str:
        return " above 0" if self.scale == "log" else ""

    def _code(self, x: jt.Float[np.ndarray, " ..."]) -> jt.Float[np.ndarray, " ..."]:
        return self._scaling.forward(x)

    def _check_bounds(self) -> None:
        if not self.low < self.high:
            raise InvalidProblem(f"{self.name}.low", self.low, f"less than high, which is {self.high}")
        if not is_interval(self.low, self.high):
            allowed = f"at most 1e100, and above low, which is {self.low}, by at least 1e-10 of their size"
            raise InvalidProblem(f"{self.name}.high", self.high, allowed, "Choose another unit, or shift the variable.")
        if self.scale == "log" and self.low <= 0:
            raise InvalidProblem(
                f"{self.name}.low", self.low, "above 0 on a log scale", "Use the linear scale, or raise low."
            )

    def _on_bounds(self, law: Law) -> Distribution:
        try:
            return law.on(self.low, self.high)
        except InvalidInput as error:
            raise error.within(f"{self.name}.law") from None

    def _suits(self, law: Law, placed: Distribution) -> None:
        outside = share_outside(placed, self.low, self.high)
        if not outside <= _LARGEST_SHARE:
            raise InvalidProblem(
                f"{self.name}.law",
                law,
                f"a law with at most 1 % of its mass outside [{self.low}, {self.high}] (here {100 * outside:.3g} %)",
                "Widen the bounds, or use a law that keeps within them, such as ‹TruncatedNormal›.",
            )
        first = placed.support[0]
        if self.scale == "log" and (first < 0 or (first == 0 and placed.atoms is not None)):
            raise InvalidProblem(
                f"{self.name}.law",
                law,
                "a law of values above 0 only, because the scale is log",
                "Use ‹LogNormal› or ‹TruncatedNormal›, or the linear scale.",
            )


def finite(name: str, z: Any) -> jt.Float[np.ndarray, " n"]:
    """Encoded values as a float array (n,).

    Raises:
        InvalidProblem: they are not finite numbers.
    """
    try:
        array = np.asarray(z, dtype=float)
    except (TypeError, ValueError):
        array = np.array(math.nan)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InvalidProblem(name, z, "encoded values: a list of finite numbers")
    return array
