"""A crowd that is played with a seed: shares of its agents on actions, and what is lost on the best distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from ..errors import BenchError
from ..protocol import Blind, Outcome, Values
from ..randomness import keyed
from .crowd import Crowd
from .published import NAMES, crowd

_SEARCHED = {
    "swarm": 18.013441862014524,
    "arena": 1.0203137667107645,
    "maritime": 0.20632987751747933,
}
_SEARCHED |= {"coverage-160": 0.8704440750451288}
OPTIMUM: dict[str, float] = {name: _SEARCHED.get(name, 0.0) for name in NAMES}
"""The largest payoff over distributions: 0 where demand can be met, else the best of a search from 64 starts."""


def whole(shares: Float[np.ndarray, " A"], agents: int) -> Float[np.ndarray, " A"]:
    """The nearest shares that whole agents can play: largest remainders.

    >>> whole(np.array([0.5, 0.26, 0.24]), 4)
    array([0.5 , 0.25, 0.25])
    """
    exact = shares / shares.sum() * agents
    count = np.floor(exact + 1e-9)
    for a in np.argsort(count - exact, kind="stable")[: round(agents - count.sum())]:
        count[a] += 1
    return np.asarray(count / agents)


@dataclass(frozen=True)
class CrowdWorld(Blind):
    """One crowd, to be played.

    Attributes:
        name: of the crowd.
        noise: standard deviation of what is measured, as a share of what can be gained over picking
            at random.
        seed: of noise.
    """

    name: str
    noise: float
    seed: int

    @property
    def crowd(self) -> Crowd:
        """Who acts, and what it pays."""
        return crowd(self.name)

    @property
    def gain(self) -> float:
        """The optimum less what picking at random pays."""
        return OPTIMUM[self.name] - self.crowd.random

    @property
    def known(self) -> dict[str, Any]:
        """Actions, contexts, agents and features; "shares" are those of the contexts."""
        told = self.crowd.society
        features = None if told.features is None else [list(row) for row in told.features]
        return {
            "wing": "mean-field",
            "actions": list(told.actions),
            "contexts": list(told.contexts),
            "agents": told.agents,
            "shares": told.shares.tolist(),
            "features": features,
        }

    def play(self, number: int, values: Values, seen: Values) -> Outcome:
        """The average payoff, with noise."""
        noise = (
            self.noise * self.gain * float(keyed(self.seed, number, "noise").normal())
            if self.noise
            else 0.0
        )
        return Outcome(self.crowd.value(self.table(values)) + noise)

    def regret(self, number: int, values: Values, seen: Values) -> float:
        """What is lacking to the optimum, as a share of what can be gained over picking at random."""
        return max((OPTIMUM[self.name] - self.crowd.value(self.table(values))) / self.gain, 0.0)

    def table(self, values: Values) -> Float[np.ndarray, "C A"]:
        """What whole agents do of what is asked: the nearest shares that they can play.

        Raises:
            BenchError: that is no distribution.
        """
        told = self.crowd.society
        shape = (len(told.contexts), len(told.actions))
        asked = np.asarray(values.get("distribution"), dtype=float)
        if asked.shape != shape or not np.isfinite(asked).all() or asked.min() < -1e-9:
            raise BenchError(
                f"distribution: must be {shape[0]} lists of {shape[1]} shares, none below 0"
            )
        if np.abs(asked.sum(axis=1) - 1).max() > 1e-6:
            raise BenchError(
                f"distribution: the shares of a context must sum to 1, not {asked.sum(axis=1).tolist()}"
            )
        rows = zip(np.maximum(asked, 0.0), told.agents_in, strict=True)
        return np.array([whole(row, int(agents)) for row, agents in rows])
