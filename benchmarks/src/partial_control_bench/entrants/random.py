"""Uniform draws: what everybody should beat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..protocol import Outcome, Values
from ..randomness import keyed
from ..space import space_of


class Random:
    """A control set, then settings; a point that is available; a point of the simplex: all uniform."""

    def __init__(self, known: Mapping[str, Any], seed: int) -> None:
        self.space, self.seed = space_of(known), seed

    def ask(self, now: Mapping[str, Any]) -> Values:
        """Nothing is learned, and nothing looked at."""
        random = keyed(self.seed, now["round"], "random entrant")
        if (available := now.get("available")) is not None:
            sizes = [p.size or 1 for p in self.space.parameters]
            at = np.unravel_index(int(random.choice(np.flatnonzero(available))), sizes)
            return self.space.values(
                {p.name: int(i) for p, i in zip(self.space.parameters, at, strict=True)}, now
            )
        flat = self.space.known["wing"] == "mean-field"
        # exponentials, divided by their sum: uniform
        draw = random.standard_exponential if flat else random.random
        point = {
            p.name: int(random.integers(p.size))
            if p.size
            else p.low + (p.high - p.low) * float(draw())
            for p in self.space.parameters
        }
        return self.space.values(point, now)

    def tell(self, values: Values, outcome: Outcome) -> None:
        """Nothing is learned."""
