"""Methods that mean-field results are compared with; steerbo finds them by their entry points, as any outsider's.

All of them see every agent as a categorical variable of its own. `genetic` needs pymoo
(`pip install 'partial-control-bench[genetic]'`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float, Int
from pydantic import Field

from steerbo.extending import Choice, SteerboError, record
from steerbo.meanfield.baselines import GPUCB, OverlapGP, PerAgentMethod, Vector


class AdditiveGP(OverlapGP):
    """Gaussian process to which every agent contributes separately: `k(x, x') = 1 − h`, h the share that differs."""

    lengths: ClassVar[tuple[float, ...]] = OverlapGP.lengths[-1:]  # not used by the kernel

    @staticmethod
    def kernel(apart: Float[np.ndarray, "r n"], length: float) -> Float[np.ndarray, "r n"]:
        """Return covariances from the shares of agents that differ."""
        return 1 - apart


class AddGPUCB(GPUCB):
    """Optimism agent by agent, as if each contributed separately (Add-GP-UCB, Kandasamy et al. 2015)."""

    name: ClassVar[str] = "add-gp-ucb"

    def best(
        self,
        vectors: Int[np.ndarray, "n M"],
        values: Float[np.ndarray, " n"],
        random: np.random.Generator,
    ) -> Vector:
        """Maximise `Σ_m μ_m + βσ_m` exactly: agents decide one by one; ties are broken at random."""
        process, chosen = AdditiveGP.fitted(vectors, values), vectors[int(values.argmax())].copy()
        M, A = len(chosen), len(self.problem.actions)
        noise = 1e-9 * random.random((M, A))
        for m in range(M):
            k = (process.vectors[:, m] == np.arange(A)[:, None]) / M  # (A, n)
            variance = np.maximum(1 / M - np.einsum("an,an->a", k @ process.inverse, k), 1e-12)
            bound = (
                k @ process.weights
                + self.options.beta * np.sqrt(process.scale * variance)
                + noise[m]
            )
            actions = self.open[self.context_of[m]]
            chosen[m] = actions[int(bound[actions].argmax())]
        return chosen


@record
class GeneticOptions:
    """Options of `genetic`.

    Args:
        population: random vectors at first, and the number of best ones that are parents.
    """

    population: int = Field(20, ge=2)


class Genetic(PerAgentMethod[GeneticOptions]):
    """A genetic algorithm over the actions of all agents (pymoo: tournaments, uniform crossover, random mutation)."""

    name: ClassVar[str] = "genetic"
    Options: ClassVar[type[Any]] = GeneticOptions

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose a child of two of the best vectors."""
        random = self.streams(self.history.next_round, "choose")
        vectors, values, _ = self.told()
        if len(values) < self.options.population:
            return self.play(self.any(random), random, phase="start")
        best = np.argsort(-values, kind="stable")[: self.options.population]
        return self.play(self._child(vectors[best], random), random, phase="evolve")

    def _child(self, parents: np.ndarray, random: np.random.Generator) -> Vector:
        """Return one child of parents that are sorted, best first."""
        try:
            from pymoo.core.mating import Mating
            from pymoo.core.population import Population
            from pymoo.core.problem import Problem
            from pymoo.core.variable import Choice as Choices
            from pymoo.operators.crossover.ux import UX
            from pymoo.operators.mutation.rm import ChoiceRandomMutation
            from pymoo.operators.selection.tournament import TournamentSelection
        except ImportError:
            install = "pip install 'partial-control-bench[genetic]'"
            raise SteerboError(f"genetic needs pymoo, which is not installed: {install}") from None
        choices = [Choices(options=self.open[c].tolist()) for c in self.context_of]
        problem = Problem(vars=dict(enumerate(choices)))
        tournament = TournamentSelection(
            func_comp=lambda pop, pairs, **_: pairs.min(axis=1)[:, None]
        )
        mating = Mating(tournament, UX(), ChoiceRandomMutation())
        child = mating.do(problem, Population.new("X", parents), 1, random_state=random)
        vector = child[0].X if len(child) else self.changed(parents[0], 1, random)
        return np.asarray(vector).astype(np.intp)


@record
class AnnealingOptions:
    """Options of `annealing`.

    Args:
        cooling: factor of the temperature from one round to the next.
        starting_points: random vectors at first; the standard deviation of their values is the
            first temperature.
    """

    cooling: float = Field(0.97, gt=0, lt=1)
    starting_points: int = Field(5, ge=2)


class Annealing(PerAgentMethod[AnnealingOptions]):
    """Simulated annealing over the actions of all agents (Kirkpatrick et al. 1983): one agent changes its action."""

    name: ClassVar[str] = "annealing"
    Options: ClassVar[type[Any]] = AnnealingOptions

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose a neighbour of the present vector of the walk."""
        random = self.streams(self.history.next_round, "choose")
        vectors, values, numbers = self.told()
        if len(values) < self.options.starting_points:
            return self.play(self.any(random), random, phase="start")
        here = self._walk(vectors, values, numbers)
        return self.play(self.changed(here, 1, random), random, phase="walk")

    def _walk(self, vectors: np.ndarray, values: np.ndarray, numbers: list[int]) -> Vector:
        """Replay the walk: accept or refuse the vectors in the order of the rounds."""
        first = self.options.starting_points
        size = float(np.abs(values).max()) or 1.0
        scaled = values / size
        heat = float(scaled[:first].std()) or 1e-12
        here = int(scaled[:first].argmax())
        for step, i in enumerate(range(first, len(values))):
            worse = (scaled[here] - scaled[i]) / (heat * self.options.cooling**step)
            if worse <= 0 or self.streams(numbers[i], "accept").random() < np.exp(
                -min(worse, 700.0)
            ):
                here = i
        found: Vector = vectors[here]
        return found


METHODS = (AddGPUCB, Genetic, Annealing)
