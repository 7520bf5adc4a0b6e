"""Settings that follow seen values: over time, as the policy has them, and as dose curves.

`settings_of`, `policy_of` and `response_of` make the numbers; matplotlib and the page draw the same
ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Float
from ..core import BaseStudy, Outcome, PolicyStep, Problem, Recommendation, Round
from ..errors import InvalidOption, InvalidRequest, one_of
from ..space import Categorical
from .drawing import (
    BLACK,
    BLUE,
    COLUMN,
    GREEN,
    MM,
    ORANGE,
    SMALL,
    VERMILION,
    Picture,
    finished,
    legend_below,
    mark_good,
    new_figure,
    on,
    places_on,
    scale_axis,
    shades,
    styled,
    value_words,
    with_unit,
    wrapped,
)
from .model import Datum, Slice, median, slices_of
from .rounds import rounds_to_now, time_or_round

# values of a seen variable along which a policy is asked: a call takes .02 to .1 s, in time .2 to .4 s
_STEPS, _STEPS_IN_TIME = 21, 7
_CURVES = (0.1, 0.5, 0.9)  # quantiles of the seen values, with a dose curve each
_MOST_SHOWN, _NEXT = 6, 3  # variables, and suggestions that are out
_LOOKS = ((BLUE, "-", "o"), (ORANGE, "--", "s"), (GREEN, "-.", "D"))  # of these curves


class Followed(NamedTuple):
    """A setting that follows a number which is seen before: their names."""

    setting: str
    seen: str

    def __str__(self) -> str:
        return f"{self.setting} by {self.seen}"


def followed(study: BaseStudy, advice: Recommendation) -> tuple[Followed, ...]:
    """List the numbers that are set by numbers that are seen, first those of the recommendation.

    Nothing is computed.
    """
    space = study.problem.space
    told = {name for played, _ in study.history.told for name in played.suggestion.values}
    names = [name for name in space.names if name in told and _is_number(study.problem, name)]
    names.sort(key=lambda name: name not in advice.scope.set)
    found = list[Followed]()
    for name in names:
        looked = advice.scope.look.get(name, ()) if name in advice.scope.set else ()
        some = dict.fromkeys((*space.seen, *looked))
        found += [Followed(name, seen) for seen in some if _is_number(study.problem, seen)]
    return tuple(found)


def _is_number(problem: Problem, name: str) -> bool:
    return name in problem.space and not isinstance(problem.space[name], Categorical)


# -- settings over time ----------------------------------------------------------------------------


class PlayedSetting(NamedTuple):
    """A setting of one play: when, its value, the outcome (None: none yet), and the round."""

    when: float
    value: Any
    outcome: float | None
    number: int


@dataclass(frozen=True)
class SettingsOverTime:
    """Settings of one variable over time, or rounds: the numbers that every drawing of them shows.

    Args:
        name: of the variable.
        along: "time" or "round".
        plays: those with an outcome.
        suggested: those without one yet.
        held: of a hard-to-change variable its setting in every round, None while nature had it.
        moved: times and settings of its moves.
        best: the recommended setting, as of the last round; None where that depends on seen values.
        outcomes: the least and the largest outcome of the study that is not doubted, for shades.
    """

    name: str
    along: str
    plays: tuple[PlayedSetting, ...]
    suggested: tuple[PlayedSetting, ...]
    held: tuple[tuple[float, Any], ...]
    moved: tuple[tuple[float, Any], ...]
    best: tuple[float, Any] | None
    outcomes: tuple[float, float]


def settings_of(study: BaseStudy, advice: Recommendation, name: str) -> SettingsOverTime:
    """List the settings of a variable, in the order of time."""
    problem, rounds = study.problem, rounds_to_now(study)
    every = [(problem.scalar(outcome), played) for played, outcome in study.history.told]
    told = [value for value, played in every if played.suggestion.token not in study.doubted]
    told = told or [value for value, _ in every]

    def setting(played: Round, outcome: Outcome | None) -> PlayedSetting:
        value = played.suggestion.values[name]
        worth = None if outcome is None else problem.scalar(outcome)
        return PlayedSetting(time_or_round(problem, played), value, worth, played.number)

    plays = [
        setting(played, outcome)
        for played, outcome in study.history.told
        if name in played.suggestion.values
    ]
    out = [setting(r, None) for r in study.history.pending if name in r.suggestion.values]
    held = list[tuple[float, Any]]()
    if problem.space[name].change is not None:
        held = [(time_or_round(problem, r), r.suggestion.values.get(name)) for r in rounds]
    moved = [
        after for before, after in pairwise(held) if after[1] is not None and after[1] != before[1]
    ]
    best = None
    if rounds and not advice.context and name in advice.values:
        best = max(time_or_round(problem, r) for r in rounds), advice.values[name]
    return SettingsOverTime(
        name,
        "time" if problem.timed else "round",
        tuple(plays),
        tuple(out[:_NEXT]),
        tuple(held),
        tuple(moved),
        best,
        (min(told), max(told)),
    )


def settings(
    study: BaseStudy, value: str = "", width: float | None = None, seen: str | None = None
) -> Any:
    """Draw settings over time: the position of each variable against the time, where the optimum moves, or rounds.

    A mark is a play that set the variable; its colour shows its outcome. A ring is the
    recommendation, a triangle a suggestion without an outcome yet. Hard-to-change variables have a
    line, and every change a cross. Where settings follow a number that is seen before, the policy
    stands beside them: its settings now, along that number.

    Args:
        study: a study or an optimizer, of a problem with variables that are set.
        value: name and unit of the objective, for the labels.
        width: of the figure, in millimetres; None: 90, with a policy beside 180.
        seen: the number that is seen; None: the first one.

    Returns:
        A matplotlib `Figure` with a panel for each variable.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidRequest: no variable of the problem is set, or nothing was told yet.
        InvalidOption: no number is set by the one `seen`.
    """
    advice = study.recommend()
    names = shown_settings(study, advice)
    if not names:
        allowed = "a study with outcomes of rounds that set a variable"
        raise InvalidRequest("study", f"{study.problem.kind}, {len(study.history)} rounds", allowed)
    if seen is not None:
        which_of(study, None, seen)
    beside = dict[str, Followed]()
    for pair in followed(study, advice):
        if pair.setting in names and seen in (None, pair.seen):
            beside.setdefault(pair.setting, pair)
    pairs = [*beside.values()]
    return _settings_figure(study, advice, names, pairs, value=value, width=width)


def settings_pictures(study: BaseStudy, advice: Recommendation) -> Iterator[Picture]:
    """Yield the picture of settings, where the optimum moves or something is hard to change."""
    problem = study.problem
    hard = any(v.change is not None for v in problem.space)
    names = shown_settings(study, advice)
    if names and (problem.timed or (hard and len(study.history) > 1)):
        text = (
            f"Settings by {'time' if problem.timed else 'round'}, coloured by what came of them; a ring around what is "
            "recommended" + ("; crosses where something hard to change was moved" if hard else "")
        )
        yield Picture("Settings over time", text, partial(_settings_figure, study, advice, names))


def shown_settings(study: BaseStudy, advice: Recommendation) -> list[str]:
    """Variables set in rounds with an outcome: those of the recommendation first."""
    told = {name for r, _ in study.history.told for name in r.suggestion.values}
    known = [name for name in study.problem.space.names if name in told]
    return sorted(known, key=lambda name: name not in advice.values)[:_MOST_SHOWN]


def _settings_figure(
    study: BaseStudy,
    advice: Recommendation,
    names: Sequence[str],
    beside: Sequence[Followed] = (),
    *,
    value: str = "",
    width: float | None = None,
) -> Any:
    """The figure of `settings`, of these variables, with policies beside some of them."""
    problem = study.problem
    policies = {each.names.setting: each for each in policies_of(study, beside)}
    wide = (COLUMN * (2 if policies else 1)) if width is None else width * MM
    shown = new_figure((wide, 0.95 + 1.15 * len(names)))
    columns = 2 if policies else 1
    panels = shown.subplots(len(names), columns, sharey="row", sharex="col", squeeze=False)
    for (axes, *right), name in zip(panels, names, strict=True):
        found = settings_of(study, advice, name)
        shade: Any = {"cmap": shades(problem, "cividis")}
        shade |= {"vmin": found.outcomes[0], "vmax": found.outcomes[1]}
        marks = _draw_settings(axes, problem, found, shade)
        axes.set_ylabel(wrapped(with_unit(problem, name), 18))
        axes.margins(0.05, 0.14)
        if name in policies:
            _draw_policy(right[0], problem, policies[name], shade)
            right[0].tick_params(labelbottom=True)
        for each in right if name not in policies else ():
            each.set_visible(False)
    panels[-1, 0].set_xlabel("time" if problem.timed else "round")
    for axes in panels.flat:
        styled(axes)
    bar = shown.colorbar(marks, ax=panels.ravel().tolist(), pad=0.02, aspect=14 * len(names))
    bar.set_label(value_words(study, value), size=SMALL + 1)
    bar.ax.tick_params(labelsize=SMALL)
    bar.outline.set_visible(False)
    mark_good(bar, problem)
    legend_below(shown, *panels.flat)
    return shown


def _draw_settings(
    axes: Any, problem: Problem, found: SettingsOverTime, shade: Mapping[str, Any]
) -> Any:
    """One variable's settings; returns the marks, for a scale of colours."""
    variable = problem.space[found.name]

    def places(settings: Sequence[Any]) -> list[float]:
        return places_on(variable, settings)

    if found.held:  # with a gap while nature has it
        at = [np.nan if value is None else places([value])[0] for _, value in found.held]
        axes.step(
            [time for time, _ in found.held],
            at,
            where="mid",
            color=BLUE,
            lw=1.0,
            zorder=1,
            label="as it was set",
        )
        axes.plot(
            [time for time, _ in found.moved],
            places([value for _, value in found.moved]),
            "x",
            color=VERMILION,
            ms=8,
            mew=1.4,
            ls="none",
            label="moved",
        )
    marks = axes.scatter(
        [each.when for each in found.plays],
        places([each.value for each in found.plays]),
        c=[each.outcome for each in found.plays],
        s=16, lw=0.3, edgecolors="black", zorder=3, label="one round", **shade,
    )  # fmt: skip
    if found.best is not None:
        last, best = found.best
        look = {"ms": 11, "mfc": "none", "color": BLACK, "ls": "none", "label": "recommended"}
        axes.plot(last, *places([best]), "o", **look)
    if found.suggested:
        axes.plot(
            [each.when for each in found.suggested], places([each.value for each in found.suggested]),
            "v", color=ORANGE, mec="black", mew=0.4, ms=6, ls="none", zorder=4, label="suggested",
        )  # fmt: skip
    scale_axis(axes.yaxis, variable)
    return marks


