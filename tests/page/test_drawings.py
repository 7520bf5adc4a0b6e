"""Drawings of a kind's own: the graph, time against position, and what an action pays."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal import CausalGraph
from steerbo.core import Optimizer
from steerbo.errors import InvalidRequest
from steerbo.page.drawings import SHADES, graphs_of, time_chart
from steerbo.page.learned import learned, tabs_of
from steerbo.plots import contour, cross_validation, importance
from steerbo.plots.causal import shares
from tests.torture.kills import WINGS


def played(kind: str, rounds: int = 4) -> Optimizer:
    case, _ = WINGS[kind]
    optimizer = Optimizer(case.problem, case.method, rounds=9, seed=7, **case.options)
    for number in range(1, rounds + 1):
        asked = optimizer.ask(**case.request(number))
        assert asked is not None
        while asked.observe:
            asked = optimizer.decide(asked, case.seen(asked))
        optimizer.tell(asked, **case.outcome(asked))
    return optimizer


def test_the_graph_shows_what_is_set_and_cut() -> None:
    optimizer = played("causal")
    advice = optimizer.recommend()
    graph = graphs_of(optimizer, advice)[0]
    told = dict(advice.scope.actions)
    shown = {node.label.split()[0]: node.role for node in graph.nodes}
    assert {name for name, role in shown.items() if role == "set"} == set(told)
    assert list(shown.values()).count("target") == 1
    problem = optimizer.problem
    into = [(a, b) for a, b in problem.graph.directed if b in told]  # type: ignore[attr-defined]
    assert sum(arrow.kind == "cut" for arrow in graph.arrows) >= len(into)
    assert all(0 < node.x < graph.width and 0 < node.y < graph.height for node in graph.nodes)


GRAPHS = {
    "dose": "age -> statin dose; age -> blood pressure; blood pressure -> statin dose; statin dose -> cholesterol; "
    "age -> cholesterol; blood pressure -> cholesterol; age -> risk; cholesterol -> risk; statin dose <-> risk; "
    "target: risk; intervenable: statin dose",
    "field": "soil moisture -> irrigation; soil moisture -> yield; irrigation -> growth; fertiliser -> growth; "
    "light -> growth; temperature of the air -> growth; growth -> yield; temperature of the air -> yield; "
    "light <-> temperature of the air; fertiliser <-> yield; target: yield; "
    "intervenable: irrigation, fertiliser, temperature of the air",
}


@pytest.mark.parametrize("text", GRAPHS.values(), ids=GRAPHS)
def test_arrows_end_at_labels_and_cross_none_within_the_drawing(text: str) -> None:
    graph = CausalGraph.from_text(text)
    problem = sb.Causal(graph, [sb.Float(name, 0, 100) for name in graph.names if name != graph.target])
    optimizer = sb.Optimizer(problem, seed=1)
    drawn = graphs_of(optimizer, optimizer.recommend())[0]
    for arrow in drawn.arrows:
        first, control, last = np.reshape([float(x) for x in re.findall(r"-?[\d.]+", arrow.path)], (3, 2))
        t = np.linspace(0, 1, 200)[:, None]
        x, y = ((1 - t) ** 2 * first + 2 * t * (1 - t) * control + t**2 * last).T
        assert np.all((x > 0) & (x < drawn.width) & (y > 0) & (y < drawn.height))
        for node in drawn.nodes:
            on = (x > node.x + 17) & (x < node.x + 17 + 8.6 * len(node.label)) & (abs(y - node.y) < 8)
            assert not on.any(), (arrow.path, node.label)
    for row in {node.y for node in drawn.nodes}:
        beside = sorted((node for node in drawn.nodes if node.y == row), key=lambda node: node.x)
        for left, right in pairwise(beside):
            assert left.x + 17 + 8.6 * len(left.label) < right.x - 11, "labels end before the next mark"


def test_every_tab_is_drawn_and_has_an_address_of_its_own() -> None:
    first = {"causal": "graph", "time-varying": "time", "mean-field": "agents", "cost-varying": ""}
    for kind, draw in first.items():
        optimizer = played(kind)
        advice = optimizer.recommend()
        tabs = tabs_of(optimizer, advice)
        assert tabs[0].draw == draw, kind
        assert len({tab.query for tab in tabs}) == len(tabs)
        for tab in tabs:
            found = learned(optimizer, advice, tab.draw, tab.along)
            assert found.chosen == tab
            assert bool(found.graphs) != bool(found.slice), tab


def test_shares_are_those_of_matplotlib() -> None:
    pytest.importorskip("matplotlib")
    text = "age -> dose -> y; age -> rest -> y; dose <-> y; rest <-> y"
    graph = CausalGraph.from_text(text, target="y", intervenable=["dose", "rest"])
    variables = [sb.Float("dose", 0, 1), sb.Float("rest", 0, 1), sb.Float("age", 20, 90)]
    problem = sb.Causal(graph, variables, prices={"dose": 1, "rest": 2}, base=1)
    optimizer = sb.Optimizer(problem, "random", rounds=6, seed=1)
    while (suggestion := optimizer.ask()) is not None:
        if suggestion.observe:
            suggestion = optimizer.decide(suggestion, {"age": 50.0})
        optimizer.tell(suggestion, 1.0, realised={"dose": 0.5, "rest": 0.5, "age": 50.0, **suggestion.values})
    found = learned(optimizer, optimizer.recommend(), "shares").slice
    assert found is not None
    assert found.bars is not None
    axes = shares(optimizer)
    drawn = [patch.get_width() for patch in axes.patches]
    rows, columns = len(found.bars.rows), len(found.bars.heads)
    most = max(drawn)
    for k, (_, cells) in enumerate(found.bars.rows):
        for j, (_, length, _) in enumerate(cells):
            assert float(length.removesuffix("%")) == pytest.approx(100 * drawn[columns * k + j] / most, abs=0.01)
    assert len(drawn) == rows * columns > 1


def places(axes: Any, at: Any) -> Any:
    """Points of matplotlib's axes in hundredths from the left and the top, (n, 2)."""
    return (axes.transAxes.inverted().transform(axes.transData.transform(at)) * [1, -1] + [0, 1]) * 100


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_maps_importance_and_trust_are_those_of_matplotlib(scale: Literal["linear", "log"]) -> None:
    pytest.importorskip("matplotlib")
    flow = sb.Float("flow", 0.01, 1, scale=scale)
    optimizer = sb.Optimizer(sb.CostVarying([sb.Float("heat", 0, 1), flow], [["heat", "flow"]]), seed=1)
    for k in range(13):
        heat, rate = (k * 0.37) % 1, 0.01 + 0.99 * ((k * 0.61) % 1)
        optimizer.add(5 - 8 * (heat - 0.4) ** 2 - (rate - 0.3) ** 2 + 0.1 * math.sin(k), {"heat": heat, "flow": rate})
    optimizer.ask()
    advice = optimizer.recommend()
    tabs = {tab.label: learned(optimizer, advice, tab.draw, tab.along).slice for tab in tabs_of(optimizer, advice)}
    mapped, matters, sure = tabs["heat × flow"], tabs["what matters"], tabs["how sure"]
    assert mapped is not None and matters is not None and sure is not None  # noqa: PT018
    chart = mapped.chart
    assert chart is not None

    axes = contour(optimizer)
    (mesh,) = [each for each in axes.collections if hasattr(each, "get_coordinates")]
    axes.set(xlim=mesh.get_coordinates()[0, [0, -1], 0], ylim=mesh.get_coordinates()[[0, -1], 0, 1])
    (told,) = [each for each in axes.collections if hasattr(each, "get_sizes") and len(each.get_offsets()) == 13]
    mine = np.array([[float(dot.x[:-1]), float(dot.y[:-1])] for dot in chart.dots])
    assert np.allclose(mine, places(axes, told.get_offsets()), atol=1.0), "to the width of a column's edge"
    low, high = float(mesh.get_array().min()), float(mesh.get_array().max())
    assert [float(end) for end in chart.ends] == pytest.approx([low, high], abs=0.05)
    found = importance(optimizer)
    bars = [patch.get_width() for patch in found.patches]
    assert [level.at for level in matters.levels] == [f"{100 * bar:.2f}%" for bar in bars]
    assert sure.chart is not None
    axes = cross_validation(optimizer)
    marks = np.concatenate([np.transpose(each[0].get_data()) for each in axes.containers])
    assert len(sure.chart.points) == len(marks) == 13
    axes.set(xlim=axes.get_xlim(), ylim=axes.get_ylim())
    mine = np.array([[float(point.x[:-1]), float(point.y[:-1])] for point in sure.chart.points])
    theirs = places(axes, marks)
    assert sorted(np.argsort(mine[:, 0])) == sorted(np.argsort(theirs[:, 0]))
    assert np.ptp(np.diff(np.sort(mine[:, 0])) / np.diff(np.sort(theirs[:, 0]))) < 0.01, "the same but for the margins"
    assert axes.get_title() in sure.says.replace("are within the 95 % bounds of", "within their bounds"), sure.says


