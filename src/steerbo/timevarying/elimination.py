"""Elimination of priors: the methods that drop priors which outcomes contradict.

PE-GP-UCB is Algorithm 1 of "Time-Varying Gaussian Process Bandits with Unknown Prior" (Ziomek et al. 2025). Choices
where the paper is silent or slips:

- line 7 maximises over the available points;
- line 12 sums the standard deviations from *before* each observation, as the proof (inequality before (1)) needs;
- a late outcome is compared with the prediction at the time of its choice; an outcome whose point was not realised as
  suggested is not compared: there is no prediction of that point.

Tempered elimination (of steerbo) takes every outcome as evidence on every prior, played or not. PE-GP-UCB learns about
a prior only from the rounds in which it was the most optimistic, so a hundred wrong priors need a hundred
disappointments, and one with a large output scale hides behind its own wide band. Here prior p is dropped as soon as

    M_p = Σ_q w_q (L_q / L_p)^η  >  1 / δ,        L: marginal likelihood of all outcomes,  w: uniform,  0 < η ≤ 1.

If p is the truth, L_q / L_p is a nonnegative martingale whatever chose the points, so is its mean over q, and by
Jensen its power η is a supermartingale of expectation at most one: Ville's inequality then keeps the true prior for
ever with probability at least 1 − δ (Ville 1939; Robbins 1970), with no union over priors or rounds. The temper
η < 1 costs power and buys patience where no candidate is exactly right. Among those alive, play as PE-GP-UCB: the
largest upper bound. It is the default of time-varying problems: see `docs/results/timevarying.md` for why.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from jaxtyping import Bool, Int
from pydantic import Field

from ..bandit import ActiveArms, WhenExhausted, summed_error_excess, tempered_excess
from ..core import Choice, Explanation, History, Round, Streams
from ..errors import ModelFailure
from ..records import record
from .confidence import Width
from .method import TimeVaryingMethod, predicted
from .priors import PriorWarning
from .problem import TimeVarying

O = TypeVar("O", bound="_Exhaustible")  # noqa: E741


class _Exhaustible(Protocol):
    @property
    def on_exhausted(self) -> WhenExhausted: ...


@record
class EliminationOptions:
    """Options of the methods that reject priors.

    Args:
        confidence: a number for β, or the word "theory" (Theorem 4.1). ξ is always the theory's.
        delta: δ, the probability with which the theory may fail.
        on_exhausted: reaction when all priors are rejected, beside a warning: "keep-last" goes on with the likeliest
            of all of them, also of those rejected long ago; "restart" takes all of them back; "raise" stops with
            `ModelFailure`.
    """

    confidence: Width = "theory"
    delta: float = Field(0.1, gt=0, lt=1)
    on_exhausted: WhenExhausted = "keep-last"


class EliminationMethod(TimeVaryingMethod[O]):
    """Base of the methods that drop priors for good; they differ in the statistics that they keep."""

    def __init__(self, problem: TimeVarying, options: O, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self.forget()

    def forget(self) -> None:
        """Revive all priors, and reset the statistics."""
        self.survivors = ActiveArms.all_of(len(self.names))
        self.reset_statistics()

    @abstractmethod
    def reset_statistics(self) -> None:
        """Reset the statistics by which priors are dropped."""

    @property
    def alive(self) -> Bool[np.ndarray, " P"]:
        """Which priors are alive."""
        return self.survivors.alive

    def drop(self, overrun: Mapping[int, float], number: int) -> None:
        """Drop priors after round `number`; `overrun` says by how much each of them left its band."""
        if not overrun:
            return
        before, likeliest = self.survivors, int(np.argmax(self.surrogate.evidence))
        self.survivors = before.drop(overrun, number, likeliest, self.options.on_exhausted)
        if self.survivors.restarted(before):
            self.reset_statistics()

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """Choose among the priors that are alive; say so when all were rejected since the last choice."""
        exhausted, candidates = self.survivors.exhausted, self.survivors.candidates
        if exhausted and exhausted[-1] == len(history):
            meant = f"all {len(self.names)} priors were rejected by round {exhausted[-1]}: none of them fits"
            if self.options.on_exhausted == "raise":
                raise ModelFailure(f"{meant}; add other candidates, or set on_exhausted to 'keep-last' or 'restart'")
            left = "all of them are back" if self.alive.all() else f"{self.names[int(candidates[0])]} goes on"
            warnings.warn(f"{meant}; {left} (on_exhausted={self.options.on_exhausted!r})", PriorWarning, stacklevel=6)
        return super().choose(history, request)

    def believed(
        self, history: History, request: Mapping[str, Any], random: np.random.Generator
    ) -> Int[np.ndarray, " k"]:
        """The priors that are alive."""
        return self.survivors.candidates

    @abstractmethod
    def learn_from_round(self, told: Round) -> None:
        """Count an outcome, and drop whom it rejects."""

    def trusted(self) -> list[int]:
        """Numbers of the priors that are alive, most probable first."""
        return [p for p in super().trusted() if self.alive[p]]

    def explain(self, history: History) -> Explanation:
        """Which priors are alive, when each was dropped and by how much it overran its band."""
        rows: dict[int, tuple[Any, ...]] = {
            p: (bool(self.alive[p]), *self.survivors.dropped.get(p, (None, None))) for p in range(len(self.names))
        }
        summary = f"priors alive: {int(self.alive.sum())} of {len(self.names)}; one that outcomes contradict is dropped"
        if self.survivors.exhausted:
            rounds = ", ".join(map(str, self.survivors.exhausted[-5:]))
            summary += (
                f"; all were rejected by round {rounds} (on_exhausted = {self.options.on_exhausted}): none of them fits"
            )
        table = self.table_of_priors(rows, ("alive", "dropped in round", "overran its band by"))
        return Explanation(summary, (table, self.table_of_present_choice(history)))


class PriorElimination(EliminationMethod[EliminationOptions]):
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

    def reset_statistics(self) -> None:
        """No errors yet."""
        self.counts = np.zeros(len(self.names), dtype=int)  # |S|
        self.errors = np.zeros(len(self.names))  # Σ η
        self.bands = np.zeros(len(self.names))  # Σ β σ

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


@record
class TemperedEliminationOptions:
    """Options of `tempered-elimination`.

    Args:
        confidence: a number for β, or the word "theory" (Theorem 4.1). The guarantee above does not hang on β: it says
            only how far to look beyond what is known, and 5 to 9, as the theory has it, costs far more than it finds.
        delta: δ, the probability with which the true prior may be dropped.
        temper: η, the power of the likelihoods.
        on_exhausted: reaction when all priors are rejected: see `prior-elimination`.
    """

    confidence: Width = 1.5
    delta: float = Field(0.1, gt=0, lt=1)
    temper: float = Field(0.5, gt=0, le=1)
    on_exhausted: WhenExhausted = "keep-last"


class TemperedElimination(EliminationMethod[TemperedEliminationOptions]):
    """Be optimistic over points and priors; drop every prior that all outcomes together speak against (ours)."""

    name: ClassVar[str] = "tempered-elimination"
    Options: ClassVar[type[Any]] = TemperedEliminationOptions

    def reset_statistics(self) -> None:
        """Evidence counts from here on."""
        self.before = self.surrogate.evidence.copy()

    def learn_from_round(self, told: Round) -> None:
        """Drop every prior with M_p > 1/δ; the overrun is in units of ln M."""
        excess = tempered_excess(self.surrogate.evidence - self.before, self.options.temper, self.options.delta)
        self.drop({int(p): float(excess[p]) for p in np.flatnonzero(self.alive & (excess > 0))}, told.number)
