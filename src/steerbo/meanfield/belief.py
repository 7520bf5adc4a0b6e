"""What is believed, in standardised units and in the user's; and how wide a bound a theorem asks for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .acquisition import PayoffBounds


@dataclass(frozen=True, eq=False)
class Belief:
    """Bounds in standardised units, and the way back to units of `sign · value`."""

    bounds: PayoffBounds
    offset: float
    unit: float

    def raw(self, standardised: float) -> float:
        """In units of `sign · value`."""
        return float(self.offset + self.unit * standardised)


def theorem_beta(cells: int, number: int) -> float:
    """β of Theorem 4.1 with a = b = 1, in round `number` with |A||C| cells.

    >>> round(theorem_beta(30, 1))
    296
    """
    t2 = float(number) ** 2
    tables = cells * np.log(cells * t2 * (np.log(cells) + np.sqrt(np.pi) / 2))
    beta = 2 * (np.log(cells * t2 / np.sqrt(2 * np.pi)) + tables)
    return max(0.0, float(beta))  # of one cell it would be negative in the first round, and then bounds nothing
