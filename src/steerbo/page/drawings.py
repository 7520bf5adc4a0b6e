"""Drawings of a kind's own: the graph with a scope, time against position, and what an action pays.

All of them are drawn by the browser, in any colour scheme; matplotlib is not needed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..causal import Causal, CausalGraph
from ..core import BaseStudy, Recommendation, Scope, numeral
from ..meanfield import MeanField
from ..plots.causal import edges_of, layers, role_of
from ..plots.meanfield import payoff_curve, played_shares
from ..plots.model import over_time_of
from .pictures import Axis, Chart, Mark, Shade, points, thinned
from .wording import Words, labelled, share_text, with_resolution, within

_WIDE, _HIGH, _MARGIN, _NODE = 150.0, 78.0, 24.0, 11.0  # pixels: between neighbours, between layers, around, of a mark
_ASIDE = 64.0  # how far every other layer stands aside
_LETTER = 8.2  # width of a letter beside a node
_HEAD = 9.0  # length of an arrow's head
SHADES = 7
"""Of a drawing of time and position, from the worst to the best."""
ROLES = {"set": "set", "seen": "looked at before", "target": "the outcome", "free": "left alone"}
"""Parts that variables play, as the legend has them."""


# -- the causal graph --------------------------------------------------------------------------------------------------


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
        nodes, arrows: what is drawn.
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
    found = [_graph(study, f"Best now: set {advice.scope}", advice.scope, advice.values)]
    drawn = {advice.scope}
    for played in study.history.pending:
        asked = played.suggestion
        if asked.scope not in drawn:
            drawn.add(asked.scope)
            found.append(_graph(study, f"Round {asked.round}: set {asked.scope}", asked.scope, asked.values))
    return tuple(found)


def _graph(study: BaseStudy, title: str, scope: Scope, values: dict[str, Any]) -> Graph:
    problem: Any = study.problem
    graph: CausalGraph = problem.graph
    rows = layers(graph)
    at = _places(rows)
    roles = {name: role_of(graph, scope, name) for name in rows}
    labels = {name: f"{name} {with_resolution(problem, name, values[name])}" if name in values else name for name in at}
    arrows = tuple(_arrows(graph, scope, at))
    nodes = tuple(Node(roles[name], round(x, 1), round(y, 1), labels[name]) for name, (x, y) in at.items())
    width = max(x + _NODE + 6 + _LETTER * len(labels[name]) for name, (x, _) in at.items())
    height = max(y for _, y in at.values()) + _MARGIN
    causes = "; ".join(f"{a} causes {b}" for a, b in graph.directed)
    hidden = "".join(f"; {a} and {b} have a hidden common cause" for a, b in graph.bidirected)
    kinds = {arrow.kind for arrow in arrows}
    return Graph(
        title=title,
        width=round(width + _MARGIN, 1),
        height=round(height, 1),
        nodes=nodes,
        arrows=arrows,
        roles=tuple((role, said) for role, said in ROLES.items() if role in roles.values()),
        kinds=tuple((kind, said) for kind, said in _KINDS.items() if kind in kinds),
        text=f"{title}. {causes}{hidden}.",
    )


def _places(rows: dict[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """Places in pixels: layers from top to bottom, every other one aside, so that edges pass beside nodes."""
    depths = sorted({depth for depth, _ in rows.values()})
    layers = [sorted((y, name) for name, (depth, y) in rows.items() if depth == each) for each in depths]
    most = max(map(len, layers))
    return {
        name: (_MARGIN + _WIDE * (k + (most - len(layer)) / 2) + _ASIDE * (row % 2), _MARGIN + _HIGH * row)
        for row, layer in enumerate(layers)
        for k, (_, name) in enumerate(layer)
    }


def _arrows(graph: CausalGraph, scope: Scope, at: dict[str, tuple[float, float]]) -> Iterator[Arrow]:
    told = dict(scope.actions)
    for edge in edges_of(graph, scope):
        start, end = np.array(at[edge.start]), np.array(at[edge.end])
        along = end - start
        across = np.array([-along[1], along[0]])
        middle = (start + end) / 2 - edge.bend * across
        first, last = _off(start, middle), _off(end, middle)
        cut = edge.end in told or (edge.latent and edge.start in told)
        look = edge.end in told and edge.start in told[edge.end] and not edge.latent and edge.bend == _LOOK
        kind = "look" if look else "cut" if cut else "hidden" if edge.latent else "cause"
        path = f"M{first[0]:.1f} {first[1]:.1f}Q{middle[0]:.1f} {middle[1]:.1f} {last[0]:.1f} {last[1]:.1f}"
        heads = (_head(last, middle), *((_head(first, middle),) if edge.latent else ()))
        yield Arrow(path, f"{kind}{' dashed' if edge.latent and kind == 'cut' else ''}", heads)


_LOOK = 0.18  # bend of the edges that `edges_of` adds


def _off(node: Any, towards: Any) -> Any:
    """Point where an edge leaves its node."""
    away = towards - node
    return node + (_NODE + 3) * away / max(float(np.hypot(*away)), 1e-9)


def _head(tip: Any, behind: Any) -> str:
    """Corners of an arrow's head."""
    turn = math.atan2(tip[1] - behind[1], tip[0] - behind[0])
    corners = [tip] + [tip - _HEAD * np.array([math.cos(turn + side), math.sin(turn + side)]) for side in (-0.42, 0.42)]
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)


