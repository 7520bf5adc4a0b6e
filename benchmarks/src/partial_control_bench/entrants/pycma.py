"""CMA-ES by pycma, asked and told: a generation at a time, as its documentation has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import cma
import numpy as np

from ..protocol import Outcome, Values
from .cube import Cube


class CMAES:
    """From the middle of the cube with a spread of .3, within its bounds; started again with twice the generation."""

    def __init__(self, known: Mapping[str, Any], seed: int) -> None:
        self.cube, self.seed, self.restarts = Cube(known), seed, 0
        self.waiting: list[np.ndarray] = []
        self.done: list[tuple[np.ndarray, float]] = []
        self.now: np.ndarray | None = None
        self._start()

    def _start(self) -> None:
        d = self.cube.dimension
        size = (4 + int(3 * np.log(d))) * 2**self.restarts
        options = {
            "bounds": [0, 1],
            "seed": self.seed + 1 + self.restarts,
            "verbose": -9,
            "popsize": size,
        }
        # pycma needs two coordinates: a second one that does nothing
        start = np.full(max(d, 2), 0.5)
        self.strategy = cma.CMAEvolutionStrategy(start, 0.3, options)

    def ask(self, now: Mapping[str, Any]) -> Values:
        """The next of its generation."""
        if not self.waiting:
            if self.strategy.stop():
                self.restarts += 1
                self._start()
            self.waiting = list(self.strategy.ask())
        self.now = self.waiting.pop(0)
        return self.cube.values(self.now[: self.cube.dimension], now)

    def tell(self, values: Values, outcome: Outcome) -> None:
        """A whole generation is told at once; what was given before the first round is not."""
        if self.now is None:
            return
        self.done.append((self.now, -self.cube.space.sign * self.cube.space.net(values, outcome)))
        self.now = None
        if not self.waiting:
            points, losses = zip(*self.done, strict=True)
            self.strategy.tell(list(points), list(losses))
            self.done = []