# -- settings, by a seen variable ------------------------------------------------------------------


@dataclass(frozen=True)
class PolicyCurve:
    """Settings of a policy along a number that is seen: the numbers that every drawing of it shows.

    Args:
        names: of the setting and of the seen variable.
        at: values of the seen variable, (r,).
        values: settings there, (r,); NaN where this is not set.
        steps: the answers of the policy there, (r,).
        plays: outcomes, each at (seen, set); `near` is 1.
        others: the other seen variables, in their middle.
    """

    names: Followed
    at: Float[np.ndarray, " r"]
    values: Float[np.ndarray, " r"]
    steps: tuple[PolicyStep, ...]
    plays: tuple[Datum, ...]
    others: Mapping[str, Any]


def policy_of(study: BaseStudy, names: Followed) -> PolicyCurve:
    """Ask the policy of a study along a number that is seen, all else that is seen in its middle.

    Raises:
        InvalidRequest: nothing was told yet.
    """
    return policies_of(study, [names])[0]


def policies_of(study: BaseStudy, pairs: Sequence[Followed]) -> list[PolicyCurve]:
    """Policies of several settings; those along the same seen variable are asked for at once."""
    middle = _middle(study)
    steps = _STEPS_IN_TIME if study.problem.timed else _STEPS
    asked = dict[str, tuple[Float[np.ndarray, " r"], list[PolicyStep]]]()
    for seen in dict.fromkeys(pair.seen for pair in pairs):
        at = np.linspace(*_range(study, seen), steps)
        asked[seen] = at, [_step(study, {**middle, seen: float(x)}) for x in at]
    found = []
    for pair in pairs:
        at, answers = asked[pair.seen]
        values = np.array([step.values.get(pair.setting, math.nan) for step in answers], float)
        others = {name: value for name, value in middle.items() if name != pair.seen}
        found.append(PolicyCurve(pair, at, values, tuple(answers), _plays(study, pair), others))
    return found


