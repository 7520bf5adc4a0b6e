"""Pictures of any study: outcomes and settings by round; and the entry to the pictures of its kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
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
from ..errors import InvalidProblem, InvalidRequest, SteerboError, short_repr
from ..space import Variable
from .drawing import (
    BLACK,
    BLUE,
    COLUMN,
    ORANGE,
    SKY,
    SMALL,
    VERMILION,
    DrawPictures,
    Picture,
    finished,
    legend_below,
    mark_good,
    money_words,
    name_choices,
    new_figure,
    on,
    places_on,
    shades,
    styled,
    value_words,
    with_unit,
    wrapped,
)

_LATELY = 10  # rounds whose mean is shown where the optimum moves: what was best before is over
_MOST_SHOWN = 6  # variables that are shown
_NEXT = 3  # suggestions that are out
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
    """Yield the picture for the page: kinds of problem that declare no others have this one."""
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
        along: what the axis is: "time", "money spent" or "rounds".
        reached: where along the axis, and the mean and the bounds of what was recommended by then;
            empty where the optimum moves, or nothing was expected.
        lately: means of the latest ten outcomes, where the optimum moves.
    """

    told: tuple[tuple[float, float, Round], ...]
    along: str
    reached: tuple[tuple[float, float, float, float], ...]
    lately: tuple[float, ...]

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
    if problem.timed:
        means = running_mean(np.array([value for _, value, _ in told]), _LATELY)
        return Progress(tuple(told), "time", (), tuple(means.tolist()))
    if past is None:
        past = past_answers(study) if told else ()
    reached = [
        (each.spent if counted else float(each.rounds), each.mean, each.lower, each.upper)
        for each in past
    ]
    if reached and (now := _expected(advice or study.recommend())) is not None:
        reached = [point for point in reached if point[0] < spent] + [(spent, *now)]
    along = "money spent" if counted else "rounds"
    return Progress(tuple(told), along, tuple(reached) if len(reached) > 1 else (), ())


def _expected(advice: Recommendation) -> tuple[float, float, float] | None:
    """Mean and bounds of an answer, where it has them and is for no context of several."""
    if advice.mean is None or advice.lower is None or advice.upper is None or advice.context:
        return None
    return float(advice.mean), float(advice.lower), float(advice.upper)


