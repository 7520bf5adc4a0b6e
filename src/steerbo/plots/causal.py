"""Pictures of causal studies: the graph with a scope, plays of each scope, and expected outcomes by price.

Names stand beside their nodes, clear of edges and other nodes as far as there is room.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..causal import Causal, CausalGraph
from ..core import BaseStudy, Recommendation, Scope
from ..errors import InvalidProblem
from .choices import choices_picture, draw_prices
from .drawing import (
    BLUE,
    COLUMN,
    GREEN,
    LABEL,
    ORANGE,
    SKY,
    TITLE,
    Picture,
    curve,
    finished,
    legend_below,
    name_beside,
    new_figure,
    of_kind,
    on,
    save_figure,
    side_by_side,
    styled,
    texts_at_right,
    told_apart,
    wrapped,
)
from .model import learned_pictures
from .policies import settings_pictures
from .rounds import draw_progress, progress
from .traded import traded_pictures

ROLES = {  # colour, shape and name
    "set": (ORANGE, "s", "set"),
    "seen": (SKY, "o", "looked at before"),
    "target": (GREEN, "D", "target"),
    "free": ("#E8E8E8", "o", "left alone"),
}
_INK, _CUT = "#222222", "#C8C8C8"
_NODE, _MARGIN = 11.0, 0.16  # points; of the range
_TRIES, _SPARE, _ABOVE = (
    4,
    1.2,
    0.12,
)  # to bring arcs inside; of the height, left free below the title
_NAME, _TITLE, _ROW_NAME = 24, 90, 22  # characters
_MOST_SCOPES = 20  # rows; those that were seldom played are left out


# -- public pictures -------------------------------------------------------------------------------


def scope_figure(
    graph: CausalGraph,
    scope: Scope,
    size: tuple[float, float] = (COLUMN, 2.9),
    outcomes: Collection[str] = (),
) -> Any:
    """Draw the graph while a scope is played: actions squares, contexts circles, the target a diamond.

    Dashed double arrows are latent common causes. Grey edges are cut by setting their end; orange
    ones lead from a context to the action that looks at it.

    Args:
        graph: the causal graph.
        scope: the variables that are set, and those looked at before.
        size: of the figure, in inches.
        outcomes: further ones that the target is traded against.

    Returns:
        A matplotlib `Figure`.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    shown = new_figure(size)
    _graph(shown.subplots(), graph, scope, outcomes)
    return shown


def graph(study: BaseStudy, ax: Any = None, scope: Scope | None = None) -> Any:
    """Draw the causal graph while a scope is played, as `scope_figure` does.

    Args:
        study: a study or an optimizer, of a `Causal` problem.
        ax: axes of matplotlib to draw on; None: those of a new figure (`.figure`).
        scope: which; None: the recommended one.

    Returns:
        The axes.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: the problem is of another kind.
    """
    problem, axes = of_kind(study, Causal), on(ax, 2.9)
    scope = study.recommend().scope if scope is None else scope
    return _graph(axes, problem.graph, scope, problem.traded)


def shares(study: BaseStudy, ax: Any = None) -> Any:
    """Draw the share of rounds, and of the money, that went to each scope so far, a row each.

    Where only one was played, its graph; see `graph`.
    """
    problem = of_kind(study, Causal)
    played = {r.suggestion.scope: None for r in study.history}
    if len(played) == 1:
        (scope,) = played
        axes = on(ax, 2.9)
        return _graph(axes, problem.graph, scope, problem.traded, "every round: ")
    axes = on(ax, 1.4 + 0.3 * max(min(len(played), _MOST_SCOPES), 3))
    _shares(axes, study)
    return finished(axes)


def outcomes(study: BaseStudy, ax: Any = None, value: str = "") -> Any:
    """Draw the outcome of every round, and the recommendations' expected values: `plots.progress`."""
    of_kind(study, Causal)
    return progress(study, ax, value)


def prices(study: BaseStudy, ax: Any = None, value: str = "", money: str = "") -> Any:
    """Draw the expected value of each scope at its best, with bounds, against the cost of a round.

    Arguments are those of `graph`.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: the problem is of another kind, or nothing has a price.
    """
    problem, advice = of_kind(study, Causal), study.recommend()
    if problem.prices is None and all(
        choice.cost is None for choice in (advice, *advice.alternatives)
    ):
        hint = (
            "Without prices ‹plots.causal.shares› shows which scopes were tried, "
            "and ‹plots.slices› what each gives."
        )
        raise InvalidProblem("prices", None, "the cost of setting and looking, by variable", hint)
    return draw_prices(study, advice, ax, value, money)


