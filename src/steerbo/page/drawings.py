"""Drawings of a kind's own: the graph with a scope, time against position, and an action's payoff.

All of them are drawn by the browser, in any colour scheme; matplotlib is not needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from .._wording import interval_texts
from ..causal import Causal, CausalGraph
from ..core import BaseStudy, Problem, Recommendation, Scope, with_unit
from ..errors import SteerboError
from ..meanfield import MeanField
from ..plots.causal import Edge, edges_of, layers, role_of
from ..plots.drawing import is_log
from ..plots.meanfield import payoff_curve, played_shares
from ..plots.model import over_time_of
from ..plots.policies import (
    Followed,
    PolicyCurve,
    Response,
    SettingsOverTime,
    policy_of,
    response_of,
    settings_of,
)
from .pictures import Axis, Chart, Curve, Look, Mark, Point, Shade, points, thinned
from .wording import Words, is_known, labelled, share_text

# pixels: between neighbours, between layers, around, of a mark
_WIDE, _HIGH, _MARGIN, _NODE = 150.0, 78.0, 24.0, 11.0
_ASIDE = 64.0  # how far every other layer stands aside
_LETTER = 8.8  # width of a letter beside a node, where it is bold
_HEAD = 9.0  # length of an arrow's head
# of a box of label and mark: its left end from the middle of the mark, above and below that
_LABEL = 8.0, 9.0, 11.0
_BENDS = tuple(
    side * bend for bend in (0.0, 0.12, 0.24, 0.36, 0.5, 0.65, 0.8, 1.0) for side in (1, -1)
)
"""Bends of an edge that are tried beside its own."""
_ALONG = np.linspace(0.0, 1.0, 65)  # where a curve is looked at
_CROSSED, _BESIDE, _UNLIKE, _TOGETHER = 60.0, 15.0, 1.0, 6.0
"""Penalties: share of a curve on other nodes or labels, on its own labels, a further bend, and lying on another."""
SHADES = 7
"""Of a drawing of time and position, from the worst to the best."""
_ROOM = 0.05  # of the range of an axis, free at its ends
ROLES = {"set": "set", "seen": "looked at before", "target": "the outcome", "free": "left alone"}
"""Parts that variables play, as the legend has them."""


# -- the causal graph ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Node:
    """A variable: its role, the place of its mark, and its name, with its setting where it has one."""

    role: str
    x: float
    y: float
    label: str


@dataclass(frozen=True)
class Arrow:
    """An edge: the path of its line, its class, and the corners of its heads."""

    path: str
    kind: str
    heads: tuple[str, ...]


@dataclass(frozen=True)
class Graph:
    """A causal graph while a scope is played; causes stand above their effects.

    Args:
        title: whose scope it is.
        width, height: in pixels.
        nodes, arrows: parts of the drawing.
        roles: roles that occur, each with its name.
        kinds: kinds of arrows that occur, each with its meaning.
        text: for readers who cannot see it.
    """

    title: str
    width: float
    height: float
    nodes: tuple[Node, ...]
    arrows: tuple[Arrow, ...]
    roles: tuple[tuple[str, str], ...]
    kinds: tuple[tuple[str, str], ...]
    text: str


_KINDS = {
    "cause": "causes",
    "cut": "cut by setting",
    "look": "decides by what is seen",
    "hidden": "hidden common cause",
}


def graphs_of(study: BaseStudy, advice: Recommendation) -> tuple[Graph, ...]:
    """Graph with the recommended scope, and with the scopes of pending rounds where they differ."""
    problem = study.problem
    assert isinstance(problem, Causal)
    title = f"Best now: set {advice.scope}" if is_known(advice) else f"Set {advice.scope}"
    found = [_graph(study, title, advice.scope, advice.values)]
    drawn = {advice.scope}
    for played in study.history.pending:
        asked = played.suggestion
        if asked.scope not in drawn:
            drawn.add(asked.scope)
            found.append(
                _graph(study, f"Round {asked.round}: set {asked.scope}", asked.scope, asked.values)
            )
    return tuple(found)


def _graph(study: BaseStudy, title: str, scope: Scope, values: dict[str, Any]) -> Graph:
    problem: Any = study.problem
    graph: CausalGraph = problem.graph
    rows = layers(graph)
    roles = {name: role_of(graph, scope, name, problem.traded) for name in rows}
    shown = {name: with_unit(problem.space, name, values[name]) for name in rows if name in values}
    labels = {name: f"{name} {shown[name]}" if name in shown else name for name in rows}
    at = _places(rows, labels)
    curves = _curves(graph, scope, at, labels)
    ends = np.concatenate([np.array([*at.values()]), *(_points(curve) for _, curve in curves)])
    # an edge that bends beyond the nodes
    shift = np.maximum(_MARGIN - _NODE - ends.min(axis=0), 0.0)
    at = {name: (x + float(shift[0]), y + float(shift[1])) for name, (x, y) in at.items()}
    arrows = tuple(_arrow(edge, curve + shift) for edge, curve in curves)
    right, bottom = (ends.max(axis=0) + shift).tolist()
    nodes = tuple(
        Node(roles[name], round(x, 1), round(y, 1), labels[name]) for name, (x, y) in at.items()
    )
    width = max(right, *(x + _reach(labels[name]) for name, (x, _) in at.items()))
    causes = "; ".join(f"{a} causes {b}" for a, b in graph.directed)
    hidden = "".join(f"; {a} and {b} have a hidden common cause" for a, b in graph.bidirected)
    kinds = {arrow.kind for arrow in arrows}
    return Graph(
        title=title,
        width=round(width + _MARGIN, 1),
        height=round(bottom + _MARGIN, 1),
        nodes=nodes,
        arrows=arrows,
        roles=tuple((role, said) for role, said in ROLES.items() if role in roles.values()),
        kinds=tuple((kind, said) for kind, said in _KINDS.items() if kind in kinds),
        text=f"{title}. {causes}{hidden}.",
    )


def _reach(label: str) -> float:
    """Distance from the middle of a mark to the end of its label."""
    return _NODE + 6 + _LETTER * len(label)


def _places(
    rows: dict[str, tuple[float, float]], labels: Mapping[str, str]
) -> dict[str, tuple[float, float]]:
    """Places in pixels: layers from top to bottom, every other one aside, so that edges pass beside nodes."""
    depths = sorted({depth for depth, _ in rows.values()})
    layers = [
        [name for _, name in sorted((y, n) for n, (d, y) in rows.items() if d == each)]
        for each in depths
    ]
    steps = [
        [max(_WIDE, _reach(labels[name]) + 3 * _NODE) for name in layer[:-1]] for layer in layers
    ]
    most = max(map(sum, steps))
    return {
        name: (
            _MARGIN + (most - sum(step)) / 2 + sum(step[:k]) + _ASIDE * (row % 2),
            _MARGIN + _HIGH * row,
        )
        for row, (layer, step) in enumerate(zip(layers, steps, strict=True))
        for k, name in enumerate(layer)
    }


def _curves(
    graph: CausalGraph,
    scope: Scope,
    at: Mapping[str, tuple[float, float]],
    labels: Mapping[str, str],
) -> list[tuple[Edge, np.ndarray]]:
    """Edges, each with the three corners of its curve: bent so that it crosses few labels, ending at their borders."""
    found = list[tuple[Edge, np.ndarray]]()
    middles: list[np.ndarray] = []
    for edge in edges_of(graph, scope):
        start, end = np.array(at[edge.start]), np.array(at[edge.end])
        across = np.array([start[1] - end[1], end[0] - start[0]])
        tried = [
            np.array([start, (start + end) / 2 - (edge.bend + more) * across, end])
            for more in _BENDS
        ]
        penalties = []
        for more, corners in zip(_BENDS, tried, strict=True):
            path = _points(corners)
            on = {name: _covered(path, at[name], labels[name]) for name in at}
            others = [each for name, each in on.items() if name not in (edge.start, edge.end)]
            beside = (on[edge.start] | on[edge.end]) & (_distance(path, start) > 2 * _NODE)
            beside &= _distance(path, end) > 2 * _NODE
            penalties.append(
                _CROSSED * float(np.mean(np.any(others, axis=0)) if others else 0.0)
                + _BESIDE * float(np.mean(beside))
                + _UNLIKE * abs(more)
                + _TOGETHER
                * sum(bool(np.hypot(*(path[len(path) // 2] - other)) < _NODE) for other in middles)
            )
        corners = tried[int(np.argmin(penalties))]
        path = _points(corners)
        middles.append(path[len(path) // 2])
        ends = (_covered(path, at[name], labels[name]) for name in (edge.start, edge.end))
        found.append((edge, _between(corners, *ends)))
    return found


def _distance(path: np.ndarray, place: np.ndarray) -> np.ndarray:
    return np.asarray(np.hypot(*(path - place).T))


def _points(corners: np.ndarray) -> np.ndarray:
    """Points along a quadratic curve, (n, 2)."""
    t = _ALONG[:, None]
    return np.asarray((1 - t) ** 2 * corners[0] + 2 * t * (1 - t) * corners[1] + t**2 * corners[2])


def _covered(path: np.ndarray, at: tuple[float, float], label: str) -> np.ndarray:
    """Points of a path (n, 2) that lie on a node's mark or label, marked, (n,)."""
    x, y = (path - at).T
    left, above, below = _LABEL
    return np.asarray(
        (np.hypot(x, y) < _NODE + 3)
        | ((x > left) & (x < _reach(label) + 2) & (y > -above) & (y < below))
    )


