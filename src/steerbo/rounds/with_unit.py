"""Values as people read them."""

from __future__ import annotations

from typing import Any

from ..space import Categorical, Space
from .answers import as_text, numeral


def with_unit(space: Space, name: str, value: Any, digits: int = 4) -> str:
    """A value of a variable with its unit; next to nothing of the variable's range is 0.

    >>> import steerbo as sb
    >>> with_unit(Space([sb.Float("oven", 0, 200, unit="°C")]), "oven", 1e-12)
    '0 °C'
    """
    if name not in space or isinstance(value, bool) or not isinstance(value, int | float):
        return as_text(value)
    variable = space[name]
    width = 0.0 if isinstance(variable, Categorical) else variable.high - variable.low
    text = numeral(value, digits, width) if isinstance(value, float) else str(value)
    return f"{text} {getattr(variable, 'unit', '')}".rstrip()
