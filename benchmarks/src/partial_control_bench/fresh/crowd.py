"""Agents spread over sites, drawn afresh: a site pays until it is crowded, and neighbours take from each other."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from ..errors import BenchError
from ..meanfield.world import whole
from ..protocol import Blind, Outcome, Values
from ..randomness import keyed
from .noise import NOISES, noise

_DRAWS = 2000
_STEPS = 400


class FreshCrowd(Blind):
    """Two to sixty sites; noise is in standard deviations over distributions that are drawn evenly."""

    def __init__(self, seed: int, draws: int = 0) -> None:
        self.seed, self._luck = seed, seed + 7919 * draws
        random = keyed(seed, 0, "crowd")
        self.sites = int(random.choice([2, 4, 8, 15, 30, 60]))
        self.agents = int(random.integers(50, 2000))
        self.noise = NOISES[int(random.choice([0, 1, 2, 3]))]
        self.places = random.random((self.sites, 2))
        self.pay = random.uniform(0.3, 1.5, self.sites)
        self.room = random.uniform(0.3, 3.0, self.sites) / self.sites
        near = ((self.places[:, None] - self.places[None]) ** 2).sum(axis=2)
        self.taken = (
            random.uniform(0.0, 0.5)
            * np.maximum(1 - np.sqrt(near) / 0.25, 0.0)
            * (1 - np.eye(self.sites))
        )
        self.saturating = bool(random.random() < 0.5)

    @property
    def known(self) -> dict[str, Any]:
        """Sites with where they are, and how many agents there are."""
        names = [f"s{k + 1}" for k in range(self.sites)]
        return {"wing": "mean-field", "actions": names, "contexts": ["everyone"], "agents": self.agents,
                "shares": [1.0], "features": self.places.tolist()}  # fmt: skip

    def _payoff(self, shares: Float[np.ndarray, "n s"]) -> Float[np.ndarray, " n"]:
        """What all agents get: of the room of a site a share, less what neighbours take."""
        filled = shares / self.room
        served = (
            filled / (1 + filled) * self.room * 2
            if self.saturating
            else np.minimum(shares, self.room)
        )
        lost = ((shares @ self.taken) * shares).sum(axis=1)
        return np.asarray(served @ self.pay - lost)

    @cached_property
    def _scale(self) -> float:
        return float(self._payoff(self._drawn(_DRAWS)).std()) or 1.0

    def _drawn(self, n: int) -> Float[np.ndarray, "n s"]:
        return keyed(self.seed, n, "distributions").dirichlet(np.ones(self.sites), n)

    @cached_property
    def _best(self) -> float:
        """By the best of many draws, and steps that multiply shares."""
        random = keyed(self.seed, 0, "best")
        start = np.vstack(
            [
                self._drawn(_DRAWS),
                np.full((1, self.sites), 1 / self.sites),
                random.dirichlet(self.room / self.room.sum() * 20, 200),
            ]
        )
        at = start[np.argsort(-self._payoff(start))[:6]]
        for k in range(_STEPS):
            steps = np.exp(
                0.5
                * 0.99**k
                * random.normal(size=(8, *at.shape))
                * (random.random((8, *at.shape)) < 0.5)
            )
            near = np.vstack([at, (at * steps).reshape(-1, self.sites)])
            near /= near.sum(axis=1, keepdims=True)
            at = near[np.argsort(-self._payoff(near))[:6]]
        return float(self._payoff(at[:1])[0]) / self._scale

    @property
    def words(self) -> str:
        """Its traits, for people."""
        return f"{self.agents} agents on {self.sites} sites, {self.noise}"

    def true_value(self, values: Values, number: int | None = None) -> float:
        """What a distribution pays, of whole agents.

        Raises:
            BenchError: it is no distribution.
        """
        asked = np.asarray(values.get("distribution"), dtype=float)
        if (
            asked.shape != (1, self.sites)
            or not np.isfinite(asked).all()
            or asked.min() < -1e-9
            or abs(asked.sum() - 1) > 1e-6
        ):
            raise BenchError(
                f"distribution: must be a list of {self.sites} shares that sum to 1, none below 0"
            )
        return (
            float(self._payoff(whole(np.maximum(asked[0], 0.0), self.agents)[None])[0])
            / self._scale
        )

    def play(self, number: int, values: Values, seen: Values) -> Outcome:
        """The average payoff, with noise."""
        random = keyed(self._luck, number, "noise")
        return Outcome(self.true_value(values) + noise(self.noise, np.full(1, 0.5), random))

    def regret(self, number: int, values: Values, seen: Values) -> float:
        """What lacks to the best distribution."""
        return self._best - self.true_value(values)
