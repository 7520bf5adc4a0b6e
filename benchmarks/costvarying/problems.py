"""The paper's problems as problems of ours: `partial_control_bench` has their objectives, laws and truth."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float as Floats

from partial_control_bench.costvarying.world import COST_SD, COSTS, NOISE_SD, PROBLEMS, PUBLISHED, Objective, Plant
from steerbo.core import Suggestion
from steerbo.core.tolerance import Absolute
from steerbo.costvarying import CostVarying
from steerbo.errors import InvalidOption, one_of
from steerbo.optim import Box, maximise
from steerbo.space import Float, TruncatedNormal

__all__ = ["COSTS", "COST_SD", "NOISE_SD", "Objective", "World", "names"]

_LARGEST = {"hartmann": 3.32237, "ackley": 0.0, "levy": 0.0, "ackley-off": 0.0}
"""Published largest values, reached by every set that controls the six variables that matter."""


@dataclass(frozen=True)
class World(Plant):
    """One of the paper's problems, with its problem for an optimizer."""

    def __post_init__(self) -> None:
        for field, value, known in (("name", self.name, PROBLEMS), ("costs", self.costs, COSTS)):
            if value not in known:
                raise InvalidOption(field, value, one_of(known, value))

    def problem(self, costs_known: bool = False, tolerance: float | None = None) -> CostVarying:
        """As a problem for an optimizer; `tolerance`: what is not worth a dearer set, in units of the objective."""
        law = TruncatedNormal(0.5, math.sqrt(self.variance), moments="truncated")
        names = [f"x{d + 1}" for d in range(self.dimension)]
        return CostVarying(
            variables=tuple(Float(name, 0, 1, law=law) for name in names),
            control_sets=tuple(tuple(names[d] for d in controlled) for controlled in self.sets),
            costs=COSTS[self.costs] if costs_known else None,
            tolerance=None if tolerance is None else Absolute(tolerance),
        )

    def play(self, suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        """One evaluation: nature draws what was not set; returns what `tell` takes."""
        i = [*self.sets].index(tuple(int(name[1:]) - 1 for name in suggestion.scope.set))
        return self.drawn(i, suggestion.values, random)

    def best(self) -> Floats[np.ndarray, " m"]:
        """The largest expected value of each set, (m,). The search is strong: some problems have deep second basins."""
        return _best(self)


@functools.cache
def _best(world: World) -> np.ndarray:
    found = []
    for i, controlled in enumerate(world.sets):
        if world.name in _LARGEST and set(range(6)) <= set(controlled):
            found.append(_LARGEST[world.name])
            continue
        box = Box([0.0] * len(controlled), [1.0] * len(controlled))
        # a coarse screen where an expectation costs many evaluations, a fine one where nothing is left to nature
        screen, starts = (2**14, 32) if len(controlled) == world.dimension else (2**8, 6)

        def value(points: np.ndarray, i: int = i) -> np.ndarray:
            return world.expected(i, points, size=256)

        ends = maximise(value, None, box, seed=1, screen=screen, starts=starts).points
        found.append(float(world.expected(i, ends[:3]).max()))
    return np.array(found)


def names(which: Sequence[str] | None = None) -> list[str]:
    """The problems' names."""
    return list(which or PUBLISHED)
