"""A trade-off between two outcomes: the plays that nothing betters in everything, with their bounds.

`traded_of` makes the numbers; matplotlib and the page draw the same ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..core import BaseStudy, ExpectedOutcome, Recommendation, Scope
from ..errors import InvalidRequest, one_of
from .choices import look, look_of
from .drawing import GREY, Picture, finished, on, value_words, words, wrapped

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
        plays: those that no other is expected to better.
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
    problem, looks = study.problem, dict[Scope, int]()
    plays = []
    for play in (advice, *advice.alternatives):
        of_scope = looks.setdefault(play.scope, look_of(problem, play, len(looks)))
        value = _bounds(ExpectedOutcome(play.mean, play.lower, play.upper))
        other = _bounds(play.outcomes.get(name, ExpectedOutcome()))
        if value and other:
            plays.append(TradedPlay(play, other, value, of_scope, play is advice))
    told = [
        (float(outcome.realised[name]), problem.scalar(outcome))
        for _, outcome, _ in study.history.outcomes()
        if name in outcome.realised
    ]
    across = _range([each.across for each in plays], [x for x, _ in told])
    up = _range([each.up for each in plays], [y for _, y in told])
    return Traded(name, tuple(plays), tuple(told), across, up)


def tradeoff(study: BaseStudy, outcome: str = "", ax: Any = None, value: str = "") -> Any:
    """Draw the value against a further outcome: the plays that nothing betters in everything, with bounds.

    The play in the middle, which is recommended, is in a ring; grey are the outcomes of all rounds.

    Args:
        study: a study or an optimizer, of a problem with `outcomes`.
        outcome: which of them; empty: the first.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).
        value: name and unit of the objective, for the labels; empty: as the study heads its column.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidRequest: the problem has no such outcome.
    """
    names = [*study.problem.traded]
    if not names or (outcome and outcome not in names):
        allowed = one_of(names, outcome) if names else "a problem with several outcomes"
        raise InvalidRequest("outcome", outcome or None, allowed)
    return _tradeoff(study, study.recommend(), outcome or names[0], ax, value)


def traded_pictures(study: BaseStudy, advice: Recommendation) -> Iterator[Picture]:
    """Yield a picture for the page of the value against each further outcome; none where there is no other."""
    for name in advice.outcomes:
        text = f"Value against {name}, with bounds, of the rounds that no other one beats in everything"
        yield Picture(f"Trade-off with {name}", text, partial(_traded_figure, study, advice, name))


def _traded_figure(study: BaseStudy, advice: Recommendation, name: str) -> Any:
    return _tradeoff(study, advice, name).figure


def _tradeoff(
    study: BaseStudy, advice: Recommendation, name: str, ax: Any = None, value: str = ""
) -> Any:
    """Draw one outcome against the value, on new axes where none are given."""
    found, axes = traded_of(study, advice, name), on(ax, 3.2)
    up = f"expected {value_words(study, value)}"
    axes.set(xlim=found.across, ylim=found.up, title="Trade-off")
    axes.set(xlabel=f"expected {words(found.name)}", ylabel=up)
    if found.told:
        told = {"ms": 3, "color": GREY, "alpha": 0.5, "ls": "none", "zorder": 1}
        axes.plot(*zip(*found.told, strict=True), "o", label="one round", **told)
    for play in found.plays:
        colour, shape = look(play.look)
        (x, left, right), (y, low, high) = play.across, play.up
        name = wrapped(str(play.advice.scope), 40)
        axes.errorbar(
            x, y, yerr=[[y - low], [high - y]], xerr=[[x - left], [right - x]], color=colour,
            marker=shape, ms=6, mec="black", mew=0.4, ecolor=GREY, lw=0.8, ls="none", zorder=3,
            label="" if name in axes.get_legend_handles_labels()[1] else name,
        )  # fmt: skip
        if play.chosen:
            ring = {"ms": 13, "mfc": "none", "color": "black", "ls": "none", "zorder": 4}
            axes.plot(x, y, "o", label="recommended", **ring)
    return finished(axes)


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