def test_outcomes_over_decades_are_on_a_logarithmic_axis() -> None:
    optimizer = sb.Optimizer(sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), seed=1)
    for k in range(8):
        optimizer.add(10.0 ** (k - 3), {"x": k / 7})
    found = learned(optimizer, optimizer.recommend(), "", "x").slice
    assert found is not None and found.chart is not None  # noqa: PT018
    assert [text for _, text in found.chart.up][:3] == ["0.001", "0.01", "0.1"] or found.chart.up[0][1] == "0.001"
    heights = [float(dot.y[:-1]) for dot in found.chart.dots]
    assert np.ptp(np.diff(heights)) < 0.05, "equal ratios are equal distances"


def test_what_is_hard_to_change_has_a_line_of_its_settings() -> None:
    heat = sb.Float("heat", 0, 1, change=sb.SwitchingCost(fixed=5))
    optimizer = sb.Optimizer(sb.CostVarying([heat], [["heat"]]), "random", rounds=9, seed=1)
    for value in (0.2, 0.2, 0.7):
        optimizer.tell(optimizer.attach({"heat": value}), value)
    chart = learned(optimizer, optimizer.recommend(), "changes", "heat").slice.chart  # type: ignore[union-attr]
    assert chart is not None
    assert [point.text for point in chart.points] == ["moved to 0.7"]
    assert len(chart.curves[0].line.split()) == 5, "three rounds, two steps"
    assert len(chart.dots) == 3


