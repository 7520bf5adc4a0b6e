"""GP-UCB on the naive view, for few agents: all agents' actions together, or agent by agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from ..record import record
from ..rounds import Choice, History
from .individuals import Individuals, Vector
from .overlap import Overlap

_MOST = 1000
_CANDIDATES, _STEPS = 100, 10


@record
class GPUCBOptions:
    """Options of `gp-ucb` and `add-gp-ucb`.

    Args:
        beta: width of the bound `μ + βσ`.
        starting_points: random vectors at first.
    """

    beta: float = Field(1.0, ge=0, allow_inf_nan=False)
    starting_points: int = Field(5, ge=2)


class GPUCB(Individuals[GPUCBOptions]):
    """Optimism over the actions of all agents together (GP-UCB, Srinivas et al. 2010)."""

    name: ClassVar[str] = "gp-ucb"
    Options: ClassVar[type[Any]] = GPUCBOptions
    most_agents = _MOST
    additive: ClassVar[bool] = False

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """The best bound found."""
        random = self.streams(len(history) + 1, "choose")
        vectors, values, _ = self.told(history)
        if len(values) < self.options.starting_points:
            return self.play(history, self.any(random), random, phase="start")
        process = Overlap.fitted(vectors, values, self.additive)
        return self.play(history, self.best(process, vectors[int(values.argmax())], random), random, phase="model")

    def best(self, process: Overlap, known: Vector, random: np.random.Generator) -> Vector:
        """Local search from the best vector seen and from random ones."""
        trials = np.array([known, *(self.any(random) for _ in range(_CANDIDATES))])
        for step in range(_STEPS):
            best = trials[int(process.bound(trials, self.options.beta).argmax())]
            several = max(len(best) // 2 ** (step + 2), 1)
            trials = np.array([best, *(self.changed(best, several, random) for _ in range(_CANDIDATES))])
        found: Vector = trials[int(process.bound(trials, self.options.beta).argmax())]
        return found


class AddGPUCB(GPUCB):
    """Optimism agent by agent, as if each contributed separately (Add-GP-UCB, Kandasamy et al. 2015)."""

    name: ClassVar[str] = "add-gp-ucb"
    additive: ClassVar[bool] = True

    def best(self, process: Overlap, known: Vector, random: np.random.Generator) -> Vector:
        """The exact maximum of `Σ_m μ_m + βσ_m`: agents decide one by one; ties fall at random."""
        M, A = len(known), len(self.problem.actions)
        chosen = known.copy()
        noise = 1e-9 * random.random((M, A))
        for m in range(M):
            k = (process.vectors[:, m] == np.arange(A)[:, None]) / M  # (A, n)
            variance = np.maximum(1 / M - np.einsum("an,an->a", k @ process.inverse, k), 1e-12)
            bound = k @ process.weights + self.options.beta * np.sqrt(process.scale * variance) + noise[m]
            actions = self.open[self.context_of[m]]
            chosen[m] = actions[int(bound[actions].argmax())]
        return chosen
