"""The baseline of simulated annealing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from ..record import record
from ..rounds import Choice, History
from .individuals import Individuals, Vector


@record
class AnnealingOptions:
    """Options of `annealing`.

    Args:
        cooling: factor of the temperature from one round to the next.
        starting_points: random vectors at first; the spread of their values is the first temperature.
    """

    cooling: float = Field(0.97, gt=0, lt=1)
    starting_points: int = Field(5, ge=2)


class Annealing(Individuals[AnnealingOptions]):
    """Simulated annealing over the actions of all agents (Kirkpatrick et al. 1983): one agent changes its mind."""

    name: ClassVar[str] = "annealing"
    Options: ClassVar[type[Any]] = AnnealingOptions

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """A neighbour of where the walk stands."""
        random = self.streams(len(history) + 1, "choose")
        vectors, values, numbers = self.told(history)
        if len(values) < self.options.starting_points:
            return self.play(history, self.any(random), random, phase="start")
        here = self._walk(vectors, values, numbers)
        return self.play(history, self.changed(here, 1, random), random, phase="walk")

    def _walk(self, vectors: np.ndarray, values: np.ndarray, numbers: list[int]) -> Vector:
        """Where accepting and refusing, in the order of the rounds, has led."""
        first = self.options.starting_points
        size = float(np.abs(values).max()) or 1.0
        scaled = values / size
        heat = float(scaled[:first].std()) or 1e-12
        here = int(scaled[:first].argmax())
        for step, i in enumerate(range(first, len(values))):
            worse = (scaled[here] - scaled[i]) / (heat * self.options.cooling**step)
            if worse <= 0 or self.streams(numbers[i], "accept").random() < np.exp(-min(worse, 700.0)):
                here = i
        found: Vector = vectors[here]
        return found
