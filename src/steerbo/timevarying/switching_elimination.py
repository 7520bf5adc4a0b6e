"""Switching elimination (of steerbo): a dropped prior comes back when outcomes favour it again.

Permanent elimination assumes that one candidate holds for ever. Here the weights of the priors are the posterior
probabilities of fixed share (Herbster & Warmuth 1998; `FixedShare`), under which another prior may hold from any time
on. Prior p is alive while

    w_p  ≥  δ / P,

and the point played is the one with the largest upper bound among those alive, as PE-GP-UCB does. A dropped prior keeps
a weight of about α / P, so it takes evidence of no more than δ / α in its favour, and no restart, to bring it back.

The guarantee. Let p be the truth, and never change. Of the weights before they are divided by their sum, p's is at
least `Π(1 − α) L_p / P`, L_p the likelihood of all outcomes, and the sum S is the likelihood of a mixture of all ways
to switch. S / L_p is a nonnegative martingale of expectation one, whatever chose the points, and `w_p < δ / P` needs
it to be above `Π(1 − α) / δ`: by Ville's inequality (1939) that ever happens by time T with probability at most
`δ / Π(1 − α) = δ exp(T / τ)`. For τ → ∞ it is `tempered-elimination` without tempering, its guarantee included.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Bool, Float
from jaxtyping import Float as Floats
from jaxtyping import Int as Ints
from pydantic import Field

from ..core import Explanation, History, Round, Streams
from ..records import record
from .confidence import Width
from .data import Datum
from .method import TimeVaryingMethod
from .problem import TimeVarying

_SELDOM = 1000.0  # outcomes between two changes, where the user states no rate


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
        # the sum underflows where the priors that explain the outcome had next to no weight: only these remain
        self._weights = weights / total if total > 0 else (gains == gains.max()) / np.sum(gains == gains.max())
        self._first = time if self._heard == 0 else self._first
        self._last, self._heard = time, self._heard + 1

    def at(self, time: float) -> Float[np.ndarray, " P"]:
        """Weights at a time, before the outcomes of that time."""
        kept = math.exp(-self._changes(time))
        return kept * self._weights + (1.0 - kept) / len(self._weights)

    def _changes(self, time: float) -> float:
        """How many changes are expected from the last outcome until then."""
        if self._heard == 0 or time <= self._last:
            return 0.0
        every = self._every if self._every is not None else _SELDOM * (time - self._first) / self._heard
        return (time - self._last) / every


@record
class SwitchingOptions:
    """Options of `switching-elimination`.

    Args:
        confidence: a number for β, or the word "theory" (Theorem 4.1). The guarantee does not hang on β.
        delta: δ: a prior is dropped while its weight is below δ / P. The true one is dropped within the time T with
            probability at most `δ exp(T / switch_every)`, if it never changes.
        switch_every: τ, the time after which another prior may hold, on average, in units of time; None: a thousand
            times the mean time between outcomes.
    """

    confidence: Width = 1.5
    delta: float = Field(0.1, gt=0, lt=1)
    switch_every: float | None = Field(None, gt=0, allow_inf_nan=False)


class SwitchingElimination(TimeVaryingMethod[SwitchingOptions]):
    """Be optimistic over points and priors; drop a prior until outcomes speak for it again: truths change (ours)."""

    name: ClassVar[str] = "switching-elimination"
    Options: ClassVar[type[Any]] = SwitchingOptions

    def __init__(self, problem: TimeVarying, options: SwitchingOptions, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.forget()

    def forget(self) -> None:
        """All priors weigh the same, and nothing is booked."""
        self._share = FixedShare(len(self.names), self.options.switch_every)
        self._known = self.surrogate.evidence.copy()
        self.dropped: dict[int, tuple[int, float]] = {}  # since which round, and with what weight
        self.returns = np.zeros(len(self.names), dtype=int)

    # -- learning ------------------------------------------------------------------------------------------------------

    def learn_from_datum(self, datum: Datum) -> None:
        """Update the weights by the probability of the outcome given all earlier ones, in order of arrival."""
        evidence = self.surrogate.evidence.copy()
        self._share.update(evidence - self._known, datum.time)
        self._known = evidence

    def learn_from_round(self, told: Round) -> None:
        """Record the priors that were dropped, and those that came back."""
        weights = self._share.at(-np.inf)
        alive = self._living(weights)
        for p in np.flatnonzero(alive):
            if self.dropped.pop(int(p), None) is not None:
                self.returns[p] += 1
        for p in np.flatnonzero(~alive):
            self.dropped.setdefault(int(p), (told.number, float(weights[p])))

    def weights(self) -> Floats[np.ndarray, " P"]:
        """Posterior probabilities of the priors at the time of the last round."""
        return self._share.at(self.now)

    def _living(self, weights: Floats[np.ndarray, " P"]) -> Bool[np.ndarray, " P"]:
        return weights >= self.options.delta / len(weights)

    @property
    def alive(self) -> Bool[np.ndarray, " P"]:
        """Which priors are alive at the time of the last round."""
        return self._living(self.weights())

    # -- choosing ------------------------------------------------------------------------------------------------------

    def believed(
        self, history: History, request: Mapping[str, Any], random: np.random.Generator
    ) -> Ints[np.ndarray, " k"]:
        """The priors that are alive at the time of the round."""
        return np.flatnonzero(self._living(self._share.at(request["time"])))

    # -- answers -------------------------------------------------------------------------------------------------------

    def trusted(self) -> list[int]:
        """Numbers of the priors that are alive, most probable first."""
        alive = self.alive
        return [p for p in super().trusted() if alive[p]]

    def explain(self, history: History) -> Explanation:
        """Which priors are alive, since when the others are not, and how often one came back."""
        alive = self.alive
        rows: dict[int, tuple[Any, ...]] = {
            p: (bool(alive[p]), None if alive[p] else self.dropped.get(p, (None,))[0], int(self.returns[p]))
            for p in range(len(self.names))
        }
        summary = f"{int(alive.sum())} of {len(self.names)} priors are alive"
        if came := int(self.returns.sum()):
            summary += f"; {came} that were dropped came back: the truth may have changed"
        table = self.table_of_priors(rows, ("alive", "dropped in round", "times it came back"))
        return Explanation(summary, (table, self.table_of_present_choice(history)))
