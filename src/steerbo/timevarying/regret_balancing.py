"""Regret Balancing: Algorithm 2 of Ziomek, Adachi & Osborne (2025), with suspected bounds R^p(t) = t as there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Int

from ..bandit import lagging
from ..core import Choice, History, Round
from .acquisition import draw_largest
from .elimination import Eliminating, EliminationOptions
from .prediction import predicted


class RegretBalancing(Eliminating[EliminationOptions]):
    """Play the prior played least; drop one whose mean outcome falls behind (Regret Balancing, Algorithm 2)."""

    name: ClassVar[str] = "regret-balancing"
    Options: ClassVar[type[Any]] = EliminationOptions

    def open_books(self) -> None:
        """No outcomes yet."""
        self.counts = np.zeros(len(self.names), dtype=int)  # |S|
        self.sums = np.zeros(len(self.names))  # Σ y
        self.bands = np.zeros(len(self.names))  # Σ β σ

    def choose_among(self, history: History, request: Mapping[str, Any], candidates: Int[np.ndarray, " k"]) -> Choice:
        """Lines 3–4; rounds that are pending count as plays."""
        t = len(history) + 1
        random = self.streams(t, "ties")
        plays = self.counts.copy()
        for waiting in history.pending:
            if (expected := predicted(waiting.suggestion)) is not None:
                plays[expected.prior] += 1
        p = candidates[draw_largest(-plays[candidates].astype(float), random)]
        betas = self.confidence.betas(t)
        pick = self.surrogate.optimistic(self.view(history, request), betas, np.array([p]), random)
        return self.play(pick, float(betas[p]))

    def learn_from_round(self, told: Round) -> None:
        """Lines 7–12, once every prior alive has been played."""
        expected = predicted(told.suggestion)
        assert told.outcome is not None
        assert expected is not None
        p = expected.prior
        self.counts[p] += 1
        self.sums[p] += self.problem.sign * told.outcome.value
        self.bands[p] += expected.band
        alive = self.alive
        if not self.counts[alive].all():
            return
        xi = self.confidence.xi(told.number)[alive]
        short = lagging(self.sums[alive], self.bands[alive], self.counts[alive], xi)
        behind = zip(self.survivors.candidates.tolist(), short.tolist(), strict=True)
        self.drop({q: excess for q, excess in behind if excess > 0}, told.number)
