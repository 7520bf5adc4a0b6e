"""Elimination of priors: the methods that drop priors which outcomes contradict.

PE-GP-UCB is Algorithm 1 of "Time-Varying Gaussian Process Bandits with Unknown Prior" (Ziomek et
al. 2025). Choices where the paper is silent or slips:

- line 7 maximises over the available points;
- line 12 sums the standard deviations from *before* each observation, as the proof (inequality
  before (1)) needs;
- a late outcome is compared with the prediction at the time of its choice; an outcome whose point
  was not realised as suggested is not compared: there is no prediction of that point.

Tempered elimination (of steerbo) takes every outcome as evidence on every prior, played or not.
PE-GP-UCB learns about a prior only from the rounds in which it was the most optimistic, so a
hundred wrong priors need a hundred disappointments, and one with a large output scale hides behind
its own wide band. Here prior p is dropped as soon as

    M_p = Σ_q w_q (L_q / L_p)^η  >  1 / δ,        L: marginal likelihood of all outcomes,  w: uniform,  0 < η ≤ 1.

If p is the truth, L_q / L_p is a nonnegative martingale whatever chose the points, so is its mean
over q, and by Jensen its power η is a supermartingale of expectation at most one: Ville's
inequality then keeps the true prior for ever with probability at least 1 − δ (Ville 1939; Robbins
1970), with no union over priors or rounds. The temper η < 1 costs power and buys patience where no
candidate is exactly right. Among those alive, play as PE-GP-UCB: the largest upper bound. It is the
default of time-varying problems: see `evidence/timevarying.md` for why.

Switching elimination (of steerbo): a dropped prior comes back when outcomes favour it again.

Permanent elimination assumes that one candidate holds for ever. Here the weights of the priors are
the posterior probabilities of fixed share (Herbster & Warmuth 1998; `FixedShare`), under which
another prior may hold from any time on. Prior p is alive while

    w_p  ≥  δ / P,

and the point played is the one with the largest upper bound among those alive, as PE-GP-UCB does. A
dropped prior keeps a weight of about α / P, so it takes evidence of no more than δ / α in its
favour, and no restart, to bring it back.

The guarantee. Let p be the truth, and never change. Of the weights before they are divided by their
sum, p's is at least `Π(1 − α) L_p / P`, L_p the likelihood of all outcomes, and the sum S is the
likelihood of a mixture of all ways to switch. S / L_p is a nonnegative martingale of expectation
one, whatever chose the points, and `w_p < δ / P` needs it to be above `Π(1 − α) / δ`: by Ville's
inequality (1939) that ever happens by time T with probability at most
`δ / Π(1 − α) = δ exp(T / τ)`. For τ → ∞ it is `tempered-elimination` without tempering, its
guarantee included.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
from pydantic import Field

from .._arrays import Bool, Float, Int
from .._warnings import warn
from ..core import Choice, Explanation, History, Result, Round, Streams
from ..errors import ModelFailure
from ..records import record
from ._comparison import PriorComparison
from ._priors import PriorWarning
from .confidence import Width
from .data import Datum
from .method import CandidatePriorsOptions, TimeVaryingMethod, belief_behind
from .problem import TimeVarying
from .surrogates import differ_in_scale_only

WhenExhausted = Literal["keep-last", "restart", "raise"]
"""How to go on when all priors are rejected: with one of them, with all again, or not at all."""


@dataclass(frozen=True, eq=False)
class ActivePriors:
    """Priors that are alive; `drop` returns new ones and changes nothing.

    Attributes:
        alive: (m,).
        dropped: by candidate, the round after which it was dropped, and by how much it had overrun
            its band.
        exhausted: rounds after which none was left; warned of once where the method goes on.

    >>> some = ActivePriors.all_of(3).drop({1: 0.5}, number=7, likeliest=0)
    >>> some.candidates, some.dropped
    (array([0, 2]), {1: (7, 0.5)})
    """

    alive: Bool[np.ndarray, " m"]
    dropped: Mapping[int, tuple[int, float]] = field(default_factory=dict)
    exhausted: tuple[int, ...] = ()

    @classmethod
    def all_of(cls, m: int) -> ActivePriors:
        """Start with all of them alive."""
        return cls(np.ones(m, dtype=bool))

    @property
    def candidates(self) -> Int[np.ndarray, " k"]:
        """Numbers of those that are alive."""
        return np.flatnonzero(self.alive)

    def drop(
        self,
        overrun: Mapping[int, float],
        number: int,
        likeliest: int,
        then: WhenExhausted = "keep-last",
    ) -> ActivePriors:
        """Priors left after round `number`; `overrun` says by how much each of the dropped ones left its band.

        `likeliest` goes on where none is left, also if it was rejected long ago; `then` is the rule
        for that. Sums begin anew where all are back.
        """
        alive = self.alive.copy()
        alive[list(overrun)] = False
        dropped = {**self.dropped, **{p: (number, excess) for p, excess in overrun.items()}}
        if alive.any():
            return ActivePriors(alive, dropped, self.exhausted)
        if then == "restart":
            return ActivePriors(np.ones(len(alive), dtype=bool), dropped, (*self.exhausted, number))
        alive[likeliest] = True
        if self.exhausted and (self.alive == alive).all():
            return self  # it is kept already, and was rejected once more
        return ActivePriors(alive, dropped, self.exhausted or (number,))

    def restarted(self, before: ActivePriors) -> bool:
        """Whether all are back that were not before."""
        return len(self.exhausted) > len(before.exhausted) and bool(self.alive.all())


def summed_error_excess(error: float, band: float, count: int, xi: float) -> float:
    """Excess of summed errors over their band: `|Σ η| − sqrt(ξ n) − Σ β σ` (Ziomek et al. 2025, Algorithm 1, 13).

    >>> summed_error_excess(error=-5.0, band=1.0, count=4, xi=1.0)
    2.0
    """
    return abs(error) - (math.sqrt(xi * count) + band)


def tempered_excess(
    evidence: Float[np.ndarray, " m"], temper: float, delta: float
) -> Float[np.ndarray, " m"]:
    """`ln M_p − ln 1/δ` with `M_p = mean over q of (L_q / L_p)^η`: above 0 the evidence speaks against candidate p.

    The evidence is ln L, `temper` is η; the true candidate is dropped with probability δ at most.

    >>> tempered_excess(np.array([0.0, 10.0]), temper=1.0, delta=0.1).round(2)
    array([ 7., -3.])
    """
    tempered = temper * evidence
    top = float(tempered.max())
    mixture = top + math.log(float(np.exp(tempered - top).mean()))
    excess: Float[np.ndarray, " m"] = mixture - tempered - math.log(1 / delta)
    return excess


@record
class EliminationOptions(CandidatePriorsOptions):
    """Options of the methods that reject priors: `CandidatePriorsOptions` (ξ is always the theory's), and a reaction.

    Args:
        on_exhausted: reaction when all priors are rejected, beside a warning: "keep-last" goes on
            with the likeliest of all of them, also of those rejected long ago; "restart" takes all
            of them back; "raise" stops with `ModelFailure`.
    """

    on_exhausted: WhenExhausted = "keep-last"


O = TypeVar("O", bound=EliminationOptions)  # noqa: E741


class Elimination(PriorComparison):
    """Base of the comparisons that drop priors for good; they differ in the statistics that they keep.

    Attributes:
        survivors: priors that are alive.
    """

    def __post_init__(self) -> None:
        self.survivors = ActivePriors.all_of(len(self.problem.given))
        self.reset_statistics()

    @abstractmethod
    def reset_statistics(self) -> None:
        """Reset the statistics by which priors are dropped."""

    @abstractmethod
    def excess(self, told: Round) -> Mapping[int, float]:
        """Count an outcome of a round, and say by how much each prior that it rejects left its band."""

    def take(self, result: Result) -> None:
        """See `PriorComparison.take`; then drop the priors that the outcome of a round rejects."""
        super().take(result)
        if result.played is None or not (overrun := self.excess(result.played)):
            return
        before, likeliest = self.survivors, int(np.argmax(self.surrogate.evidence))
        self.survivors = before.drop(overrun, result.number, likeliest, self.options.on_exhausted)
        if self.survivors.restarted(before):
            self.reset_statistics()

    def trusted(self, time: float) -> list[int]:
        """Numbers of the priors that are alive, most probable first."""
        return [p for p in super().trusted(time) if self.survivors.alive[p]]


class EliminationMethod(TimeVaryingMethod[O]):
    """Base of the methods that drop priors for good; they differ in their `comparison`."""

    comparison: Elimination

    @property
    def survivors(self) -> ActivePriors:
        """Priors that are alive."""
        return self.comparison.survivors

    @property
    def alive(self) -> Bool[np.ndarray, " P"]:
        """Indicators of the priors that are alive."""
        return self.survivors.alive

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Choose among the priors that are alive; say so when all were rejected since the last choice."""
        exhausted, candidates = self.survivors.exhausted, self.survivors.candidates
        if exhausted and exhausted[-1] == len(self.history):
            meant = f"all {len(self.names)} priors were rejected by round {exhausted[-1]}: none of them fits"
            if self.options.on_exhausted == "raise":
                raise ModelFailure(
                    f"{meant}; add other candidates, or set on_exhausted to 'keep-last' or 'restart'"
                )
            left = (
                "all of them are back"
                if self.alive.all()
                else f"{self.names[int(candidates[0])]} goes on"
            )
            warn(PriorWarning(f"{meant}; {left} (on_exhausted={self.options.on_exhausted!r})"))
        return super().choose(request)

    def believed(
        self, request: Mapping[str, Any], random: np.random.Generator
    ) -> Int[np.ndarray, " k"]:
        """The priors that are alive."""
        return self.survivors.candidates

    def explain(self) -> Explanation:
        """Tabulate which priors are alive, when each was dropped and by how much it overran its band."""
        rows: dict[int, tuple[Any, ...]] = {
            p: (bool(self.alive[p]), *self.survivors.dropped.get(p, (None, None)))
            for p in range(len(self.names))
        }
        summary = f"priors alive: {int(self.alive.sum())} of {len(self.names)}; one that outcomes contradict is dropped"
        if self.survivors.exhausted:
            rounds = ", ".join(map(str, self.survivors.exhausted[-5:]))
            then = f"(on_exhausted = {self.options.on_exhausted})"
            summary += f"; all were rejected by round {rounds} {then}: none of them fits"
        table = self.table_of_priors(rows, ("alive", "dropped in round", "overran its band by"))
        return Explanation(summary, (table, self.table_of_present_choice()))


class SummedErrors(Elimination):
    """Comparison that drops a prior whose summed errors leave their band (PE-GP-UCB)."""

    def reset_statistics(self) -> None:
        """Start without errors."""
        P = len(self.problem.given)
        self.counts = np.zeros(P, dtype=int)  # |S|
        self.errors = np.zeros(P)  # Σ η
        self.bands = np.zeros(P)  # Σ β σ

    def excess(self, told: Round) -> Mapping[int, float]:
        """Lines 8 and 11–14."""
        expected = belief_behind(told.suggestion)
        if expected is None or told.outcome is None:
            return {}
        expected_of = {**told.suggestion.context, **told.suggestion.values}
        if any(told.outcome.realised[name] != x for name, x in expected_of.items()):
            return {}
        p = expected.prior
        self.counts[p] += 1
        self.errors[p] += self.problem.sign * (told.outcome.value - expected.mean)
        self.bands[p] += expected.band
        xi = float(self.confidence.xi(told.number)[p])
        excess = summed_error_excess(
            float(self.errors[p]), float(self.bands[p]), int(self.counts[p]), xi
        )
        return {p: excess} if self.survivors.alive[p] and excess > 0 else {}


class PriorElimination(EliminationMethod[EliminationOptions]):
    """Maximise the bound over points and priors; drop a prior whose summed errors leave their band (PE-GP-UCB)."""

    name: ClassVar[str] = "prior-elimination"
    Options: ClassVar[type[Any]] = EliminationOptions
    Comparison: ClassVar[type[PriorComparison]] = SummedErrors

    def __init__(
        self, problem: TimeVarying, options: EliminationOptions, streams: Streams, history: History
    ) -> None:
        super().__init__(problem, options, streams, history)
        if differ_in_scale_only(self.problem):
            said = (
                "the candidate priors differ in their output scale only, which prior-elimination cannot tell apart "
                "(the largest always wins): use tempered-elimination, mle or fully-bayesian"
            )
            warn(PriorWarning(said))


@record
class TemperedEliminationOptions(EliminationOptions):
    """Options of `tempered-elimination`; the reaction to a rejection of all priors is as for `prior-elimination`.

    Args:
        confidence: a number for β, or the word "theory" (Theorem 4.1). The guarantee above does not
            depend on β: it says only how far to look beyond the known, and 5 to 9, as the theory
            has it, costs far more than it finds.
        delta: δ, the probability with which the true prior may be dropped.
        temper: η, the power of the likelihoods.
    """

    confidence: Width = 1.5
    temper: float = Field(0.5, gt=0, le=1)


class TemperedEvidence(Elimination):
    """Comparison that drops every prior that all outcomes together contradict."""

    doubts_outcomes: ClassVar[bool] = True

    def reset_statistics(self) -> None:
        """Evidence counts from here on."""
        self.before = self.surrogate.evidence.copy()

    def excess(self, told: Round) -> Mapping[int, float]:
        """Every prior with M_p > 1/δ; the overrun is in units of ln M."""
        evidence = self.surrogate.evidence - self.before
        excess = tempered_excess(evidence, self.options.temper, self.options.delta)
        rejected = np.flatnonzero(self.survivors.alive & (excess > 0))
        return {int(p): float(excess[p]) for p in rejected}


class TemperedElimination(EliminationMethod[TemperedEliminationOptions]):
    """Maximise the bound over points and priors; drop every prior that all outcomes together contradict (ours)."""

    name: ClassVar[str] = "tempered-elimination"
    Options: ClassVar[type[Any]] = TemperedEliminationOptions
    Comparison: ClassVar[type[PriorComparison]] = TemperedEvidence


_SELDOM = 1000.0  # outcomes between two changes, where the user states no rate


class FixedShare:
    """Weights of P candidates, the same for all in the beginning.

    An outcome multiplies them by its probability given the past, `w_p ← w_p p(y | past, p)` and
    over their sum; time gives each of them a share back, `w_p ← (1 − α) w_p + α / P` with
    `α = 1 − exp(−Δ / τ)` for Δ units of time. So they are the posterior probabilities if another
    candidate, any, holds after every Δ with probability α.

    Args:
        candidates: P.
        every: τ, in units of time; None: a thousand times the mean time between outcomes so far, so
            that the unit of time does not matter.

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
        # the sum underflows where the priors that explain the outcome had next to no weight: only
        # these remain
        self._weights = (
            weights / total if total > 0 else (gains == gains.max()) / np.sum(gains == gains.max())
        )
        self._first = time if self._heard == 0 else self._first
        self._last, self._heard = time, self._heard + 1

    def at(self, time: float) -> Float[np.ndarray, " P"]:
        """Weights at a time, before the outcomes of that time."""
        kept = math.exp(-self._changes(time))
        return kept * self._weights + (1.0 - kept) / len(self._weights)

    def _changes(self, time: float) -> float:
        """Number of changes expected from the last outcome until a time."""
        if self._heard == 0 or time <= self._last:
            return 0.0
        every = (
            self._every if self._every is not None else _SELDOM * (time - self._first) / self._heard
        )
        return (time - self._last) / every


@record
class SwitchingOptions(CandidatePriorsOptions):
    """Options of `switching-elimination`.

    Args:
        confidence: a number for β, or the word "theory" (Theorem 4.1). The guarantee does not hang
            on β.
        delta: δ: a prior is dropped while its weight is below δ / P. The true one is dropped within
            the time T with probability at most `δ exp(T / switch_every)`, if it never changes.
        switch_every: τ, the time after which another prior may hold, on average, in units of time;
            None: a thousand times the mean time between outcomes.
    """

    confidence: Width = 1.5
    switch_every: float | None = Field(None, gt=0, allow_inf_nan=False)


class SwitchingComparison(PriorComparison):
    """Comparison in which another prior may hold from any time on.

    Attributes:
        share: weights of the priors.
        dropped: the round since which a prior is dropped, and its weight then.
        returns: how often each prior came back, (P,).
    """

    doubts_outcomes: ClassVar[bool] = True

    def __post_init__(self) -> None:
        P = len(self.problem.given)
        self.share = FixedShare(P, self.options.switch_every)
        self._known = self.surrogate.evidence.copy()
        self.dropped: dict[int, tuple[int, float]] = {}
        self.returns = np.zeros(P, dtype=int)

    def condition(self, datum: Datum, trusted: Sequence[int]) -> bool:
        """See `PriorComparison.condition`; weights change by the outcome's probability given all before it."""
        taken = super().condition(datum, trusted)
        evidence = self.surrogate.evidence.copy()
        self.share.update(evidence - self._known, datum.time)
        self._known = evidence
        return taken

    def take(self, result: Result) -> None:
        """See `PriorComparison.take`; then record which priors were dropped, and which came back."""
        super().take(result)
        if result.played is None:
            return
        weights, alive = self.weights(-np.inf), self.alive(-np.inf)
        for p in np.flatnonzero(alive):
            if self.dropped.pop(int(p), None) is not None:
                self.returns[p] += 1
                self.misfit.reset([int(p)])
        for p in np.flatnonzero(~alive):
            self.dropped.setdefault(int(p), (result.number, float(weights[p])))

    def weights(self, time: float) -> Float[np.ndarray, " P"]:
        """Posterior probabilities of the priors at a time, before the outcomes of that time."""
        return self.share.at(time)

    def alive(self, time: float) -> Bool[np.ndarray, " P"]:
        """Indicators of the priors that are alive at a time."""
        weights = self.weights(time)
        return weights >= self.options.delta / len(weights)

    def trusted(self, time: float) -> list[int]:
        """Numbers of the priors that are alive at a time, most probable first."""
        alive = self.alive(time)
        return [p for p in super().trusted(time) if alive[p]]


class SwitchingElimination(TimeVaryingMethod[SwitchingOptions]):
    """Maximise the bound over points and priors; drop a prior until outcomes agree with it again (ours)."""

    name: ClassVar[str] = "switching-elimination"
    Options: ClassVar[type[Any]] = SwitchingOptions
    Comparison: ClassVar[type[PriorComparison]] = SwitchingComparison
    comparison: SwitchingComparison

    @property
    def alive(self) -> Bool[np.ndarray, " P"]:
        """Indicators of the priors that are alive at the time of the last round."""
        return self.comparison.alive(self.now)

    def believed(
        self, request: Mapping[str, Any], random: np.random.Generator
    ) -> Int[np.ndarray, " k"]:
        """The priors that are alive at the time of the round."""
        return np.flatnonzero(self.comparison.alive(request["time"]))

    def explain(self) -> Explanation:
        """Tabulate which priors are alive, since when the others are not, and how often one came back."""
        alive, dropped, returns = self.alive, self.comparison.dropped, self.comparison.returns
        rows: dict[int, tuple[Any, ...]] = {}
        for p in range(len(self.names)):
            since = None if alive[p] else dropped.get(p, (None,))[0]
            rows[p] = bool(alive[p]), since, int(returns[p])
        summary = f"{int(alive.sum())} of {len(self.names)} priors are alive"
        if came := int(returns.sum()):
            summary += f"; {came} that were dropped came back: the truth may have changed"
        table = self.table_of_priors(rows, ("alive", "dropped in round", "times it came back"))
        return Explanation(summary, (table, self.table_of_present_choice()))