def _plays(study: BaseStudy, pair: Followed) -> tuple[Datum, ...]:
    """Outcomes of rounds that set it and saw the other."""
    found = []
    for played, outcome in study.history.told:
        values, row = played.suggestion.values, outcome.realised
        if pair.setting in values and pair.seen in row:
            at = float(row[pair.seen]), float(values[pair.setting])
            value = study.problem.scalar(outcome)
            found.append(Datum(at, value, 1.0, True, f"round {played.number}"))
    return tuple(found)


def _rows(study: BaseStudy) -> list[Mapping[str, Any]]:
    return [outcome.realised for _, outcome, _ in study.history.outcomes()]


def _range(study: BaseStudy, name: str) -> tuple[float, float]:
    """Range of the seen values of a number; where that is one value, of all that is allowed."""
    told = [float(row[name]) for row in _rows(study) if name in row]
    if told and max(told) > min(told):
        return min(told), max(told)
    variable: Any = study.problem.space[name]
    return float(variable.low), float(variable.high)


def _middle(study: BaseStudy) -> dict[str, Any]:
    """Middle of everything that was seen before choosing, or looked at."""
    space, rows = study.problem.space, _rows(study)
    looked = {name for played in study.history for name in played.suggestion.scope.contexts}
    found = {}
    for name in space.names:
        told = [row[name] for row in rows if name in row]
        if told and (name in space.seen or name in looked):
            found[name] = median(space[name], told)
    return found