def test_places_have_a_map_by_area() -> None:
    at = [[0, 0], [1, 0], [1, 1]]
    problem = sb.MeanField(["north", "south", "harbour"], agents=30, counts=True, action_features=at)
    optimizer = sb.Optimizer(problem, seed=0)
    optimizer.tell(optimizer.ask(), 1.0)
    chart = learned(optimizer, optimizer.recommend(), "places").slice.chart  # type: ignore[union-attr]
    assert chart is not None
    counts = {dot.text.rpartition(": ")[2]: dot.radius for dot in chart.dots if dot.kind == "agents"}
    assert max(counts.values()) == 20
    assert chart.square
    x, y = ({dot.name.split()[0]: float(getattr(dot, side)[:-1]) for dot in chart.dots} for side in ("x", "y"))
    assert x["south"] - x["north"] == pytest.approx(y["south"] - y["harbour"]), "a kilometre is a kilometre"
    assert len(chart.dots) == 3


def test_names_of_places_do_not_cover_one_another() -> None:
    stations = ["central station", "market place", "town hall", "airport"]
    at = [[0.0, 0.0], [0.1, 0.05], [0.05, -0.05], [6.0, 3.0]]
    problem = sb.MeanField(stations, agents=800, counts=True, action_features=at)
    optimizer = sb.Optimizer(problem, seed=0)
    optimizer.tell(optimizer.ask(), 1.0)
    chart = learned(optimizer, optimizer.recommend(), "places").slice.chart  # type: ignore[union-attr]
    assert chart is not None
    named = [dot.name for dot in chart.dots if dot.name]
    assert len(named) == 2, "one of the three in the middle, and the airport"
    assert any("airport" in name for name in named)
    assert len({dot.text for dot in chart.dots}) == 4, "all have a title"


def test_shades_fill_the_drawing_and_the_best_is_the_darkest() -> None:
    optimizer = played("time-varying")
    chart = learned(optimizer, optimizer.recommend()).slice.chart  # type: ignore[union-attr]
    assert chart is not None
    area = sum((float(s.width) - 0.05) * (float(s.height) - 0.05) for s in chart.shades)
    assert area == pytest.approx(1e4, rel=0.01)
    assert {0, SHADES - 1} <= {s.level for s in chart.shades}


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_every_column_is_painted_whatever_the_scale(scale: Literal["linear", "log"]) -> None:
    optimizer = sb.Optimizer(sb.TimeVarying([sb.Float("x", 0.01, 100, scale=scale)]), seed=1)
    for k in range(10):
        suggestion = optimizer.ask()
        place = (math.log10(suggestion.values["x"]) + 2) / 4
        optimizer.tell(suggestion, 5 - 8 * (place - 0.5) ** 2 + 0.1 * math.sin(k))
    shades = time_chart(optimizer, optimizer.recommend(), "x").shades
    column = [s for s in shades if s.x == shades[0].x]
    assert sum(float(s.height) - 0.05 for s in column) == pytest.approx(100, abs=0.1)


def test_what_cannot_be_drawn_yet_leaves_the_other_tabs(monkeypatch: pytest.MonkeyPatch) -> None:
    optimizer = played("cost-varying")
    advice, number = optimizer.recommend(), "steerbo.page.learned._EXPECTED_FROM"
    monkeypatch.setattr(number, 1)
    found = learned(optimizer, advice, "trust")
    assert (found.slice, found.tabs) == (None, tabs_of(optimizer, advice))


def test_a_drawing_that_is_not_there_is_refused_by_name() -> None:
    optimizer = played("mean-field")
    with pytest.raises(InvalidRequest, match="along"):
        learned(optimizer, optimizer.recommend(), "agents", "nowhere")
    with pytest.raises(InvalidRequest, match="draw"):
        learned(optimizer, optimizer.recommend(), "map")
