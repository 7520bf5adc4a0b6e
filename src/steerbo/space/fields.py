"""The types of a declaration's fields: finite numbers, whole numbers, choices, lists. No silent conversions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, Field, Strict
from pydantic_core import PydanticCustomError

from .._wording import MISSING
from ..errors import InvalidInput, InvalidProblem, one_of

MOST_ENTRIES = 1_000_000
"""A list that is given has no more entries than these."""
LARGEST_NUMBER = 1e150
"""Largest size of a number that is declared, and one over the smallest above 0: models square and divide them."""
LARGEST_WHOLE = 2**53
"""Beyond this a float64 no longer tells neighbouring whole numbers apart."""


def single(value: Any) -> Any:
    """The number in an array, list or tuple of one, as simulators return it; anything else as it is.

    >>> single((1.5,)), float(single(np.array(1.5))), single([1, 2])
    (1.5, 1.5, [1, 2])
    """
    if isinstance(value, np.ndarray) and value.size == 1:
        return value.reshape(-1)[0]
    return value[0] if isinstance(value, list | tuple) and len(value) == 1 else value


def as_number(value: object) -> float | None:
    """`value` as a finite float, or None: texts, booleans, NaN and infinity are not numbers here.

    >>> as_number(np.int64(3)), as_number(True), as_number("3"), as_number(10**400)
    (3.0, None, None, None)
    >>> as_number(Decimal("0.1")), as_number(np.array(0.5))
    (0.1, 0.5)
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real | Decimal):
        return None
    try:
        number = float(value)
    except Exception:  # too large, or a class that only looks like a number
        return None
    return number if math.isfinite(number) else None


def as_whole(value: object) -> int | None:
    """`value` as an int of at most 2⁵³ in size, or None.

    >>> as_whole(4.0), as_whole(4.5), as_whole(True)
    (4, None, None)
    """
    number = as_number(value)
    if number is None or not number.is_integer():
        return None
    whole = int(value) if isinstance(value, Integral) else int(number)
    return whole if abs(whole) <= LARGEST_WHOLE else None


def whole(
    field: str,
    value: object,
    least: int,
    error: type[InvalidInput],
    *,
    most: int = LARGEST_WHOLE,
    more: str = "",
) -> int:
    """Argument that is a count, as an int: numpy's whole numbers too, no 3.0 and no True.

    Raises:
        InvalidInput: (of the given kind) it is none, or not from `least` to `most`.

    >>> whole("seed", np.int64(3), 0, InvalidProblem)
    3
    """
    if (
        isinstance(value, bool)
        or not isinstance(value, Integral)
        or not least <= int(value) <= most
    ):
        # seldom of interest
        stated = most != LARGEST_WHOLE or (isinstance(value, Integral) and int(value) > most)
        limit = f" to {_power_of_two(most)}" if stated else ""
        raise error(field, value, f"a whole number from {least}{limit}{more}")
    return int(value)


def _power_of_two(number: int) -> str:
    """A large power of two, or one less than that, as people write it; another number as it is."""
    if number < LARGEST_WHOLE:
        return str(number)
    return (
        f"2**{number.bit_length() - 1}"
        if number & (number - 1) == 0
        else f"2**{number.bit_length()} - 1"
    )


def is_interval(low: float, high: float) -> bool:
    """Whether floats can tell points between `low` and `high` apart, and neither squares nor ratios overflow.

    >>> is_interval(0, 1), is_interval(1, 1 + 1e-12), is_interval(0, 1e200)
    (True, False, False)
    """
    size = max(abs(low), abs(high))
    return size <= 1e100 and high - low >= max(1e-100, 1e-10 * size)


def plain(value: Any) -> Any:
    """`value` as one of Python's own types where it is of NumPy's, a `Decimal` or a `Fraction`; whole ones as an int.

    >>> plain(Decimal("3")), plain(Fraction(1, 2)), plain(np.int64(3)), plain("3")
    (3, 0.5, 3, '3')
    """
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Decimal | Fraction) and (number := as_number(value)) is not None:
        return int(value) if value == int(value) else number
    return value


def as_choice(value: object) -> bool | int | float | str | None:
    """`value` as a Python bool, int, float or str, or None where it is none of them or not finite.

    >>> as_choice(np.str_("a")), as_choice(np.bool_(True)), as_choice(float("nan"))
    ('a', True, None)
    """
    value = plain(value)
    if isinstance(value, bool | str):
        return value
    return value if isinstance(value, int | float) and as_number(value) is not None else None


