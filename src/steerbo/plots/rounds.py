"""Pictures of any study: outcomes and settings by round; and the entry to the pictures of its kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from ..core import (
    BaseStudy,
    PastAnswer,
    Problem,
    Recommendation,
    Round,
    last_time,
    past_answers,
    time_of,
)
from ..errors import InvalidProblem, SteerboError, short_repr
from .drawing import (
    BLUE,
    SKY,
    VERMILION,
    DrawPictures,
    Picture,
    finished,
    money_words,
    on,
    value_words,
)

_LATELY = 10  # rounds whose mean is shown where the optimum moves: earlier optima are over
_MOST_SHOWN = 6  # variables that are shown
_NEXT = 3  # suggestions that are out
_DECADES = 1000.0  # largest outcome by least from which an axis is logarithmic
_MARGIN = 0.05  # of a logarithmic axis, free at its ends
_FLAT = 0.5  # half the height of an axis along which outcomes are all alike
BOUNDS = "95 % bounds"  # as legends have it


def pictures(optimizer: BaseStudy, advice: Recommendation | None = None) -> Iterator[Picture]:
    """The pictures of a study, by its kind: the function that `problem.pictures` names yields them.

    A picture is drawn when its `figure` is looked at, so that titles alone cost nothing.

    Args:
        optimizer: whose pictures.
        advice: the result of `recommend`, where that is known already.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: there is no such function, it fails, or yields something else than a
            `Picture`.
    """
    place, field = optimizer.problem.pictures, f"{optimizer.problem.kind}: pictures"
    try:
        module, _, name = place.partition(":")
        draw: DrawPictures = getattr(import_module(module), name)
        drawn = iter(draw(optimizer, optimizer.recommend() if advice is None else advice))
    except SteerboError:
        raise
    except Exception as error:  # whatever a module of others raises while it is imported or called
        allowed = 'the place of a function that draws a study, as "package.module:function"'
        raise InvalidProblem(field, place, allowed, f"({type(error).__name__}: {error})") from None
    while (picture := _next_picture(drawn, field, place)) is not None:
        source = getattr(picture, "source", None)
        if not isinstance(picture, Picture) or not (
            callable(source) or callable(getattr(source, "savefig", None))
        ):
            allowed = "a function that yields `Picture`s, each with a title, a text and a figure of matplotlib"
            raise InvalidProblem(field, place, allowed, f"It yields {short_repr(picture)}.")
        yield picture


def _next_picture(drawn: Iterator[Picture], field: str, place: str) -> Picture | None:
    """Draw one more picture; None after the last one."""
    try:
        return next(drawn, None)
    except SteerboError:
        raise
    except Exception as error:
        hint = f"It failed: {type(error).__name__}: {error}."
        raise InvalidProblem(field, place, "a function that draws such a study", hint) from None


def draw(optimizer: BaseStudy, advice: Recommendation) -> Iterator[Picture]:
    """Yield the picture of any study: kinds of problem that declare no others have this one."""
    yield Picture(
        "Progress",
        "Outcome of every round, and what was expected of the recommendations",
        lambda: progress(optimizer).figure,
    )


@dataclass(frozen=True)
class Progress:
    """How far a study has come: the numbers that every drawing of it shows.

    Args:
        told: outcomes in order: where along the axis, the value, and the round.
        along: name of the axis: "time", "money spent" or "rounds".
        reached: where along the axis, and the mean and the bounds of the recommendation by then;
            empty where the optimum moves, or nothing was expected.
        lately: means of the latest ten outcomes, where the optimum moves.
        doubted: tokens of rounds whose outcomes are probably wrong: they stretch no axis.
    """

    told: tuple[tuple[float, float, Round], ...]
    along: str
    reached: tuple[tuple[float, float, float, float], ...]
    lately: tuple[float, ...]
    doubted: frozenset[str] = frozenset()

    @property
    def counted(self) -> list[float]:
        """Outcomes that are not doubted; all where every one is."""
        every = [value for _, value, _ in self.told]
        return [
            value for _, value, r in self.told if r.suggestion.token not in self.doubted
        ] or every

    @property
    def log(self) -> bool:
        """Whether outcomes span decades, so that the small ones are only seen on a logarithmic scale."""
        return over_decades(self.counted)

    @property
    def says(self) -> str:
        """Words for the line; empty where there is none."""
        if self.lately:
            return f"mean of the last {_LATELY} outcomes"
        return "expected of what was recommended" if self.reached else ""


def progress_of(
    study: BaseStudy,
    past: Sequence[PastAnswer] | None = None,
    advice: Recommendation | None = None,
) -> Progress:
    """How far a study has come.

    Args:
        study: which.
        past: earlier answers; None: they are computed.
        advice: the present one, at which the line ends, where it is known.
    """
    problem, counted = study.problem, study.history.spent > 0
    told, spent = list[tuple[float, float, Round]](), 0.0
    for r in study.history:
        spent += r.charged if counted else 1.0
        if r.state == "told" and r.outcome:
            told.append((time_of(r) if problem.timed else spent, problem.scalar(r.outcome), r))
    # rounds may have been asked for in another order than that of their times
    told.sort(key=lambda point: point[0])
    doubted = study.doubted & {r.suggestion.token for _, _, r in told}
    if problem.timed:
        means = running_mean(np.array([value for _, value, _ in told]), _LATELY)
        return Progress(tuple(told), "time", (), tuple(means.tolist()), doubted)
    if past is None:
        past = past_answers(study) if told else ()
    reached = [
        (each.spent if counted else float(each.rounds), each.mean, each.lower, each.upper)
        for each in past
    ]
    if reached and (now := _expected(advice or study.recommend())) is not None:
        reached = [point for point in reached if point[0] < spent] + [(spent, *now)]
    along = "money spent" if counted else "rounds"
    line = tuple(reached) if len(reached) > 1 else ()
    return Progress(tuple(told), along, line, (), doubted)


def _expected(advice: Recommendation) -> tuple[float, float, float] | None:
    """Mean and bounds of an answer, where it has them and is for no context of several."""
    if advice.mean is None or advice.lower is None or advice.upper is None or advice.context:
        return None
    return float(advice.mean), float(advice.lower), float(advice.upper)


def progress(study: BaseStudy, ax: Any = None, value: str = "") -> Any:
    """Draw every outcome, and the expected value of the recommendation by then, with its bounds.

    Against the money spent, or the rounds where nothing costs. Where the optimum moves: against the
    time, with the mean of the last ten outcomes.

    Args:
        study: a study or an optimizer.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).
        value: name and unit of the objective, for the labels; empty: as the study heads its column.

    Returns:
        The axes.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    axes = on(ax)
    draw_progress(axes, study, value)
    return finished(axes)


