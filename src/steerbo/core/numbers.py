"""Checks of numbers and of values by name, as people and programs give them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

from ..errors import InvalidOutcome

LARGEST = 1e100
"""Largest size of an outcome or a cost: models square what they are told, and some divide it by small noise first."""
SMALLEST = 1e-100
"""Smallest size of an outcome that models can tell from 0; smaller ones are kept, with a warning."""


def finite(field: str, value: object, least: float = -math.inf) -> float:
    """Check a number, and return it as a float.

    Raises:
        InvalidOutcome: it is not a finite number, below `least`, or beyond `LARGEST`.

    >>> finite("cost", 2, least=0)
    2.0
    """
    allowed = "a finite number" + (f" not below {least:g}" if least > -math.inf else "")
    hint = "" if field != "value" else "If the evaluation broke, use ‹fail›."
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InvalidOutcome(field, value, allowed, hint)
    try:
        number = float(value)
    except Exception:  # too large, or a class that only looks like a number
        raise InvalidOutcome(field, value, allowed, hint) from None
    if not math.isfinite(number) or number < least:
        raise InvalidOutcome(field, value, allowed, hint)
    if abs(number) > LARGEST:
        hint = "Give it in a larger unit; where it is no measurement, use ‹fail›."
        raise InvalidOutcome(field, value, f"a number of at most {LARGEST:g} in size", hint)
    return number


def by_name(field: str, given: Any) -> Mapping[str, Any]:
    """Check that values are given by name, and return them.

    Raises:
        InvalidOutcome: it is no mapping.
    """
    if not isinstance(given, Mapping):
        raise InvalidOutcome(field, given, "values by variable name, such as {'ph': 6.4}")
    return given
