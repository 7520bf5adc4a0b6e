"""Baselines for time-varying problems: they believe one prior, average over priors, or choose at random.

One prior: GP-UCB (Srinivas et al. 2010; with a prior that drifts TV-GP-UCB, Bogunovic et al. 2016)
and ET-GP-UCB (Brunzema, von Rohr, Solowjow & Trimpe 2022).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from .._arrays import Float, Int
from ..core import Choice, Explanation, History, OptionsT, Problem, Reason, Streams, Suggestion
from ..errors import InvalidOption, ModelFailure, one_of
from ..records import record
from ._comparison import PriorComparison, Surrogate
from .data import Datum, Maximiser, RoundView
from .learned_drift import LearnedDrift
from .method import CandidatePriorsOptions, TimeVaryingMethod
from .problem import TimeVarying, settings


@record
class OnePriorOptions(CandidatePriorsOptions):
    """Options of the methods that believe one prior: `CandidatePriorsOptions`, and which prior.

    Args:
        prior: the name of the prior to believe, or its number from 0; None where there is only one.
    """

    prior: str | int | None = None


class OnePrior(TimeVaryingMethod[OptionsT]):
    """A method that believes one prior: the problem's others are left out."""

    def __init__(
        self, problem: TimeVarying, options: OptionsT, streams: Streams, history: History
    ) -> None:
        if not problem.automatic:
            number = find_prior(problem, options.prior)  # type: ignore[attr-defined]
            problem = replace(problem, priors=(problem.given[number],))
        super().__init__(problem, options, streams, history)

    def explain(self) -> Explanation:
        """The prior, and its expected value."""
        return Explanation(f"{self.names[0]} is taken as true", (self.table_of_present_choice(),))


class GaussianProcessUCB(OnePrior[OnePriorOptions]):
    """Believe one given prior, and maximise its upper confidence bound (GP-UCB; TV-GP-UCB where the prior drifts)."""

    name: ClassVar[str] = "gp-ucb"
    Options: ClassVar[type[Any]] = OnePriorOptions

    def explain(self) -> Explanation:
        """The same, and on how many outcomes that rests, where it is not all of them."""
        told, kept = super().explain(), self.surrogate.kept
        if kept is None:
            return told
        rests = f"; it uses {kept[0]} outcomes; the others are merged or forgotten"
        return Explanation(told.summary + rests, told.tables)


def find_prior(problem: TimeVarying, wanted: str | int | None) -> int:
    """The number of a prior.

    Raises:
        InvalidOption: there is none of this name or number, or none was named and there are
            several.
    """
    names = [prior.name for prior in problem.given]
    if wanted is None and len(names) == 1:
        return 0
    if isinstance(wanted, int) and not isinstance(wanted, bool) and 0 <= wanted < len(names):
        return wanted
    if isinstance(wanted, str) and wanted in names:
        return names.index(wanted)
    allowed = one_of([name or str(i) for i, name in enumerate(names)], wanted)
    raise InvalidOption(
        "prior", wanted, allowed, "This method believes one prior: name it, or give its number."
    )


@record
class EventTriggeredOptions(OnePriorOptions):
    """Options of `et-gp-ucb`: those of `gp-ucb`, with the prior's drift left out, and of the trigger.

    Args:
        delta_b: δ_B, the probability with which the trigger may forget everything in vain while
            nothing changes.
    """

    delta_b: float = Field(0.1, gt=0, lt=1)


def threshold(deviation: float, noise: float, n: int, delta_b: float) -> float:
    """Largest error of an outcome at the n-th test: `√ρ_n (σ + R)`, in units of the objective.

    Args:
        deviation: σ, of the objective there, before the outcome.
        noise: R, standard deviation.
        n: tests since the last event, this one included.
        delta_b: δ_B.

    >>> round(threshold(1.0, 0.1, 1, 0.1), 2), round(threshold(1.0, 0.1, 100, 0.1), 2)
    (2.91, 5.54)
    """
    return math.sqrt(2 * math.log(math.pi**2 * n**2 / (3 * delta_b))) * (deviation + noise)


class EventTrigger(PriorComparison):
    """Comparison with one static prior, which forgets all outcomes that a later one contradicts.

    Attributes:
        events: times that outcomes were forgotten.
        tests: of outcomes since the last event.
        since: time and number of the outcome of the last event.
    """

    def __post_init__(self) -> None:
        self.tests = self.events = 0
        self.since = self._newest = (-math.inf, -math.inf)  # the last event, and the newest outcome

    def condition(self, datum: Datum, trusted: Sequence[int]) -> bool:
        """Condition on an outcome, having forgotten all others if it contradicts them."""
        if datum[:2] < self.since:
            return False
        if datum[:2] > self._newest:
            self._newest = datum[:2]
            self.tests += 1
            if self._contradicts(datum):
                self.surrogate.clear()
                self.held = []
                self.events, self.tests, self.since = self.events + 1, 0, datum[:2]
        return super().condition(datum, trusted)

    def _contradicts(self, datum: Datum) -> bool:
        """Whether the trigger fires."""
        # an outcome is taken in whatever kernels say of it: who chooses next says so
        with suppress(ModelFailure):
            mean, deviation = (float(each[0]) for each in self.surrogate.expected(datum))
            noise = self.problem.given[0].noise
            allowed = threshold(deviation, noise, self.tests, self.options.delta_b)
            return abs(datum.value - mean) > allowed
        return False


