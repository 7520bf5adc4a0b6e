"""Functions drawn from a Gaussian process as sums of waves: their values, averages over nature, and largest values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.optimize import minimize

from ..laws import parent_sd, quantile
from ..randomness import even_points, keyed

SD = 0.15
"""Standard deviation of what nature draws, about .5."""
WAVES = 400  # of a drawn function
_NODES = 512


def nature(uniform: Float[np.ndarray, " *n"]) -> Float[np.ndarray, " *n"]:
    """Uniform draws as draws of nature's."""
    return quantile(uniform, parent_sd(SD))


@dataclass(frozen=True, eq=False)
class Waves:
    """`f(x) = Σ_m a_m cos(ω_m · x + φ_m)` on the unit cube, with a range of about 1."""

    frequencies: Float[np.ndarray, "M d"]
    phases: Float[np.ndarray, " M"]
    amplitudes: Float[np.ndarray, " M"]

    @classmethod
    def draw(cls, seed: int, lengthscales: Sequence[float], number: int = 0) -> Waves:
        """One of a squared-exponential kernel with a lengthscale for each variable."""
        random, d = keyed(seed, number, "function"), len(lengthscales)
        return cls.of(random, random.normal(size=(WAVES, d)) / np.asarray(lengthscales))

    @classmethod
    def of(
        cls,
        random: np.random.Generator,
        frequencies: Float[np.ndarray, "M d"],
        points: int = 1024,
        size: Callable[[np.ndarray], Any] = np.ptp,
    ) -> Waves:
        """With these frequencies, phases and amplitudes drawn; the `size` of its values at so many points is 1."""
        phases, amplitudes = 2 * math.pi * random.random(WAVES), random.normal(size=WAVES)
        at = even_points(points, frequencies.shape[1], 0)
        return cls(
            frequencies, phases, amplitudes / size(np.cos(at @ frequencies.T + phases) @ amplitudes)
        )

    def moved(self, by: Sequence[float] | Float[np.ndarray, " d"]) -> Waves:
        """The same, shifted."""
        return Waves(
            self.frequencies, self.phases - self.frequencies @ np.asarray(by), self.amplitudes
        )

    def value(self, x: Float[np.ndarray, "p d"]) -> Float[np.ndarray, " p"]:
        """Without noise."""
        return np.asarray(np.cos(x @ self.frequencies.T + self.phases) @ self.amplitudes)

    def expected(self, held: Mapping[int, float]) -> float:
        """The average where these variables are held, and nature draws the others."""
        at = np.array([[*held.values()]])
        return float(self.averaged([*held], at, nature((np.arange(_NODES) + 0.5) / _NODES))[0])

    def averaged(
        self,
        held: Sequence[int],
        settings: Float[np.ndarray, "p c"],
        nodes: Float[np.ndarray, " n"],
    ) -> Float[np.ndarray, " p"]:
        """The average at settings of what is held; each other variable is at these nodes, as likely at each."""
        turned = np.ones(len(self.phases), dtype=complex)
        for d in set(range(self.frequencies.shape[1])) - set(held):
            turned *= np.exp(1j * np.outer(self.frequencies[:, d], nodes)).mean(1)
        angles = settings @ self.frequencies[:, list(held)].T + self.phases
        return np.asarray((np.exp(1j * angles) * turned).real @ self.amplitudes)


def largest(
    value: Callable[[np.ndarray], np.ndarray], d: int, screen: int = 1024, starts: int = 6
) -> float:
    """The largest value of a function of points (p, d) in the unit cube: the best of many, then uphill from there."""
    points = even_points(screen, d, 1)
    found = value(points)
    best = float(found.max())
    for x in points[np.argsort(-found)[:starts]]:
        climbed = minimize(
            lambda p: -float(value(p[None])[0]), x, bounds=[(0.0, 1.0)] * d, method="L-BFGS-B"
        )
        best = max(best, -float(climbed.fun))
    return best
