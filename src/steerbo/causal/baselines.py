"""Baselines for causal problems: CaBO, which never looks; CoBO, which sets and looks at everything; random.

And CoCa-BO without contexts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..core import Choice, Scope, context_of
from ..surrogate import Acquisition, ExpectedAcquisition, expected_improvement
from ._feasibility import required_without_failure
from ._policy_value import fitted_at
from .coca_bo import CoCaBO
from .identification.enumeration import intervention_sets
from .identification.scopes import ScopesFound, union
from .method import CausalMethod
from .models import ModelOptions


class CaBO(CausalMethod[ModelOptions]):
    """Play the intervention set with the largest expected improvement, contexts ignored (Aglietti et al. 2020)."""

    name: ClassVar[str] = "cabo"
    Options = ModelOptions

    def scopes(self) -> ScopesFound:
        """Possibly-optimal minimal intervention sets."""
        every = (map(Scope, intervention_sets(graph)) for graph in self.problem.every_graph)
        return ScopesFound(union(every), True)

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose the arm with the largest causal acquisition value."""
        seen = context_of(request)
        some = self.most_feasible(self.costs.affordable(), seen)
        first = self.needs_initial_plays(some)
        if first is not None:
            return self.play(first, request, {})
        likely = self.feasibility.success_probabilities[some]
        found = (likely * [self._improvement(int(i), seen) for i in some]).tolist()
        return self.play(int(some[np.argmax(found)]), request, {"improvement": found})

    def _improvement(self, i: int, seen: Mapping[str, Any]) -> float:
        """Largest expected improvement of arm `i` on the best mean of all arms, in units of `sign · value`."""
        arm, model = self.arms[i], self.models[i]
        if not len(model):
            return 0.0
        with model.with_fantasies(self.pending_points(i, None)):
            search = ExpectedAcquisition.over(
                model, self.score(i), arm.parts(arm.actions, seen, {})
            )
            seed = self.streams.integer(self.history.next_round, f"improvement {i}")
            box = self.within_reach(i).region(arm.actions, seen, {})
            improvement = float(search.maximise(box, seed)[1][0] * model.scale)
        return max(improvement, 0.0)  # where no place is likely to keep the limits it is −inf

    def score(self, i: int) -> Acquisition:
        """Expected improvement on the best posterior mean, of all arms, at a point that was played."""
        regressions = self.models.regressions
        times = [float(m.inputs[:, -1].max()) for m in regressions if self.problem.timed and len(m)]
        now = max(times, default=None)
        means = [
            float(m.unstandardise(fitted_at(m, now)).max()) if len(m) else -np.inf
            for m in regressions
        ]
        best = float(self.feasibility.expected(np.array(means)[self.models.model_of]).max())
        likely = float(self.feasibility.success_probabilities[i])
        best = required_without_failure(best, likely, self.models.outcomes)
        return expected_improvement(float(self.models[i].output.forward(np.array([best]))[0]))


class CoBO(CausalMethod[ModelOptions]):
    """Set everything, after looking at everything that no action affects: contextual BO (Krause & Ong 2011)."""

    name: ClassVar[str] = "cobo"
    Options = ModelOptions

    def scopes(self) -> ScopesFound:
        """The one scope; contexts that an action affects are left out, or it would be cyclic."""
        graph = self.problem.graph
        affected = {
            name
            for each in self.problem.every_graph
            for name in each.descendants(graph.intervenable)
        }
        seen = tuple(name for name in graph.contexts or () if name not in affected)
        return ScopesFound((Scope.of(dict.fromkeys(graph.intervenable, seen)),), True)

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose the one arm."""
        return self.play(0, request, {})


class CoCaBOWithoutContext(CoCaBO):
    """Play the arms of CoCa-BO without looking at contexts: its ablation."""

    name: ClassVar[str] = "coca-bo-no-context"

    def scopes(self) -> ScopesFound:
        """Actions of the possibly-optimal scopes, without their contexts."""
        found = super().scopes()
        actions = tuple(dict.fromkeys(Scope(scope.set) for scope in found.scopes))
        return found._replace(scopes=actions)


class Random(CoCaBO):
    """Play a uniformly drawn possibly-optimal scope with uniformly drawn actions."""

    name: ClassVar[str] = "random"

    def _start_text(self) -> str:
        return "every round is drawn at random"

    def indices(self) -> dict[str, list[Any]]:
        """Nothing: no index chooses."""
        return {}

    def needed(self, i: int) -> int:
        """Never let a model count: actions are always drawn."""
        return 2**62

    @property
    def chooses_by_model(self) -> bool:
        """Whether outcomes are constrained: then settings are drawn among those that are likely to be feasible."""
        return bool(self.problem.further)

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose any arm."""
        draw = self.streams(self.history.next_round, "choose")
        some = self.costs.affordable()
        return self.play(int(some[draw.integers(len(some))]), request, {})