def figure(optimizer: BaseStudy, value: str = "") -> Any:
    """The two main pictures side by side, as a matplotlib `Figure`: `shares` and `outcomes`.

    Where only one scope was played its graph takes the place of the shares.

    Args:
        optimizer: of a `Causal` problem.
        value: name and unit of the target, for the labels.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: the problem is of another kind.
    """
    problem = of_kind(optimizer, Causal)
    shown, left, right = side_by_side()
    scopes = {r.suggestion.scope: None for r in optimizer.history}
    if len(scopes) == 1:
        _nodes(left, problem.graph, next(iter(scopes)), problem.traded, "every round: ")
    else:
        _shares(left, optimizer)
        styled(left)
    draw_progress(right, optimizer, value)
    styled(right)
    legend_below(shown, left, right)
    return shown


def draw(optimizer: BaseStudy, advice: Recommendation) -> Iterator[Picture]:
    """Yield the pictures of the kind."""
    problem = of_kind(optimizer, Causal)
    if advice.outcomes:
        yield from traded_pictures(optimizer, advice)
    elif not problem.space.seen:
        yield from choices_picture(optimizer, advice)
    drawn = partial(scope_figure, problem.graph, advice.scope, outcomes=problem.traded)
    text = "The causal graph while the recommended scope is held: what is set in it, and what is looked at before"
    yield Picture("Recommended scope", text, drawn)
    yield from learned_pictures(optimizer, advice)
    text = "Outcome of every round, and what was expected of the recommendations"
    yield Picture("Progress", text, lambda: outcomes(optimizer).figure)
    yield from settings_pictures(optimizer, advice)


def draw_scopes(graph: CausalGraph, scopes: Sequence[Scope], folder: Path) -> list[Path]:
    """Write one PNG file for every scope to a folder, which is made if need be; return their paths."""
    figures = [scope_figure(graph, scope) for scope in scopes]
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"scope-{k}.png" for k in range(1, len(figures) + 1)]
    for figure, path in zip(figures, paths, strict=True):
        save_figure(figure, path)
    return paths


# -- drawing on axes -------------------------------------------------------------------------------


def _shares(axes: Any, optimizer: BaseStudy) -> None:
    """Draw a row for each scope, the most played first: its share of the rounds, and of the money."""
    found = shares_of(optimizer)[:_MOST_SCOPES]
    paid = any(each.paid for each in found)
    height = 0.38 if paid else 0.7
    for k, each in enumerate(found):
        look = {"height": height, "lw": 0.3, "edgecolor": "white"}
        label = "of the rounds" if paid and not k else None
        axes.barh(k - (height / 2 if paid else 0.0), each.rounds, color=BLUE, label=label, **look)
        if paid:
            label = "of the money" if not k else None
            axes.barh(k + height / 2, each.paid, color=ORANGE, hatch="////", label=label, **look)
    names = told_apart([each.name for each in found], 2 * _ROW_NAME)
    axes.set_yticks(range(len(found)), [wrapped(name, _ROW_NAME, 2) for name in names])
    axes.tick_params(axis="y", length=0)
    axes.set(xlabel="share so far", title="Share of rounds by scope")
    axes.set_xlim(0.0, max((each.largest for each in found), default=1.0) * 1.05)
    axes.set_ylim(max(len(found), 1) - 0.4, -0.6)
    texts_at_right(axes, [str(each.played) for each in found]).set_ylabel("rounds", size=LABEL)


class Share(NamedTuple):
    """How often a scope was played: rounds, their share of all rounds, and of the money that was spent."""

    name: str
    played: int
    rounds: float
    paid: float

    @property
    def largest(self) -> float:
        """The larger one of both shares."""
        return max(self.rounds, self.paid)


def shares_of(study: BaseStudy) -> list[Share]:
    """Shares of all scopes, the most played first."""
    rounds, spent = Counter[str](), defaultdict[str, float](float)
    for played in study.history:
        name = str(played.suggestion.scope)
        rounds[name] += 1
        spent[name] += played.charged
    money = sum(spent.values()) or 1.0
    return [
        Share(name, played, played / rounds.total(), spent[name] / money)
        for name, played in rounds.most_common()
    ]


# -- the graph -------------------------------------------------------------------------------------


class Edge(NamedTuple):
    """An arrow between two nodes.

    Args:
        start, end: the nodes.
        kind: "cause", "look" (from a context to the action that observes it) or "hidden" (a common
            cause of both).
        cut: whether an end of it is set, which cuts it.
        bend: of its curve, as a share of its length.
    """

    start: str
    end: str
    kind: str
    cut: bool
    bend: float

    @property
    def latent(self) -> bool:
        """Whether the edge is a latent common cause, with a head at both ends."""
        return self.kind == "hidden"

    @property
    def colour(self) -> str:
        """Colour of its line."""
        return ORANGE if self.kind == "look" else _CUT if self.cut else _INK


def _graph(
    axes: Any, graph: CausalGraph, scope: Scope, outcomes: Collection[str], before: str = ""
) -> Any:
    """Draw the graph, with a legend of its marks."""
    _nodes(axes, graph, scope, outcomes, before)
    axes = finished(axes)
    axes.axis("off")
    return axes