def _step(study: BaseStudy, seen: Mapping[str, Any]) -> PolicyStep:
    """Follow the policy until it has looked at all that it wants to see."""
    needed = set(study.problem.space.seen)
    given = {name: value for name, value in seen.items() if name in needed}
    step = study.policy(given)
    while step.observe and all(name in seen for name in step.observe):
        given |= {name: seen[name] for name in step.observe}
        step = study.policy(given)
    return step


def _draw_policy(axes: Any, problem: Problem, found: PolicyCurve, shade: Mapping[str, Any]) -> None:
    """Draw the policy's line, and every play in its shade."""
    axes.plot(found.at, found.values, color=VERMILION, lw=1.6, zorder=2, label="policy now")
    if found.plays:
        at, places = zip(*(each.at for each in found.plays), strict=True)
        values = [each.value for each in found.plays]
        axes.scatter(at, places, c=values, s=16, lw=0.3, edgecolors="black", zorder=3, **shade)
    scale_axis(axes.xaxis, problem.space[found.names.seen])
    axes.set_xlabel(wrapped(with_unit(problem, found.names.seen), 26))


# -- the outcome along a setting, by a seen variable -----------------------------------------------


@dataclass(frozen=True)
class ResponseCurve:
    """The expected outcome along a setting, where this was seen; `chosen` and its `height` are the policy's."""

    seen: float
    along: Slice
    chosen: float
    height: float


@dataclass(frozen=True)
class Response:
    """Dose curves: the expected outcome along a setting, a curve for each of some values seen."""

    names: Followed
    curves: tuple[ResponseCurve, ...]


