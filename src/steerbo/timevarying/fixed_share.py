"""Posterior probabilities of candidates when the one that holds may change: fixed share (Herbster & Warmuth 1998)."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

_SELDOM = 1000.0  # outcomes between two changes, where nobody says how often there is one


class FixedShare:
    """Weights of P candidates, the same for all in the beginning.

    An outcome multiplies them by its probability given the past, `w_p ← w_p p(y | past, p)` and over their sum; time
    gives each of them a share back, `w_p ← (1 − α) w_p + α / P` with `α = 1 − exp(−Δ / τ)` for Δ units of time. So they
    are the posterior probabilities if another candidate, any, holds after every Δ with probability α.

    Args:
        candidates: P.
        every: τ, in units of time; None: a thousand times the mean time between outcomes so far, so that the unit of
            time does not matter.

    >>> weights = FixedShare(2, every=10.0)
    >>> weights.update(np.log([0.9, 0.1]), time=1.0)
    >>> weights.at(1.0), weights.at(11.0).round(3)
    (array([0.9, 0.1]), array([0.647, 0.353]))
    """

    def __init__(self, candidates: int, every: float | None = None) -> None:
        self._weights = np.full(candidates, 1.0 / candidates)
        self._every, self._heard = every, 0
        self._first = self._last = -math.inf  # times of outcomes

    def update(self, gains: Float[np.ndarray, " P"], time: float) -> None:
        """Take an outcome in: its log probabilities given the past, by each candidate. Time never runs backwards."""
        time = max(time, self._last)
        weights = self.at(time) * np.exp(gains - gains.max())
        total = float(weights.sum())
        # where those whom it suits had all but no weight, the sum underflows: they are all that is left
        self._weights = weights / total if total > 0 else (gains == gains.max()) / np.sum(gains == gains.max())
        self._first = time if self._heard == 0 else self._first
        self._last, self._heard = time, self._heard + 1

    def at(self, time: float) -> Float[np.ndarray, " P"]:
        """The weights at a time, before what is heard then."""
        kept = math.exp(-self._changes(time))
        return kept * self._weights + (1.0 - kept) / len(self._weights)

    def _changes(self, time: float) -> float:
        """How many changes are expected from the last outcome until then."""
        if self._heard == 0 or time <= self._last:
            return 0.0
        every = self._every if self._every is not None else _SELDOM * (time - self._first) / self._heard
        return (time - self._last) / every
