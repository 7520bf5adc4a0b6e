"""The variables of a problem. Bounds are what can be SET; the law, where there is one, is what nature does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any, Literal

import jaxtyping as jt
import numpy as np
from pydantic import Discriminator

from ..errors import InvalidInput, InvalidOutcome, InvalidProblem, InvalidRequest, one_of
from ..record import record
from .atoms import Atoms, duplicate
from .distribution import Distribution
from .fields import Choices, Number, Positive, Text, Whole, as_choice, as_number, as_whole, tag
from .laws import Discrete, Empirical, GivenLaw, Law, Uniform, share_outside, table
from .scaling import Scaling

MOST_LEVELS = 100_000
"""A variable with more settable values than these is searched as if it were continuous; `decode` still snaps."""
_SLACK = 1e-9  # how far off a bound or a step, relative to the range or the step, a setting may be through rounding
_LARGEST_SHARE = 0.01  # mass a law may put outside the bounds


class _Lawful:
    """What the three kinds of variables share: a law, placed and checked once."""

    name: str
    law: Law | None

    @cached_property
    def distribution(self) -> Distribution:
        """The law placed on the bounds, in user units; a Categorical's in codes 0..c−1.

        Raises:
            InvalidProblem: the variable has no law, or the law does not suit it.
        """
        if self.law is None:
            raise InvalidProblem(
                f"{self.name}.law", None, "a law, such as Uniform()", "Nature cannot choose without one."
            )
        try:
            return self._place(self.law)
        except InvalidInput as error:
            raise error.within(f"{self.name}.law") from None

    def encoded_ppf(self, u: jt.Float[np.ndarray, " ..."]) -> jt.Float[np.ndarray, " ..."]:
        """The encoded value at the law's quantile `u`, strictly between 0 and 1, any shape."""
        return self._code(self.distribution.ppf(u))

    @property
    def encoded_atoms(self) -> tuple[jt.Float[np.ndarray, " k"], jt.Float[np.ndarray, " k"]] | None:
        """The law's atoms, encoded, with their weights; None for a continuous law."""
        atoms = self.distribution.atoms
        return None if atoms is None else (self._code(atoms[0]), atoms[1])

    def _place(self, law: Law) -> Distribution:
        raise NotImplementedError

    def _code(self, x: jt.Float[np.ndarray, " ..."]) -> jt.Float[np.ndarray, " ..."]:
        raise NotImplementedError


