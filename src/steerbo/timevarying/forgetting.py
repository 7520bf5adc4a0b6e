"""GP-UCB that forgets: by starting over, by a window (Zhou & Shroff 2021), or by weights (Deng et al. 2022).

All take the objective as static over what they remember: the prior's own drift is left out. The surrogate is
conditioned anew in every round, on as many outcomes as are remembered and never more.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from ..core import Choice, History, OptionsT, Recommendation, Round, Streams
from ..records import record
from .acquisition import View
from .best_point import best_point
from .boxes import Boxes
from .confidence import Width
from .finite import Sites
from .gain import possible_gain
from .gp_ucb import OnePrior
from .problem import TimeVarying

_NEGLIGIBLE = 1e-6  # weight below which an outcome is forgotten altogether


class Forgetting(OnePrior[OptionsT]):
    """One prior, conditioned in each round on what is remembered then."""

    def __init__(self, problem: TimeVarying, options: OptionsT, streams: Streams) -> None:
        super().__init__(problem, options, streams)
        self._scratch = self.fresh()

    def fresh(self) -> Sites | Boxes:
        """A surrogate without drift that knows nothing yet."""
        return Sites(self.posed, static=True) if self.problem.points is not None else Boxes(self.posed, static=True)

    @abstractmethod
    def memory(self, number: int) -> int:
        """How many of the rounds before round `number` are remembered."""

    def inflation(self, age: int) -> float:
        """By how much the noise variance of an outcome has grown that is `age` rounds old."""
        return 1.0

    def remembered(self, history: History, time: float) -> Sequence[Round]:
        """The rounds that are remembered at a time."""
        return history.last(self.memory(len(history) + 1))

    def recall(self, history: History, time: float) -> Sites | Boxes:
        """The surrogate, conditioned on what is remembered."""
        number = len(history) + 1
        self._scratch.rewrite([])
        for told in self.remembered(history, time):
            if told.state == "told":
                self._scratch.add(self._datum(told)._replace(time=0.0), self.inflation(number - told.number))
        return self._scratch

    def choose(self, history: History, request: Mapping[str, Any]) -> Choice:
        """The largest upper confidence bound by what is remembered."""
        t = len(history) + 1
        betas = self.confidence.betas(t)
        view = self.view(history, request)
        pick = self.recall(history, view.time).optimistic(view, betas, np.array([0]), self.streams(t, "ties"))
        return self.play(pick, float(betas[0]))

    def _compare(self, believed: int | None) -> None:
        """Not at all: what is known of surprises is of a memory of everything."""

    def gain(self, history: History) -> float:
        """By what is remembered."""
        return possible_gain(self, history, self.recall(history, self.now))

    def answer(self, history: History, view: View) -> Recommendation:
        """The point with the largest mean by what is remembered."""
        return best_point(self, 0, self.recall(history, view.time), view)


@record
class ResettingOptions:
    """Options of `r-gp-ucb`.

    Args:
        period: everything is forgotten after every so many rounds.
        prior, confidence, delta: as for `gp-ucb`.
    """

    period: int = Field(50, ge=1)
    prior: str | int | None = None
    confidence: Width = "theory"
    delta: float = Field(0.1, gt=0, lt=1)


class Resetting(Forgetting[ResettingOptions]):
    """GP-UCB with one given prior that starts over from time to time (R-GP-UCB, Zhou & Shroff 2021)."""

    name: ClassVar[str] = "r-gp-ucb"
    Options: ClassVar[type[Any]] = ResettingOptions

    def memory(self, number: int) -> int:
        """Everything since the last start."""
        return (number - 1) % self.options.period


@record
class WindowOptions:
    """Options of `sw-gp-ucb`.

    Args:
        window: so many of the last rounds are remembered.
        span: in the place of that: what happened in the last so many units of time is remembered.
        prior, confidence, delta: as for `gp-ucb`.
    """

    window: int = Field(50, ge=1)
    span: float | None = Field(None, gt=0, allow_inf_nan=False)
    prior: str | int | None = None
    confidence: Width = "theory"
    delta: float = Field(0.1, gt=0, lt=1)


class SlidingWindow(Forgetting[WindowOptions]):
    """GP-UCB with one given prior on a window of the last rounds (SW-GP-UCB, Zhou & Shroff 2021)."""

    name: ClassVar[str] = "sw-gp-ucb"
    Options: ClassVar[type[Any]] = WindowOptions

    def memory(self, number: int) -> int:
        """The window."""
        return self.options.window

    def remembered(self, history: History, time: float) -> Sequence[Round]:
        """The window in rounds, or in time."""
        span, some = self.options.span, self.options.window
        if span is None:
            return super().remembered(history, time)
        while some < len(history) and history.last(some)[0].request["time"] >= time - span:
            some *= 2
        return [played for played in history.last(some) if played.request["time"] >= time - span]


@record
class WeightedOptions:
    """Options of `w-gp-ucb`.

    Args:
        discount: the weight of an outcome falls by this factor with every round; weights below 1e-6 are left out.
        prior, confidence, delta: as for `gp-ucb`.
    """

    discount: float = Field(0.97, gt=0, lt=1)
    prior: str | int | None = None
    confidence: Width = "theory"
    delta: float = Field(0.1, gt=0, lt=1)


class Weighted(Forgetting[WeightedOptions]):
    """GP-UCB with one given prior, old outcomes weighing less (WGP-UCB, Deng et al. 2022).

    The weighted regression of their equation (6): weight w is noise variance R²/w. Bands are that posterior's own.
    """

    name: ClassVar[str] = "w-gp-ucb"
    Options: ClassVar[type[Any]] = WeightedOptions

    def memory(self, number: int) -> int:
        """Until weights are negligible."""
        return math.ceil(math.log(_NEGLIGIBLE) / math.log(self.options.discount))

    def inflation(self, age: int) -> float:
        """One over the weight; the newest outcome weighs 1."""
        return self.options.discount ** (1.0 - age)
