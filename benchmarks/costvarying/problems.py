"""The paper's problems as a world that can be played: objective, control sets, costs and laws."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float as Floats

from steerbo.costvarying import CostVarying
from steerbo.errors import InvalidOption, one_of
from steerbo.rounds import Suggestion
from steerbo.search import Box, maximise_box, sobol_points
from steerbo.space import Float, TruncatedNormal

from .airfoil import noise_level
from .plant import leaf_area
from .synthetic import ackley, hartmann, levy

Objective = Callable[[np.ndarray], np.ndarray]

_TWELVE = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (9, 10, 11), tuple(range(6)), tuple(range(6, 12)), tuple(range(12)))
_PLANT = ((0, 1), (2, 3), (3, 4), (0, 1, 2), (1, 2, 3), (2, 3, 4), (0, 1, 2, 3, 4))
_AIRFOIL = ((3, 4), (1, 4), (0, 3), (1, 2), (2, 4), (0, 1), (2, 3))
_PROBLEMS: dict[str, tuple[Objective, int, tuple[tuple[int, ...], ...]]] = {
    "airfoil": (noise_level, 5, _AIRFOIL),
    "plant": (leaf_area, 5, _PLANT),
    "hartmann": (hartmann, 12, _TWELVE),
    "ackley": (ackley, 12, _TWELVE),
    "levy": (levy, 12, _TWELVE),
}
_LARGEST = {"hartmann": 3.32237, "ackley": 0.0, "levy": 0.0}
"""Published largest values, reached by every set that controls the six variables that matter."""
_SMALLEST = {"airfoil": -2.86281, "plant": -1.13262, "hartmann": 0.0, "ackley": -22.32034, "levy": -414.41405}
"""Smallest values on the unit cube, rounded down: Levy's is at the origin, Hartmann's a bound, the others by search."""
COSTS = {"cheap": (0.01,) * 3 + (0.1,) * 3 + (1.0,), "moderate": (0.1,) * 3 + (0.2,) * 3 + (1.0,)}
"""Mean cost of a play of each of the seven control sets."""
COST_SD = 0.02
"""Standard deviation of a cost whose mean is at least .1; the paper leaves open whether .02 is the variance."""
NOISE_SD = 0.01
"""Standard deviation of the observation noise, as in the reference program (variance 1e-4)."""


@dataclass(frozen=True)
class World:
    """One of the paper's problems.

    Args:
        name: airfoil, plant, hartmann, ackley or levy.
        costs: cheap or moderate.
        variance: of the truncated normal laws about .5: .02 or .04 in the paper.
    """

    name: str
    costs: str = "moderate"
    variance: float = 0.02

    def __post_init__(self) -> None:
        for field, value, known in (("name", self.name, _PROBLEMS), ("costs", self.costs, COSTS)):
            if value not in known:
                raise InvalidOption(field, value, one_of(known, value))

    @property
    def objective(self) -> Objective:
        """Points (p, d) in the unit cube to noise-free values (p,)."""
        return _PROBLEMS[self.name][0]

    @property
    def dimension(self) -> int:
        """Number of variables."""
        return _PROBLEMS[self.name][1]

    @property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        """Indices of the variables of each control set."""
        return _PROBLEMS[self.name][2]

    def problem(self, costs_known: bool = False) -> CostVarying:
        """As a problem for an optimizer."""
        law = _law(self.variance).law
        names = [f"x{d + 1}" for d in range(self.dimension)]
        return CostVarying(
            variables=tuple(Float(name, 0, 1, law=law) for name in names),
            control_sets=tuple(tuple(names[d] for d in controlled) for controlled in self.sets),
            costs=COSTS[self.costs] if costs_known else None,
        )

    def nature(self, uniform: Floats[np.ndarray, "s k"]) -> Floats[np.ndarray, "s k"]:
        """Draws of the variables from their law, given uniform ones."""
        return _law(self.variance).distribution.ppf(uniform)

    def play(self, suggestion: Suggestion, random: np.random.Generator) -> dict[str, Any]:
        """One evaluation: nature draws what was not set; returns what `tell` takes."""
        i = [*self.sets].index(tuple(int(name[1:]) - 1 for name in suggestion.scope.set))
        x = self.nature(random.random(self.dimension))
        for d in self.sets[i]:
            x[d] = suggestion.values[f"x{d + 1}"]
        mean = COSTS[self.costs][i]
        noisy = mean + COST_SD * random.normal() if mean >= 0.1 else mean
        value = float(self.objective(x[None])[0]) + self.noise(random)
        realised = {f"x{d + 1}": float(v) for d, v in enumerate(x)}
        return {"value": value, "cost": max(noisy, 1e-3), "realised": realised}

    def noise(self, random: np.random.Generator) -> float:
        """A draw of the observation noise."""
        return NOISE_SD * float(random.normal())

    def expected(self, i: int, settings: Floats[np.ndarray, "p c"], size: int = 1024) -> Floats[np.ndarray, " p"]:
        """E f([x^i, X^{-i}]) at settings (p, c) of set `i`, by `size` Sobol draws of the other variables."""
        rest = [d for d in range(self.dimension) if d not in self.sets[i]]
        draws = _draws(self, len(rest), size)
        values = np.empty(len(settings))
        for p, setting in enumerate(settings):
            x = np.empty((len(draws), self.dimension))
            x[:, rest] = draws
            x[:, list(self.sets[i])] = setting
            values[p] = self.objective(x).mean()
        return values

    @property
    def worst(self) -> float:
        """The smallest value of the objective: what a tolerance is counted from, the same for every method and run."""
        return _SMALLEST[self.name]

    def best(self) -> Floats[np.ndarray, " m"]:
        """The largest expected value of each set, (m,). The search is strong: some problems have deep second basins."""
        return _best(self)


@functools.cache
def _law(variance: float) -> Float:
    return Float("x", 0, 1, law=TruncatedNormal(0.5, math.sqrt(variance), moments="truncated"))


@functools.cache
def _draws(world: World, k: int, size: int) -> np.ndarray:
    return world.nature(sobol_points(size, k, seed=0)) if k else np.empty((1, 0))


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

        ends = maximise_box(value, None, box, seed=1, screen=screen, starts=starts).points
        found.append(float(world.expected(i, ends[:3]).max()))
    return np.array(found)


def names(which: Sequence[str] | None = None) -> list[str]:
    """The problems' names."""
    return list(which or _PROBLEMS)