class _Numeric(_Lawful):
    """What Float and Integer share: bounds and a scale."""

    low: float
    high: float
    scale: str

    def encode(self, values: Sequence[Any] | jt.Shaped[np.ndarray, " n"]) -> jt.Float[np.ndarray, " n"]:
        """Values (n,) to the unit interval; measured values outside the bounds go outside it.

        Raises:
            InvalidOutcome: not finite numbers, or not above 0 on a log scale.
        """
        try:
            x = np.asarray(values)
        except ValueError:
            x = np.empty(0, object)
        if x.size == 0 and len(values) == 0:
            return np.empty(0)
        if x.ndim != 1 or x.dtype.kind not in "iuf":
            raise InvalidOutcome(self.name, values, "a list of finite numbers")
        z = self._code(x.astype(float))
        if not np.isfinite(z).all():
            for value in x.tolist():
                self.check_measured(value)
            raise InvalidOutcome(self.name, values, f"numbers less far from [{self.low:g}, {self.high:g}]")
        return z

    def check_measured(self, value: Any) -> float | int:
        """`value` as a Python number if it may have been measured: inside the bounds or not.

        Raises:
            InvalidOutcome: it cannot be a value of this variable.
        """
        raise NotImplementedError

    @cached_property
    def _scaling(self) -> Scaling:
        return Scaling(float(self.low), float(self.high), self.scale == "log")

    def _code(self, x: jt.Float[np.ndarray, " ..."]) -> jt.Float[np.ndarray, " ..."]:
        return self._scaling.forward(x)

    def _unit(self, z: Sequence[float] | jt.Float[np.ndarray, " n"]) -> jt.Float[np.ndarray, " n"]:
        return self._scaling.backward(_finite(self.name, z))

    def _check_bounds(self) -> None:
        if not self.low < self.high:
            raise InvalidProblem(f"{self.name}.low", self.low, f"less than high, which is {self.high}")
        if not math.isfinite(float(self.high) - float(self.low)):
            raise InvalidProblem(
                f"{self.name}.high", self.high, f"within a finite distance of low, which is {self.low}"
            )
        if self.scale == "log" and self.low <= 0:
            raise InvalidProblem(
                f"{self.name}.low", self.low, "above 0 on a log scale", "Use scale='linear' or raise low."
            )

    def _suits(self, law: Distribution) -> Distribution:
        outside = share_outside(law, self.low, self.high)
        if not outside <= _LARGEST_SHARE:
            raise InvalidProblem(
                "outside",
                f"{outside:.3g}",
                f"at most {_LARGEST_SHARE} of the law's mass outside [{self.low}, {self.high}]",
                "Widen the bounds, or use TruncatedNormal or another law that keeps within them.",
            )
        first = law.support[0]
        if self.scale == "log" and (first < 0 or (first == 0 and law.atoms is not None)):
            raise InvalidProblem(
                "support",
                law.support,
                "values above 0 only on a log scale",
                "Use LogNormal or TruncatedNormal, or scale='linear'.",
            )
        return law

    def _in_bounds(self, number: float, value: Any) -> float:
        slack = _SLACK * (self.high - self.low)
        if not self.low - slack <= number <= self.high + slack:
            raise InvalidRequest(self.name, value, f"from {self.low} to {self.high}")
        return min(max(number, self.low), self.high)


