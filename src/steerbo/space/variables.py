"""Variables: `Float`, `Integer` and `Categorical`, their encoding to [0, 1], and the cost of changing them.

The bounds of a number say which values can be SET; its law, where it has one, says which values
nature draws. A number is encoded to the unit interval on a linear or logarithmic scale, a category
by its place among the choices.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BeforeValidator, Discriminator

from .. import _arrays
from .._evidence import DEVIATIONS
from .._text import normalised
from .._wording import number_text
from ..errors import InvalidInput, InvalidOutcome, InvalidProblem, InvalidRequest, one_of
from ..records import record
from ._placed import Atoms, Distribution, TruncatedNormalDistribution, duplicate
from .distributions import (
    Discrete,
    Empirical,
    GivenLaw,
    Law,
    Learned,
    TruncatedNormal,
    Uniform,
    share_outside,
    table,
)
from .fields import (
    Choices,
    Flag,
    ListField,
    Number,
    Positive,
    Text,
    Whole,
    as_choice,
    as_number,
    as_whole,
    is_interval,
    single,
    tag,
    tagged,
)

__all__ = ["Categorical", "Float", "Integer", "Variable", "Variables"]


@record
class SwitchingCost:
    """Switching cost of a hard-to-change variable: `fixed + per_unit · |new − old|`; an unchanged one is free.

    Args:
        fixed: cost of any change, in units of the budget; not below 0.
        per_unit: cost per unit of the difference, in the variable's unit, also on a log scale; not
            below 0.

    Raises:
        InvalidProblem: a price is below 0, or both are 0.

    >>> SwitchingCost(fixed=5, per_unit=0.1).price(180.0, 200.0), SwitchingCost(fixed=5).price(180.0, 180.0)
    (7.0, 0.0)
    """

    fixed: Number = 0.0
    per_unit: Number = 0.0

    def __post_init__(self) -> None:
        """Check the prices."""
        for name, price in (("fixed", self.fixed), ("per_unit", self.per_unit)):
            if price < 0:
                raise InvalidProblem(name, price, "a finite number not below 0")
        if not (self.fixed or self.per_unit):
            hint = "A change that costs nothing needs no ‹change›."
            raise InvalidProblem("fixed", self.fixed, "above 0, or per_unit above 0", hint)

    def price(self, before: Any, after: Any) -> float:
        """Cost of moving from `before` (None: unknown) to `after`, both in user units.

        From an unknown position only the fixed cost is counted.
        """
        if before is not None and before == after:
            return 0.0
        return self.fixed + (
            self.per_unit * abs(after - before) if self.per_unit and before is not None else 0.0
        )

    def __str__(self) -> str:
        parts = [f"{self.fixed:g} a change"] * (self.fixed > 0) + [f"{self.per_unit:g} a unit"] * (
            self.per_unit > 0
        )
        return " and ".join(parts)


@dataclass(frozen=True)
class Scaling:
    """Map of [low, high] onto [0, 1]; values outside go outside, on a log scale as long as they are positive."""

    low: float
    high: float
    log: bool

    def forward(self, x: _arrays.Float[np.ndarray, " ..."]) -> _arrays.Float[np.ndarray, " ..."]:
        """Map values to the unit interval.

        >>> Scaling(1, 100, log=True).forward(np.array([1.0, 10.0, 1000.0]))
        array([0. , 0.5, 1.5])
        """
        with np.errstate(over="ignore"):
            return np.asarray(
                self._log_ratio(x) / self._logs
                if self.log
                else (x - self.low) / (self.high - self.low)
            )

    def backward(self, z: _arrays.Float[np.ndarray, " ..."]) -> _arrays.Float[np.ndarray, " ..."]:
        """Map codes to user units, clipped to the bounds.

        >>> Scaling(1, 100, log=True).backward(np.array([0.0, 0.5, 1.5]))
        array([  1.,  10., 100.])
        """
        z = np.clip(z, 0.0, 1.0)
        if not self.log:
            inside = self.low + z * (self.high - self.low)
        elif self._logs < 1:  # the more precise form where the bounds are close
            inside = self.low + self.low * np.expm1(z * self._logs)
        else:
            inside = np.exp(math.log(self.low) + z * self._logs)
        return np.where(
            z == 1, self.high, np.where(z == 0, self.low, np.clip(inside, self.low, self.high))
        )

    def beyond(self, z: _arrays.Float[np.ndarray, " ..."]) -> _arrays.Float[np.ndarray, " ..."]:
        """Map codes to user units, whether they are inside of the bounds or not."""
        if self.log:
            return np.asarray(self.low * np.exp(z * self._logs))
        return np.asarray(self.low + z * (self.high - self.low))

    @cached_property
    def _logs(self) -> float:
        return float(self._log_ratio(self.high))

    def _log_ratio(self, x: ArrayLike) -> _arrays.Float[np.ndarray, " ..."]:
        """log(x / low), without loss of digits near low and without overflow far from it."""
        x = np.asarray(x, dtype=float)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            away = (x - self.low) / self.low
            return np.where(
                np.abs(away) < 0.5,
                np.log1p(np.clip(away, -0.5, 0.5)),
                np.log(x) - math.log(self.low),
            )


MOST_LEVELS = 100_000
"""A variable with more settable values than these is searched as if it were continuous; `decode` still snaps."""
_LARGEST_SHARE = 0.01  # mass that a law may put outside the bounds
_SMALLEST_SHARE = 1e-4  # mass inside the bounds, below which bounds and law are hardly in one unit
_DIFFERS = 0.1  # share of the stated standard deviation

_PARTS = 1000  # of a variable's range that are told apart where a value is written
FINEST_DIGITS = 20
"""Digits beyond a thousandth of the range to which a value is written, at most."""

NEAR = 0.1
"""Share of its range within which a value counts as near another one."""
WIDTHS = DEVIATIONS * NEAR
"""Widths of its range by which a measured value may lie outside, or away from its setting, before it is questioned:
as far as an outcome that is questioned, where a setting is kept to within `NEAR`."""
_RARE = 1e-6  # probability that a law leaves on either side of its usual range
FARTHEST = 1e100
"""Widths of its range that a measured value may lie outside: models square distances."""


class BaseVariable(ABC):
    """A variable that may have a law; a kind of variable says how to place it and how to encode its values."""

    name: str
    law: Law | None
    seen: bool | None
    """Whether it is known before each choice; None where it is not."""
    change: SwitchingCost | None
    """Switching cost of moving it; None where that costs nothing."""

    @cached_property
    def distribution(self) -> Distribution:
        """Law placed on the bounds, in user units; of a Categorical in codes 0..c−1; of a learned law its prior.

        Raises:
            InvalidProblem: the variable has no law, or the law does not suit it.
        """
        if self.law is None:
            raise InvalidProblem(
                f"{self.name}.law",
                None,
                "a law, such as ‹law›",
                "Nature cannot choose the variable without one.",
            )
        return self._place(self.law.at_first if isinstance(self.law, Learned) else self.law)

    def encoded_ppf(
        self, u: _arrays.Float[np.ndarray, " ..."]
    ) -> _arrays.Float[np.ndarray, " ..."]:
        """The encoded value at the law's quantile `u`, strictly between 0 and 1, any shape."""
        return self._code(self.distribution.ppf(u))

    @cached_property
    def encoded_atoms(
        self,
    ) -> tuple[_arrays.Float[np.ndarray, " k"], _arrays.Float[np.ndarray, " k"]] | None:
        """The law's atoms, encoded, and their weights; None for a continuous law."""
        atoms = self.distribution.atoms
        return None if atoms is None else (self._code(atoms[0]), atoms[1])

    def is_far(self, value: Any, beyond: float = WIDTHS) -> bool:
        """Whether a measured value is implausible; never where values have no distance."""
        return False

    def apart(self, one: Any, other: Any) -> float:
        """Distance of two values as a share of the range; 0 where values have no distance."""
        return 0.0

    def text(self, value: Any, finer: int = 0) -> str:
        """Write a value as people read and set it, without its unit; see `NumericVariable.text` for `finer`."""
        return number_text(value) if isinstance(value, float) else str(value)

    @property
    @abstractmethod
    def range_text(self) -> str:
        """Range of values, in words."""

    def _check_change(self) -> None:
        if self.change is not None and self.seen:
            hint = "It is seen before choosing, so it is never moved: leave out one of the two."
            raise InvalidProblem(f"{self.name}.change", self.change, "nothing", hint)

    @abstractmethod
    def _place(self, law: Law) -> Distribution:
        """The law on the variable's bounds."""

    @abstractmethod
    def _code(self, x: _arrays.Float[np.ndarray, " ..."]) -> _arrays.Float[np.ndarray, " ..."]:
        """Encoded values."""


