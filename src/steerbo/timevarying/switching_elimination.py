"""Our own, for truths that change: a prior that is dropped is not lost, and comes back when outcomes speak for it.

Elimination for good bets that one candidate holds for ever. Where another one does from tomorrow on, the bet is lost
once, and with it everything after. Here the weights of the priors are those of fixed share (see `FixedShare`): now and
then another prior may hold. Prior p is alive while

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

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Bool
from jaxtyping import Float as Floats
from pydantic import Field

from ..core import Choice, Explanation, History, Round, Streams
from ..records import record
from .acquisition import Datum
from .confidence import Width
from .fixed_share import FixedShare
from .method import CandidatePriors
from .prediction import table_of_last
from .prior_table import table_of_priors
from .problem import TimeVarying


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


class SwitchingElimination(CandidatePriors[SwitchingOptions]):
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
        """What an outcome adds to the evidence is its probability given all before it, in order of arrival."""
        evidence = self.surrogate.evidence.copy()
        self._share.update(evidence - self._known, datum.time)
        self._known = evidence

    def learn_from_round(self, told: Round) -> None:
        """Note who was dropped, and who came back."""
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

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """As PE-GP-UCB, among those who are alive at the time of the round."""
        t = len(history) + 1
        betas = self.confidence.betas(t)
        candidates = np.flatnonzero(self._living(self._share.at(request["time"])))
        pick = self.surrogate.optimistic(self.view(history, request), betas, candidates, self.streams(t, "ties"))
        return self.play(pick, float(betas[pick.prior]))

    # -- answers -------------------------------------------------------------------------------------------------------

    def trusted(self) -> list[int]:
        """Those alive, most probable first."""
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
        table = table_of_priors(self, rows, ("alive", "dropped in round", "times it came back"))
        return Explanation(summary, (table, table_of_last(history, self.names)))
