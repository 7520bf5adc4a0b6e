"""Pictures of time-varying studies: predictions and outcomes, and the prior behind each choice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..core import BaseStudy, Recommendation
from ..errors import InvalidProblem
from ..timevarying import TimeVarying
from ..timevarying.method import Belief, belief_behind
from .drawing import (
    BLUE,
    MM,
    SKY,
    VERMILION,
    Picture,
    finished,
    legend_below,
    new_figure,
    of_kind,
    on,
    styled,
    texts_at_right,
    told_apart,
    value_words,
    wrapped,
)
from .model import learned_pictures
from .policies import settings_pictures
from .rounds import rounds_to_now
from .traded import traded_pictures

_ROWS, _NAME = 20, 40  # priors shown; characters of their names


def figure(optimizer: BaseStudy, value: str = "", width: float = 180.0) -> Any:
    """The two main pictures, one above the other, as a matplotlib `Figure`.

    Top: `expected`, expected value and outcome of each round, against time. Bottom: `believed`,
    which prior was behind which choice, those played most first; a cross where a prior was dropped.

    Args:
        optimizer: of a `TimeVarying` problem.
        value: name and unit of the objective, for the labels; empty: as the study heads its column.
        width: of the figure, in millimetres.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: the problem is of another kind.
    """
    problem = of_kind(optimizer, TimeVarying)
    names = prior_names(problem, optimizer)
    rows = min(len(names), _ROWS)
    heights = 2.2, 0.55 + 0.27 * rows
    shown = new_figure((width * MM, sum(heights) + 0.3))
    top, bottom = shown.subplots(2, 1, sharex=True, height_ratios=heights)
    _expected(top, optimizer, value)
    _priors(bottom, names, optimizer, predictions_of(optimizer))
    for axes in (top, bottom):
        styled(axes)
    legend_below(shown, top, bottom)
    return shown


def expected(study: BaseStudy, ax: Any = None, value: str = "") -> Any:
    """Draw the expected value of each round, mean and band of the prior behind the choice, and its outcome.

    Args:
        study: a study or an optimizer, of a `TimeVarying` problem.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).
        value: name and unit of the objective, for the labels; empty: as the study heads its column.

    Returns:
        The axes.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: the problem is of another kind.
    """
    of_kind(study, TimeVarying)
    axes = on(ax, 2.6)
    _expected(axes, study, value)
    axes.set(xlabel="time")
    return finished(axes)


def believed(study: BaseStudy, ax: Any = None) -> Any:
    """Draw which prior was behind which choice, and when one was dropped; see `expected`."""
    problem = of_kind(study, TimeVarying)
    names = prior_names(problem, study)
    axes = on(ax, 1.0 + 0.27 * min(len(names), _ROWS))
    _priors(axes, names, study, predictions_of(study))
    return finished(axes)


def weights(study: BaseStudy, ax: Any = None) -> Any:
    """Draw how probable each prior is by now, by all outcomes, heaviest first; see `expected`."""
    names, heavy = weights_of(study)
    order = range(len(names))
    axes = on(ax, 0.9 + 0.27 * len(order))
    axes.barh(order, heavy, color=BLUE, height=0.62)
    axes.set_yticks(order, [wrapped(name, 18) for name in names])
    axes.set_ylim(len(order) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.set(xlabel="probability", xlim=(0, 1), title="Probability of each prior")
    texts_at_right(axes, [f"{share:.0%}" for share in heavy])
    return finished(axes)


def weights_of(study: BaseStudy) -> tuple[list[str], Any]:
    """Names of the most probable priors, and their probabilities, largest first.

    Raises:
        InvalidProblem: the problem is of another kind, or the method does not weigh priors.
    """
    problem, method = of_kind(study, TimeVarying), study._method
    if not hasattr(method, "weights"):
        raise InvalidProblem("method", method.name, "a method that weighs priors")
    heavy, names = np.asarray(method.weights()), prior_names(problem, study)
    order = np.argsort(-heavy, kind="stable")[:_ROWS]
    return [names[p] for p in order], heavy[order]


def draw(optimizer: BaseStudy, advice: Recommendation) -> Iterator[Picture]:
    """Yield the pictures of the kind."""
    of_kind(optimizer, TimeVarying)
    yield from traded_pictures(optimizer, advice)
    text = "Expected and observed outcomes, and the prior behind each choice; a cross where one was dropped"
    yield Picture("Priors", text, lambda: figure(optimizer, width=90.0))
    yield from settings_pictures(optimizer, advice)
    yield from learned_pictures(optimizer, advice)


# -- drawing on axes -------------------------------------------------------------------------------


def prior_names(problem: TimeVarying, optimizer: BaseStudy) -> list[str]:
    """Names of the method's priors, short and different."""
    given = () if problem.automatic else problem.given
    named: list[str] = getattr(
        optimizer._method, "names", [p.name or f"prior {i + 1}" for i, p in enumerate(given)]
    )
    return told_apart(named, _NAME)


