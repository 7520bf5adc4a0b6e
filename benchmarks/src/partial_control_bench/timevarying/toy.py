"""The toy problem of Ziomek, Adachi & Osborne (2025), section 7, and variants that try the limits its authors name.

Eleven priors share a squared-exponential kernel; each has ten hills at `linspace(0, 1, 10)`, and
prior n has hill n tall (prior 0 has none). The truth is drawn from prior 2; in every even round the
region of the tall hill is not available. The paper gives no heights, widths or lengthscales: they
are arguments here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float as Floats

from ..randomness import keyed
from .world import Stream, prior, root_of, squared_exponential

HILLS = 10
GRID = 200
TRUE = 2
_REGION = 0.06  # how far around the true hill nothing can be chosen in an even round


@dataclass(frozen=True)
class Setting:
    """One setting.

    Args:
        tall, short: heights of the hills.
        width: of every hill.
        lengthscale: of the kernel.
        noise: standard deviation of outcomes.
        scales: output scales (standard deviations, as multiples of the true one) that every mean
            comes with.
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
        """The number of the true prior among `priors`."""
        return TRUE * len(self.scales) + list(self.scales).index(1.0)

    def hills(self, n: int) -> tuple[Floats[np.ndarray, " h"], Floats[np.ndarray, " h"]]:
        """Places and heights of candidate n's hills: hill n tall; from the twelfth on, a tall one between the ten."""
        places, heights = np.linspace(0, 1, HILLS), np.full(HILLS, self.short)
        if 1 <= n <= HILLS:
            heights[n - 1] = self.tall
        elif n > HILLS:
            extra = (n - HILLS) / (self.candidates - HILLS)
            places, heights = np.append(places, extra), np.append(heights, self.tall)
        return places, heights

    def mean_of(self, n: int) -> Floats[np.ndarray, " X"]:
        """Candidate n's mean at the points of the grid."""
        places, heights = self.hills(n)
        return np.asarray(
            np.exp(-0.5 * (self.grid[:, None] - places) ** 2 / self.width**2) @ heights
        )

    @cached_property
    def priors(self) -> list[dict[str, Any]]:
        """All candidates, as entrants are told of them."""
        drift = {"kind": "decay", "rate": self.epsilon} if self.epsilon else None
        means = [self.mean_of(n).tolist() for n in range(self.candidates)]
        return [
            prior(
                f"hill {n}" + (f" × {s:g}" if s != 1 else ""),
                self.lengthscale,
                mean,
                s * s,
                drift,
                self.noise,
            )
            for n, mean in enumerate(means)
            for s in self.scales
        ]

    def truth(self, seed: int, rounds: int) -> Floats[np.ndarray, "T X"]:
        """The objective in every round, a draw from the true prior, (T, 200)."""
        root = root_of(squared_exponential(self.grid[:, None], self.lengthscale))
        random = keyed(seed, 0, "truth")
        f = root @ random.standard_normal(GRID)
        rho = np.sqrt(1 - self.epsilon)
        path = np.empty((rounds, GRID))
        for t in range(rounds):
            path[t] = f
            if self.epsilon:
                f = rho * f + np.sqrt(self.epsilon) * (root @ random.standard_normal(GRID))
        return path + self.mean_of(TRUE)

    def available(self, t: int) -> Any:
        """A mask of what can be chosen in round t; None: everything."""
        if t % 2:
            return None
        away: list[bool] = (np.abs(self.grid - (TRUE - 1) / (HILLS - 1)) >= _REGION).tolist()
        return away

    def world(self, seed: int, rounds: int, first: bool = True) -> Stream:
        """To be played for so many rounds."""
        line = [{"name": "x", "low": 0.0, "high": 1.0, "levels": self.grid.tolist()}]
        told = {"true_prior": self.true}
        return Stream(
            line,
            self.truth(seed, rounds),
            self.noise,
            seed,
            self.priors,
            self.available,
            told,
            first,
        )
