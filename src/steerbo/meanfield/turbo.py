"""The baseline of trust regions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from ..record import record
from ..rounds import Choice, History
from .individuals import Individuals, Vector
from .overlap import Overlap


@record
class TurboOptions:
    """Options of `turbo`; lengths are shares of the agents that may act differently from the best vector.

    Args:
        starting_points: random vectors at the beginning of every trust region.
        length: of a new trust region.
        successes: improvements in a row that double it; failures: disappointments in a row that halve it.
        beta: width of the bound that the local search climbs on.
        candidates: vectors tried in a step of the local search.
    """

    starting_points: int = Field(10, ge=2)
    length: float = Field(0.4, gt=0, le=1)
    successes: int = Field(3, ge=1)
    failures: int = Field(10, ge=1)
    beta: float = Field(1.0, ge=0, allow_inf_nan=False)
    candidates: int = Field(50, ge=1)


class Turbo(Individuals[TurboOptions]):
    """A trust region in Hamming distance over all agents' actions (TuRBO, Eriksson et al. 2019; Wan et al. 2021)."""

    name: ClassVar[str] = "turbo"
    Options: ClassVar[type[Any]] = TurboOptions

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """The best bound in the trust region, by local search."""
        random = self.streams(len(history) + 1, "choose")
        vectors, values, _ = self.told(history)
        start, length = self._region(values)
        mine, seen = vectors[start:], values[start:]
        if len(seen) < self.options.starting_points:
            return self.play(history, self.any(random), random, phase="start")
        process = Overlap.fitted(mine, seen)
        found = self._local(process, mine[int(seen.argmax())], length, random)
        return self.play(history, found, random, phase="trust region", length=length)

    def _region(self, values: np.ndarray) -> tuple[int, float]:
        """Where the present trust region's rounds begin, and its length: read off the values in order."""
        options, smallest = self.options, 1.0 / self.problem.agents
        start, length, good, bad, best = 0, options.length, 0, 0, -np.inf
        for i, value in enumerate(values):
            if i - start < options.starting_points:
                best = max(best, value)
                continue
            better = value > best + 1e-3 * abs(best)
            good, bad, best = (good + 1, 0, value) if better else (0, bad + 1, max(best, value))
            if good == options.successes:
                length, good = min(2 * length, 1.0), 0
            elif bad == options.failures:
                length, bad = length / 2, 0
            if length < smallest:
                start, length, good, bad, best = i + 1, options.length, 0, 0, -np.inf
        return start, length

    def _local(self, process: Overlap, centre: Vector, length: float, random: np.random.Generator) -> Vector:
        """Climb from random points of the region: some agents change, the best change is kept, within the region."""
        M = len(centre)
        reach = max(int(length * M), 1)
        trials = np.array(
            [self.changed(centre, int(random.integers(1, reach + 1)), random) for _ in range(self.options.candidates)]
        )
        for _ in range(3):
            values = process.bound(trials, self.options.beta)
            best = trials[int(values.argmax())]
            trials = np.array(
                [best, *(self.changed(best, max(M // 50, 1), random) for _ in range(self.options.candidates))]
            )
            trials = trials[(trials != centre).sum(axis=1) <= reach]
        found: Vector = trials[int(process.bound(trials, self.options.beta).argmax())]
        return found
