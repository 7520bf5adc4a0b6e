"""The toy problem of Ziomek, Adachi & Osborne (2025), section 7, and variants that try the limits its authors name.

Eleven priors share a squared-exponential kernel; each has ten hills at `linspace(0, 1, 10)`, and prior n has hill n
tall (prior 0 has none). The truth is drawn from prior 2; in every even round the region of the tall hill is not
available. The paper gives no heights, widths or lengthscales: they are arguments here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float as Floats

from steerbo.rounds import keyed
from steerbo.space import Float
from steerbo.timevarying import Bumps, Decay, Prior, SquaredExponential, TimeVarying

HILLS = 10
GRID = 200
TRUE = 2
_REGION = 0.06  # how far around the true hill nothing can be chosen in an even round


@dataclass(frozen=True)
class Toy:
    """One setting.

    Args:
        tall, short: heights of the hills.
        width: of every hill.
        lengthscale: of the kernel.
        noise: standard deviation of outcomes.
        scales: output scales (standard deviations, as multiples of the true one) that every mean comes with.
        candidates: how many priors; more than eleven have further hills at places of their own.
        epsilon: how fast the truth drifts.
    """

    tall: float = 5.0
    short: float = 1.0
    width: float = 0.03
    lengthscale: float = 0.5
    noise: float = 0.1
    scales: Sequence[float] = (1.0,)
    candidates: int = 11
    epsilon: float = 0.0

    @cached_property
    def grid(self) -> Floats[np.ndarray, " X"]:
        """The points, (200,)."""
        return np.linspace(0, 1, GRID)

    @cached_property
    def true(self) -> int:
        """The number of the true prior among `problem.priors`."""
        return TRUE * len(self.scales) + list(self.scales).index(1.0)

    def mean(self, n: int) -> Bumps:
        """The mean of candidate n: hill n tall; from the twelfth on, a tall hill between the ten."""
        places = np.linspace(0, 1, HILLS)
        heights = np.full(HILLS, self.short)
        if 1 <= n <= HILLS:
            heights[n - 1] = self.tall
        elif n > HILLS:
            extra = (n - HILLS) / (self.candidates - HILLS)
            places, heights = np.append(places, extra), np.append(heights, self.tall)
        return Bumps(centres=[[c] for c in places.tolist()], heights=heights.tolist(), width=self.width)

    @cached_property
    def problem(self) -> TimeVarying:
        """The problem with all its candidates."""
        drift = Decay(self.epsilon) if self.epsilon else None
        means = [tuple(self.mean(n)(self.grid[:, None]).tolist()) for n in range(self.candidates)]
        some = [
            Prior(
                SquaredExponential(self.lengthscale, s * s),
                mean,
                drift,
                self.noise,
                f"hill {n}" + (f" × {s:g}" if s != 1 else ""),
            )
            for n, mean in enumerate(means)
            for s in self.scales
        ]
        return TimeVarying([Float("x", 0, 1, step=1 / (GRID - 1))], some)

    def truth(self, seed: int, rounds: int) -> Floats[np.ndarray, "T X"]:
        """The objective in every round, a draw from the true prior, (T, 200)."""
        x = self.grid[:, None]
        K = SquaredExponential(self.lengthscale).over([False])(x, x)
        values, vectors = np.linalg.eigh(K)
        root = vectors * np.sqrt(np.maximum(values, 0))
        random = keyed(seed, 0, "truth")
        f = root @ random.standard_normal(GRID)
        rho = np.sqrt(1 - self.epsilon)
        path = np.empty((rounds, GRID))
        for t in range(rounds):
            path[t] = f
            if self.epsilon:
                f = rho * f + np.sqrt(self.epsilon) * (root @ random.standard_normal(GRID))
        return path + self.mean(TRUE)(x)

    def available(self, t: int) -> Any:
        """A mask of what can be chosen in round t; None: everything."""
        if t % 2:
            return None
        away: list[bool] = (np.abs(self.grid - (TRUE - 1) / (HILLS - 1)) >= _REGION).tolist()
        return away
