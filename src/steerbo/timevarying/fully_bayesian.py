"""A weighted mean of all priors' upper confidence bounds (the second rival of Ziomek et al. 2025)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ..core import Choice, Explanation, History
from .method import CandidatePriors, CandidatePriorsOptions
from .prediction import table_of_last
from .prior_table import table_of_priors


class FullyBayesian(CandidatePriors[CandidatePriorsOptions]):
    """Maximise the mean of all priors' upper confidence bounds, weighted by their posterior probabilities."""

    name: ClassVar[str] = "fully-bayesian"
    Options: ClassVar[type[Any]] = CandidatePriorsOptions

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """`max_x Σ_p P(p | data) UCB_p(x)`; the prior noted is the most probable one, ties drawn."""
        t = len(history) + 1
        betas = self.confidence.betas(t)
        pick = self.surrogate.averaged(self.view(history, request), betas, self.weights(), self.streams(t, "ties"))
        return self.play(pick, float(betas[pick.prior]))

    def explain(self, history: History) -> Explanation:
        """Posterior weights."""
        best = self.names[self.trusted()[0]]
        return Explanation(f"{best} weighs most", (table_of_priors(self, {}, ()), table_of_last(history, self.names)))