def _number(value: object) -> float:
    number = as_number(value)
    if number is None:
        raise PydanticCustomError("number", "a finite number")
    if abs(number) > LARGEST_NUMBER:
        raise PydanticCustomError(
            "number", f"a number of at most {LARGEST_NUMBER:g} in size, in a larger unit"
        )
    return number


def _positive(value: object, most: float = LARGEST_NUMBER) -> float:
    number = as_number(value)
    if number is None or number <= 0:
        raise PydanticCustomError("positive", "a finite number above 0")
    if not 1 / most <= number <= most:
        raise PydanticCustomError("positive", f"a number from {1 / most:g} to {most:g}")
    return number


def _not_negative(value: object) -> float:
    number = as_number(value)
    if number is None or number < 0:
        raise PydanticCustomError("not_negative", "a finite number of at least 0")
    return 0.0 if number == 0 else _positive(number)


def _variance(value: object) -> float:
    return _positive(value, LARGEST_NUMBER**2)


def _whole(value: object) -> int:
    number = as_whole(value)
    if number is None:
        raise PydanticCustomError("whole", "a whole number of at most 2**53 in size")
    return number


def _flag(value: object) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise PydanticCustomError("flag", "true or false")
    return value or None


def _choice(value: object) -> bool | int | float | str:
    choice = as_choice(value)
    if choice is None:
        raise PydanticCustomError("choice", "a text, a finite number, true or false")
    return choice


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise PydanticCustomError("text", "a text that is not empty")
    return str(value)


def listed(value: object) -> tuple[Any, ...]:
    """A list, a tuple, a range, a one-dimensional array or a column of a table as a tuple.

    Raises:
        PydanticCustomError: it is none of these, or too long.
    """
    if callable(as_array := getattr(value, "to_numpy", None)):  # a column of pandas or polars
        value = as_array()
    if isinstance(value, np.ndarray) and value.ndim == 1:
        value = value.tolist()
    if not isinstance(value, list | tuple | range):
        # a set has no order, a text is not a list of letters
        raise PydanticCustomError("listed", "a list")
    if len(value) > MOST_ENTRIES:
        raise PydanticCustomError("listed", f"a list of at most {MOST_ENTRIES} entries")
    return tuple(value)


Number = Annotated[float, BeforeValidator(_number)]
Positive = Annotated[float, BeforeValidator(_positive)]
NotNegative = Annotated[float, BeforeValidator(_not_negative)]
KnownNoise = Annotated[float, Strict(), Field(gt=0, allow_inf_nan=False)]
"""Standard deviation of repeated measurements of the objective, in its unit."""
Variance = Annotated[float, BeforeValidator(_variance)]
"""The square of a positive number."""
Whole = Annotated[int, BeforeValidator(_whole)]
Flag = Annotated[bool | None, BeforeValidator(_flag)]
"""True, or None: a word that is not said stays out of files and logs, which then read as they always did."""
Choice = Annotated[bool | int | float | str, BeforeValidator(_choice)]
Text = Annotated[str, BeforeValidator(_text)]
Numbers = Annotated[Sequence[Number], BeforeValidator(listed)]
Choices = Annotated[Sequence[Choice], BeforeValidator(listed)]
ListField = BeforeValidator(listed)


def check_ends(limit: Any, where: str = "at most") -> None:
    """Refuse a limit without a bound, or whose `at_least` is not where it has to be, such as below `at_most`.

    Raises:
        InvalidProblem: naming the bound.
    """
    low, high = limit.at_least, limit.at_most
    if low is None and high is None:
        raise InvalidProblem("at_most", None, "a number, or ‹at_least›: one bound or both")
    if low is not None and high is not None and (low > high or (low == high and where == "below")):
        raise InvalidProblem("at_least", low, f"{where} at_most, which is {high:g}")


def tag(kind: str) -> Any:
    """The last field of a declaration: the word that tells its kind in a file."""
    return field(default=kind, kw_only=True, repr=False)


def tagged(value: object, kinds: Mapping[str, type], expected: str) -> object:
    """`value` if it is one of the `kinds`, or a table of a file that says which one it is.

    Raises:
        InvalidProblem: (or pydantic's own error, which becomes one) it is neither.
    """
    if isinstance(value, Mapping):
        kind = value.get("kind", MISSING)
        if not isinstance(kind, str) or kind not in kinds:
            raise InvalidProblem("kind", kind, one_of(kinds, kind))
    elif not isinstance(value, tuple(kinds.values())):
        raise PydanticCustomError("tagged", expected)
    return value