def _between(corners: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Corners of the part of a curve from the border of its first node or label to that of its last."""
    leaves = int(np.argmin(first)) if not first.all() else 0
    enters = len(last) - 1 - int(np.argmin(last[::-1])) if not last.all() else len(last) - 1
    if enters - leaves < 4:  # labels side by side
        leaves, enters = 0, len(last) - 1
    a, b = float(_ALONG[leaves]), float(_ALONG[enters])

    def blossom(s: float, t: float) -> np.ndarray:
        weights = np.array([(1 - s) * (1 - t), (1 - s) * t + s * (1 - t), s * t])
        return np.asarray(weights @ corners)

    return np.array([blossom(a, a), blossom(a, b), blossom(b, b)])


def _arrow(edge: Edge, corners: np.ndarray) -> Arrow:
    """An edge as it is drawn."""
    kind = "cut" if edge.cut else edge.kind
    first, middle, last = corners
    path = f"M{first[0]:.1f} {first[1]:.1f}Q{middle[0]:.1f} {middle[1]:.1f} {last[0]:.1f} {last[1]:.1f}"
    heads = (_head(last, middle), *((_head(first, middle),) if edge.latent else ()))
    return Arrow(path, f"{kind}{' dashed' if edge.latent and kind == 'cut' else ''}", heads)


def _head(tip: Any, behind: Any) -> str:
    """Corners of an arrow's head."""
    turn = math.atan2(tip[1] - behind[1], tip[0] - behind[0])
    corners = [tip] + [
        tip - _HEAD * np.array([math.cos(turn + side), math.sin(turn + side)])
        for side in (-0.42, 0.42)
    ]
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)


