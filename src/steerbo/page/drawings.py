"""Drawings of a kind's own: the graph with a scope, time against position, and an action's payoff.

All of them are drawn by the browser, in any colour scheme; matplotlib is not needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from .._wording import interval_texts, numeral
from ..causal import Causal, CausalGraph
from ..core import BaseStudy, Problem, Recommendation, Scope, with_unit
from ..errors import SteerboError
from ..interop.posteriors import PosteriorQuery
from ..meanfield import MeanField
from ..plots.causal import Edge, edges_of, layers, role_of
from ..plots.drawing import is_log
from ..plots.meanfield import payoff_curve, played_shares
from ..plots.model import importance_of, map_of, over_time_of, slices_of, whole_model
from ..plots.policies import (
    Followed,
    PolicyCurve,
    Response,
    SettingsOverTime,
    policy_of,
    response_of,
    settings_of,
)
from .charts import Axis, Chart, Curve, Look, Mark, Point, Shade, points, thinned
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
_LARGEST, _SMALLEST = (
    20.0,
    3.0,
)  # radius of the fullest place on a map, and of an empty one, in pixels
_NAMED = 12  # places that are named: the fullest
_PLACE_LETTER, _PLACE_LINE = (
    2.0,
    4.5,
)  # width and height of a letter on a map of a telephone, in hundredths of it
_MOST_BOUNDS = 200  # outcomes with bounds beside one another; more are no longer told apart
_WITHIN, _NEXT, _BEST, _BEYOND, _MOVED = map(Look.of, (0, 1, 2, 3, 7))
"""Looks: an outcome within its bounds, what is next, the best, an outcome beyond its bounds, a move."""
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
    # names of each layer, from the top
    layers = []
    for each in depths:
        layer = sorted((y, name) for name, (depth, y) in rows.items() if depth == each)
        layers.append([name for _, name in layer])
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
    variable = problem.space[name]
    across, up, shades, ends = _shaded(study, (None, times), (variable, at), found.mean)
    dots = [
        Mark(
            across.at(time),
            up.at(x),
            f"time {time:.10g}: {words.outcome(value)} at {with_unit(problem.space, name, x)}",
        )
        for time, x, value in found.plays
    ]
    now = with_unit(problem.space, name, float(found.best[-1]))
    then = with_unit(problem.space, name, float(found.best[0]))
    return Chart(
        line=points(times, found.best, across, up),
        dots=thinned(dots),
        across=across.ticks(),
        up=up.ticks(6),
        along="time",
        text=f"The best {name} was {then} at time {times[0]:.10g} and is {now} at time {times[-1]:.10g}.",
        upward=_labelled(problem, name),
        shades=shades,
        ends=ends,
    )


Along = tuple[Any, Any]
"""An axis: its variable, None for the time, and values, (m,)."""


def _shaded(
    study: BaseStudy, right: Along, upward: Along, mean: Any
) -> tuple[Axis, Axis, tuple[Shade, ...], tuple[str, str]]:
    """Means (m, r) in shades, the better the stronger: axes, rectangles, and the palest and the darkest in words."""
    (first, across), (second, up) = right, upward
    words, sign = Words.of(study), study.problem.sign
    sides, levels = _edges(across, is_log(first)), _edges(up, is_log(second))
    x = Axis(sides[0], sides[-1], log=is_log(first))
    y = Axis(levels[0], levels[-1], rising=True, log=is_log(second))
    low, high = float(np.min(mean)), float(np.max(mean))
    part = (mean - low) / max(high - low, 1e-300)
    level = np.clip((part if sign > 0 else 1.0 - part) * SHADES, 0, SHADES - 1).astype(int)
    shades = []
    for k, column in enumerate(level):
        left, width = x(sides[k]), x(sides[k + 1]) - x(sides[k])
        ends = [0, *(np.flatnonzero(np.diff(column)) + 1).tolist(), len(column)]
        for start, end in pairwise(ends):
            top, height = y(levels[end]), y(levels[start]) - y(levels[end])
            size = f"{width + 0.05:.2f}", f"{height + 0.05:.2f}"
            shades.append(Shade(f"{left:.2f}", f"{top:.2f}", *size, int(column[start])))
    worst, best, _ = interval_texts(*((low, high) if sign > 0 else (high, low)), None)
    return x, y, tuple(shades), (words.worth(worst), words.worth(best))


def _edges(values: Any, log: bool) -> list[float]:
    """Ends of the columns about values, half way to their neighbours on their scale.

    >>> _edges([1.0, 2.0, 4.0], False)
    [0.5, 1.5, 3.0, 5.0]
    """
    at = np.asarray(values, dtype=float)
    at = np.log(at) if log else at
    gaps = np.diff(at) / 2
    edges = np.array([at[0] - gaps[0], *(at[:-1] + gaps), at[-1] + gaps[-1]])
    found: list[float] = (np.exp(edges) if log else edges).tolist()
    return found


# -- two variables, and how far the model is to be trusted -----------------------------------------


def map_chart(study: BaseStudy, advice: Recommendation, names: tuple[str, str]) -> Chart:
    """Expected outcomes in shades over two numbers, all others as recommended: the numbers of `plots.contour`.

    Raises:
        SteerboError: the method keeps no model over variables.
        KeyError: the variables are not in it.
    """
    problem, words = study.problem, Words.of(study)
    slices = slices_of(study, advice=advice)
    for name in names:
        if name not in slices.names:
            raise KeyError(name)
    found = map_of(slices, names)
    first, second = (problem.space[name] for name in names)
    across, up, shades, ends = _shaded(
        study, (first, found.across), (second, found.up), found.mean.T
    )

    def there(pair: tuple[Any, Any]) -> str:
        shown = (with_unit(problem.space, n, x) for n, x in zip(names, pair, strict=True))
        return " and ".join(f"{n} at {text}" for n, text in zip(names, shown, strict=True))

    dots = [
        Mark(
            across.at(each.at[0]),
            up.at(each.at[1]),
            f"{each.title}: {words.outcome(each.value)}, {there(each.at)}",
        )
        for each in found.data
    ]
    marks = [
        Point(across.at(x), up.at(y), f"next: {there((x, y))}", _NEXT) for x, y in found.suggested
    ]
    if found.best is not None:
        x, y = found.best
        best = f"best now: {there(found.best)}"
        marks.append(Point(across.at(x), up.at(y), best, _BEST, chosen=True))
    return Chart(
        line="",
        dots=thinned(dots),
        across=across.ticks(),
        up=up.ticks(6),
        along=_labelled(problem, names[0]),
        text=f"{words.value_label}, expected by {' and '.join(names)}: {ends[0]} to {ends[1]}",
        upward=_labelled(problem, names[1]),
        shades=shades,
        ends=ends,
        points=tuple(marks),
    )


def trust_chart(study: BaseStudy) -> Chart:
    """Each outcome against its expectation without it: the numbers of `plots.cross_validation`.

    Raises:
        InvalidRequest: the method has no model that predicts outcomes, or there are too few.
    """
    words, found = Words.of(study), study.cross_validate()
    told = [each.value for each in found]
    across = _axis(told)
    up = _axis(told, *((each.lower, each.upper) for each in found), rising=True)
    some = [found[int(k)] for k in np.linspace(0, len(found) - 1, min(len(found), _MOST_BOUNDS))]
    marks = []
    for each in some:
        mean, low, high = interval_texts(each.mean, each.lower, each.upper)
        text = f"{each.name}: {words.outcome(each.value)}, {mean} was expected, {low} to {high}"
        look = _WITHIN if each.covered else _BEYOND
        ends = up.at(each.upper), up.at(each.lower)
        at = across.at(each.value), up.at(each.mean)
        marks.append(Point(*at, text, look, top=ends[0], bottom=ends[1]))
    within = sum(each.covered for each in found)
    ends_of = (min(told), max(told))
    return Chart(
        line=points(ends_of, ends_of, across, up),
        dots=(),
        across=across.ticks(),
        up=up.ticks(6),
        along=f"{words.value_label}, measured",
        text=f"{within} of {len(found)} outcomes are within the 95 % bounds of what was expected without them",
        upward=f"{words.value_label}, expected without it",
        points=tuple(marks),
    )


@dataclass(frozen=True)
class Level:
    """Row with a mark on its bounds: a category, or a share; name, mean, and bounds in words and as places."""

    name: str
    mean: str
    between: str
    left: str
    right: str
    at: str
    best: bool


def importance_rows(study: BaseStudy, advice: Recommendation) -> tuple[Level, ...]:
    """The share of the variance that each variable explains alone: the numbers of `plots.importance`.

    Raises:
        SteerboError: the method keeps no model over variables, or over one only.
    """
    found = importance_of(study, whole_model(study, advice, PosteriorQuery()))
    axis = Axis(0.0, 1.0)
    return tuple(
        Level(
            name,
            f"{share:.0%}",
            f"{low:.0%} to {high:.0%}",
            axis.at(low),
            axis.at(high),
            axis.at(share),
            best=False,
        )
        for name, share, low, high in zip(
            found.names, found.share, found.low, found.high, strict=True
        )
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
    return f"rated s{min(max(int(part * SHADES), 0), SHADES - 1)}"  # one that is doubted is beyond


def changes_chart(study: BaseStudy, advice: Recommendation, name: str) -> Chart:
    """Settings of a number that is hard to change, round by round, and its moves: the numbers of `plots.settings`."""
    found = settings_of(study, advice, name)
    every = [value for _, value in found.held if value is not None]
    up = _axis(every, rising=True, variable=study.problem.space[name])
    return _settings_chart(study, found, up)


def _settings_chart(study: BaseStudy, found: SettingsOverTime, up: Axis) -> Chart:
    problem, words = study.problem, Words.of(study)
    whens = [each.when for each in (*found.plays, *found.suggested)]
    across = _axis(whens, [when for when, _ in found.held])
    held = [k for k, (_, value) in enumerate(found.held) if value is not None]
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
    moves = [
        Point(
            across.at(when),
            up.at(value),
            f"moved to {with_unit(problem.space, found.name, value)}",
            _MOVED,
        )
        for when, value in found.moved
    ]
    low, high = found.outcomes if problem.sign > 0 else found.outcomes[::-1]
    worst, best, _ = interval_texts(low, high, None)
    return Chart(
        line="",
        dots=thinned(dots),
        curves=tuple(Curve(_stairs(found.held[a:b], across, up), number=3) for a, b in _runs(held)),
        points=tuple(moves),
        marks=tuple(marks),
        across=across.ticks(),
        up=up.ticks(6),
        along=found.along,
        text=f"{found.name} in {len(dots)} rounds, by {found.along}",
        upward=_labelled(problem, found.name),
        ends=(words.worth(worst), words.worth(best)),
    )


def _stairs(held: Sequence[tuple[float, Any]], across: Axis, up: Axis) -> str:
    """The points of a line that keeps a setting until the next round."""
    corners = [(when, value) for (_, value), (when, _) in pairwise(held)]
    both = [point for pair in zip(held, corners, strict=False) for point in pair] + [held[-1]]
    return points((when for when, _ in both), (value for _, value in both), across, up)


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
        return numeral(x, 3) if problem.counts else share_text(x / 100.0)

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


def _apart(labels: Sequence[tuple[float, float, str]]) -> set[str]:
    """Texts that cover none before them, on a telephone; each with its middle, in hundredths of a square map.

    A text that would leave the map begins or ends at its place.

    >>> sorted(_apart([(50.0, 50.0, "Market 58"), (52.0, 51.0, "Town hall 57"), (52.0, 60.0, "Zoo 40")]))
    ['Market 58', 'Zoo 40']
    """
    kept: list[tuple[float, float, float, str]] = []
    for x, y, text in labels:
        half = _PLACE_LETTER * len(text) / 2
        middle = x + half if x < half else x - half if x > 100.0 - half else x
        if all(
            abs(middle - other) > half + wide or abs(y - height) > _PLACE_LINE
            for other, height, wide, _ in kept
        ):
            kept.append((middle, y, half, text))
    return {text for *_, text in kept}


def places_chart(study: BaseStudy, advice: Recommendation) -> Chart:
    """A map of the recommended agents, by area: the numbers of `plots.meanfield.places`."""
    problem, words = study.problem, Words.of(study)
    assert isinstance(problem, MeanField)
    shares = problem.shares @ problem.table(advice.values["distribution"])
    x, y = np.array(problem.action_features, dtype=float).T
    half = (0.5 + _ROOM) * max(float(np.ptp(x)), float(np.ptp(y)), 1e-9)  # of both axes alike
    across, up = (
        Axis(middle - half, middle + half, rising)
        for middle, rising in (
            ((x.min() + x.max()) / 2, False),
            ((y.min() + y.max()) / 2, True),
        )
    )
    most = max(float(shares.max()), 1e-12)
    fullest = np.argsort(-shares, kind="stable")

    def many(share: float) -> str:
        return f"{problem.agents * share:.0f}" if problem.counts else share_text(share)

    labels = {a: f"{problem.actions[a]} {many(shares[a])}" for a in fullest[:_NAMED]}
    apart = _apart([(across(x[a]), up(y[a]), text) for a, text in labels.items()])
    dots = [
        Mark(
            across.at(x[a]),
            up.at(y[a]),
            f"{problem.actions[a]}: {many(shares[a])}",
            "agents" if shares[a] > 0 else "off",
            max(_LARGEST * math.sqrt(shares[a] / most), _SMALLEST),
            labels[a] if labels.get(a) in apart else "",
        )
        for a in fullest
    ]
    return Chart(
        line="",
        dots=tuple(dots),
        across=(),
        up=(),
        along="",
        upward="agents by place",
        square=True,
        text=f"Agents by place, for the best {words.value}: {'; '.join(dot.text for dot in dots)}",
    )
