"""An office's temperature and New York's taxis: what is best changes from hour to hour, as it was recorded."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from ..errors import BenchError
from ..protocol import Blind, Outcome, Values
from ..timevarying.world import Stream
from .tables import columns, numbers

ROUNDS = 120
HOURS = (200, 1500, 3000, 4500, 6054)
"""Where windows of the temperature begin; a seed has one of them."""
TRIPS = (0, 500, 1000, 1500, 2000)
"""Where windows of the taxis begin."""
LEVELS = np.linspace(50.0, 90.0, 81)
SEATS = 120.0
"""Most seats, in thousands."""
UNSERVED, EMPTY = 3.0, 1.0
"""What a thousand passengers without a seat lose, and a thousand seats without passengers. Ours."""
_NOISE = 0.01


def office(seed: int) -> Stream:
    """A set-point in half degrees that is to follow the temperature: minus a hundredth of the squared difference."""
    start = HOURS[seed % len(HOURS)]
    read = numbers("ambient", "fahrenheit")[start : start + ROUNDS]
    variables = [{"name": "setpoint", "low": 50.0, "high": 90.0, "levels": LEVELS.tolist()}]
    return Stream(variables, -((LEVELS - read) ** 2) / 100, _NOISE, seed, first=False)


@dataclass(frozen=True)
class Taxis(Blind):
    """How many seats for the next two hours; the hour and whether it is a weekend are seen before."""

    seed: int

    @property
    def known(self) -> dict[str, Any]:
        """Bounds, what is seen, and that something may drift."""
        seen = [
            {"name": "hour", "low": 0.0, "high": 24.0},
            {"name": "weekend", "low": 0.0, "high": 1.0},
        ]
        seats = {"name": "seats", "low": 0.0, "high": SEATS, "law": None}
        return {
            "wing": "cost-varying",
            "variables": [seats],
            "control_sets": [["seats"]],
            "costs": None,
            "seen": seen,
            "drift": "learned",
        }

    def _row(self, number: int) -> int:
        return TRIPS[self.seed % len(TRIPS)] + number - 1

    def now(self, number: int) -> dict[str, Any]:
        """Hour and weekend."""
        start = datetime.fromisoformat(columns("taxi")["start"][self._row(number)])
        return {"context": {"hour": float(start.hour), "weekend": float(start.weekday() >= 5)}}

    def truth(self, number: int, values: Values) -> float:
        """Minus what is lost in this round.

        Raises:
            BenchError: seats are not what is set, or are out of bounds.
        """
        if set(values) != {"seats"} or not -1e-9 <= float(values["seats"]) <= SEATS + 1e-9:
            raise BenchError(f"{dict(values)}: must be seats alone, from 0 to {SEATS:g} thousand")
        lacking = float(columns("taxi")["passengers"][self._row(number)]) / 1000 - values["seats"]
        return -float(UNSERVED * max(lacking, 0.0) + EMPTY * max(-lacking, 0.0))

    def play(self, number: int, values: Values, seen: Values) -> Outcome:
        """The same: there is no noise."""
        return Outcome(self.truth(number, values), 1.0, {**values, **self.now(number)["context"]})

    def regret(self, number: int, values: Values, seen: Values) -> float:
        """What is lost; right seats lose nothing."""
        return -self.truth(number, values)