class NumericVariable(BaseVariable):
    """A variable on an interval: encoded onto [0, 1] by its scale."""

    instead: ClassVar[Mapping[str, str]] = {
        "log": 'A logarithmic scale is written scale = "log".',
        "min": "It is called low.",
        "max": "It is called high.",
        "bounds": "They are low = … and high = ….",
    }
    low: float
    high: float
    scale: str

    def encode(
        self, values: Sequence[Any] | _arrays.Shaped[np.ndarray, " n"]
    ) -> _arrays.Float[np.ndarray, " n"]:
        """Encode values (n,) to the unit interval; measured values outside the bounds go outside it.

        Raises:
            InvalidOutcome: not finite numbers, not above 0 on a log scale, or further out than
                `FARTHEST`.
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
        inside = np.abs(z) <= FARTHEST
        if not inside.all():
            allowed = f"a finite number{self._above_zero}, less far from [{self.low}, {self.high}]"
            raise InvalidOutcome(self.name, x[inside.argmin()].item(), allowed)
        return z

    def is_far(self, value: Any, beyond: float = WIDTHS) -> bool:
        """Whether a measured value lies more than half the range's width (on the variable's scale) beyond its ends.

        The range covers the bounds, and the law's values but for one in a million. Where all of it
        is above 0, a value is also far that is a tenth of it: another unit, or a comma in another
        place.

        Args:
            value: measured.
            beyond: another share of the width than half of it.
        """
        low, high = self._usual
        if not abs(float(self.encode([value])[0]) - (low + high) / 2) <= (0.5 + beyond) * (
            high - low
        ):
            return True
        least = float(self._scaling.backward(np.array([min(low, 0.0)]))[0])
        return least > 0.0 and value < least / 10.0

    def apart(self, one: Any, other: Any) -> float:
        """See `BaseVariable.apart`."""
        return abs(float(self.encode([one])[0]) - float(self.encode([other])[0]))

    def text(self, value: Any, finer: int = 0) -> str:
        """Write a number to a thousandth of the range, never outside the bounds that it keeps.

        Args:
            value: the number.
            finer: digits beyond a thousandth; `FINEST_DIGITS` of them are all.

        >>> Float("wavelength", 1550.10, 1550.12).text(1550.106712345)
        '1550.10671'
        >>> Float("flow", 0, 5000).text(1.2345), Float("flow", 0, 5000).text(1.2345, finer=2)
        ('1', '1.23')
        """
        x = float(value)
        inside, resolution = self.low <= x <= self.high, self._resolution(x)
        for more in range(finer, FINEST_DIGITS):
            text = number_text(x, resolution / 10.0**more)
            if not inside or self.low <= float(text) <= self.high:
                return text
        return repr(x)

    def _resolution(self, x: float) -> float:
        """Difference that matters at a value: a thousandth of the range, of a log scale a share of the value."""
        if self.scale == "log":
            return abs(x) * (math.log(self.high / self.low) / _PARTS)
        return (self.high - self.low) / _PARTS

    @property
    def range_text(self) -> str:
        """The bounds, with the unit."""
        low, high = number_text(self.low), number_text(self.high)
        return f"{low} to {high} {getattr(self, 'unit', '')}".rstrip()

    def widened(self, low: Any, high: Any) -> Self:
        """Copy the variable with wider bounds. A law that the bounds gave its ends keeps those.

        Raises:
            InvalidProblem: they are narrower, or steps from the new low would miss settings that
                were possible before.
        """
        for end, given, narrower in (("low", low, self.low), ("high", high, self.high)):
            number = as_number(given)
            if number is None or (number > narrower if end == "low" else number < narrower):
                allowed = f"a finite number {'not above' if end == 'low' else 'not below'} {number_text(narrower)}"
                hint = (
                    f"Bounds can be widened, not narrowed: rounds were made within {self.range_text}. For narrower "
                    "ones begin a new study, and add what was measured as data."
                )
                raise InvalidProblem(f"{self.name}.{end}", given, allowed, hint)
        step = getattr(self, "step", None)
        if step is not None and abs((steps := (self.low - low) / step) - round(steps)) > 1e-6:
            allowed = (
                f"a whole number of steps of {number_text(step)} below {number_text(self.low)}"
            )
            raise InvalidProblem(f"{self.name}.low", low, allowed)
        law: Any = self.law
        if law is not None and (low, high) != (self.low, self.high):
            law = (
                replace(law, prior=self._bounded(law.at_first))
                if isinstance(law, Learned)
                else self._bounded(law)
            )
        return replace(self, low=low, high=high, law=law)  # type: ignore[type-var]

    def _bounded(self, law: Any) -> Any:
        """Give a law that has its ends from the bounds these ends as its own."""
        if not {"low", "high"} <= {field.name for field in fields(law)}:
            return law
        own = {
            "low": self.low if law.low is None else law.low,
            "high": self.high if law.high is None else law.high,
        }
        return replace(law, **own)

    @cached_property
    def _usual(self) -> tuple[float, float]:
        """Range of plausible values, encoded."""
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

    @property
    def _in_its_unit(self) -> str:
        unit = getattr(self, "unit", "")
        return f" in {unit}" if unit else ""

    def _code(self, x: _arrays.Float[np.ndarray, " ..."]) -> _arrays.Float[np.ndarray, " ..."]:
        return self._scaling.forward(x)

    def measured_at(self, z: _arrays.Float[np.ndarray, " n"]) -> list[float]:
        """Values of codes (n,), also beyond the bounds, where `decode` ends.

        >>> Float("heat", 20, 60).measured_at(np.array([0.5, 1.25]))
        [40.0, 70.0]
        """
        return self._scaling.beyond(z).tolist()

    def _check_bounds(self) -> None:
        if not self.low < self.high:
            raise InvalidProblem(
                f"{self.name}.low", self.low, f"less than high, which is {self.high}"
            )
        if not is_interval(self.low, self.high):
            allowed = f"at most 1e100, and above low, which is {self.low}, by at least 1e-10 of their size"
            raise InvalidProblem(
                f"{self.name}.high",
                self.high,
                allowed,
                "Choose another unit, or shift the variable.",
            )
        if self.scale == "log" and self.low < 1e-100:  # ratios of its values are floats, too
            raise InvalidProblem(
                f"{self.name}.low",
                self.low,
                "above 0 on a log scale, by at least 1e-100",
                "Use the linear scale, or raise low.",
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
                _in_one_unit(self, float(placed.ppf(0.5)))
                if outside > 1.0 - _SMALLEST_SHARE
                else "Widen the bounds, or use a law that keeps within them, such as ‹TruncatedNormal›.",
            )
        first = placed.support[0]
        if self.scale == "log" and (first < 0 or (first == 0 and placed.atoms is not None)):
            raise InvalidProblem(
                f"{self.name}.law",
                law,
                "a law of values above 0 only, because the scale is log",
                "Use ‹LogNormal› or ‹TruncatedNormal›, or the linear scale.",
            )


def _in_one_unit(variable: Any, about: float) -> str:
    """Question on a law that has next to nothing within the bounds of its variable."""
    unit = f"in {variable.unit}" if variable.unit else "in the same unit"
    bounds = f"the bounds are {number_text(variable.low)} to {number_text(variable.high)}"
    return f"The law is about {variable.text(about)}, {bounds}: are both {unit}? Widen the bounds if they are."


def _truncated(variable: Variable) -> tuple[TruncatedNormal, Distribution] | None:
    """A normal law that is truncated, whose moments are stated as they were before, and the law itself."""
    law = variable.law.at_first if isinstance(variable.law, Learned) else variable.law
    if not isinstance(law, TruncatedNormal) or law.moments != "parent":
        return None
    return law, variable.distribution


def refuse_far_law(variable: Variable) -> None:
    """Refuse a law with next to nothing within its bounds before it is truncated: it is hardly meant.

    Studies that were begun with such a law are read as they are.

    Raises:
        InvalidProblem: less than one in ten thousand of it is within, and its mean is not.

    >>> from .distributions import TruncatedNormal
    >>> refuse_far_law(Float("t", 283, 308, unit="K", law=TruncatedNormal(295, 3)))
    """
    if (found := _truncated(variable)) is None:
        return
    law, placed = found
    if placed.support[0] <= law.mean <= placed.support[1]:
        return
    mass = placed.parent_mass if isinstance(placed, TruncatedNormalDistribution) else 1.0
    if mass < _SMALLEST_SHARE:
        allowed = f"a law with at least 0.01 % of its mass within the bounds before it is truncated (here {mass:.2g})"
        raise InvalidProblem(f"{variable.name}.law", law, allowed, _in_one_unit(variable, law.mean))


def truncation_said(variable: Variable) -> str:
    """Mean and spread of a truncated law where they differ from the stated ones by a tenth of the spread; else empty.

    >>> from .distributions import TruncatedNormal
    >>> truncation_said(Float("x", 0, 1, law=TruncatedNormal(0, 0.1)))
    'within the bounds its mean is 0.07979 and its standard deviation 0.06028'
    """
    if (found := _truncated(variable)) is None:
        return ""
    law, placed = found
    if max(abs(placed.mean - law.mean), abs(placed.sd - law.sd)) <= _DIFFERS * law.sd:
        return ""
    return f"within the bounds its mean is {placed.mean:.4g} and its standard deviation {placed.sd:.4g}"


def finite(name: str, z: Any) -> _arrays.Float[np.ndarray, " n"]:
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


@record
class Categorical(BaseVariable):
    """A variable that takes one of at least two choices without order: texts, numbers, True, False.

    Its law is `Uniform()`, `Discrete` or `Empirical` over the choices. Encoded values are the
    choices' places 0..c−1. Where it is `seen`, it is known before each choice, and given to `ask`.
    A `change` has no distance, only `fixed`.

    Raises:
        InvalidProblem: choices or law are not allowed.

    >>> Categorical("line", ["a", "b", "c"]).encode(["c", "a"])
    array([2., 0.])
    """

    name: Text
    choices: Choices
    law: GivenLaw | None = None
    unit: str = ""
    seen: Flag = field(default=None, kw_only=True)
    change: SwitchingCost | None = field(default=None, kw_only=True)
    kind: Literal["categorical"] = tag("categorical")

    def __post_init__(self) -> None:
        """Check choices and law."""
        if len(self.choices) < 2:
            raise InvalidProblem(f"{self.name}.choices", self.choices, "at least two choices")
        if len(self.choices) > MOST_LEVELS:
            raise InvalidProblem(
                f"{self.name}.choices", len(self.choices), f"at most {MOST_LEVELS} choices"
            )
        read = [normalised(each) if isinstance(each, str) else each for each in self.choices]
        if "" in read:
            hint = "An empty cell or field says nothing: call the choice 'none', say."
            raise InvalidProblem(f"{self.name}.choices", "", "texts that are not empty", hint)
        if (twice := duplicate(read)) is not None:
            raise InvalidProblem(
                f"{self.name}.choices", twice, "every choice once (1, 1.0 and true are the same)"
            )
        if self.law is not None:
            _ = self.distribution
        self._check_change()
        if self.change is not None and self.change.per_unit:
            hint = "Choices have no distance: say ‹fixed›."
            raise InvalidProblem(f"{self.name}.change.per_unit", self.change.per_unit, "0", hint)

    @property
    def range_text(self) -> str:
        """The choices, in words."""
        return f"one of {', '.join(map(str, self.choices))}"

    @property
    def levels(self) -> _arrays.Float[np.ndarray, " c"]:
        """The codes 0..c−1."""
        return np.arange(len(self.choices), dtype=float)

    def encode(
        self, values: Sequence[Any] | _arrays.Shaped[np.ndarray, " n"]
    ) -> _arrays.Float[np.ndarray, " n"]:
        """Encode choices (n,).

        Raises:
            InvalidOutcome: one of them is unknown.
        """
        try:
            return np.array([self._codes[value] for value in values], dtype=float)
        except (KeyError, TypeError):
            return np.array(
                [self._codes[self.check_measured(value)] for value in values], dtype=float
            )

    def decode(
        self, z: Sequence[float] | _arrays.Float[np.ndarray, " n"]
    ) -> list[bool | int | float | str]:
        """Decode codes (n,), rounded and clipped, to choices."""
        codes = np.clip(np.rint(finite(self.name, z)), 0, len(self.choices) - 1).astype(int)
        return [self.choices[code] for code in codes.tolist()]

    def measured_at(self, z: _arrays.Float[np.ndarray, " n"]) -> list[bool | int | float | str]:
        """Choices of codes (n,): there are none beyond."""
        return self.decode(z)

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

    @cached_property
    def _forms(self) -> dict[str, int]:
        return {
            normalised(choice): code
            for code, choice in enumerate(self.choices)
            if isinstance(choice, str)
        }

    def _known(self, value: Any, error: type[InvalidInput]) -> bool | int | float | str:
        choice = as_choice(value)
        code = None if choice is None else self._codes.get(choice)
        # written otherwise, as macOS writes letters in two parts
        if code is None and isinstance(choice, str):
            code = self._forms.get(normalised(choice))
        if code is None or isinstance(self.choices[code], bool) != isinstance(choice, bool):
            allowed = one_of([str(choice) for choice in self.choices], value)
            raise error(
                self.name,
                value,
                allowed,
                "Mind the type." if str(value) in map(str, self.choices) else "",
            )
        return self.choices[code]

    def _place(self, law: Law) -> Distribution:
        if isinstance(law, Uniform) and law.low is None and law.high is None:
            return Atoms.of(self.levels, np.ones(len(self.choices)))
        if not isinstance(law, Discrete | Empirical):
            raise InvalidProblem(
                f"{self.name}.law",
                law,
                "‹Uniform› without bounds, ‹Discrete› or ‹Empirical› over the choices",
            )
        values, weights = table(law)
        try:
            return Atoms.of([self._codes[self.check_measured(value)] for value in values], weights)
        except InvalidOutcome as error:
            raise error.moved(f"{self.name}.law", InvalidProblem) from None

    def _code(self, x: _arrays.Float[np.ndarray, " ..."]) -> _arrays.Float[np.ndarray, " ..."]:
        return x


_SLACK = 1e-9  # how far off a bound, relative to the range, a setting may be through rounding
# how far off a step, relative to it, a setting may be: the doubt that 15 digits leave of the finest
_OFF_STEP = 1e-5
# the finest step, relative to the largest value: multiples of a finer one drown in rounding
_FINEST = 1e-9


@record
class Float(NumericVariable):
    """A real variable that can be set from `low` to `high`, in steps from `low` on if `step` is given.

    Args:
        name: unique within a problem.
        low, high: the bounds of settings, in `unit`.
        law: law of the values that nature draws where it is not set.
        scale: "linear", or "log" where ratios matter (then low > 0).
        step: distance between settable values, in user units.
        unit: for reading only.
        seen: whether it is known before each choice, as today's weather is: it is given to `ask`,
            and never set.
        change: switching cost, on top of the price of controlling it; for cost-varying problems.

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
    change: SwitchingCost | None = field(default=None, kw_only=True)
    kind: Literal["float"] = tag("float")

    def __post_init__(self) -> None:
        """Check bounds, step and law."""
        self._check_bounds()
        if self.step is not None:
            finest = _FINEST * max(abs(self.low), abs(self.high))
            widest = (self.high - self.low) * (1 + _SLACK)
            if not finest <= self.step <= widest:
                allowed = f"at most high - low, which is {self.high - self.low:g}, and at least {finest:.3g}"
                raise InvalidProblem(f"{self.name}.step", self.step, allowed)
        if self.law is not None:
            _ = self.distribution
        self._check_change()

    @cached_property
    def levels(self) -> _arrays.Float[np.ndarray, " k"] | None:
        """The encoded values that can be set, ascending; None where continuous or more than 100 000."""
        return None if self._grid is None else self._scaling.forward(self._grid)

    def decode(self, z: Sequence[float] | _arrays.Float[np.ndarray, " n"]) -> list[float]:
        """Decode to settable values (n,): clipped to the bounds and snapped to the step."""
        x = self._scaling.backward(finite(self.name, z))
        if self.step is not None:
            k = np.clip(np.rint((x - self.low) / self.step), 0, self._steps)
            x = (
                np.minimum(self.low + k * self.step, self.high)
                if self._grid is None
                else self._grid[k.astype(int)]
            )
        return x.tolist()

    def check_setting(self, value: Any) -> float:
        """Return `value` as a float if it can be set: within the bounds and on a step.

        Raises:
            InvalidRequest: it cannot be set.
        """
        number = as_number(value)
        if number is None:
            raise InvalidRequest(self.name, value, f"a number from {self.range_text}")
        slack = _SLACK * (self.high - self.low)
        if not self.low - slack <= number <= self.high + slack:
            raise InvalidRequest(self.name, value, f"from {self.range_text}")
        number = min(max(number, self.low), self.high)
        if self.step is None:
            return number
        k = (number - self.low) / self.step
        snapped = self.decode(self.encode([number]))[0]
        if abs(k - round(k)) > _OFF_STEP or round(k) > self._steps:
            raise InvalidRequest(
                self.name,
                value,
                f"a multiple of {self.step} above {self.low}",
                f"The nearest is {snapped}.",
            )
        return snapped

    def check_measured(self, value: Any) -> float:
        """Return `value` as a float if it may have been measured: inside the bounds or not, above 0 on a log scale.

        Raises:
            InvalidOutcome: it cannot be a value of this variable, or lies further out than
                `FARTHEST`.
        """
        number = as_number(single(value))
        if number is None or (self.scale == "log" and number <= 0):
            raise InvalidOutcome(
                self.name, value, f"a finite number{self._above_zero}{self._in_its_unit}"
            )
        if not self.low <= number <= self.high:
            self.encode([number])  # refuses numbers that are too far out for any model
        return number

    def text(self, value: Any, finer: int = 0) -> str:
        """See `NumericVariable.text`; a value on a step is written in full."""
        if self.step is not None and self.low <= value <= self.high:
            k = (value - self.low) / self.step
            if abs(k - round(k)) <= _OFF_STEP:
                return number_text(value)
        return super().text(value, finer)

    @cached_property
    def _steps(self) -> int:
        return math.floor((self.high - self.low) / (self.step or math.inf) * (1 + _SLACK) + _SLACK)

    @cached_property
    def _grid(self) -> _arrays.Float[np.ndarray, " k"] | None:
        """Settable values in user units, rounded as a person would write them: .3, not .30000000000000004."""
        if self.step is None or self._steps >= MOST_LEVELS:
            return None
        short = [float(f"{x:.15g}") for x in self.low + self.step * np.arange(self._steps + 1)]
        return np.clip(short, self.low, self.high)

    def _place(self, law: Law) -> Distribution:
        placed = self._on_bounds(law)
        self._suits(law, placed)
        return placed


