"""The baseline of evolution, on pymoo's operators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from ..errors import MissingExtra
from ..record import record
from ..rounds import Choice, History
from .individuals import Individuals, Vector


@record
class GeneticOptions:
    """Options of `genetic`.

    Args:
        population: random vectors at first, and how many of the best ones are parents.
    """

    population: int = Field(20, ge=2)


class Genetic(Individuals[GeneticOptions]):
    """A genetic algorithm over the actions of all agents (pymoo: tournaments, uniform crossover, random mutation)."""

    name: ClassVar[str] = "genetic"
    Options: ClassVar[type[Any]] = GeneticOptions

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """A child of two of the best."""
        random = self.streams(len(history) + 1, "choose")
        vectors, values, _ = self.told(history)
        if len(values) < self.options.population:
            return self.play(history, self.any(random), random, phase="start")
        best = np.argsort(-values, kind="stable")[: self.options.population]
        return self.play(history, self._child(vectors[best], random), random, phase="evolve")

    def _child(self, parents: np.ndarray, random: np.random.Generator) -> Vector:
        """One child; parents are sorted, best first."""
        try:
            from pymoo.core.mating import Mating
            from pymoo.core.population import Population
            from pymoo.core.problem import Problem
            from pymoo.core.variable import Choice as Choices
            from pymoo.operators.crossover.ux import UX
            from pymoo.operators.mutation.rm import ChoiceRandomMutation
            from pymoo.operators.selection.tournament import TournamentSelection
        except ImportError:
            raise MissingExtra("pymoo", "genetic") from None
        choices = [Choices(options=self.open[c].tolist()) for c in self.context_of]
        problem = Problem(vars=dict(enumerate(choices)))
        tournament = TournamentSelection(func_comp=lambda pop, pairs, **_: pairs.min(axis=1)[:, None])
        mating = Mating(tournament, UX(), ChoiceRandomMutation())
        child = mating.do(problem, Population.new("X", parents), 1, random_state=random)
        vector = child[0].X if len(child) else self.changed(parents[0], 1, random)
        return np.asarray(vector).astype(np.intp)
