"""Worlds whose optimum moves: functions drawn anew that slide, swing, or are another one from the middle on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from jaxtyping import Float as Floats

import steerbo as sb
from partial_control_bench.costvarying.waves import WAVES, Waves
from steerbo.core import keyed
from steerbo.optim import Box, maximise

PRICES = (0.1, 0.3, 1.0)
ROUNDS = 80
TOLERANCE = 0.1
"""What may be given up: a tenth of the range."""
SLIDES = {"linear": 0.6, "linear, aslant": 0.6}
"""How far the function moves in all: variables lie in [0, 1]."""
SWINGS = {"sine": (0.25, 1), "days": (0.25, 4), "sine, aslant": (0.25, 1)}
"""How far it moves to each side, and how often."""
_LAW = sb.TruncatedNormal(0.5, 0.15)
_PLACED = sb.Float("x", 0, 1, law=_LAW).distribution
_NODES = _PLACED.ppf((np.arange(512) + 0.5) / 512)


@dataclass(frozen=True)
class World:
    """Three variables in [0, 1], three nested control sets, and a function of them that moves with z, the time's share.

    Args:
        name: "linear", "sine", "switch"; "still", or "rough", which is still and has many hills.
        seed: of the function, nature and noise.
    """

    name: str
    seed: int
    sets = ((0,), (0, 1), (0, 1, 2))
    dimension = 3

    @cached_property
    def _functions(self) -> tuple[Waves, ...]:
        """Draws from Gaussian processes, range about 1."""
        return tuple(self._drawn(k) for k in range(2 if self.name == "switch" else 1))

    def _drawn(self, k: int) -> Waves:
        random = keyed(self.seed, k, "function")
        lengthscales = (
            np.concatenate([[0.4], 0.4 * 10 ** random.random(2)]) if self.name != "rough" else np.full(3, 0.2)
        )
        return Waves.of(random, random.normal(size=(WAVES, 3)) / lengthscales)

    @property
    def moves(self) -> bool:
        """Whether it slides or swings."""
        return self.name in SLIDES or self.name in SWINGS

    @cached_property
    def _direction(self) -> np.ndarray:
        """Where to it moves: along the variable that every set holds, or aslant, where much is along others."""
        towards = keyed(self.seed, 0, "direction").normal(size=3)
        if not self.name.endswith("aslant"):
            towards[1:] = 0.0
        return np.asarray(towards / np.linalg.norm(towards))

    def _now(self, z: float) -> Waves:
        """The function as it is at z."""
        return self._functions[-1 if z > 0.5 else 0].moved(self.moved(z) * self._direction)

    def moved(self, z: float) -> float:
        """How far the function has moved at z: what moves it, in a world that slides or swings."""
        swing, times = SWINGS.get(self.name, (0.0, 1))
        return SLIDES.get(self.name, 0.0) * z + swing * math.sin(2 * math.pi * times * z)

    def value(self, x: Floats[np.ndarray, "p d"], z: float) -> Floats[np.ndarray, " p"]:
        """Without noise."""
        return self._now(z).value(x)

    def expected(self, held: Sequence[int], settings: Floats[np.ndarray, "p c"], z: float) -> Floats[np.ndarray, " p"]:
        """E f at settings (p, c) of what is held, over what nature draws."""
        return self._now(z).averaged(held, settings, _NODES)

    def seen(self, number: int) -> float:
        """The share of the rounds that is over: what who knows the time sees."""
        return number / ROUNDS

    def oracle(self, z: float) -> tuple[float, float]:
        """The least acceptable value, and the price of holding all: the best of all holds all."""
        moment = float(z > 0.5) if self.name == "switch" else z if self.moves else 0.0
        return best(self, moment) - TOLERANCE, PRICES[-1]

    def play(self, number: int, values: dict[str, float]) -> tuple[float, dict[str, float]]:
        """An outcome with its noise, and what nature did; the same draws for every method."""
        random = keyed(self.seed, number, "nature")
        drawn = _PLACED.ppf(random.random(3)).tolist()
        x = {f"x{d}": values.get(f"x{d}", drawn[d]) for d in range(3)}
        value = float(self.value(np.array([[*x.values()]]), self.seen(number))[0])
        return value + 0.02 * float(random.normal()), x

    def cause(self, number: int) -> float:
        """What moves it, from -1 to 1, as who knows what it is sees it: how far it swings, or what time it is."""
        z = self.seen(number)
        if self.name == "linear":
            return 2 * z - 1
        return 2 * (4 * z % 1) - 1 if self.name == "days" else math.sin(2 * math.pi * z)

    def problem(self, drift: Any, cause: bool = False) -> sb.CostVarying:
        """As a problem, with this drift, or where what moves it is seen before choosing."""
        variables = [sb.Float(f"x{d}", 0, 1, law=_LAW) for d in range(3)]
        variables += [sb.Float("cause", -1, 1, seen=True)] if cause else []
        names = [[f"x{d}" for d in each] for each in self.sets]
        return sb.CostVarying(variables, names, costs=PRICES, tolerance=sb.Absolute(TOLERANCE), drift=drift)


@cache
def best(world: World, z: float) -> float:
    """The largest value there is at z."""
    box = Box([0.0] * 3, [1.0] * 3)
    return float(maximise(lambda x: world.value(x, z), None, box, seed=1, screen=1024, starts=6).value)