@record
class Integer(NumericVariable):
    """A variable that takes the whole values from `low` to `high`.

    Its law has whole atoms: `Uniform`, `Discrete`, `Empirical`, or a discrete distribution of
    scipy.stats. For the rest see `Float`.

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
    change: SwitchingCost | None = field(default=None, kw_only=True)
    kind: Literal["integer"] = tag("integer")
    instead: ClassVar[Mapping[str, str]] = {
        "step": "It takes all whole numbers; for others use a ‹Float› with a step."
    }

    def __post_init__(self) -> None:
        """Check bounds and law."""
        self._check_bounds()
        if self.law is not None:
            _ = self.distribution
        self._check_change()

    @cached_property
    def levels(self) -> _arrays.Float[np.ndarray, " k"] | None:
        """The encoded whole values, ascending; None for more than 100 000."""
        if self.high - self.low >= MOST_LEVELS:
            return None
        return self._scaling.forward(np.arange(self.low, self.high + 1, dtype=float))

    def text(self, value: Any, finer: int = 0) -> str:
        """See `NumericVariable.text`; a whole number is written in full."""
        return str(int(value)) if float(value).is_integer() else super().text(value, finer)

    def decode(self, z: Sequence[float] | _arrays.Float[np.ndarray, " n"]) -> list[int]:
        """Decode to the nearest whole values (n,) within the bounds."""
        return np.rint(self._scaling.backward(finite(self.name, z))).astype(np.int64).tolist()

    def check_setting(self, value: Any) -> int:
        """Return `value` as an int if it can be set.

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
        """Return `value` as an int if it may have been measured: inside the bounds or not, above 0 on a log scale.

        Raises:
            InvalidOutcome: it cannot be a value of this variable.
        """
        number = as_whole(single(value))
        if number is None or (self.scale == "log" and number <= 0):
            raise InvalidOutcome(
                self.name, value, f"a whole number{self._above_zero}{self._in_its_unit}"
            )
        return number

    def _place(self, law: Law) -> Distribution:
        placed = self._on_bounds(law)
        if isinstance(law, Uniform):
            first, last = math.ceil(placed.support[0]), math.floor(placed.support[1])
            if not 0 <= last - first < MOST_LEVELS:
                raise InvalidProblem(
                    f"{self.name}.law",
                    law,
                    f"from 1 to {MOST_LEVELS} whole values",
                    "Use ‹Float› for more.",
                )
            placed = Atoms.of(np.arange(first, last + 1), np.ones(last - first + 1))
        if placed.atoms is None or any(as_whole(value) is None for value in placed.atoms[0]):
            raise InvalidProblem(
                f"{self.name}.law",
                law,
                "a law with whole values only",
                "Use ‹Discrete› or ‹Empirical›.",
            )
        self._suits(law, placed)
        return placed


Variable = Annotated[Float | Integer | Categorical, Discriminator("kind")]
"""Any variable; in a file its `kind` tells which."""


def _given(variable: object) -> object:
    kinds = {"float": Float, "integer": Integer, "categorical": Categorical}
    return tagged(variable, kinds, "a variable: ‹Float›, ‹Integer› or ‹Categorical›")


Variables = Annotated[Sequence[Annotated[Variable, BeforeValidator(_given)]], ListField]
"""The type of a declaration's field that holds variables."""