def progress(study: BaseStudy, ax: Any = None, value: str = "") -> Any:
    """Draw every outcome, and what was expected of the recommendation by then, with its bounds.

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
    values = [y for _, y, _ in found.told]
    axes.plot(at, values, "o", ms=4, color=SKY, mec=BLUE, mew=0.6, label="one round")
    if found.lately:
        axes.plot(at, found.lately, color=VERMILION, lw=1.4, label=found.says)
    elif found.reached:
        x, mean, low, high = zip(*found.reached, strict=True)
        axes.set_ylim(*value_range(found))
        axes.fill_between(x, low, high, color=VERMILION, alpha=0.2, lw=0, label=BOUNDS)
        axes.plot(x, mean, color=VERMILION, lw=1.4, label=found.says)


def value_range(found: Progress) -> tuple[float, float]:
    """Range of the vertical axis: that of outcomes and bounds, but for bounds far beyond all outcomes."""
    values = [value for _, value, _ in found.told]
    low, high = min(values), max(values)
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


# -- settings --------------------------------------------------------------------------------------


def settings(study: BaseStudy, value: str = "", width: float = 90.0) -> Any:
    """Draw settings over time: the position of each variable against the time, where the optimum moves, or rounds.

    A mark is a play that set the variable; its colour shows its outcome. A ring is the
    recommendation, a triangle a suggestion without an outcome yet. Hard-to-change variables have a
    line, and every change a cross.

    Args:
        study: a study or an optimizer, of a problem with variables that are set.
        value: name and unit of the objective, for the labels.
        width: of the figure, in millimetres.

    Returns:
        A matplotlib `Figure` with a panel for each variable.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidRequest: no variable of the problem is set, or nothing was told yet.
    """
    advice = study.recommend()
    names = shown_settings(study, advice)
    if not names:
        allowed = "a study with outcomes of plays that set a variable"
        raise InvalidRequest("study", f"{study.problem.kind}, {len(study.history)} rounds", allowed)
    return settings_figure(study, advice, names, value, width)


def settings_pictures(study: BaseStudy, advice: Recommendation) -> Iterator[Picture]:
    """Yield the picture of settings for the page, where the optimum moves or something is hard to change."""
    problem = study.problem
    hard = any(v.change is not None for v in problem.space)
    names = shown_settings(study, advice)
    if names and (problem.timed or (hard and len(study.history) > 1)):
        text = (
            f"Settings by {'time' if problem.timed else 'round'}, coloured by what came of them; a ring around what is "
            "recommended" + ("; crosses where something hard to change was moved" if hard else "")
        )
        yield Picture("Settings over time", text, lambda: settings_figure(study, advice, names))


def shown_settings(study: BaseStudy, advice: Recommendation) -> list[str]:
    """Variables set in rounds with an outcome: those of the recommendation first."""
    told = {name for r, _ in study.history.told for name in r.suggestion.values}
    known = [name for name in study.problem.space.names if name in told]
    return sorted(known, key=lambda name: name not in advice.values)[:_MOST_SHOWN]


def settings_figure(
    study: BaseStudy,
    advice: Recommendation,
    names: Sequence[str],
    value: str = "",
    width: float = COLUMN * 25.4,
) -> Any:
    """The figure of `settings`, of these variables."""
    problem = study.problem
    shown = new_figure((width / 25.4, 0.95 + 1.15 * len(names)))
    panels = np.atleast_1d(shown.subplots(len(names), 1, sharex=True))
    told = [problem.scalar(outcome) for _, outcome in study.history.told]
    scale = (min(told), max(told))
    for axes, name in zip(panels, names, strict=True):
        marks = _settings(
            axes,
            study,
            problem.space[name],
            None if advice.context else advice.values.get(name),
            scale,
        )
        name_choices(axes.yaxis, problem.space[name])
        axes.set_ylabel(wrapped(with_unit(problem, name), 18))
        axes.margins(0.05, 0.14)
    panels[-1].set_xlabel("time" if problem.timed else "round")
    for axes in panels:
        styled(axes)
    bar = shown.colorbar(marks, ax=panels.tolist(), pad=0.02, aspect=14 * len(names))
    bar.set_label(value_words(study, value), size=SMALL + 1)
    bar.ax.tick_params(labelsize=SMALL)
    bar.outline.set_visible(False)
    mark_good(bar, problem)
    legend_below(shown, *panels)
    return shown


def rounds_to_now(study: BaseStudy) -> list[Round]:
    """Rounds without those of a time to come, which was mistyped: they are void or abandoned."""
    timed, latest = study.problem.timed, last_time(study.history)
    return [played for played in study.history if not timed or time_of(played) <= latest]


def time_or_round(problem: Problem, played: Round) -> float:
    """Place of a round along the axis: its time where the optimum moves, else its number."""
    return time_of(played) if problem.timed else float(played.number)


def _settings(
    axes: Any, study: BaseStudy, variable: Variable, best: Any, scale: tuple[float, float]
) -> Any:
    """One variable's settings; returns the marks, for a scale of colours."""
    problem, name, when = study.problem, variable.name, partial(time_or_round, study.problem)
    rounds = rounds_to_now(study)
    if variable.change is not None:
        _changes(axes, [(when(r), r.suggestion.values.get(name)) for r in rounds], variable)
    told = [(r, outcome) for r, outcome in study.history.told if name in r.suggestion.values]
    marks = axes.scatter(
        [when(r) for r, _ in told],
        places_on(variable, [r.suggestion.values[name] for r, _ in told]),
        c=[problem.scalar(outcome) for _, outcome in told],
        s=16, cmap=shades(problem, "cividis"), vmin=scale[0], vmax=scale[1], lw=0.3, edgecolors="black", zorder=3,
        label="one play",
    )  # fmt: skip
    if best is not None and rounds:
        last = max(when(r) for r in rounds)
        axes.plot(
            last,
            *places_on(variable, [best]),
            "o",
            ms=11,
            mfc="none",
            color=BLACK,
            ls="none",
            label="recommended",
        )
    out = [r for r in study.history.pending if name in r.suggestion.values][:_NEXT]
    if out:
        axes.plot(
            [when(r) for r in out], places_on(variable, [r.suggestion.values[name] for r in out]),
            "v", color=ORANGE, mec="black", mew=0.4, ms=6, ls="none", zorder=4, label="suggested",
        )  # fmt: skip
    return marks


def _changes(axes: Any, settings: Sequence[tuple[float, Any]], variable: Variable) -> None:
    """Draw a line through the settings of a hard-to-change variable, with a gap while nature has it, and every move."""
    at = [np.nan if value is None else places_on(variable, [value])[0] for _, value in settings]
    times = np.array([time for time, _ in settings])
    axes.step(times, at, where="mid", color=BLUE, lw=1.0, zorder=1, label="as it was set")
    moved = [
        k
        for k in range(1, len(at))
        if settings[k][1] is not None and settings[k][1] != settings[k - 1][1]
    ]
    axes.plot(
        times[moved],
        np.array(at)[moved],
        "x",
        color=VERMILION,
        ms=8,
        mew=1.4,
        ls="none",
        label="moved",
    )
