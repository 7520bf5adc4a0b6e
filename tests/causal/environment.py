"""A world that a causal problem can be played in, and the regret of playing there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from partial_control_bench.causal.graph import Diagram
from partial_control_bench.causal.scm import StructuralCausalModel
from partial_control_bench.causal.system import System
from steerbo.causal import Causal, CausalGraph
from steerbo.core import Optimizer, Suggestion
from steerbo.space import Float


def graph_of(told: Diagram) -> CausalGraph:
    """A graph as one of ours."""
    return CausalGraph(
        told.directed,
        told.bidirected,
        target=told.target,
        intervenable=told.intervenable,
        contexts=told.contexts,
        variables=told.variables,
    )


@dataclass(frozen=True, eq=False)
class Environment:
    """A problem with the world behind it.

    Attributes:
        name: for tables.
        problem: what the optimiser knows.
        model: the world.
        best: the largest expected target (the smallest, where smaller is better).
        mean: `E[Y | do(actions), contexts]` of one round, for regret without noise: actions, contexts and the scope.
    """

    name: str
    problem: Causal
    model: StructuralCausalModel
    best: float
    mean: Callable[[Mapping[str, Any], Mapping[str, Any]], float]

    @classmethod
    def of(cls, system: System) -> Environment:
        """A system with its problem: what can be set comes first among the variables."""
        graph = graph_of(system.graph)
        variables = tuple(Float(name, low, high) for name, (low, high) in system.ranges.items())
        problem = Causal(graph, variables, minimize=system.minimise)
        return cls(system.name, problem, system.model, system.best, system.mean)

    def look(self, suggestion: Suggestion, seed: int) -> dict[str, float]:
        """What is seen in a round."""
        return self._round(suggestion, seed).look(suggestion.observe, suggestion.values)

    def evaluate(self, suggestion: Suggestion, seed: int) -> float:
        """The measured target of a round."""
        return self._round(suggestion, seed).outcome(suggestion.values)

    def _round(self, suggestion: Suggestion, seed: int) -> Any:
        return self.model.play(seed + 1_000_003 * suggestion.round)

    def play(self, optimizer: Optimizer, rounds: int, seed: int) -> tuple[np.ndarray, np.ndarray, list[str]]:
        """Regret of each round with and without noise, (rounds,) each, and the scopes played."""
        sign = self.problem.sign
        noisy, clean, scopes = np.empty(rounds), np.empty(rounds), []
        for t in range(rounds):
            suggestion = optimizer.ask()
            assert suggestion is not None
            while suggestion.observe:
                suggestion = optimizer.decide(suggestion, self.look(suggestion, seed))
            value = self.evaluate(suggestion, seed)
            optimizer.tell(suggestion, value)
            noisy[t] = sign * (self.best - value)
            clean[t] = sign * (self.best - self.mean(suggestion.values, suggestion.context))
            scopes.append(" ".join(f"{x}|{','.join(c)}" for x, c in suggestion.scope.actions) or "nothing")
        return noisy, clean, scopes
