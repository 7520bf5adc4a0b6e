"""Rivals of the methods for time-varying problems; they come in as anybody's methods do.

Those of Ziomek, Adachi & Osborne (2025) are type-II maximum likelihood and regret balancing (their
Algorithm 2). R-GP-UCB and SW-GP-UCB (Zhou & Shroff 2021) forget by restarts and by a window,
WGP-UCB (Deng et al. 2022) by weights: all three take the objective as static over the outcomes that
they remember, leave out the prior's own drift, and condition their surrogate anew in each round.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Int
from pydantic import Field

from steerbo.bandit import Calibration
from steerbo.core import Explanation, History, OptionsT, Result, Round, Streams
from steerbo.extending import record
from steerbo.timevarying import TimeVarying
from steerbo.timevarying._comparison import PriorComparison, Surrogate, datum_of
from steerbo.timevarying.baselines import OnePrior, OnePriorOptions
from steerbo.timevarying.data import draw_largest
from steerbo.timevarying.elimination import Elimination, EliminationMethod, EliminationOptions
from steerbo.timevarying.method import (
    CandidatePriorsOptions,
    TimeVaryingMethod,
    belief_behind,
)
from steerbo.timevarying.surrogates import BoxSurrogate, finite_surrogate


class MaximumLikelihood(TimeVaryingMethod[CandidatePriorsOptions]):
    """Believe the prior of largest marginal likelihood, and maximise its upper confidence bound (type-II MLE)."""

    name: ClassVar[str] = "mle"
    Options: ClassVar[type[Any]] = CandidatePriorsOptions

    def believed(
        self, request: Mapping[str, Any], random: np.random.Generator
    ) -> Int[np.ndarray, " k"]:
        """The prior of largest marginal likelihood, ties drawn."""
        return np.array([draw_largest(self.surrogate.evidence, random)])

    def explain(self) -> Explanation:
        """Posterior weights."""
        best = self.names[self.trusted()[0]]
        return Explanation(
            f"{best} is the likeliest prior",
            (self.table_of_priors({}, ()), self.table_of_present_choice()),
        )


class FallingBehind(Elimination):
    """Comparison that drops a prior whose mean outcome falls behind (Regret Balancing, Algorithm 2)."""

    def reset_statistics(self) -> None:
        """No outcomes yet."""
        P = len(self.problem.given)
        self.counts = np.zeros(P, dtype=int)  # |S|
        self.sums = np.zeros(P)  # Σ y
        self.bands = np.zeros(P)  # Σ β σ

    def excess(self, told: Round) -> Mapping[int, float]:
        """Lines 7–12, once every prior alive has been played."""
        expected = belief_behind(told.suggestion)
        assert told.outcome is not None
        assert expected is not None
        p, alive = expected.prior, self.survivors.alive
        self.counts[p] += 1
        self.sums[p] += self.problem.sign * told.outcome.value
        self.bands[p] += expected.band
        if not self.counts[alive].all():
            return {}
        counts, xi = self.counts[alive], self.confidence.xi(told.number)[alive]
        lower = self.sums[alive] / counts - np.sqrt(xi / counts)
        short = lower.max() - (lower + self.bands[alive] / counts)
        behind = zip(self.survivors.candidates.tolist(), short.tolist(), strict=True)
        return {q: excess for q, excess in behind if excess > 0}


class RegretBalancing(EliminationMethod[EliminationOptions]):
    """Play the prior played least; drop one whose mean outcome falls behind (Regret Balancing, Algorithm 2)."""

    name: ClassVar[str] = "regret-balancing"
    Options: ClassVar[type[Any]] = EliminationOptions
    Comparison: ClassVar[type[PriorComparison]] = FallingBehind
    comparison: FallingBehind

    def believed(
        self, request: Mapping[str, Any], random: np.random.Generator
    ) -> Int[np.ndarray, " k"]:
        """The prior alive that was played least (lines 3–4); pending rounds count as plays."""
        plays, alive = self.comparison.counts.copy(), self.survivors.candidates
        for waiting in self.history.pending:
            if (expected := belief_behind(waiting.suggestion)) is not None:
                plays[expected.prior] += 1
        return alive[[draw_largest(-plays[alive].astype(float), random)]]


_NEGLIGIBLE = 1e-6  # weight below which an outcome is forgotten altogether


class ForgettingGPUCB(OnePrior[OptionsT]):
    """Base of the methods that condition one prior, in each round, on the remembered rounds only."""

    def __init__(
        self, problem: TimeVarying, options: OptionsT, streams: Streams, history: History
    ) -> None:
        super().__init__(problem, options, streams, history)
        self._scratch = self.empty_surrogate()

    def empty_surrogate(self) -> Surrogate:
        """Make a surrogate without drift and without data, of which only what is remembered says how many it keeps."""
        static = replace(
            self.problem, priors=tuple(replace(prior, drift=None) for prior in self.problem.given)
        )
        finite = self.problem.points is not None
        return (
            finite_surrogate(static, bounded=False)
            if finite
            else BoxSurrogate(static, bounded=False)
        )

    @abstractmethod
    def memory(self, number: int) -> int:
        """How many of the rounds before round `number` are remembered."""

    def inflation(self, age: int) -> float:
        """By how much the noise variance of an outcome has grown that is `age` rounds old."""
        return 1.0

    def remembered(self, time: float) -> Sequence[Round]:
        """The rounds that are remembered at a time."""
        return self.history.last(self.memory(self.history.next_round))

    def surrogate_at(self, time: float) -> Surrogate:
        """Condition the surrogate on the remembered rounds."""
        number = self.history.next_round
        self._scratch.clear()
        for told in self.remembered(time):
            if told.state == "told":
                datum = datum_of(self.problem, Result.of_round(told, time))
                self._scratch.add(
                    datum._replace(time=0.0, inflation=self.inflation(number - told.number))
                )
        return self._scratch

    calibration = Calibration()
    """None: it would compare with a surrogate that remembers everything."""


@record
class ResettingOptions(OnePriorOptions):
    """Options of `r-gp-ucb`: those of `gp-ucb`, and of what is forgotten.

    Args:
        period: everything is forgotten after every so many rounds.
    """

    period: int = Field(50, ge=1)


class Resetting(ForgettingGPUCB[ResettingOptions]):
    """GP-UCB with one given prior that starts over from time to time (R-GP-UCB, Zhou & Shroff 2021)."""

    name: ClassVar[str] = "r-gp-ucb"
    Options: ClassVar[type[Any]] = ResettingOptions

    def memory(self, number: int) -> int:
        """Everything since the last start."""
        return (number - 1) % self.options.period


@record
class WindowOptions(OnePriorOptions):
    """Options of `sw-gp-ucb`: those of `gp-ucb`, and of what is forgotten.

    Args:
        window: so many of the last rounds are remembered.
        span: in the place of that: rounds of the last so many units of time are remembered.
    """

    window: int = Field(50, ge=1)
    span: float | None = Field(None, gt=0, allow_inf_nan=False)


class SlidingWindow(ForgettingGPUCB[WindowOptions]):
    """GP-UCB with one given prior on a window of the last rounds (SW-GP-UCB, Zhou & Shroff 2021)."""

    name: ClassVar[str] = "sw-gp-ucb"
    Options: ClassVar[type[Any]] = WindowOptions

    def memory(self, number: int) -> int:
        """The window."""
        return self.options.window

    def remembered(self, time: float) -> Sequence[Round]:
        """The window in rounds, or in time."""
        span, some, history = self.options.span, self.options.window, self.history
        if span is None:
            return super().remembered(time)
        while some < len(history) and history.last(some)[0].request["time"] >= time - span:
            some *= 2
        return [played for played in history.last(some) if played.request["time"] >= time - span]


@record
class WeightedOptions(OnePriorOptions):
    """Options of `w-gp-ucb`: those of `gp-ucb`, and of what is forgotten.

    Args:
        discount: the weight of an outcome falls by this factor with every round; weights below 1e-6
            are left out.
    """

    discount: float = Field(0.97, gt=0, lt=1)


class Weighted(ForgettingGPUCB[WeightedOptions]):
    """GP-UCB with one given prior, old outcomes weighing less (WGP-UCB, Deng et al. 2022).

    The weighted regression of their equation (6): weight w is noise variance R²/w. Bands are that
    posterior's own.
    """

    name: ClassVar[str] = "w-gp-ucb"
    Options: ClassVar[type[Any]] = WeightedOptions

    def memory(self, number: int) -> int:
        """Until weights are negligible."""
        return math.ceil(math.log(_NEGLIGIBLE) / math.log(self.options.discount))

    def inflation(self, age: int) -> float:
        """One over the weight; the newest outcome weighs 1."""
        return self.options.discount ** (1.0 - age)


METHODS = (MaximumLikelihood, RegretBalancing, Resetting, SlidingWindow, Weighted)
