"""Baselines for time-varying problems, and the list of all methods: the first is the default without priors.

The second is the default with priors. The baselines are the average over priors, and random choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from .._arrays import Float, Int
from ..core import Choice, Explanation, History
from ..records import record
from .data import Maximiser, RoundView
from .elimination import PriorElimination, SwitchingElimination, TemperedElimination
from .gp_ucb import EventTriggered, GaussianProcessUCB
from .learned_drift import LearnedDrift
from .method import CandidatePriorsOptions, Surrogate, TimeVaryingMethod
from .problem import settings


class FullyBayesian(TimeVaryingMethod[CandidatePriorsOptions]):
    """Maximise the mean of all priors' upper confidence bounds, weighted by their posterior probabilities."""

    name: ClassVar[str] = "fully-bayesian"
    Options: ClassVar[type[Any]] = CandidatePriorsOptions

    def maximise(
        self,
        surrogate: Surrogate,
        view: RoundView,
        betas: Float[np.ndarray, " P"],
        priors: Int[np.ndarray, " k"],
        random: np.random.Generator,
    ) -> Maximiser:
        """Maximise `Σ_p P(p | data) UCB_p(x)`; the prior noted is the most probable one, ties drawn."""
        return surrogate.averaged(view, betas, self.weights(), random)

    def explain(self, history: History) -> Explanation:
        """Posterior weights."""
        best = self.names[self.trusted()[0]]
        return Explanation(f"{best} weighs most", (self.table_of_priors({}, ()), self.table_of_present_choice(history)))


class Random(TimeVaryingMethod[Any]):
    """Choose uniformly among the available places, without regard to constraints on outcomes: the baseline."""

    name: ClassVar[str] = "random"

    @record
    class Options:
        """It has none."""

    @property
    def chooses_by_model(self) -> bool:
        """False: places are drawn."""
        return False

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """Any available point."""
        left = self.problem.within(request.get("available"), request.get("context", {}))
        place = self.surrogate.anywhere(RoundView(request["time"], left), self.streams(len(history) + 1, "choose"))
        return Choice(self.problem.scope, settings(self.problem, place))

    def explain(self, history: History) -> Explanation:
        """Posterior weights, which the choice ignores."""
        return Explanation("every available point is equally likely", (self.table_of_priors({}, ()),))


METHODS = (
    LearnedDrift,
    TemperedElimination,
    SwitchingElimination,
    PriorElimination,
    FullyBayesian,
    GaussianProcessUCB,
    EventTriggered,
    Random,
)
