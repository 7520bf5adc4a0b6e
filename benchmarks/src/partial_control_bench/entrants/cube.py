"""The search space as a unit cube, for peers that take nothing else; what was played stands in its coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from ..protocol import Outcome, Values
from ..space import space_of


class Cube:
    """One coordinate for each parameter; a number of a level, or of a control set, is a part of its side.

    In cost-varying problems all coordinates are known of every play: those that nature drew as it
    drew them.
    """

    def __init__(self, known: Mapping[str, Any]) -> None:
        self.space = space_of(known)
        self.dimension = len(self.space.parameters)
        self.X: list[Float[np.ndarray, " d"]] = []
        self.y: list[float] = []
        self._asked: Float[np.ndarray, " d"] | None = None

    def values(self, x: Float[np.ndarray, " d"], now: Mapping[str, Any]) -> dict[str, Any]:
        """A point of the cube as values to set."""
        self._asked = np.clip(x, 0.0, 1.0)
        point: dict[str, Any] = {}
        for u, p in zip(self._asked, self.space.parameters, strict=True):
            point[p.name] = (
                min(int(u * p.size), p.size - 1) if p.size else p.low + (p.high - p.low) * float(u)
            )
        return self.space.values(point, now)

    def learn(self, values: Values, outcome: Outcome) -> None:
        """Take a play in; larger is better. What was given before is left out where no point says it."""
        found, x = self.space.point(values), self._asked
        if found is not None:
            drawn = {
                p.name: p.code(outcome.realised[p.name])
                for p in self.space.parameters
                if p.name in outcome.realised
            }
            told = {**drawn, **found}
            x = np.array([self._coordinate(p, told[p.name]) for p in self.space.parameters])
        if x is not None:
            self.X.append(x)
            self.y.append(self.space.sign * self.space.net(values, outcome))
        self._asked = None

    def _coordinate(self, p: Any, value: Any) -> float:
        return (value + 0.5) / p.size if p.size else (value - p.low) / (p.high - p.low)

    def data(self) -> tuple[Float[np.ndarray, "n d"], Float[np.ndarray, " n"]]:
        """All plays."""
        return np.array(self.X), np.array(self.y)
