"""Our own, for many priors and for over-optimistic ones: every outcome is evidence on every prior, played or not.

PE-GP-UCB learns about a prior only from the rounds in which it was the most optimistic, so a hundred wrong priors
need a hundred disappointments, and one with a large output scale hides behind its own wide band. Here prior p is
dropped as soon as

    M_p = Σ_q w_q (L_q / L_p)^η  >  1 / δ,        L: marginal likelihood of all outcomes,  w: uniform,  0 < η ≤ 1.

If p is the truth, L_q / L_p is a nonnegative martingale whatever chose the points, so is its mean over q, and by
Jensen its power η is a supermartingale of expectation at most one: Ville's inequality then keeps the true prior for
ever with probability at least 1 − δ (Ville 1939; Robbins 1970), with no union over priors or rounds. The temper
η < 1 costs power and buys patience where no candidate is exactly right. Among those alive, play as PE-GP-UCB: the
largest upper bound. It is the default of time-varying problems: see `docs/results/timevarying.md` for why.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Int
from pydantic import Field

from ..bandit import WhenExhausted, tempered_excess
from ..core import Choice, History, Round
from ..records import record
from .confidence import Width
from .elimination import Eliminating


@record
class TemperedEliminationOptions:
    """Options of `tempered-elimination`.

    Args:
        confidence: a number for β, or the word "theory" (Theorem 4.1). The guarantee above does not hang on β: it says
            only how far to look beyond what is known, and 5 to 9, as the theory has it, costs far more than it finds.
        delta: δ, the probability with which the true prior may be dropped.
        temper: η, the power of the likelihoods.
        on_exhausted: what to do when all priors are rejected: see `prior-elimination`.
    """

    confidence: Width = 1.5
    delta: float = Field(0.1, gt=0, lt=1)
    temper: float = Field(0.5, gt=0, le=1)
    on_exhausted: WhenExhausted = "keep-last"


class TemperedElimination(Eliminating[TemperedEliminationOptions]):
    """Be optimistic over points and priors; drop every prior that all outcomes together speak against (ours)."""

    name: ClassVar[str] = "tempered-elimination"
    Options: ClassVar[type[Any]] = TemperedEliminationOptions

    def open_books(self) -> None:
        """Evidence counts from here on."""
        self.before = self.surrogate.evidence.copy()

    def choose_among(self, history: History, request: Mapping[str, Any], candidates: Int[np.ndarray, " k"]) -> Choice:
        """As PE-GP-UCB."""
        t = len(history) + 1
        betas = self.confidence.betas(t)
        pick = self.surrogate.optimistic(self.view(history, request), betas, candidates, self.streams(t, "ties"))
        return self.play(pick, float(betas[pick.prior]))

    def learn_from_round(self, told: Round) -> None:
        """Drop every prior with M_p > 1/δ; the overrun is in units of ln M."""
        excess = tempered_excess(self.surrogate.evidence - self.before, self.options.temper, self.options.delta)
        self.drop({int(p): float(excess[p]) for p in np.flatnonzero(self.alive & (excess > 0))}, told.number)
