"""CoBO: one scope that sets everything after looking at everything (Krause & Ong 2011)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ..core import Choice, History, Scope
from .arm_model import ModelOptions
from .method import ScopeBandit


class CoBO(ScopeBandit[ModelOptions]):
    """Set everything, after looking at everything that no action affects: contextual Bayesian optimisation."""

    name: ClassVar[str] = "cobo"
    Options = ModelOptions

    def scopes(self) -> tuple[Scope, ...]:
        """The one scope; contexts that some action affects are left out, or it would be cyclic."""
        graph = self.problem.graph
        affected = {name for each in self.problem.every_graph for name in each.descendants(graph.intervenable)}
        seen = tuple(name for name in graph.contexts or () if name not in affected)
        return (Scope.of(dict.fromkeys(graph.intervenable, seen)),)

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """There is one arm."""
        return self.play(history, 0, request, {})
