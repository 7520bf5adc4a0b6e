"""The price of changing: what it costs to move a variable from where it is."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidProblem
from ..record import record
from .fields import Number


@record
class Change:
    """Moving a variable from where it is costs `fixed + per_unit · |new − old|`; leaving it there is free.

    Args:
        fixed: what any change costs, in units of the budget; not below 0.
        per_unit: what each unit of the way costs, in the variable's own units, also on a log scale; not below 0.

    Raises:
        InvalidProblem: a price is below 0, or both are 0.

    >>> Change(fixed=5, per_unit=0.1).price(180.0, 200.0), Change(fixed=5).price(180.0, 180.0)
    (7.0, 0.0)
    """

    fixed: Number = 0.0
    per_unit: Number = 0.0

    def __post_init__(self) -> None:
        """Check the prices."""
        for field, price in (("fixed", self.fixed), ("per_unit", self.per_unit)):
            if price < 0:
                raise InvalidProblem(field, price, "a finite number not below 0")
        if not (self.fixed or self.per_unit):
            hint = "A change that costs nothing needs no ‹change›."
            raise InvalidProblem("fixed", self.fixed, "above 0, or per_unit above 0", hint)

    def price(self, before: Any, after: Any) -> float:
        """What moving from `before` to `after` costs, both in the user's units; None: nobody knows where it was.

        From where nobody knows the way has no length: only what any change costs is counted.
        """
        if before is not None and before == after:
            return 0.0
        return self.fixed + (self.per_unit * abs(after - before) if self.per_unit and before is not None else 0.0)

    def __str__(self) -> str:
        parts = [f"{self.fixed:g} a change"] * (self.fixed > 0) + [f"{self.per_unit:g} a unit"] * (self.per_unit > 0)
        return " and ".join(parts)
