"""Pictures of causal studies: the graph of every scope, and how often each scope was played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np

from ..causal import Causal, CausalGraph
from ..rounds import Reading, Recommendation, Scope
from .control_sets import draw_scope_prices, priced
from .drawing import (
    BLUE,
    COLOURS,
    GREEN,
    ORANGE,
    SKY,
    Picture,
    bare,
    finished,
    legend_below,
    new_figure,
    of_kind,
    on,
    panel,
    save_figure,
    words,
    wrapped,
)
from .moving import moving

_FILL = {"set": ORANGE, "seen": SKY, "target": GREEN, "free": "#E8E8E8"}
_SHAPE = {"set": "s", "seen": "o", "target": "D", "free": "o"}
_MARGIN = 0.15
_LATELY = 10  # rounds whose mean is shown where effects change: what was before is over
_NAME, _TITLE = 24, 90  # characters


def scope_figure(graph: CausalGraph, scope: Scope, size: tuple[float, float] = (7.5, 5.0)) -> Any:
    """The graph while a scope is played: actions squares, contexts circles, the target a diamond; latent causes dashed.

    Grey edges are cut by setting their end; orange ones lead from a context to the action that looks at it.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    figure, (axes,) = _figure(1, size)
    _graph(axes, graph, scope)
    return figure


