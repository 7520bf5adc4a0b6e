"""Problems that drift, or do not, of which nobody knows how: noises, units and levels are as different as users' are.

On [0, 1], or on grids of it in two or three dimensions; 200 rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float as Floats

from ..randomness import keyed
from .world import Stream

ROUNDS = 200
Truth = Floats[np.ndarray, "T X"]


@dataclass(frozen=True)
class Unknown:
    """One kind of problem.

    Attributes:
        sides: points in each dimension.
        noise: standard deviation of an outcome.
        drifts: whether it does.
        truth: from points (X, d) and randomness to the objective in every round, (T, X).
    """

    sides: tuple[int, ...]
    noise: float
    drifts: bool
    truth: Callable[[np.ndarray, np.random.Generator], Truth]

    def world(self, name: str, seed: int) -> Stream:
        """Without priors."""
        variables = [
            {"name": f"x{i}", "low": 0.0, "high": 1.0, "levels": np.linspace(0, 1, k).tolist()}
            for i, k in enumerate(self.sides)
        ]
        return Stream(variables, self.draw(name, seed), self.noise, seed)

    def draw(self, name: str, seed: int) -> Truth:
        """The objective in every round."""
        grids = np.meshgrid(*[np.linspace(0, 1, k) for k in self.sides], indexing="ij")
        return self.truth(np.stack(grids, -1).reshape(-1, len(self.sides)), keyed(seed, 0, name))


def _walk(random: np.random.Generator, d: int, step: float) -> np.ndarray:
    """A walk inside the cube that turns back at its walls, (T, d)."""
    path = random.random(d) + np.cumsum(step * random.standard_normal((ROUNDS, d)), axis=0)
    folded: np.ndarray = np.abs((path + 1) % 2 - 1)
    return folded


def _wandering(X: np.ndarray, random: np.random.Generator) -> Truth:
    return 50 * np.exp(-((X.T - _walk(random, 1, 0.02)) ** 2) / (2 * 0.12**2))


def _branin(X: np.ndarray) -> np.ndarray:
    a, b = 15 * X[..., 0] - 5, 15 * X[..., 1]
    found: np.ndarray = (b - 5.1 / (4 * np.pi**2) * a**2 + 5 / np.pi * a - 6) ** 2
    return -found - 10 * (1 - 1 / (8 * np.pi)) * np.cos(a) - 10


def _turning(X: np.ndarray, random: np.random.Generator) -> Truth:
    phase = random.random() + np.arange(ROUNDS) / 300
    shifted = np.broadcast_to(X, (ROUNDS, *X.shape)).copy()
    shifted[..., 0] = (shifted[..., 0] + phase[:, None]) % 1
    return _branin(shifted)


def _trading(X: np.ndarray, random: np.random.Generator) -> Truth:
    places, phase = np.array([0.15, 0.5, 0.85]), 2 * np.pi * random.random(3)
    heights = 1e-3 * (
        2 + np.sin(2 * np.pi * np.arange(ROUNDS)[:, None] / np.array([90, 130, 170]) + phase)
    )
    hills: Truth = heights @ np.exp(-((X - places) ** 2) / (2 * 0.08**2)).T
    return hills


def _jumps(X: np.ndarray, random: np.random.Generator) -> Truth:
    path = np.empty((ROUNDS, len(X)))
    for t in range(ROUNDS):
        if t % 60 == 0:
            centres, heights = random.random((3, X.shape[1])), 1 + 2 * random.random(3)
            squares = ((X[:, None] - centres) ** 2).sum(-1)
            now = np.exp(-squares / (2 * 0.2**2)) @ heights
        path[t] = now
    return path


def _seasons(X: np.ndarray, random: np.random.Generator) -> Truth:
    level = 1000 + 20 * np.cumsum(random.standard_normal(ROUNDS))[:, None]
    return level - 200 * (X.T - _walk(random, 1, 0.01)) ** 2


def _still_branin(X: np.ndarray, random: np.random.Generator) -> Truth:
    shift = random.random()
    return np.tile(_branin(np.column_stack([(X[:, 0] + shift) % 1, X[:, 1]])), (ROUNDS, 1))


def _still_waves(X: np.ndarray, random: np.random.Generator) -> Truth:
    waves = sum(
        random.standard_normal() / k * np.sin(2 * np.pi * (k * X[:, 0] + random.random()))
        for k in range(1, 6)
    )
    return np.tile(1e6 + 1e4 * waves, (ROUNDS, 1))


def _still_bump(X: np.ndarray, random: np.random.Generator) -> Truth:
    squares = ((X - random.random(X.shape[1])) ** 2).sum(-1)
    return np.tile(np.exp(-squares / (2 * 0.3**2)), (ROUNDS, 1))


KINDS: dict[str, Unknown] = {
    "wandering peak": Unknown((60,), 3.0, True, _wandering),
    "turning Branin": Unknown((15, 15), 3.0, True, _turning),
    "trading hills": Unknown((60,), 1e-4, True, _trading),
    "jumps": Unknown((12, 12), 0.2, True, _jumps),
    "seasons": Unknown((60,), 2.0, True, _seasons),
    "still Branin": Unknown((15, 15), 3.0, False, _still_branin),
    "still waves": Unknown((60,), 1e3, False, _still_waves),
    "still bump": Unknown((7, 7, 7), 0.1, False, _still_bump),
}