# -- time and position -----------------------------------------------------------------------------


def time_chart(study: BaseStudy, advice: Recommendation, name: str) -> Chart:
    """Expected outcomes in shades by time and position, the best position at each time, and every play.

    Raises:
        SteerboError: the method keeps no model over variables, or the variable does not move.
    """
    problem, words = study.problem, Words.of(study)
    found = over_time_of(study, advice, name)
    times, at = found.times, found.at
    half_t = float(times[1] - times[0]) / 2
    places = np.asarray(at, dtype=float)
    log = is_log(problem.space[name])
    on_axis = np.log(places) if log else places
    gaps = np.diff(on_axis) / 2
    edges = [on_axis[0] - gaps[0], *(on_axis[:-1] + gaps), on_axis[-1] + gaps[-1]]
    edges = [math.exp(edge) if log else float(edge) for edge in edges]
    across = Axis(float(times[0]) - half_t, float(times[-1]) + half_t)
    up = Axis(edges[0], edges[-1], rising=True, log=log)
    low, high = float(np.min(found.mean)), float(np.max(found.mean))
    part = (found.mean - low) / max(high - low, 1e-300)
    level = np.clip((part if problem.sign > 0 else 1.0 - part) * SHADES, 0, SHADES - 1).astype(int)
    shades = []
    for k, time in enumerate(times):
        ends = [0, *(np.flatnonzero(np.diff(level[k])) + 1).tolist(), len(at)]
        for first, last in pairwise(ends):
            top, bottom = up(edges[last]), up(edges[first])
            left, right = across(float(time) - half_t), across(float(time) + half_t)
            place = (
                f"{left:.2f}",
                f"{top:.2f}",
                f"{right - left + 0.05:.2f}",
                f"{bottom - top + 0.05:.2f}",
            )
            shades.append(Shade(*place, int(level[k, first])))
    dots = [
        Mark(
            across.at(time),
            up.at(x),
            f"time {time:.10g}: {words.outcome(value)} at {with_unit(problem.space, name, x)}",
        )
        for time, x, value in found.plays
    ]
    worst, best, _ = interval_texts(*((low, high) if problem.sign > 0 else (high, low)), None)
    now = with_unit(problem.space, name, float(found.best[-1]))
    then = with_unit(problem.space, name, float(found.best[0]))
    return Chart(
        line=points(times, found.best, across, up),
        dots=thinned(dots),
        across=across.ticks(),
        up=up.ticks(6),
        along="time",
        text=f"The best {name} was {then} at time {times[0]:.10g} and is {now} at time {times[-1]:.10g}.",
        upward=labelled(name, getattr(problem.space[name], "unit", "")),
        shades=tuple(shades),
        ends=(words.worth(worst), words.worth(best)),
    )


