"""Comparison of candidate priors by the outcomes so far, in the order in which these came.

The lesson of an outcome depends on those before it: on how surprising it was then, and whether it
was doubted. So a comparison is a fold over results, and a method reads it as a function of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from .._arrays import Float, Int
from ..bandit import Calibration
from ..core import Result, time_of
from ..errors import ModelFailure
from ._doubts import Doubts, Misfit
from .confidence import Confidence
from .data import Datum
from .problem import TimeVarying, place_of
from .surrogates import BoxSurrogate, FiniteSurrogate, LargeFiniteSurrogate

Surrogate = FiniteSurrogate | LargeFiniteSurrogate | BoxSurrogate


def datum_of(problem: TimeVarying, result: Result) -> Datum:
    """Outcome of a result as surrogates take it; data that say no time are of the clock when they came."""
    assert result.outcome is not None
    if result.played is not None:
        time, number = time_of(result.played), float(result.number)
    else:
        # data come after the round of their number, and before the next one
        time, number = result.realised.get("time", result.time), result.number + 0.5
    return Datum(
        time,
        number,
        place_of(problem, result.outcome.realised),
        problem.sign * result.outcome.value,
        name=result.name,
        stated=(result.outcome.sem or 0.0) ** 2,
    )


@dataclass(eq=False)
class PriorComparison:
    """Posteriors by all priors, how probable these are, and how well they predict.

    Attributes:
        problem: whose priors.
        options: of the method.
        confidence: widths of its bands.
        surrogate: posteriors given the outcomes so far.
        held: these outcomes, in the order in which they came.
        doubts: which of them are probably wrong.
        misfit: priors that they contradict.
        calibration: how far they were from their predictions.
    """

    doubts_outcomes: ClassVar[bool] = False
    """Whether outcomes that no trusted prior explains count for little."""

    problem: TimeVarying
    options: Any
    confidence: Confidence
    surrogate: Surrogate
    held: list[Datum] = field(default_factory=list)
    doubts: Doubts = field(default_factory=Doubts)
    misfit: Misfit = field(default_factory=Misfit)
    calibration: Calibration = field(default_factory=Calibration)

    def __post_init__(self) -> None:
        """Begin with the statistics that a comparison keeps beside."""

    @cached_property
    def _noise(self) -> Float[np.ndarray, " P"]:
        return np.array([prior.noise for prior in self.problem.given])

    def take(self, result: Result) -> None:
        """Condition on an outcome; one of a round is compared with its prediction first."""
        trusted = self.trusted(result.time)
        taken = self.condition(datum_of(self.problem, result), trusted)
        if taken and result.played is not None:
            self._calibrate(trusted[0])

    def condition(self, datum: Datum, trusted: Sequence[int]) -> bool:
        """Condition the surrogate on an outcome, given the priors trusted before it; False if it is left out."""
        judged = self._judged(datum, np.array(trusted))
        self.held.append(judged)
        self.surrogate.add(judged)
        return True

    @property
    def held_in_time(self) -> list[Datum]:
        """Outcomes that the surrogate is conditioned on, in order of time."""
        return sorted(self.held, key=lambda datum: datum[:2])

    def _judged(self, datum: Datum, trusted: Int[np.ndarray, " k"]) -> Datum:
        """The outcome, with more noise if it is probably wrong."""
        if self.doubts_outcomes and not self.doubts.is_late(datum):
            # the outcome is kept; the next choice reports that the model failed
            with suppress(ModelFailure):
                mean, deviation = self.surrogate.expected(datum)
                datum = self.doubts.judged(
                    datum, mean[trusted], deviation[trusted], self._noise[trusted]
                )
                self.misfit.compare(datum, mean, deviation, self._noise)
        return datum

    def _calibrate(self, believed: int) -> None:
        """Compare the latest outcome with the prediction of one prior."""
        # the outcome is kept; the next choice reports that the model failed
        with suppress(ModelFailure):
            surprise = float(self.surrogate.surprise[believed])
            self.calibration = self.calibration.after(surprise)

    def weights(self, time: float) -> Float[np.ndarray, " P"]:
        """Posterior probabilities of the priors at a time, all equally likely beforehand."""
        evidence = self.surrogate.evidence
        likely = np.exp(evidence - evidence.max())
        return likely / likely.sum()

    def trusted(self, time: float) -> list[int]:
        """Numbers of the priors that an answer may rest on at a time, most probable first."""
        return [int(p) for p in np.argsort(-self.weights(time), kind="stable")]
