"""A trade-off between two outcomes: the plays that nothing betters in everything, with their bounds.

`traded_of` makes the numbers; matplotlib and the page draw the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..core import BaseStudy, ExpectedOutcome, Recommendation
from .choices import look_of

Bounds = tuple[float, float, float]
"""An expected outcome and its bounds; three times the same where it has none."""


@dataclass(frozen=True)
class TradedPlay:
    """A play that nothing is expected to better in everything: of its two outcomes, the mean and the bounds."""

    advice: Recommendation
    across: Bounds
    up: Bounds
    look: int
    chosen: bool


@dataclass(frozen=True)
class Traded:
    """Two outcomes against each other: the numbers that every drawing of them shows.

    Args:
        name: of the outcome along the axis; the value goes up.
        plays: what nothing is expected to better.
        told: pairs of outcomes of all rounds and data.
        across, up: ranges of the axes.
    """

    name: str
    plays: tuple[TradedPlay, ...]
    told: tuple[tuple[float, float], ...]
    across: tuple[float, float]
    up: tuple[float, float]


def traded_of(study: BaseStudy, advice: Recommendation, name: str) -> Traded:
    """Compare the value with one further outcome, among all plays of a trade-off."""
    problem = study.problem
    plays = []
    for k, play in enumerate((advice, *advice.alternatives)):
        value = _bounds(ExpectedOutcome(play.mean, play.lower, play.upper))
        other = _bounds(play.outcomes.get(name, ExpectedOutcome()))
        if value and other:
            plays.append(TradedPlay(play, other, value, look_of(problem, play, k), play is advice))
    told = [
        (float(outcome.realised[name]), problem.scalar(outcome))
        for _, outcome, _ in study.history.outcomes()
        if name in outcome.realised
    ]
    across = _range([each.across for each in plays], [x for x, _ in told])
    up = _range([each.up for each in plays], [y for _, y in told])
    return Traded(name, tuple(plays), tuple(told), across, up)


def _bounds(found: ExpectedOutcome) -> Bounds | None:
    if found.mean is None:
        return None
    mean = float(found.mean)
    low, high = (mean if end is None else float(end) for end in (found.lower, found.upper))
    return mean, low, high


def _range(expected: Sequence[Bounds], told: Sequence[float]) -> tuple[float, float]:
    """Range of an axis: that of means and outcomes, and of bounds no farther beyond than these are apart."""
    middle = [mean for mean, _, _ in expected] + list(told)
    low, high = min(middle, default=0.0), max(middle, default=1.0)
    room = (high - low) or abs(high) / 2 or 1.0
    ends = [end for _, *some in expected for end in some]
    low = max(min(low, *ends), low - room) if ends else low
    high = min(max(high, *ends), high + room) if ends else high
    margin = 0.05 * (high - low) or room
    return low - margin, high + margin