# -- settings that follow seen values --------------------------------------------------------------


def policy_charts(study: BaseStudy, advice: Recommendation, pair: Followed) -> tuple[Chart, ...]:
    """A setting over time, the policy along a seen variable, and the expected outcome along the setting."""
    past, policy = settings_of(study, advice, pair.setting), policy_of(study, pair)
    variable = study.problem.space[pair.setting]
    up = _axis([each.value for each in past.plays], policy.values, rising=True, variable=variable)
    drawn = _settings_chart(study, past, up), _policy_chart(study, policy, past.outcomes, up)
    try:
        found = response_of(study, policy)
    except SteerboError:  # this method keeps no model along a line
        return drawn
    return (*drawn, _response_chart(study, found)) if found.curves else drawn


def _axis(*values: Iterable[float], rising: bool = False, variable: Any = None) -> Axis:
    """An axis with all finite values on it, and a little room, on the scale of its variable."""
    every = np.concatenate([np.asarray([*some], dtype=float) for some in values])
    every = every[np.isfinite(every)]
    low, high = float(every.min()), float(every.max())
    if is_log(variable):
        ratio = (high / low) ** _ROOM if high > low else 2.0
        return Axis(low / ratio, high * ratio, rising, log=True)
    room = _ROOM * (high - low) or 0.5 * (abs(high) or 1.0)
    return Axis(low - room, high + room, rising)


def _rated(study: BaseStudy, value: float, ends: tuple[float, float]) -> str:
    """Class of a dot in the shade of its outcome: the stronger the better."""
    low, high = ends
    part = (value - low) / (high - low) if high > low else 1.0
    part = part if study.problem.sign > 0 else 1.0 - part
    return f"rated s{min(int(part * SHADES), SHADES - 1)}"


def _settings_chart(study: BaseStudy, found: SettingsOverTime, up: Axis) -> Chart:
    problem, words = study.problem, Words.of(study)
    whens = [each.when for each in (*found.plays, *found.suggested)]
    across = _axis(whens)
    dots = [
        Mark(
            across.at(each.when),
            up.at(each.value),
            f"round {each.number}: {with_unit(problem.space, found.name, each.value)}, {words.outcome(each.outcome)}",
            _rated(study, each.outcome, found.outcomes),
        )
        for each in found.plays
        if each.outcome is not None
    ]
    marks = [
        Mark(
            across.at(each.when),
            "",
            f"next {with_unit(problem.space, found.name, each.value)}",
            "next",
        )
        for each in found.suggested
    ]
    low, high = found.outcomes if problem.sign > 0 else found.outcomes[::-1]
    worst, best, _ = interval_texts(low, high, None)
    return Chart(
        line="",
        dots=thinned(dots),
        marks=tuple(marks),
        across=across.ticks(),
        up=up.ticks(6),
        along=found.along,
        text=f"{found.name} in {len(dots)} rounds, by {found.along}",
        upward=_labelled(problem, found.name),
        ends=(words.worth(worst), words.worth(best)),
    )


def _policy_chart(
    study: BaseStudy, found: PolicyCurve, outcomes: tuple[float, float], up: Axis
) -> Chart:
    problem, words, (setting, seen) = study.problem, Words.of(study), found.names
    variable = problem.space[seen]
    across = _axis(found.at, [each.at[0] for each in found.plays], variable=variable)
    dots = [
        Mark(
            across.at(each.at[0]),
            up.at(each.at[1]),
            f"{each.title}: {with_unit(problem.space, setting, each.at[1])}, {words.outcome(each.value)}",
            _rated(study, each.value, outcomes),
        )
        for each in found.plays
    ]
    held = [k for k, value in enumerate(found.values) if np.isfinite(value)]
    ends = []
    for k in held[:1] + held[-1:]:
        here, there = float(found.at[k]), float(found.values[k])
        what = with_unit(problem.space, setting, there)
        ends.append(f"{what} at {with_unit(problem.space, seen, here)}")
    return Chart(
        line="",
        dots=thinned(dots),
        across=across.ticks(),
        up=up.ticks(6),
        along=_labelled(problem, seen),
        text=f"{setting} as the policy sets it by {seen}: {', '.join(ends) or 'nowhere'}",
        upward=_labelled(problem, setting),
        curves=tuple(
            Curve(points(found.at[a:b], found.values[a:b], across, up), number=3)
            for a, b in _runs(held)
        ),
    )


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    """Begin and end of each run of numbers that follow one another.

    >>> _runs([0, 1, 2, 5, 6])
    [(0, 3), (5, 7)]
    """
    breaks = [k for k in range(1, len(numbers)) if numbers[k] > numbers[k - 1] + 1]
    starts, ends = [0, *breaks], [*breaks, len(numbers)]
    return [(numbers[a], numbers[b - 1] + 1) for a, b in zip(starts, ends, strict=True) if b > a]