def graph(study: Reading, ax: Any = None, scope: Scope | None = None) -> Any:
    """The causal graph while a scope is played, drawn as `scope_figure` does.

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
    problem, axes = of_kind(study, Causal), on(ax)
    _graph(axes, problem.graph, study.recommend().scope if scope is None else scope)
    return axes


def shares(study: Reading, ax: Any = None) -> Any:
    """The share of rounds that went to each scope so far; see `graph`."""
    of_kind(study, Causal)
    axes = on(ax)
    _shares(axes, study)
    axes.set(title="Which scope was played")
    return finished(axes)


def outcomes(study: Reading, ax: Any = None) -> Any:
    """What came of every round, and the mean so far; see `graph`."""
    problem, axes = of_kind(study, Causal), on(ax)
    _outcomes(axes, study, problem)
    axes.set(title="What came of it")
    return finished(axes)


def prices(study: Reading, ax: Any = None) -> Any:
    """What each scope would give at its best, with bounds, against what a play of it costs; see `graph`."""
    problem, axes = of_kind(study, Causal), on(ax)
    draw_scope_prices(axes, problem, study.recommend())
    axes.set(title="What each scope would give")
    return finished(axes)


def draw(optimizer: Reading, advice: Recommendation) -> Iterator[Picture]:
    """For the page."""
    problem = of_kind(optimizer, Causal)
    if priced(advice) and not problem.space.seen:
        shown, axes = panel()
        draw_scope_prices(axes, problem, advice)
        legend_below(shown)
        yield Picture("What each scope would give", "Expected value and bounds of each scope, and its price", shown)
    shown = scope_figure(problem.graph, advice.scope, (5.6, 4.2))
    yield Picture("Recommended scope", "The causal graph: what is set in it, and what is looked at before", shown)
    if len({played.suggestion.scope for played in optimizer.history}) > 1:
        shown, axes = panel()
        _shares(axes, optimizer)
        legend_below(shown)
        yield Picture("Which scope was played", "Share of rounds of every scope so far", shown)
    shown, axes = panel()
    _outcomes(axes, optimizer, problem)
    legend_below(shown)
    yield Picture("What came of it", "The outcome of every round, and the mean so far", shown)
    yield from moving(optimizer, advice)


def draw_scopes(graph: CausalGraph, scopes: Sequence[Scope], folder: Path) -> list[Path]:
    """One PNG file for every scope in a folder, which is made if need be; their paths."""
    figures = [scope_figure(graph, scope) for scope in scopes]
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"scope-{k}.png" for k in range(1, len(figures) + 1)]
    for figure, path in zip(figures, paths, strict=True):
        save_figure(figure, path)
    return paths


def figure(optimizer: Reading) -> Any:
    """Left: the share of rounds that went to each scope so far. Right: the mean outcome so far, over all rounds.

    Raises:
        MissingExtra: matplotlib is not installed.
        InvalidProblem: the problem is of another kind.
    """
    problem = of_kind(optimizer, Causal)
    shown, (left, right) = _figure(2, (11.0, 4.6))
    _shares(left, optimizer)
    left.set_title("Which scope was played")
    _outcomes(right, optimizer, problem)
    right.set_title("What came of it")
    for axes in (left, right):
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=8)
    return shown


def _graph(axes: Any, graph: CausalGraph, scope: Scope) -> None:
    places = _layers(graph)
    told = dict(scope.actions)
    for a, b in graph.directed:
        passes = places[b][0] - places[a][0] > 1  # over other layers: beside what stands there
        _edge(axes, places, a, b, "#C8C8C8" if b in told else "#222222", bend=-0.2 if passes else 0.0)
    for action, contexts in told.items():
        for context in contexts:
            _edge(axes, places, context, action, ORANGE, bend=0.18, width=2.0)
    for a, b in graph.bidirected:
        colour = "#C8C8C8" if a in told or b in told else "#222222"
        _edge(axes, places, a, b, colour, bend=-0.35, dashed=True, style="<|-|>")
    for name, (x, y) in places.items():
        role = (
            "target"
            if name == graph.target
            else "set"
            if name in told
            else "seen"
            if name in scope.contexts
            else "free"
        )
        axes.plot([x], [y], _SHAPE[role], ms=26, mfc=_FILL[role], mec="#222222", zorder=3)
        letters = 9 if len(name) < 6 else 6
        axes.text(x, y, words(name, _NAME), ha="center", va="center", fontsize=letters, zorder=4)
    axes.set_title(wrapped(f"set {scope}", 48, 3, _TITLE), fontsize=10)
    axes.axis("off")
    axes.margins(_MARGIN)


def _shares(axes: Any, optimizer: Reading) -> None:
    rounds = list(optimizer.history)
    number = np.arange(1, len(rounds) + 1)
    scopes = [f"set {played.suggestion.scope}" for played in rounds]
    for name, colour in zip(dict.fromkeys(scopes), cycle(COLOURS), strict=False):
        axes.plot(
            number,
            np.cumsum([scope == name for scope in scopes]) / number,
            color=colour,
            label=wrapped(name, 46, 2, 88),
        )
    axes.set(xlabel="round", ylabel="share of rounds so far", ylim=(-0.02, 1.02))
    bare(axes)


def _outcomes(axes: Any, optimizer: Reading, problem: Causal) -> None:
    rounds = optimizer.history
    told = [(played.number, played.outcome.value) for played in rounds if played.state == "told" and played.outcome]
    if told:
        at, values = (np.array(column, dtype=float) for column in zip(*told, strict=True))
        axes.plot(at, values, ".", color="#BBBBBB", label="one round")
        sums = np.concatenate([[0.0], np.cumsum(values)])
        first = np.maximum(np.arange(len(values)) + 1 - (_LATELY if problem.timed else len(values)), 0)
        means = np.diff([sums[first], sums[1:]], axis=0)[0] / (np.arange(1, len(values) + 1) - first)
        label = f"mean of the last {_LATELY}" if problem.timed else "mean so far"
        axes.plot(at, means, color=BLUE, label=label)
    axes.set(xlabel="round", ylabel=words(problem.graph.target, _NAME))
    bare(axes)


def _figure(columns: int, size: tuple[float, float]) -> tuple[Any, Any]:
    return (figure := new_figure(size, dpi=130)), figure.subplots(1, columns, squeeze=False)[0]


def _layers(graph: CausalGraph) -> dict[str, tuple[float, float]]:
    """Places: causes left of their effects, each layer spread from top to bottom."""
    depth: dict[str, int] = {}
    for name in sorted(graph.names, key=lambda n: len(graph.ancestors([n]))):
        depth[name] = 1 + max((depth[p] for p in graph.parents(name)), default=-1)
    layers = [[n for n in graph.names if depth[n] == k] for k in range(max(depth.values()) + 1)]
    return {
        name: (float(k), (len(layer) - 1) / 2 - j + 0.21 * (k % 2))
        for k, layer in enumerate(layers)
        for j, name in enumerate(layer)
    }


def _edge(
    axes: Any,
    places: dict[str, tuple[float, float]],
    a: str,
    b: str,
    colour: str,
    *,
    bend: float = 0.0,
    dashed: bool = False,
    style: str = "-|>",
    width: float = 1.2,
) -> None:
    axes.annotate(
        "",
        places[b],
        places[a],
        arrowprops={
            "arrowstyle": style, "color": colour, "lw": width, "ls": "--" if dashed else "-",
            "shrinkA": 15, "shrinkB": 15, "mutation_scale": 13, "connectionstyle": f"arc3,rad={bend}",
        },
        zorder=1,
    )  # fmt: skip