def response_of(study: BaseStudy, policy: PolicyCurve) -> Response:
    """Expected outcome along a setting, with bounds, at a low, a middle and a high value of the seen variable.

    They are those of the policy's curve that are nearest to quantiles of the seen values where
    it sets this: nothing is asked again.

    Raises:
        InvalidRequest: nothing was told yet, or the method keeps no Gaussian process over variables.
    """
    setting, seen = policy.names.setting, policy.names.seen
    told = np.array([float(row[seen]) for row in _rows(study) if seen in row])
    nearest = np.abs(told[:, None] - policy.at).argmin(axis=1)
    values = told[np.isfinite(policy.values[nearest])]
    scoped, curves = study.problem.kind in ("cost-varying", "causal"), []
    held = np.flatnonzero(np.isfinite(policy.values))
    some = np.quantile(values, _CURVES) if len(values) else ()
    for k in dict.fromkeys(int(held[np.abs(policy.at[held] - x).argmin()]) for x in some):
        value, step = float(policy.at[k]), policy.steps[k]
        chosen = step.values[setting]
        here = {**policy.others, seen: value}
        found = slices_of(
            study,
            scope=step.scope if scoped else None,
            context=here,
            advice=Recommendation(step.scope, dict(step.values), context=here, mean=step.mean),
        )
        line = found.of(setting)
        at = np.asarray(line.at, dtype=float)
        curves.append(
            ResponseCurve(value, line, float(chosen), float(np.interp(chosen, at, line.mean)))
        )
    return Response(policy.names, tuple(curves))


def response(
    study: BaseStudy,
    ax: Any = None,
    setting: str | None = None,
    seen: str | None = None,
    value: str = "",
) -> Any:
    """Draw dose curves: the expected outcome along a setting, with bounds, for three values of a seen variable.

    A mark is the policy's setting there. The values seen are a low, a middle and a high one of
    those so far; all else that is seen is in its middle.

    Args:
        study: a study or an optimizer whose settings follow something that is seen before.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).
        setting: the number that is set; None: the first one.
        seen: the number that is seen; None: the first one.
        value: name and unit of the objective, for the labels; empty: as the study heads its column.

    Returns:
        The axes.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidOption: there is no such pair.
        InvalidRequest: nothing was told yet, or the method keeps no Gaussian process over variables.
    """
    axes = on(ax, 2.8)
    _draw_response(
        axes, study, response_of(study, policy_of(study, which_of(study, setting, seen))), value
    )
    return finished(axes)


def which_of(study: BaseStudy, setting: str | None, seen: str | None) -> Followed:
    """The pair of a setting and the variable that it follows.

    Raises:
        InvalidOption: there is none of these names.
    """
    pairs = followed(study, study.recommend())
    names = [*dict.fromkeys(pair.setting for pair in pairs)]
    if not pairs or (setting is not None and setting not in names):
        hint = "" if pairs else "No number is set by a number that is seen."
        raise InvalidOption("setting", setting, one_of(names, setting), hint)
    mine = [pair for pair in pairs if setting in (None, pair.setting)]
    if seen is not None and seen not in [pair.seen for pair in mine]:
        raise InvalidOption("seen", seen, one_of([pair.seen for pair in mine], seen))
    return next(pair for pair in mine if seen in (None, pair.seen))


def _draw_response(axes: Any, study: BaseStudy, found: Response, value: str = "") -> None:
    problem, (setting, seen) = study.problem, (found.names.setting, found.names.seen)
    for each, (colour, dash, shape) in zip(found.curves, _LOOKS, strict=False):
        line = each.along
        low, high = line.mean - line.width, line.mean + line.width
        axes.fill_between(line.at, low, high, color=colour, alpha=0.15, lw=0)
        label = f"{seen} {problem.shown({seen: each.seen})[seen]}"
        axes.plot(line.at, line.mean, dash, color=colour, lw=1.6, label=wrapped(label, 26))
        axes.plot(each.chosen, each.height, shape, color=colour, mec=BLACK, ms=7, zorder=4)
    look = {"mfc": "none", "mec": BLACK, "ms": 7, "ls": "none", "label": "what the policy sets"}
    axes.plot([], [], "o", **look)
    scale_axis(axes.xaxis, problem.space[setting])
    axes.set(
        xlabel=wrapped(with_unit(problem, setting), 26),
        ylabel=f"expected {value_words(study, value)}",
        title=f"Expected along {wrapped(setting, 20, 1)}, by {wrapped(seen, 16, 1)}",
    )