def _response_chart(study: BaseStudy, found: Response) -> Chart:
    problem, words, (setting, seen) = study.problem, Words.of(study), found.names
    lines = [each.along for each in found.curves]
    at = [np.asarray(line.at, dtype=float) for line in lines]
    width = [np.nan_to_num(line.width) for line in lines]
    log = is_log(problem.space[setting])
    across = Axis(min(each[0] for each in at), max(each[-1] for each in at), log=log)
    ends = [
        line.mean + side * half for line, half in zip(lines, width, strict=True) for side in (-1, 1)
    ]
    up = _axis(*ends, rising=True)
    curves, marks = [], []
    for k, (each, x, half) in enumerate(zip(found.curves, at, width, strict=True)):
        mean, here = each.along.mean, with_unit(problem.space, seen, each.seen)
        band = points([*x, *x[::-1]], [*(mean + half), *(mean - half)[::-1]], across, up)
        curves.append(Curve(points(x, mean, across, up), band, k, f"{seen} {here}"))
        text = f"{seen} {here}: the policy sets {with_unit(problem.space, setting, each.chosen)}"
        marks.append(Point(across.at(each.chosen), up.at(each.height), text, Look.of(k)))
    return Chart(
        line="",
        dots=(),
        across=across.ticks(),
        up=up.ticks(6),
        along=_labelled(problem, setting),
        text="; ".join(mark.text for mark in marks),
        says="Bands: 95 %. Marks: what the policy sets.",
        upward=f"{words.value_label}, expected",
        curves=tuple(curves),
        points=tuple(marks),
    )


def _labelled(problem: Problem, name: str) -> str:
    return labelled(name, getattr(problem.space[name], "unit", ""))


# -- agents ----------------------------------------------------------------------------------------


def agents_chart(study: BaseStudy, advice: Recommendation, action: str) -> Chart | None:
    """The payoff along the number of agents in an action, the others in proportion; None before anything is known."""
    problem, words = study.problem, Words.of(study)
    assert isinstance(problem, MeanField)
    a = problem.actions.index(action)
    curve = payoff_curve(study, problem, advice, a)
    if curve is None or not np.all(np.isfinite(curve.width)):
        return None
    share, mean, width, best = curve.at, curve.mean, curve.width, curve.best
    size = problem.agents if problem.counts else 100
    at, best = size * share, size * best
    numbers, tables = played_shares(study, problem)
    told = [problem.scalar(outcome) for _, outcome in study.history.told]
    low, high = float(np.min(mean - width)), float(np.max(mean + width))
    low, high = min(low, *told), max(high, *told)
    across, up = Axis(0.0, float(size)), Axis(low, high, rising=True)

    def many(x: float) -> str:
        return f"{x:.0f}" if problem.counts else share_text(x / 100.0)

    dots = [
        Mark(
            across.at(size * s),
            up.at(y),
            f"round {number}: {words.outcome(y)} with {many(size * s)}",
            "dot" if near else "off",
        )
        for number, s, y, near in zip(numbers, tables[:, a], told, curve.near, strict=True)
    ]
    out = [
        size * float((problem.shares @ problem.table(r.suggestion.values["distribution"]))[a])
        for r in study.history.pending
    ]
    marks = [Mark(across.at(x), "", f"next {many(x)}", "next") for x in out[-2:]]
    height = float(np.interp(best, at, mean))
    marks.append(Mark(across.at(best), up.at(height), f"best {many(best)}", "best"))
    said, lower, upper = interval_texts(
        height, *(float(np.interp(best, at, mean + side * width)) for side in (-1, 1))
    )
    return Chart(
        line=points(at, mean, across, up),
        band=points([*at, *at[::-1]], [*(mean + width), *(mean - width)[::-1]], across, up),
        dots=thinned(dots),
        marks=tuple(marks),
        across=across.ticks(),
        up=up.ticks(6),
        along=f"{'agents' if problem.counts else 'agents (%)'} in {action}",
        text=f"{words.value} with {many(best)} in {action}: {words.worth(said)} is expected, {lower} to {upper}.",
    )