def choices_by_prior(
    study: BaseStudy, noted: Sequence[tuple[float, Belief]], priors: int
) -> tuple[list[int], list[list[float]], list[tuple[float, int]]]:
    """Numbers of the priors most often behind a choice, times of these choices, and time and row of those dropped."""
    plays = np.bincount([note.prior for _, note in noted], minlength=priors)
    order = [int(p) for p in np.argsort(-plays, kind="stable")[:_ROWS]]
    dropped = getattr(study._method, "dropped", {})  # by the methods that drop priors, and when
    when = {r.number: r.request["time"] for r in study.history}
    crosses = [
        (when[dropped[p][0]], row)
        for row, p in enumerate(order)
        if p in dropped and dropped[p][0] in when
    ]
    return order, [[time for time, note in noted if note.prior == p] for p in order], crosses


def predictions_of(optimizer: BaseStudy) -> list[tuple[float, Belief]]:
    """Rounds that a prior was behind, in order of time: the time, and the prediction of that prior."""
    rounds = [(r.request["time"], belief_behind(r.suggestion)) for r in rounds_to_now(optimizer)]
    return sorted(
        [(time, note) for time, note in rounds if note is not None], key=lambda pair: pair[0]
    )


def _expected(axes: Any, optimizer: BaseStudy, value: str) -> None:
    told = [(r.request["time"], outcome.value) for r, outcome in optimizer.history.told]
    if noted := predictions_of(optimizer):
        times, notes = zip(*noted, strict=True)
        mean = np.array([note.mean for note in notes])
        band = np.array([note.band for note in notes])
        axes.fill_between(
            times,
            mean - band,
            mean + band,
            color=SKY,
            alpha=0.3,
            lw=0,
            label="band of the prior used",
        )
        axes.plot(times, mean, color=BLUE, lw=1.4, label="expected")
    axes.plot(
        *np.reshape(told, (-1, 2)).T, "o", ms=3.5, color="black", mew=0, ls="none", label="outcome"
    )
    axes.set(ylabel=value_words(optimizer, value), title="Expected and observed")


def _priors(
    axes: Any, names: Sequence[str], optimizer: BaseStudy, noted: Sequence[tuple[float, Belief]]
) -> None:
    order, times, crosses = choices_by_prior(optimizer, noted, len(names))
    for row, chosen in enumerate(times):
        axes.plot(chosen, [row] * len(chosen), "|", ms=9, color=BLUE)
    if crosses:
        axes.plot(
            *np.array(crosses, dtype=float).T,
            "x",
            ms=8,
            mew=2,
            color=VERMILION,
            ls="none",
            label="dropped",
        )
    axes.set_yticks(range(len(order)), [wrapped(names[p], 18) for p in order])
    axes.set_ylim(len(order) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.set(xlabel="time", title="Prior behind each choice")