@record
class Float(_Numeric):
    """A real variable that can be set from `low` to `high`, in steps from `low` on if `step` is given.

    Args:
        name: unique within a problem.
        low, high: the bounds of what can be set, in `unit`.
        law: what nature does where it is not set.
        scale: "linear", or "log" where ratios matter (then low > 0).
        step: distance between settable values, in user units.
        unit: for reading only.

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
    kind: Literal["float"] = tag("float")

    def __post_init__(self) -> None:
        """Check bounds, step and law."""
        self._check_bounds()
        if self.step is not None and not self.step <= (self.high - self.low) * (1 + _SLACK):
            raise InvalidProblem(
                f"{self.name}.step", self.step, f"at most high - low, which is {self.high - self.low:g}"
            )
        if self.law is not None:
            _ = self.distribution

    @cached_property
    def levels(self) -> jt.Float[np.ndarray, " k"] | None:
        """The encoded values that can be set, ascending; None where continuous or more than 100 000."""
        return None if self._grid is None else self._scaling.forward(self._grid)

    def decode(self, z: Sequence[float] | jt.Float[np.ndarray, " n"]) -> list[float]:
        """Encoded values (n,) to settable ones: clipped to the bounds and snapped to the step."""
        x = self._unit(z)
        if self.step is not None:
            k = np.clip(np.rint((x - self.low) / self.step), 0, self._steps)
            x = np.minimum(self.low + k * self.step, self.high) if self._grid is None else self._grid[k.astype(int)]
        return x.tolist()  # type: ignore[no-any-return]

    def check_setting(self, value: Any) -> float:
        """`value` as a float if it can be set: within the bounds and on a step.

        Raises:
            InvalidRequest: it cannot be set.
        """
        number = as_number(value)
        if number is None:
            raise InvalidRequest(self.name, value, f"a number from {self.low:g} to {self.high:g}")
        number = self._in_bounds(number, value)
        if self.step is None:
            return number
        k = (number - self.low) / self.step
        snapped = self.decode(self.encode([number]))[0]
        if abs(k - round(k)) > 1e-6 or round(k) > self._steps:
            raise InvalidRequest(
                self.name, value, f"a multiple of {self.step:g} above {self.low:g}", f"The nearest is {snapped}."
            )
        return snapped

    def check_measured(self, value: Any) -> float:
        """`value` as a float if it may have been measured: inside the bounds or not, above 0 on a log scale.

        Raises:
            InvalidOutcome: it cannot be a value of this variable.
        """
        number = as_number(value)
        if number is None or (self.scale == "log" and number <= 0):
            raise InvalidOutcome(self.name, value, "a finite number" + (" above 0" if self.scale == "log" else ""))
        return number

    @cached_property
    def _steps(self) -> int:
        return math.floor((self.high - self.low) / (self.step or math.inf) * (1 + _SLACK) + _SLACK)

    @cached_property
    def _grid(self) -> jt.Float[np.ndarray, " k"] | None:
        """What can be set, in user units, written as a person would: .3 and not .30000000000000004."""
        if self.step is None or self._steps >= MOST_LEVELS:
            return None
        exact = np.minimum(self.low + self.step * np.arange(self._steps + 1), self.high)
        short = np.array([float(f"{x:.15g}") for x in exact])
        return np.where(np.abs(short - exact) <= 1e-6 * self.step, short, exact)

    def _place(self, law: Law) -> Distribution:
        return self._suits(law.on(self.low, self.high))


@record
class Integer(_Numeric):
    """A variable that takes the whole values from `low` to `high`.

    Its law has whole atoms: `Uniform`, `Discrete`, `Empirical`, or a discrete distribution of scipy.stats.

    Raises:
        InvalidProblem: bounds or law are not allowed.

    >>> Integer("plants", 1, 12, law=Discrete({1: 0.2, 2: 0.8})).distribution.mean
    1.8
    """

    name: Text
    low: Whole
    high: Whole
    law: GivenLaw | None = None
    scale: Literal["linear", "log"] = "linear"
    unit: str = ""
    kind: Literal["integer"] = tag("integer")

    def __post_init__(self) -> None:
        """Check bounds and law."""
        self._check_bounds()
        if self.law is not None:
            _ = self.distribution

    @cached_property
    def levels(self) -> jt.Float[np.ndarray, " k"] | None:
        """The encoded whole values, ascending; None for more than 100 000."""
        if self.high - self.low >= MOST_LEVELS:
            return None
        return self._scaling.forward(np.arange(self.low, self.high + 1, dtype=float))

    def decode(self, z: Sequence[float] | jt.Float[np.ndarray, " n"]) -> list[int]:
        """Encoded values (n,) to the nearest whole ones within the bounds."""
        return np.rint(self._unit(z)).astype(np.int64).tolist()  # type: ignore[no-any-return]

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
            raise InvalidOutcome(self.name, value, "a whole number" + (" above 0" if self.scale == "log" else ""))
        return number

    def _place(self, law: Law) -> Distribution:
        placed = law.on(self.low, self.high)
        if isinstance(law, Uniform):
            first, last = math.ceil(placed.support[0]), math.floor(placed.support[1])
            if not 0 <= last - first < MOST_LEVELS:
                raise InvalidProblem("uniform", law, f"from 1 to {MOST_LEVELS} whole values", "Use Float for more.")
            placed = Atoms.of(np.arange(first, last + 1), np.ones(last - first + 1))
        if placed.atoms is None:
            raise InvalidProblem(law.kind, law, "a law with whole values", "Use Uniform, Discrete or Empirical.")
        broken = [float(value) for value in placed.atoms[0] if as_whole(value) is None]
        if broken:
            raise InvalidProblem("values", broken[0], "whole values")
        return self._suits(placed)


@record
class Categorical(_Lawful):
    """A variable that takes one of at least two choices without order: texts, numbers, True, False.

    Its law is `Uniform()`, `Discrete` or `Empirical` over the choices. Encoded values are the choices' places 0..c−1.

    Raises:
        InvalidProblem: choices or law are not allowed.

    >>> Categorical("line", ["a", "b", "c"]).encode(["c", "a"])
    array([2., 0.])
    """

    name: Text
    choices: Choices
    law: GivenLaw | None = None
    unit: str = ""
    kind: Literal["categorical"] = tag("categorical")

    def __post_init__(self) -> None:
        """Check choices and law."""
        if len(self.choices) < 2:
            raise InvalidProblem(f"{self.name}.choices", self.choices, "at least two choices")
        twice = duplicate(self.choices)
        if twice is not None:
            raise InvalidProblem(f"{self.name}.choices", twice, "every choice once (1, 1.0 and True are the same)")
        if self.law is not None:
            _ = self.distribution

    @property
    def levels(self) -> jt.Float[np.ndarray, " c"]:
        """The codes 0..c−1."""
        return np.arange(len(self.choices), dtype=float)

    def encode(self, values: Sequence[Any] | jt.Shaped[np.ndarray, " n"]) -> jt.Float[np.ndarray, " n"]:
        """Choices (n,) to their codes.

        Raises:
            InvalidOutcome: one of them is unknown.
        """
        try:
            return np.array([self._codes[value] for value in values], dtype=float)
        except (KeyError, TypeError):
            return np.array([self._codes[self.check_measured(value)] for value in values], dtype=float)

    def decode(self, z: Sequence[float] | jt.Float[np.ndarray, " n"]) -> list[bool | int | float | str]:
        """Codes (n,), rounded and clipped, to choices."""
        codes = np.clip(np.rint(_finite(self.name, z)), 0, len(self.choices) - 1).astype(int)
        return [self.choices[code] for code in codes.tolist()]

    def check_setting(self, value: Any) -> bool | int | float | str:
        """The choice equal to `value`.

        Raises:
            InvalidRequest: there is none.
        """
        return self._known(value, InvalidRequest)

    def check_measured(self, value: Any) -> bool | int | float | str:
        """The choice equal to `value`.

        Raises:
            InvalidOutcome: there is none.
        """
        return self._known(value, InvalidOutcome)

    @cached_property
    def _codes(self) -> dict[bool | int | float | str, int]:
        return {choice: code for code, choice in enumerate(self.choices)}

    def _known(self, value: Any, error: type[InvalidInput]) -> bool | int | float | str:
        choice = as_choice(value)
        code = None if choice is None else self._codes.get(choice)
        if code is None or isinstance(self.choices[code], bool) != isinstance(choice, bool):
            allowed = one_of([str(choice) for choice in self.choices], value)
            raise error(self.name, value, allowed, "Mind the type." if str(value) in map(str, self.choices) else "")
        return self.choices[code]

    def _place(self, law: Law) -> Distribution:
        if isinstance(law, Uniform) and law.low is None and law.high is None:
            return Atoms.of(self.levels, np.ones(len(self.choices)))
        if not isinstance(law, Discrete | Empirical):
            raise InvalidProblem(law.kind, law, "Uniform() without bounds, Discrete or Empirical")
        values, weights = table(law)
        try:
            return Atoms.of([self._codes[self.check_measured(value)] for value in values], weights)
        except InvalidOutcome as error:
            raise InvalidProblem("values", error.value, error.allowed) from None

    def _code(self, x: jt.Float[np.ndarray, " ..."]) -> jt.Float[np.ndarray, " ..."]:
        return x


Variable = Annotated[Float | Integer | Categorical, Discriminator("kind")]
"""Any variable; in a file its `kind` tells which."""


def _finite(name: str, z: Any) -> jt.Float[np.ndarray, " n"]:
    """Encoded values as a float array (n,).

    Raises:
        InvalidProblem: they are not finite numbers.
    """
    try:
        array = np.asarray(z, dtype=float)
    except (TypeError, ValueError):
        array = np.array([math.nan])
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InvalidProblem(name, z, "encoded values: a list of finite numbers")
    return array
