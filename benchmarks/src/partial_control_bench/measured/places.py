"""Ambulances and volunteers at twenty places of Ithaca, and the calls that they drive to."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from ..errors import BenchError
from ..meanfield.world import whole
from ..protocol import Blind, Outcome, Values
from ..randomness import keyed

STATIONS = 20
CALLS = 60
"""Calls of a play, drawn from the 211 of the table."""
WITHIN = 90.0
FREE = 0.1
"""Seconds in which a volunteer must be there, and the probability that one is free. Ours."""
AMBULANCES, VOLUNTEERS = 4, 100


@functools.cache
def _times() -> tuple[tuple[str, ...], Float[np.ndarray, "stations calls"]]:
    from .tables import columns

    found = dict(columns("ithaca"))
    names = found.pop("station")
    return names, np.array([[float(word) for word in each] for each in found.values()]).T


@dataclass(frozen=True)
class Ithaca(Blind):
    """So many agents at twenty places: four ambulances, or a hundred volunteers.

    Ambulances are worth minus the mean seconds from the nearest one to a call, volunteers the share
    of calls that one who is free reaches in time.
    """

    agents: int
    seed: int

    @property
    def known(self) -> dict[str, Any]:
        """Places and agents."""
        return {
            "wing": "mean-field",
            "actions": list(_times()[0]),
            "contexts": ["everyone"],
            "agents": self.agents,
            "shares": [1.0],
            "features": None,
        }

    def counts(self, values: Values) -> Float[np.ndarray, " stations"]:
        """Whole agents at each place: the nearest to the shares that are asked for.

        Raises:
            BenchError: that is no distribution.
        """
        asked = np.asarray(values.get("distribution"), dtype=float)
        if asked.shape != (1, STATIONS) or not np.isfinite(asked).all() or asked.min() < -1e-9:
            raise BenchError(f"distribution: must be one list of {STATIONS} shares, none below 0")
        if abs(asked.sum() - 1) > 1e-6:
            raise BenchError(f"distribution: shares must sum to 1, not {asked.sum():g}")
        return np.round(whole(np.maximum(asked[0], 0.0), self.agents) * self.agents)

    def calls(self, counts: Float[np.ndarray, " stations"]) -> Float[np.ndarray, " calls"]:
        """What each call is worth with so many agents at each place."""
        seconds = _times()[1]
        if self.agents == AMBULANCES:
            return np.asarray(-seconds[counts > 0].min(axis=0))
        return np.asarray(1 - (1 - FREE) ** (counts @ (seconds <= WITHIN)))

    def truth(self, values: Values) -> float:
        """The mean over all calls."""
        return float(self.calls(self.counts(values)).mean())

    def play(self, number: int, values: Values, seen: Values) -> Outcome:
        """The mean over some calls."""
        each = self.calls(self.counts(values))
        drawn = keyed(self.seed, number, "calls").integers(len(each), size=CALLS)
        return Outcome(float(each[drawn].mean()))

    def regret(self, number: int, values: Values, seen: Values) -> float:
        """Less than the best that can be found."""
        return max(best(self.agents) - self.truth(values), 0.0)


@functools.cache
def best(agents: int) -> float:
    """The largest truth: of all places for ambulances; of volunteers until moving one gains nothing."""
    world, counts = Ithaca(agents, 0), np.zeros(STATIONS)
    if agents == AMBULANCES:
        fours = itertools.combinations(_times()[1], AMBULANCES)
        return -min(float(np.min(four, axis=0).mean()) for four in fours)
    counts[0], value = agents, -np.inf
    while True:
        tried = []
        for start, stop in itertools.permutations(range(STATIONS), 2):
            if counts[start]:
                moved = counts.copy()
                moved[[start, stop]] += (-1, 1)
                tried.append((float(world.calls(moved).mean()), moved))
        top, moved = max(tried, key=lambda each: each[0])
        if top <= value + 1e-12:
            return value
        value, counts = top, moved
