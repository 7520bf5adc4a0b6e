"""The prior of largest marginal likelihood, and its upper confidence bound (the first rival of Ziomek et al. 2025)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..core import Choice, Explanation, History
from .acquisition import draw_largest
from .method import CandidatePriors, CandidatePriorsOptions
from .prediction import table_of_last
from .prior_table import table_of_priors


class MaximumLikelihood(CandidatePriors[CandidatePriorsOptions]):
    """Believe the prior of largest marginal likelihood, and maximise its upper confidence bound (type-II MLE)."""

    name: ClassVar[str] = "mle"
    Options: ClassVar[type[Any]] = CandidatePriorsOptions

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """The likeliest prior, ties drawn; then its best point."""
        t = len(history) + 1
        random = self.streams(t, "ties")
        p = draw_largest(self.surrogate.evidence, random)
        betas = self.confidence.betas(t)
        pick = self.surrogate.optimistic(self.view(history, request), betas, np.array([p]), random)
        return self.play(pick, float(betas[p]))

    def explain(self, history: History) -> Explanation:
        """Posterior weights."""
        best = self.names[self.trusted()[0]]
        return Explanation(
            f"{best} is the likeliest prior", (table_of_priors(self, {}, ()), table_of_last(history, self.names))
        )
