"""Sweep: every control set in turn, at points that fill the space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from steerbo import CostVarying
from steerbo.extending import (
    Choice,
    Explanation,
    Method,
    Recommendation,
    Scope,
    sobol_points,
)


class Sweep(Method[CostVarying, Any]):
    """Every control set in turn, at Sobol points; the best outcome is recommended."""

    name: ClassVar[str] = "sweep"
    solves = CostVarying

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """The next set that the money left pays for, at the next point."""
        turn, space = len(self.history), self.problem.space
        affordable = self.problem.affordable(self.history)
        scope = affordable[turn % len(affordable)]
        seed = self.streams.integer(0, "sweep")
        (settings,) = space.decode(sobol_points(turn + 1, space.dimension, seed)[-1:])
        return Choice(scope, {name: settings[name] for name in scope.set})

    def recommend_at(self, context: Mapping[str, Any]) -> Recommendation:
        """The round with the best outcome."""
        if not self.history.told:
            return Recommendation(Scope(self.problem.control_sets[0]), {})
        best, outcome = max(self.history.told, key=lambda pair: self.problem.sign * pair[1].value)
        return Recommendation(best.suggestion.scope, best.suggestion.values, outcome.value)

    def explain(self) -> Explanation:
        """Nothing is learned."""
        return Explanation("the best outcome so far; nothing is believed of what was not tried")