def _nodes(
    axes: Any, graph: CausalGraph, scope: Scope, outcomes: Collection[str], before: str = ""
) -> None:
    places = layers(graph)
    xs, ys = zip(*places.values(), strict=True)
    axes.set(xlim=_wider(min(xs), max(xs)), ylim=_wider(min(ys), max(ys)))
    edges = edges_of(graph, scope)
    curves = _curves(axes, places, edges)
    for edge in edges:
        _draw_edge(axes, places, edge)
    roles = {name: role_of(graph, scope, name, outcomes) for name in places}
    for role, (fill, shape, label) in ROLES.items():
        mine = [places[name] for name in places if roles[name] == role]
        if mine:
            axes.plot(
                *zip(*mine, strict=True), shape, ms=_NODE * (0.85 if shape == "D" else 1.0), mfc=fill, mec=_INK,
                ls="none", zorder=3, label=label,
            )  # fmt: skip
    texts = {place: wrapped(name, 14, 2, _NAME) for name, place in places.items()}
    name_beside(axes, texts, [_NODE] * len(texts), curves)
    axes.set_title(wrapped(f"{before}set {scope}", 38, 3, _TITLE), fontsize=TITLE)
    axes.axis("off")


def edges_of(graph: CausalGraph, scope: Scope) -> list[Edge]:
    """Edges while a scope is played: those of the graph, and one from each context to the action that observes it."""
    places, told = layers(graph), dict(scope.actions)
    edges = [
        Edge(a, b, "cause", b in told, -0.2 if places[b][0] - places[a][0] > 1 else 0.0)
        for a, b in graph.directed  # over other layers: beside their nodes
    ]
    edges += [
        Edge(context, action, "look", False, 0.18)
        for action, contexts in told.items()
        for context in contexts
    ]
    edges += [Edge(a, b, "hidden", a in told or b in told, -0.35) for a, b in graph.bidirected]
    return edges


def _curves(axes: Any, places: dict[str, tuple[float, float]], edges: Sequence[Edge]) -> list[Any]:
    """Points of all edges; limits are widened where an arc leaves the axes."""
    curves = []
    for _ in range(_TRIES):
        curves = [curve(axes, places[edge.start], places[edge.end], edge.bend) for edge in edges]
        heights = np.concatenate([each[:, 1] for each in curves]) if curves else np.zeros(0)
        low, high = (
            np.array([axes.bbox.y0, axes.bbox.y1 - _ABOVE * axes.bbox.height])
            * 72.0
            / axes.figure.dpi
        )
        above, below = (
            max(float(beyond.max(initial=0.0)), 0.0) for beyond in (heights - high, low - heights)
        )
        if not above and not below:
            break
        bottom, top = axes.get_ylim()
        scale = _SPARE * (top - bottom) / (high - low)
        axes.set_ylim(bottom - scale * below, top + scale * above)
    return curves


def _wider(low: float, high: float) -> tuple[float, float]:
    """Limits with a margin; around a single place, one."""
    margin = _MARGIN * (high - low) or 0.5
    return low - margin, high + margin


def role_of(graph: CausalGraph, scope: Scope, name: str, outcomes: Collection[str] = ()) -> str:
    """The part that a variable plays in a scope: a key of `ROLES`; further `outcomes` are targets, too."""
    if name == graph.target or name in outcomes:
        return "target"
    return "set" if name in dict(scope.actions) else "seen" if name in scope.contexts else "free"


def layers(graph: CausalGraph) -> dict[str, tuple[float, float]]:
    """Places of nodes: causes left of their effects, each layer spread from top to bottom."""
    depth: dict[str, int] = {}
    for name in sorted(graph.names, key=lambda n: len(graph.ancestors([n]))):
        depth[name] = 1 + max((depth[p] for p in graph.parents(name)), default=-1)
    layers = [[n for n in graph.names if depth[n] == k] for k in range(max(depth.values()) + 1)]
    return {
        name: (float(k), (len(layer) - 1) / 2 - j + 0.21 * (k % 2))
        for k, layer in enumerate(layers)
        for j, name in enumerate(layer)
    }


def _draw_edge(axes: Any, places: dict[str, tuple[float, float]], edge: Edge) -> None:
    style = {
        "arrowstyle": "<|-|>" if edge.latent else "-|>",
        "color": edge.colour,
        "lw": 1.8 if edge.kind == "look" else 1.0,
        "ls": "--" if edge.latent else "-",
        "shrinkA": 7.5,
        "shrinkB": 7.5,
        "mutation_scale": 9,
        "connectionstyle": f"arc3,rad={edge.bend}",
    }
    axes.annotate("", places[edge.end], places[edge.start], arrowprops=style, zorder=1)
