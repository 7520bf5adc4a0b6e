"""Digits of settings: as few as people need to set them, and no fewer than limits and lists need."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from .._wording import number_text
from ..space import FINEST_DIGITS, Categorical, Space

_WRITTEN = (
    12  # significant digits: a number with no more of them was written by somebody, not computed
)


def digits_of(
    space: Space,
    values: Mapping[str, Any],
    too_coarse: Callable[[Mapping[str, Any]], Collection[str]],
) -> dict[str, str]:
    """Write the numbers among settings to a thousandth of their range, and finer where rounding breaks something.

    A number that somebody wrote, one of few digits, is written as it is.

    Args:
        space: the variables.
        values: settings by name, and others beside them, of which only numbers are written.
        too_coarse: from rounded values to the names of those that need more digits.
    """
    numbers = {
        name: x
        for name, x in values.items()
        if isinstance(x, float) and name in space and not isinstance(space[name], Categorical)
    }
    texts = {
        name: number_text(x) if float(f"{x:.{_WRITTEN}g}") == x else space[name].text(x)
        for name, x in numbers.items()
    }
    for finer in range(1, FINEST_DIGITS + 1):
        rounded = {**values, **{name: float(text) for name, text in texts.items()}}
        coarse = [name for name in too_coarse(rounded) if rounded[name] != values[name]]
        if not coarse:
            break
        for name in coarse:
            texts[name] = space[name].text(numbers[name], finer)
    return texts
