"""CaBO: which variables to set, never looking at any (causal Bayesian optimisation, Aglietti et al. 2020)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..core import Choice, History, Scope, context_of
from ..surrogate import Acquisition, ExpectedAcquisition, expected_improvement
from .arm_model import ArmModel, ModelOptions
from .chances import unweighed
from .method import ScopeBandit
from .pomis import intervention_sets
from .several import united


class CaBO(ScopeBandit[ModelOptions]):
    """Play the intervention set with the largest expected improvement, contexts ignored (Aglietti et al. 2020)."""

    name: ClassVar[str] = "cabo"
    Options = ModelOptions

    def scopes(self) -> tuple[Scope, ...]:
        """The possibly-optimal minimal intervention sets."""
        graphs = self.problem.every_graph
        return united(map(Scope, intervention_sets(graph)) for graph in graphs)

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """The arm with the largest causal acquisition value."""
        first = self.unready(history)
        if first is not None:
            return self.play(history, first, request, {})
        some, seen = self.within_reach(history), context_of(request)
        found = (self.chances[some] * [self.improvement(history, int(i), seen) for i in some]).tolist()
        return self.play(history, int(some[np.argmax(found)]), request, {"improvement": found})

    def improvement(self, history: History, i: int, seen: Mapping[str, Any]) -> float:
        """The largest expected improvement of arm `i` on the best mean of all arms, in units of `sign · value`."""
        arm, model = self.arms[i], self.model(i)
        if not len(model):
            return 0.0
        points = self.untold(history, i, None)
        with model.with_fantasies(points):
            search = ExpectedAcquisition.over(model, self.score(i), arm.parts(arm.actions, seen, {}))
            seed = self.streams.integer(len(history) + 1, f"improvement {i}")
            box = self.keeping(i).guarded(arm.actions, seen, {})
            return float(search.maximise(box, seed)[1][0] * model.scale)

    def score(self, i: int) -> Acquisition:
        """Expected improvement on the best posterior mean, of all arms, at a point that was played."""
        means = [float(m.unstandardise(self._means_now(m)).max()) if len(m) else -np.inf for m in self.models.each]
        best = float(self.weighed(np.array(means)[self.models.of]).max())
        best = unweighed(best, float(self.chances[i]), self.told)
        return expected_improvement(float(self.model(i).output.forward(np.array([best]))[0]))

    def _means_now(self, model: ArmModel) -> np.ndarray:
        """Posterior means at the points that were played, (n,); where effects change, as of the last one."""
        if not self.problem.timed:
            return model.fitted
        points = model.inputs.copy()
        points[:, -1] = max(float(m.inputs[:, -1].max()) for m in self.models.each if len(m))
        return model.means(points)