def draw_progress(axes: Any, study: BaseStudy, value: str = "") -> None:
    """Draw `progress` on axes, with their labels."""
    found = progress_of(study)
    along = money_words(study, "", "money spent") if found.along == "money spent" else found.along
    axes.set(xlabel=along, ylabel=value_words(study, value), title="Progress")
    if not found.told:
        return
    at = [x for x, _, _ in found.told]
    right = [(x, y) for x, y, r in found.told if r.suggestion.token not in found.doubted]
    wrong = [(x, y) for x, y, r in found.told if r.suggestion.token in found.doubted]
    if right:
        axes.plot(
            *zip(*right, strict=True), "o", ms=4, color=SKY, mec=BLUE, mew=0.6, label="one round"
        )
    if wrong:
        least, most = value_range(found)
        within = [(x, min(max(y, least), most)) for x, y in wrong]
        axes.plot(
            *zip(*within, strict=True), "x", ms=5, color=BLUE, label="probably wrong", clip_on=False
        )
    if found.log or wrong:
        axes.set(ylim=value_range(found), **({"yscale": "log"} if found.log else {}))
    if found.lately:
        axes.plot(at, found.lately, color=VERMILION, lw=1.4, label=found.says)
    elif found.reached:
        x, mean, low, high = zip(*found.reached, strict=True)
        axes.set_ylim(*value_range(found))
        axes.fill_between(x, low, high, color=VERMILION, alpha=0.2, lw=0, label=BOUNDS)
        axes.plot(x, mean, color=VERMILION, lw=1.4, label=found.says)


def over_decades(values: Sequence[float]) -> bool:
    """Whether values are all above zero, and the small ones only seen on a logarithmic scale.

    >>> over_decades([0.02, 3.0, 40.0]), over_decades([1.0, 40.0]), over_decades([0.0, 40.0])
    (True, False, False)
    """
    return min(values, default=0.0) > 0 and max(values) >= _DECADES * min(values)


def decades(values: Sequence[float]) -> tuple[float, float]:
    """Range of a logarithmic axis of values."""
    low, high = min(values), max(values)
    room = (high / low) ** _MARGIN
    return low / room, high * room


def value_range(found: Progress) -> tuple[float, float]:
    """Range of the vertical axis: that of outcomes and bounds, but for bounds far beyond all outcomes.

    Outcomes that are probably wrong are drawn at its ends.
    """
    values = found.counted
    low, high = min(values), max(values)
    if found.log:
        return decades(values)
    room = high - low
    ends = [end for _, *some in found.reached for end in some]
    if ends and room > 0:
        low, high = max(min(low, *ends), low - room), min(max(high, *ends), high + room)
    half = 0.0 if high > low else _FLAT * (abs(high) or 1.0)
    return low - half, high + half


def running_mean(values: np.ndarray, latest: int) -> np.ndarray:
    """Means of so many of the latest values each, (n,); fewer at the beginning.

    >>> running_mean(np.array([1.0, 3.0, 5.0]), 2).tolist()
    [1.0, 2.0, 4.0]
    """
    sums = np.concatenate([[0.0], np.cumsum(values)])
    first = np.maximum(np.arange(len(values)) + 1 - latest, 0)
    return (sums[1:] - sums[first]) / (np.arange(1, len(values) + 1) - first)


def rounds_to_now(study: BaseStudy) -> list[Round]:
    """Rounds without those of a time to come, which was mistyped: they are void or abandoned."""
    timed, latest = study.problem.timed, last_time(study.history)
    return [played for played in study.history if not timed or time_of(played) <= latest]


def time_or_round(problem: Problem, played: Round) -> float:
    """Place of a round along the axis: its time where the optimum moves, else its number."""
    return time_of(played) if problem.timed else float(played.number)
