"""Worlds in which something is seen before each choice: functions drawn anew, and the airfoil at a frequency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from jaxtyping import Float as Floats

import steerbo as sb
from partial_control_bench.costvarying.waves import WAVES, Waves
from steerbo.core import keyed
from steerbo.optim import Box, maximise, sobol_points

from ..costvarying.airfoil import noise_level

PRICES = (0.1, 0.3, 1.0)
CONTEXTS = 25
"""Contexts, spread evenly, at which answers are judged."""
_LAW = sb.TruncatedNormal(0.5, 0.15)
_PLACED = sb.Float("x", 0, 1, law=_LAW).distribution
_DRAWS = 64  # of what nature draws on the airfoil


@dataclass(frozen=True)
class World:
    """What can be held, at which price, and what is seen. All variables lie in [0, 1]; the last one, z, is seen.

    Args:
        name: "drawn", "not there" (drawn, but what is seen does not matter), or "airfoil".
        seed: of the function, what is seen, nature and noise; the airfoil's function is always the same.
    """

    name: str
    seed: int

    @property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        """Indices of what each control set holds."""
        return ((1, 2), (0, 2), (0, 1, 2, 3)) if self.name == "airfoil" else ((0,), (0, 1), (0, 1, 2))

    @property
    def dimension(self) -> int:
        """How many variables there are but z."""
        return 4 if self.name == "airfoil" else 3

    @cached_property
    def _waves(self) -> Waves:
        """A draw from a Gaussian process, of all variables and z; range about 1."""
        random = keyed(self.seed, 0, "function")
        d = self.dimension
        lengthscales = np.concatenate([[0.4], 0.4 * 10 ** random.random(d - 1), [0.5]])
        frequencies = random.normal(size=(WAVES, d + 1)) / lengthscales
        if self.name == "not there":
            frequencies[:, -1] = 0.0
        return Waves.of(random, frequencies)

    def value(self, x: Floats[np.ndarray, "p d"], z: float) -> Floats[np.ndarray, " p"]:
        """Without noise."""
        points = np.column_stack([x, np.full(len(x), z)])
        if self.name == "airfoil":  # z is the frequency, the first of the published inputs
            return np.asarray(noise_level(points[:, [4, 0, 1, 2, 3]])) / 4
        return self._waves.value(points)

    def expected(self, held: Sequence[int], settings: Floats[np.ndarray, "p c"], z: float) -> Floats[np.ndarray, " p"]:
        """E f at settings (p, c) of what is held, over what nature draws: exact for drawn functions."""
        rest = [d for d in range(self.dimension) if d not in held]
        if self.name == "airfoil":
            draws = _PLACED.ppf(sobol_points(_DRAWS, len(rest), 1)) if rest else np.empty((1, 0))
            x = np.empty((len(settings), len(draws), self.dimension))
            x[:, :, rest], x[:, :, list(held)] = draws, settings[:, None]
            return self.value(x.reshape(-1, self.dimension), z).reshape(len(settings), -1).mean(1)
        both = np.column_stack([settings, np.full(len(settings), z)])
        return self._waves.averaged([*held, self.dimension], both, _PLACED.ppf((np.arange(512) + 0.5) / 512))

    @cached_property
    def contexts(self) -> Floats[np.ndarray, " q"]:
        """Where answers are judged."""
        return (np.arange(CONTEXTS) + 0.5) / CONTEXTS

    @cached_property
    def tolerance(self) -> float:
        """What may be given up: a tenth of the range."""
        return 0.1

    def seen(self, number: int) -> float:
        """What is seen before a round; the same for every method."""
        return float(keyed(self.seed, number, "context").random())

    def best(self, z: float) -> Floats[np.ndarray, " m"]:
        """The largest expected value of each set, between contexts where it was computed by lines."""
        return np.array([np.interp(z, self.contexts, column) for column in self._best.T])

    @cached_property
    def _best(self) -> Floats[np.ndarray, "q m"]:
        same = World("airfoil", 0) if self.name == "airfoil" else self
        return np.array([_best(same, float(z)) for z in self.contexts])

    def oracle(self, z: float) -> tuple[float, float]:
        """The least acceptable value, and the price of the cheapest set that reaches it."""
        best = self.best(z)
        least = float(best.max()) - self.tolerance
        return least, min(price for price, value in zip(PRICES, best, strict=True) if value >= least)

    def play(self, number: int, values: dict[str, float]) -> tuple[float, dict[str, float]]:
        """An outcome with its noise, and what nature did; the same draws for every method."""
        random = keyed(self.seed, number, "nature")
        drawn = _PLACED.ppf(random.random(self.dimension)).tolist()
        x = {f"x{d}": values.get(f"x{d}", drawn[d]) for d in range(self.dimension)}
        value = float(self.value(np.array([[*x.values()]]), self.seen(number))[0])
        return value + 0.02 * float(random.normal()), x

    def problem(self, how: str) -> sb.CostVarying:
        """As a problem: "seen"; "ignored", where z is one more thing that nature draws; "everything" is held always."""
        z: dict[str, Any] = {"law": sb.Uniform()} if how == "ignored" else {"seen": True}
        variables = [sb.Float(f"x{d}", 0, 1, law=_LAW) for d in range(self.dimension)]
        held, prices = (self.sets[-1:], PRICES[-1:]) if how == "everything" else (self.sets, PRICES)
        names = [[f"x{d}" for d in each] for each in held]
        if how != "absent":
            variables.append(sb.Float("z", 0, 1, **z))
        return sb.CostVarying(variables, names, costs=prices, tolerance=sb.Absolute(self.tolerance))


@cache
def _best(world: World, z: float) -> tuple[float, ...]:
    found = []
    for held in world.sets:
        box = Box([0.0] * len(held), [1.0] * len(held))
        screen, starts = (256, 4) if world.name == "airfoil" else (1024, 6)

        def value(points: np.ndarray, held: Sequence[int] = held) -> np.ndarray:
            return world.expected(held, points, z)

        found.append(float(maximise(value, None, box, seed=1, screen=screen, starts=starts).value))
    return tuple(found)