# -- time and position -------------------------------------------------------------------------------------------------


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
    gaps = np.diff(places) / 2  # of a logarithmic variable they grow
    edges = [float(places[0] - gaps[0]), *(places[:-1] + gaps).tolist(), float(places[-1] + gaps[-1])]
    across = Axis(float(times[0]) - half_t, float(times[-1]) + half_t)
    up = Axis(edges[0], edges[-1], rising=True)
    low, high = float(np.min(found.mean)), float(np.max(found.mean))
    part = (found.mean - low) / max(high - low, 1e-300)
    level = np.clip((part if problem.sign > 0 else 1.0 - part) * SHADES, 0, SHADES - 1).astype(int)
    shades = []
    for k, time in enumerate(times):
        ends = [0, *(np.flatnonzero(np.diff(level[k])) + 1).tolist(), len(at)]
        for first, last in pairwise(ends):
            top, bottom = up(edges[last]), up(edges[first])
            left, right = across(float(time) - half_t), across(float(time) + half_t)
            place = (f"{left:.2f}", f"{top:.2f}", f"{right - left + 0.05:.2f}", f"{bottom - top + 0.05:.2f}")
            shades.append(Shade(*place, int(level[k, first])))
    dots = [
        Mark(
            across.at(time),
            up.at(x),
            f"time {time:g}: {words.worth(numeral(value))} at {with_resolution(problem, name, x)}",
        )
        for time, x, value in found.plays
    ]
    worst, best, _ = within(*((low, high) if problem.sign > 0 else (high, low)), None)
    now = with_resolution(problem, name, float(found.best[-1]))
    then = with_resolution(problem, name, float(found.best[0]))
    return Chart(
        line=points(times, found.best, across, up),
        dots=thinned(dots),
        across=across.ticks(),
        up=up.ticks(6),
        along="time",
        text=f"The best {name} was {then} at time {times[0]:g} and is {now} at time {times[-1]:g}.",
        upward=labelled(name, getattr(problem.space[name], "unit", "")),
        shades=tuple(shades),
        ends=(words.worth(worst), words.worth(best)),
    )


# -- agents ------------------------------------------------------------------------------------------------------------


def agents_chart(study: BaseStudy, advice: Recommendation, action: str) -> Chart | None:
    """The payoff along the number of agents in an action, the others in proportion; None before anything is known."""
    problem, words = study.problem, Words.of(study)
    assert isinstance(problem, MeanField)
    a = problem.actions.index(action)
    curve = payoff_curve(study, problem, advice, a)
    if curve is None or not np.all(np.isfinite(curve[2])):
        return None
    share, mean, width, best = curve
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
        Mark(across.at(size * s), up.at(y), f"round {number}: {words.worth(numeral(y))} with {many(size * s)}")
        for number, s, y in zip(numbers, tables[:, a], told, strict=True)
    ]
    out = [
        size * float((problem.shares @ problem.table(r.suggestion.values["distribution"]))[a])
        for r in study.history.pending
    ]
    marks = [Mark(across.at(x), "", f"next {many(x)}", "next") for x in out[-2:]]
    height = float(np.interp(best, at, mean))
    marks.append(Mark(across.at(best), up.at(height), f"best {many(best)}", "best"))
    said, lower, upper = within(height, *(float(np.interp(best, at, mean + side * width)) for side in (-1, 1)))
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
