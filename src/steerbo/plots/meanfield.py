"""Pictures of mean-field studies: recommended and past distributions, and payoffs by share of agents.

Where the actions have two coordinates, agents are drawn on a map.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import Float
from ..core import BaseStudy, Recommendation
from ..errors import InvalidOption, InvalidProblem, one_of
from ..meanfield import MeanField
from ..meanfield.mf_gp_ucb import MFGPUCB
from .drawing import (
    BLUE,
    COLOURS,
    COLUMN,
    GREY,
    HATCHES,
    MM,
    ORANGE,
    SKY,
    TITLE,
    VERMILION,
    Picture,
    each_look,
    finished,
    legend_below,
    name_beside,
    new_figure,
    of_kind,
    on,
    side_by_side,
    stacked,
    styled,
    texts_at_right,
    value_words,
    words,
    wrapped,
)
from .model import trust_pictures
from .rounds import draw_progress, progress
from .traded import traded_pictures

_SHOWN, _NAME, _ROW = 30, 24, 0.2  # rows; characters of an action; inches of a row
_NAMED = 8  # places on a map that are named
_LARGEST_MARK = 20.0  # diameter of the mark of the fullest place, in points
_PANELS = 4  # contexts that have a map of their own; more are added up
_GRID, _WIDTH = 81, 2.0  # points of a curve; standard deviations


def figure(optimizer: BaseStudy, value: str = "") -> Any:
    """The two main pictures side by side, as a matplotlib `Figure`.

    Left: the population's payoff of every round, and the best one so far. Right: `shares`, where
    the agents should be.

    Args:
        optimizer: of a `MeanField` problem.
        value: name and unit of the payoff, for the labels; empty: as the study heads its column.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: the problem is of another kind.
    """
    problem, advice = of_kind(optimizer, MeanField), optimizer.recommend()
    shown, left, right = side_by_side(max(2.9, _height(problem)))
    draw_progress(left, optimizer, value)
    _shares(right, problem, advice)
    for axes in (left, right):
        styled(axes)
    legend_below(shown, left, right)
    return shown


def shares(study: BaseStudy, ax: Any = None) -> Any:
    """Draw where the agents should be: the recommended share of all agents in each action, stacked by context.

    Triangles are limits: the most agents an action has room for (its capacity, or a stated limit),
    and the least that it must have. Of many actions the thirty fullest are shown.

    Args:
        study: a study or an optimizer, of a `MeanField` problem.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).

    Returns:
        The axes.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: the problem is of another kind.
    """
    return _advised_shares(of_kind(study, MeanField), study.recommend(), ax)


def tried(study: BaseStudy, ax: Any = None) -> Any:
    """Draw where the agents were in every round: shares of the actions that had the most of them; see `shares`."""
    problem, axes = of_kind(study, MeanField), on(ax, 2.8)
    rounds, tables = played_shares(study, problem)
    names, lines = fullest_shares(problem, tables)
    stacked(axes, rounds, lines, [words(name, _NAME) for name in names], COLOURS)
    axes.set(
        xlabel="round", ylabel="share of all agents", ylim=(0, 1), title="Share of agents by round"
    )
    return finished(axes)


def payoffs(study: BaseStudy, ax: Any = None, action: str | None = None, value: str = "") -> Any:
    """Draw the average payoff of all agents against the share of them that takes an action.

    The curve is the model's mean, with a band of 95 % bounds, as the share of this action varies
    and the others keep their proportions in the recommended distribution; methods without a model
    of the population have none. Hollow are outcomes of rounds in which the others were elsewhere,
    so that the model expects another payoff there than on the curve.

    Args:
        study: a study or an optimizer, of a `MeanField` problem.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).
        action: which; None: the one whose share was varied most.
        value: name and unit of the payoff, for the labels; empty: as the study heads its column.

    Returns:
        The axes.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: the problem is of another kind.
        InvalidOption: there is no such action.
    """
    problem, axes = of_kind(study, MeanField), on(ax, 2.7)
    advice = study.recommend()
    rounds, tables = played_shares(study, problem)
    a = action_of(problem, tables, action)
    curve = payoff_curve(study, problem, advice, a)
    if curve is not None:
        at, mean, width, best = curve.at, curve.mean, curve.width, curve.best
        axes.fill_between(
            at, mean - width, mean + width, color=SKY, alpha=0.3, lw=0, label="95 % bounds"
        )
        axes.plot(at, mean, color=BLUE, lw=1.5, label="expected")
        mark = {"ms": 7, "mfc": VERMILION, "mec": "black", "mew": 0.5, "ls": "none"}
        axes.plot(
            best, float(np.interp(best, at, mean)), "D", zorder=5, label="recommended", **mark
        )
    told = [problem.scalar(outcome) for _, outcome in study.history.told]
    if rounds:
        near = curve.near if curve is not None else np.ones(len(told), dtype=bool)
        values = np.array(told)
        look = {"s": 18, "zorder": 4, "edgecolors": BLUE}
        for some, face, label in ((near, BLUE, "outcome"), (~near, "none", "others elsewhere")):
            if some.any():
                axes.scatter(tables[some, a], values[some], facecolors=face, label=label, **look)
    out = [
        float((problem.shares @ problem.table(r.suggestion.values["distribution"]))[a])
        for r in study.history.pending
    ]
    if out:
        mark = {"ms": 7, "mfc": ORANGE, "mec": "black", "mew": 0.5, "ls": "none", "clip_on": False}
        where = axes.get_xaxis_transform()
        axes.plot(
            out, [0.02] * len(out), "^", zorder=5, transform=where, label="suggested next", **mark
        )
    along = _in_agents(axes, problem, "agents in", "share of agents in")
    axes.set(xlabel=f"{along} {words(problem.actions[a], _NAME)}", ylabel=value_words(study, value))
    axes.set(title=wrapped(f"Average payoff along {problem.actions[a][:_NAME]}", 34))
    return finished(axes)


def places(study: BaseStudy, ax: Any = None, context: str | None = None) -> Any:
    """Draw where the agents should be on a map: the area of a mark is the share of agents there, a ring its capacity.

    Args:
        study: a study or an optimizer, of a `MeanField` problem whose `action_features` are pairs.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).
        context: whose agents; None: all of them.

    Returns:
        The axes.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: the problem is of another kind, or its actions have no two coordinates.
        InvalidOption: there is no such context.
    """
    problem = of_kind(study, MeanField)
    if not has_places(problem):
        raise InvalidProblem(
            "action_features", problem.action_features, "two coordinates for each action"
        )
    if context is not None and context not in problem.contexts:
        raise InvalidOption("context", context, one_of(problem.contexts, context))
    axes, table = on(ax, 3.0), problem.table(study.recommend().values["distribution"])
    shares = problem.shares @ table if context is None else table[problem.contexts.index(context)]
    axes.set(title="Recommended shares")
    _map(axes, problem, shares, float(shares.max()), "" if context is None else BLUE)
    return finished(axes)


def has_places(problem: MeanField) -> bool:
    """Whether its actions are places on a plane."""
    given = problem.action_features
    return given is not None and len(given[0]) == 2


def draw(optimizer: BaseStudy, advice: Recommendation) -> Iterator[Picture]:
    """Yield the pictures of the kind: a map or rows, payoffs, and outcomes."""
    problem = of_kind(optimizer, MeanField)
    yield from traded_pictures(optimizer, advice)
    if has_places(problem):
        text = "A map: the area of a mark is the share of agents who should be there; small dots are places without any"
        yield Picture("Recommended shares", text, lambda: _maps(problem, advice))
    else:
        text = "The recommended share of agents in every action, and limits on it"
        yield Picture("Recommended shares", text, lambda: _advised_shares(problem, advice).figure)
    if optimizer.history.n_completed:
        text = (
            "Average payoff against the share of agents in the action that was varied most, with the model's mean and "
            "band; hollow where the others were elsewhere"
        )
        yield Picture("Average payoff along an action", text, lambda: payoffs(optimizer).figure)
    yield from trust_pictures(optimizer)
    text = "Payoff of every round, and what was expected of the recommendations"
    yield Picture("Progress", text, lambda: progress(optimizer).figure)


# -- the model -------------------------------------------------------------------------------------

Line = Float[np.ndarray, " r"]


@dataclass(frozen=True)
class PayoffCurve:
    """The average payoff along the share of one action, the others in proportion as recommended.

    Args:
        at: shares of the action.
        mean, width: of the payoff there, (r,) each; `width` is half that of 95 % bounds.
        best: the recommended share.
        near: of each outcome whether it tells of this curve, (n,): at its distribution the
            model expects no other value than on the curve, by its bounds.
    """

    at: Line
    mean: Line
    width: Line
    best: float
    near: Any


def payoff_curve(
    study: BaseStudy, problem: MeanField, advice: Recommendation, action: int
) -> PayoffCurve | None:
    """The average payoff along the share of an action.

    None where the method has no model of the population, or no outcomes yet.
    """
    method: Any = study._method
    if not isinstance(method, MFGPUCB) or not method.outcomes:
        return None
    table = problem.table(advice.values["distribution"])
    best = float((problem.shares @ table)[action])
    at = np.unique([*np.linspace(0.0, 1.0, _GRID), best])
    tables = np.array([_with_share(problem, table, action, share) for share in at])
    model = method.mixture(advice.context)
    mean, deviation = model.moments(tables)
    scale = method.surrogate(advice.context, pending=False)
    times = method.bound_inflation(advice.scope)
    width = _WIDTH * scale.unit * deviation * (times if np.isfinite(times) else np.nan)
    payoff = problem.sign * np.array([scale.raw(m) for m in mean])
    played = [problem.table(outcome.realised["distribution"]) for _, outcome in study.history.told]
    near = np.zeros(len(played), dtype=bool)
    if played:
        shares = np.array([(problem.shares @ each)[action] for each in played])
        there = problem.sign * np.array([scale.raw(m) for m in model.moments(np.array(played))[0]])
        near = np.abs(there - np.interp(shares, at, payoff)) <= np.interp(shares, at, width)
    return PayoffCurve(at, payoff, width, best, near)


def _with_share(problem: MeanField, table: Any, action: int, share: float) -> Any:
    """A distribution with this share of all agents in an action, on the line from none through `table` to all."""
    everyone, nobody = np.zeros(table.shape), table.copy()
    everyone[:, action], nobody[:, action] = 1.0, 0.0
    left = nobody.sum(axis=1, keepdims=True)
    even = np.where(np.arange(table.shape[1]) == action, 0.0, 1.0 / max(table.shape[1] - 1, 1))
    nobody = np.where(left > 0, nobody / np.where(left > 0, left, 1.0), even)
    best = float((problem.shares @ table)[action])
    if share >= best:
        part = (share - best) / (1.0 - best) if best < 1.0 else 0.0
        return table + part * (everyone - table)
    return nobody + share / best * (table - nobody)


def played_shares(study: BaseStudy, problem: MeanField) -> tuple[list[int], Any]:
    """Numbers of the rounds with an outcome, and the share of all agents that took each action then, (n, A)."""
    told = study.history.told
    tables = [
        problem.shares @ problem.table(outcome.realised["distribution"]) for _, outcome in told
    ]
    return [r.number for r, _ in told], np.array(tables).reshape(len(told), len(problem.actions))


def fullest_shares(problem: MeanField, tables: Any) -> tuple[list[str], list[Any]]:
    """Names of the fullest actions and of all others, and the share of all agents in each by round, (n,) each."""
    fullest = np.sort(np.argsort(-tables.sum(axis=0), kind="stable")[: len(COLOURS) - 1])
    names, lines = [problem.actions[a] for a in fullest], list(tables[:, fullest].T)
    if len(fullest) < len(problem.actions):
        names, lines = [*names, "all others"], [*lines, 1.0 - tables[:, fullest].sum(axis=1)]
    return names, lines


def action_of(problem: MeanField, tables: Any, action: str | None) -> int:
    """The number of an action; None: of the one whose share was varied most in these rounds, (n, A).

    Raises:
        InvalidOption: there is no such action.
    """
    if action is None:
        return int(np.ptp(tables, axis=0).argmax()) if len(tables) else 0
    if action not in problem.actions:
        raise InvalidOption("action", action, one_of(problem.actions, action))
    return problem.actions.index(action)


def recommended_shares(problem: MeanField, advice: Recommendation) -> tuple[Any, Any, Any, Any]:
    """Shares of all agents by context and action, (C, k), numbers of the fullest actions, and their limits, (k,) each.

    The limits are the most and the least share of all agents in each action.
    """
    table = problem.table(advice.values["distribution"]) * problem.shares[:, None]
    fullest = np.sort(np.argsort(-table.sum(axis=0), kind="stable")[:_SHOWN])
    most = problem.region.capacity[fullest] / problem.agents
    least = problem.region.least[fullest] / problem.agents
    return table[:, fullest], fullest, most, least


# -- drawing on axes -------------------------------------------------------------------------------


def _height(problem: MeanField) -> float:
    return 1.3 + _ROW * max(min(len(problem.actions), _SHOWN), 3)


def _advised_shares(problem: MeanField, advice: Recommendation, ax: Any = None) -> Any:
    axes = on(ax, _height(problem))
    _shares(axes, problem, advice)
    return finished(axes)


def _shares(axes: Any, problem: MeanField, advice: Recommendation) -> None:
    """Draw a row for each action, with its limits."""
    table, fullest, most, least = recommended_shares(problem, advice)
    before = np.zeros(len(fullest))
    for (c, context), (colour, hatch) in zip(
        enumerate(problem.contexts), each_look(HATCHES), strict=False
    ):
        label = words(context) if len(problem.contexts) > 1 else None
        look = {"color": colour, "hatch": hatch, "edgecolor": "white", "lw": 0.3}
        axes.barh(range(len(fullest)), table[c], left=before, height=0.7, label=label, **look)
        before += table[c]
    _limits(axes, most, least)
    axes.set_yticks(range(len(fullest)), [words(problem.actions[a], _NAME) for a in fullest])
    axes.set_ylim(len(fullest) - 0.4, -0.6)
    axes.set_xlim(0, axes.get_xlim()[1] * 1.03)
    axes.tick_params(axis="y", length=0)
    texts = [
        f"{share * problem.agents:.0f}" if problem.counts else f"{share:.0%}" for share in before
    ]
    texts_at_right(axes, texts)
    along = _in_agents(axes, problem, "agents", "share of all agents")
    title = "Recommended agents" if problem.counts else "Recommended shares"
    axes.set(xlabel=along, title=title)


def _in_agents(axes: Any, problem: MeanField, counted: str, shared: str) -> str:
    """Label of an axis of shares, whose ticks count agents where the problem asks for counts."""
    if not problem.counts:
        return shared
    axes.xaxis.set_major_formatter(lambda share, _: f"{share * problem.agents:.10g}")
    return counted


def _limits(axes: Any, most: Any, least: Any) -> None:
    """Draw the most and the least share of all agents that each action may have, where that is limited."""
    rows = np.arange(len(most))
    for limits, some, shape, label in (
        (most, most < 1.0, "<", "at most"),
        (least, least > 0.0, ">", "at least"),
    ):
        if some.any():
            axes.vlines(
                limits[some], rows[some] - 0.42, rows[some] + 0.42, color="black", lw=1.0, zorder=4
            )
            axes.plot(
                limits[some],
                rows[some],
                shape,
                ms=5,
                color="black",
                ls="none",
                zorder=4,
                label=label,
            )


def _maps(problem: MeanField, advice: Recommendation) -> Any:
    """A map for each context, or one for all where they are many."""
    table = problem.table(advice.values["distribution"])
    apart = 1 < len(problem.contexts) <= _PANELS
    rows = table if apart else (problem.shares @ table)[None]
    shown = new_figure((COLUMN, 75 * MM if len(rows) == 1 else 52 * MM * -(-len(rows) // 2)))
    panels = np.ravel(shown.subplots(-(-len(rows) // 2), min(len(rows), 2), squeeze=False))
    for c, (axes, shares) in enumerate(zip(panels, rows, strict=False)):
        if apart:
            axes.set_title(wrapped(problem.contexts[c], 24), fontsize=TITLE)
        _map(axes, problem, shares, float(rows.max()), COLOURS[c] if apart else "")
    for axes in panels[len(rows) :]:
        axes.set_axis_off()
    legend_below(shown)
    return shown


def _map(axes: Any, problem: MeanField, shares: Any, most: float, apart: str = "") -> None:
    """Draw one map; `apart` is the colour of a context that has a map of its own."""
    at = np.array(problem.action_features, dtype=float)
    empty = shares <= 0
    sizes = _LARGEST_MARK * np.sqrt(shares / max(most, 1e-12))
    if empty.any():
        axes.scatter(*at[empty].T, s=6, color=GREY, lw=0, label="no agents")
    axes.scatter(
        *at[~empty].T,
        s=sizes[~empty] ** 2,
        color=apart or BLUE,
        alpha=0.6,
        lw=0,
        label="agents (by area)",
    )
    room = problem.region.capacity / problem.agents
    limited = (room < 1.0) & (room <= 2 * most)
    if not apart and limited.any():
        around = _LARGEST_MARK**2 * room[limited] / max(most, 1e-12)
        axes.scatter(
            *at[limited].T,
            s=around,
            facecolors="none",
            edgecolors="black",
            lw=0.9,
            label="capacity",
        )
        sizes[limited] = np.maximum(sizes[limited], np.sqrt(around))
    axes.set_aspect("equal", adjustable="datalim")
    axes.set(xticks=[], yticks=[])
    axes.margins(0.16)
    axes.spines[:].set_visible(False)
    axes.apply_aspect()
    named = set(np.argsort(-shares, kind="stable")[:_NAMED].tolist())
    order = np.argsort(-shares, kind="stable").tolist()
    texts = {
        tuple(at[a]): f"{wrapped(problem.actions[a], 16, 1)} {shares[a]:.0%}"
        if a in named and shares[a] > 0
        else ""
        for a in order
    }
    if len(texts) == len(order):  # else several actions are at one place
        name_beside(axes, texts, [float(sizes[a]) for a in order], always=False)
