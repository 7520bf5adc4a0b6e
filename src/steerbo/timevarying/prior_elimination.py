"""PE-GP-UCB: Algorithm 1 of "Time-Varying Gaussian Process Bandits with Unknown Prior" (Ziomek et al. 2025).

Where the paper is silent or slips:

- line 7 maximises over what is available;
- line 12 sums the standard deviations from *before* each observation, as the proof (inequality before (1)) needs;
- an outcome that arrives late is booked against what was expected when its point was chosen; one whose point was not
  realised as suggested is not booked: nobody predicted that point.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Int

from ..bandit import summed_error_excess
from ..core import Choice, History, Round, Streams
from .elimination import Eliminating, EliminationOptions
from .prediction import predicted
from .priors import PriorWarning
from .problem import TimeVarying


class PriorElimination(Eliminating[EliminationOptions]):
    """Be optimistic over points and priors; drop a prior whose summed errors leave their band (PE-GP-UCB)."""

    name: ClassVar[str] = "prior-elimination"
    Options: ClassVar[type[Any]] = EliminationOptions

    def __init__(self, problem: TimeVarying, options: EliminationOptions, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        if self.surrogate.differ_in_scale_only():
            warnings.warn(
                "the candidate priors differ in their output scale only, which prior-elimination cannot tell apart "
                "(the largest always wins): use tempered-elimination, mle or fully-bayesian",
                PriorWarning,
                stacklevel=4,
            )

    def open_books(self) -> None:
        """No errors yet."""
        self.counts = np.zeros(len(self.names), dtype=int)  # |S|
        self.errors = np.zeros(len(self.names))  # Σ η
        self.bands = np.zeros(len(self.names))  # Σ β σ

    def choose_among(self, history: History, request: Mapping[str, Any], candidates: Int[np.ndarray, " k"]) -> Choice:
        """Lines 3–7."""
        t = len(history) + 1
        betas = self.confidence.betas(t)
        pick = self.surrogate.optimistic(self.view(history, request), betas, candidates, self.streams(t, "ties"))
        return self.play(pick, float(betas[pick.prior]))

    def learn_from_round(self, told: Round) -> None:
        """Lines 8 and 11–14."""
        expected = predicted(told.suggestion)
        if expected is None or told.outcome is None:
            return
        expected_of = {**told.suggestion.context, **told.suggestion.values}
        if any(told.outcome.realised[name] != x for name, x in expected_of.items()):
            return
        p = expected.prior
        self.counts[p] += 1
        self.errors[p] += self.problem.sign * (told.outcome.value - expected.mean)
        self.bands[p] += expected.band
        xi = float(self.confidence.xi(told.number)[p])
        excess = summed_error_excess(float(self.errors[p]), float(self.bands[p]), int(self.counts[p]), xi)
        if self.alive[p] and excess > 0:
            self.drop({p: excess}, told.number)
