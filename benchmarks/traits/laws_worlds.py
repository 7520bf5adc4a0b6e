"""Worlds whose nature has a law that somebody knows, has a log of, or is wrong about: drawn functions, the airfoil."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float as Floats

import steerbo as sb
from partial_control_bench.costvarying.waves import Waves
from steerbo.core import keyed
from steerbo.optim import Box, maximise

PRICES = (0.1, 1.0)
TOLERANCE = 0.1
LOG = 365
"""Rows of a log: a year of days."""
_POPULATION, _NOISE = 4000, 0.02
_FEW = 256  # of the population that the best settings are looked for on
_RIGHT = sb.TruncatedNormal(0.5, 0.15)
STATED: dict[str, Any] = {"elsewhere": sb.Uniform(), "shifted": sb.TruncatedNormal(0.35, 0.1), "right": _RIGHT}
"""What is stated of the first variable that nature draws, right or wrong."""
TRUE: dict[str, Any] = {
    "elsewhere": sb.TruncatedNormal(0.8, 0.03),
    "shifted": sb.TruncatedNormal(0.6, 0.15),
    "right": _RIGHT,
}


@dataclass(frozen=True)
class LawWorld:
    """Two sets: the cheap one holds x0, the dear one x1 too. Nature draws x1, unless it is held, and all others.

    Args:
        name: "rho 0.9" or "rho -0.9" (x1 and x2 go together), "airfoil" (frequency, angle and thickness as in the
            published wind tunnel, of which chord, and at a price angle, can be chosen), or one of `STATED`.
        seed: of the function, the log, nature and noise.
    """

    name: str
    seed: int

    @property
    def joint(self) -> bool:
        """Whether what nature draws goes together."""
        return self.name not in STATED

    @property
    def names(self) -> tuple[str, ...]:
        """Of all variables."""
        return tuple(f"x{d}" for d in range(4 if self.name == "airfoil" else 3))

    @cached_property
    def population(self) -> Floats[np.ndarray, "p k"]:
        """What nature draws from: x1 and so on."""
        random = keyed(self.seed, 0, "population")
        if self.name == "airfoil":
            from ..costvarying.airfoil import inputs

            return inputs()[keyed(self.seed, 0, "order").permutation(len(inputs()))][:, [1, 0, 4]]
        if self.joint:
            rho = float(self.name.split()[1])
            drawn = random.multivariate_normal([0.0, 0.0], [[1.0, rho], [rho, 1.0]], _POPULATION)
            return np.clip(0.5 + 0.15 * drawn, 0.0, 1.0)
        laws = [sb.Float("x", 0, 1, law=law).distribution for law in (TRUE[self.name], _RIGHT)]
        return np.column_stack([law.ppf(u) for law, u in zip(laws, random.random((2, _POPULATION)), strict=True)])

    @cached_property
    def log(self) -> Floats[np.ndarray, "m k"]:
        """What was measured before."""
        return self.population[keyed(self.seed, 0, "log").choice(len(self.population), LOG, replace=False)]

    @cached_property
    def _waves(self) -> Waves:
        return Waves.draw(self.seed, [0.4] * 3)

    def value(self, x: Floats[np.ndarray, "p d"]) -> Floats[np.ndarray, " p"]:
        """Without noise; a range of about 1."""
        if self.name == "airfoil":  # chord, angle, frequency, thickness; the velocity is a fair wind's
            from ..costvarying.airfoil import noise_level

            points = np.column_stack([x[:, 2], x[:, 1], x[:, 0], np.full(len(x), 0.6), x[:, 3]])
            return np.asarray(noise_level(points)) / 4
        return self._waves.value(x)

    def expected(self, settings: Floats[np.ndarray, "r c"], most: int | None = None) -> Floats[np.ndarray, " r"]:
        """The average over what nature draws, where the first c variables are held; over `most` of it, where given."""
        drawn = self.population[:most]
        x = np.empty((len(settings), len(drawn), len(self.names)))
        x[:, :, 1:] = drawn
        x[:, :, : settings.shape[1]] = settings[:, None]
        return np.array([float(self.value(points).mean()) for points in x])

    @cached_property
    def best(self) -> tuple[float, float]:
        """The largest expected value of each set."""
        return tuple(  # type: ignore[return-value]
            float(maximise(self._roughly, None, Box([0.0] * c, [1.0] * c), seed=1, screen=32 * c, starts=2).value)
            for c in (1, 2)
        )

    def _roughly(self, settings: Floats[np.ndarray, "r c"]) -> Floats[np.ndarray, " r"]:
        return self.expected(settings, _FEW)

    def play(self, number: int, values: dict[str, float]) -> tuple[float, dict[str, float]]:
        """An outcome with its noise, and what happened; the same draws for every method."""
        random = keyed(self.seed, number, "nature")
        drawn = self.population[int(random.integers(len(self.population)))]
        x = {**dict(zip(self.names[1:], drawn.tolist(), strict=True)), **values}
        point = np.array([[x[name] for name in self.names]])
        return float(self.value(point)[0]) + _NOISE * float(random.normal()), x

    def problem(self, how: str) -> sb.CostVarying:
        """As a problem: "rows", or "independent" columns, of the log; laws "stated", "learned", "doubted", "true"."""
        laws: Sequence[Any]
        if self.joint:
            laws = [None if how == "rows" else sb.space.Empirical(column.tolist()) for column in self.log.T]
        else:
            stated = STATED[self.name]
            first = {
                "stated": stated,
                "learned": sb.space.Learned(),
                "doubted": sb.space.Learned(stated),
                "true": TRUE[self.name],
            }
            laws = [first[how], _RIGHT]
        drawn = [sb.Float(name, 0, 1, law=law) for name, law in zip(self.names[1:], laws, strict=True)]
        nature = sb.space.JointRows(self.log.tolist(), list(self.names[1:])) if how == "rows" else None
        return sb.CostVarying(
            [sb.Float("x0", 0, 1), *drawn],
            [["x0"], ["x0", "x1"]],
            costs=PRICES,
            tolerance=sb.Absolute(TOLERANCE),
            nature=nature,
        )
