"""Functions that are drawn, and where evaluations of them fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import steerbo as sb

NOISE = 0.02
"""Of outcomes, in deviations of the function over its box."""
LUCK = 0.2
"""How often an evaluation fails where that is luck alone."""

Fails = Callable[[np.ndarray, np.random.Generator], bool]


@dataclass(frozen=True)
class World:
    """A function on a box, standardised, and where it fails.

    Attributes:
        name: of it.
        problem: what is optimised.
        value: of points (n, d).
        fails: whether an evaluation at a point (d,) fails.
        best: the largest value where evaluations do not always fail.
    """

    name: str
    problem: Any
    value: Callable[[np.ndarray], np.ndarray]
    fails: Fails
    best: float

    def point(self, values: Mapping[str, Any], random: np.random.Generator) -> np.ndarray:
        """What is set, and the rest as nature draws it."""
        names = self.problem.space.names
        return np.array([values.get(name, drawn) for name, drawn in zip(names, random.random(len(names)), strict=True)])


def drawn(kind: str, number: int, wing: str) -> World:
    """Five bumps in two or three variables.

    Args:
        kind: `edge`: all fails beyond a plane that leaves the best place a tenth of the box's width behind it; `hole`:
            all fails within a fifth of the diagonal of the best place; `luck`: a fifth of evaluations fails, anywhere;
            `weather`: all fails where the last variable is above 0.7, and one of two sets leaves it to nature.
        number: of the function.
        wing: `cost-varying` or `time-varying`.
    """
    random = np.random.default_rng([77, number])
    d = 2 + number % 2
    centres, heights = random.random((5, d)), random.random(5) + 0.3
    centres[0] = 0.3 + 0.4 * centres[0]
    heights[0] = 2.0
    grid = random.random((20000, d))

    def raw(points: np.ndarray) -> np.ndarray:
        return np.asarray(np.exp(-((points[:, None] - centres) ** 2).sum(axis=2) / (0.18 * d)) @ heights)

    level, spread = raw(grid).mean(), raw(grid).std()
    top, way = grid[int(raw(grid).argmax())], random.standard_normal(d)
    way /= np.linalg.norm(way)
    always: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "edge": lambda points: (points - top) @ way > -0.1,
        "hole": lambda points: ((points - top) ** 2).sum(axis=1) < 0.04 * d,
        "luck": lambda points: np.zeros(len(points), dtype=bool),
        "weather": lambda points: points[:, -1] > 0.7,
    }
    works = ~always[kind](grid)

    def fails(point: np.ndarray, random: np.random.Generator) -> bool:
        return bool(always[kind](point[None])[0]) or (kind == "luck" and random.random() < LUCK)

    def value(points: np.ndarray) -> np.ndarray:
        return np.asarray((raw(points) - level) / spread)

    names = [f"x{j}" for j in range(d)]
    variables = [sb.Float(name, 0, 1, law=sb.Uniform()) for name in names]
    problem: Any = (
        sb.TimeVarying([sb.Float(name, 0, 1) for name in names])
        if wing == "time-varying"
        else sb.CostVarying(variables, control_sets=[names[:-1], names])
    )
    return World(f"{kind}-{number}", problem, value, fails, float(value(grid[works]).max()))
