"""Which control set values belong to."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import BenchError
from ..protocol import Values


def set_of(values: Values, control_sets: Sequence[Sequence[str]]) -> int:
    """The number of the control set whose variables these are.

    Raises:
        BenchError: there is none, or a value lies outside [0, 1].

    >>> set_of({"x1": 0.5}, [["x2"], ["x1"]])
    1
    """
    sets = [set(names) for names in control_sets]
    if set(values) not in sets:
        raise BenchError(
            f"{sorted(values)}: must be one of the control sets, {', '.join(map(str, map(sorted, sets)))}"
        )
    for name, value in values.items():
        if not -1e-9 <= float(value) <= 1 + 1e-9:
            raise BenchError(f"{name}: {value!r} lies outside [0, 1]")
    return sets.index(set(values))