class EventTriggered(OnePrior[EventTriggeredOptions]):
    """Believe one prior and that nothing changes; start over when an outcome contradicts that (ET-GP-UCB).

    The objective is taken as static, and everything is remembered, until an outcome leaves the band
    in which a static objective would have stayed: the event. With μ and σ from before the outcome,
    noise R and n tests since the last event,

        |y − μ(x)| > √ρ_n (σ(x) + R),   ρ_n = 2 ln(2 π_n / δ_B),   π_n = π² n² / 6.

    Then everything is forgotten but this outcome. No rate of drift is needed: only a prior of a
    static objective.

    A false alarm. Under a static prior that is right, `y − μ(x)` is normal with variance
    `σ² + R² ≤ (σ + R)²`, whatever chose x, and each test fails with probability at most
    `2 (1 − Φ(√ρ_n)) ≤ exp(−ρ_n / 2) = δ_B / (2 π_n)`. These add up to δ_B / 2: so often, at most,
    anything is forgotten in vain before the first event, however long that takes.

    Of the paper (arXiv 2208.10790) only abstract and introduction could be read, so no equation is
    numbered here. Form and constants, n counted anew after an event, and that the outcome behind it
    is kept, are those of a program that two of its authors published later: `ETSO_experiments.py`
    of "Event-Triggered Safe Bayesian Optimization on Quadcopters" (Holzapfel, Brunzema & Trimpe
    2024), whose trigger is "similar to ET-GP-UCB". It writes the noise's part as
    `√(2 R² ln(2 π_n / δ_B))`, which is √ρ_n R. Its factors, 3 at σ and 4 at the difference, are of
    its application. The bound above is ours.

    An outcome that arrives late, older than one that is known already, is taken in without a test,
    as it is no news of now; one from before the last event is left out.
    """

    name: ClassVar[str] = "et-gp-ucb"
    Options: ClassVar[type[Any]] = EventTriggeredOptions
    Comparison: ClassVar[type[PriorComparison]] = EventTrigger
    comparison: EventTrigger

    def __init__(
        self,
        problem: TimeVarying,
        options: EventTriggeredOptions,
        streams: Streams,
        history: History,
    ) -> None:
        if not problem.automatic:
            problem = replace(
                problem, priors=tuple(replace(prior, drift=None) for prior in problem.given)
            )
        super().__init__(problem, options, streams, history)

    def width_round(self, number: int) -> int:
        """Rounds since the last event."""
        return len(self.comparison.held) + 1

    def explain(self) -> Explanation:
        """The prior, and when everything was forgotten."""
        said = f"{self.names[0]} is taken as true, and nothing is expected to change"
        compared = self.comparison
        if compared.events:
            times = "once" if compared.events == 1 else f"{compared.events} times"
            said += (
                f" until an outcome contradicts that. This happened {times}, the last time at time "
                f"{compared.since[0]:.10g}; earlier outcomes are forgotten. Outcomes remembered: {len(compared.held)}"
            )
        return Explanation(said, (self.table_of_present_choice(),))


class FullyBayesian(TimeVaryingMethod[CandidatePriorsOptions]):
    """Maximise the mean of all priors' upper confidence bounds, weighted by their posterior probabilities."""

    name: ClassVar[str] = "fully-bayesian"
    Options: ClassVar[type[Any]] = CandidatePriorsOptions

    def maximise(
        self,
        surrogate: Surrogate,
        view: RoundView,
        betas: Float[np.ndarray, " P"],
        priors: Int[np.ndarray, " k"],
        random: np.random.Generator,
    ) -> Maximiser:
        """Maximise `Σ_p P(p | data) UCB_p(x)`; the prior noted is the most probable one, ties drawn."""
        return surrogate.averaged(view, betas, self.weights(), random)

    def why(self, asked: Suggestion) -> Sequence[Reason]:
        """Return nothing: the bound of no single prior is behind a play."""
        return []

    def explain(self) -> Explanation:
        """Posterior weights."""
        best = self.names[self.trusted()[0]]
        return Explanation(
            f"{best} weighs most",
            (self.table_of_priors({}, ()), self.table_of_present_choice()),
        )


class Random(LearnedDrift):
    """Choose uniformly among the available places, without regard to constraints on outcomes: the baseline."""

    name: ClassVar[str] = "random"
    Options: ClassVar[type[Any]] = TimeVaryingMethod.Options
    takes_priors: ClassVar[bool] = True

    @classmethod
    def is_default_for(cls, problem: Problem) -> bool:
        """Return False."""
        return False

    @property
    def chooses_by_model(self) -> bool:
        """Return False: places are drawn."""
        return False

    def choose(self, request: Mapping[str, Any]) -> Choice:
        """Any available point."""
        left = self.problem.within(request.get("available"), request.get("context", {}))
        place = self.surrogate.anywhere(
            RoundView(request["time"], left), self.streams(self.history.next_round, "choose")
        )
        return Choice(self.problem.scope, settings(self.problem, place, left))

    def explain(self) -> Explanation:
        """Say that nothing guides the choice."""
        return Explanation("every available point is equally likely")
