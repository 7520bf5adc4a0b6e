"""Worlds in which some variables are hard to change: functions drawn anew, and the airfoil with chords to mount."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float as Floats

import steerbo as sb
from partial_control_bench.costvarying.waves import WAVES, Waves
from steerbo.core import keyed
from steerbo.optim import Box, maximise

from ..costvarying.airfoil import noise_level


@dataclass(frozen=True)
class Kind:
    """How many variables there are, the first of them hard to change at this price, and the money; a play costs 1."""

    dimension: int
    hard: int
    change: sb.SwitchingCost
    money: float


KINDS = {
    "oven": Kind(3, 1, sb.SwitchingCost(fixed=10), 120),
    "two of four": Kind(4, 2, sb.SwitchingCost(fixed=5), 120),
    "by the way": Kind(3, 1, sb.SwitchingCost(fixed=1, per_unit=20), 120),
    "airfoil": Kind(4, 1, sb.SwitchingCost(fixed=10), 120),
    "not there": Kind(3, 1, sb.SwitchingCost(fixed=10), 40),
}


@dataclass(frozen=True)
class World:
    """All variables lie in [0, 1], and all are set in every round. Values of drawn functions have deviation 1.

    Args:
        name: one of `KINDS`; "not there" is the oven where changes cost nothing in truth.
        seed: of the function and its noise; the airfoil's function is always the same.
    """

    name: str
    seed: int

    @property
    def kind(self) -> Kind:
        """Its size and prices."""
        return KINDS[self.name]

    @property
    def names(self) -> list[str]:
        """Of the variables; those that are hard to change come first."""
        return [f"x{d}" for d in range(self.kind.dimension)]

    @cached_property
    def _waves(self) -> Waves:
        """A draw from a Gaussian process."""
        random = keyed(self.seed, 0, "function")
        d = self.kind.dimension
        return Waves.of(random, random.normal(size=(WAVES, d)) / (0.3 * 3 ** random.random(d)), 4096, np.std)

    def value(self, x: Floats[np.ndarray, "p d"]) -> Floats[np.ndarray, " p"]:
        """Without noise."""
        if self.name == "airfoil":  # chord, frequency, angle, velocity; the boundary layer stays as it usually is
            middle = np.full(len(x), 0.5)
            points = np.column_stack([x[:, 1], x[:, 2], x[:, 0], x[:, 3], middle])
            return np.asarray(noise_level(points)) / 2
        return self._waves.value(x)

    @cached_property
    def best(self) -> float:
        """The largest value."""
        d = self.kind.dimension
        box = Box([0.0] * d, [1.0] * d)
        return float(maximise(self.value, None, box, seed=1, screen=4096, starts=20).value)

    def regret(self, values: Mapping[str, float]) -> float:
        """How far settings fall short of the best."""
        return self.best - float(self.value(np.array([[values[name] for name in self.names]]))[0])

    def play(self, number: int, values: Mapping[str, float]) -> float:
        """An outcome with its noise; the same for every method."""
        noise = 0.05 * float(keyed(self.seed, number, "noise").normal())
        return float(self.value(np.array([[values[name] for name in self.names]]))[0]) + noise

    def price(self, values: Mapping[str, float], before: Mapping[str, float] | None) -> float:
        """What a play costs after another one, counted by itself."""
        price = 1.0
        if before is not None and self.name != "not there":
            for name in self.names[: self.kind.hard]:
                way = abs(values[name] - before[name])
                price += (self.kind.change.fixed + self.kind.change.per_unit * way) if way > 0 else 0.0
        return price

    def problem(self, declared: bool) -> sb.CostVarying:
        """As a problem that says what changes cost, or does not."""
        variables = [sb.Float(name, 0, 1) for name in self.names]
        if declared:
            hard = [replace(v, change=self.kind.change) for v in variables[: self.kind.hard]]
            variables = [*hard, *variables[self.kind.hard :]]
        return sb.CostVarying(variables, [self.names], costs=[1])
