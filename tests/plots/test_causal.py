"""Pictures of causal studies say what they should."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

import steerbo as sb
from steerbo.causal import Causal, CausalGraph
from steerbo.core import Optimizer, Scope
from steerbo.core.tolerance import Absolute
from steerbo.errors import InvalidProblem
from tests.causal.published import FIGURE_1, figure_1

pytest.importorskip("matplotlib")
from matplotlib.backends.backend_agg import FigureCanvasAgg

from steerbo.plots.causal import draw, edges_of, figure, layers, prices, scope_figure, shares, shares_of
from steerbo.plots.drawing import curve


def test_every_variable_and_edge_is_drawn() -> None:
    axes: Any = scope_figure(FIGURE_1, Scope.of({"x1": ["c"]})).axes[0]
    texts = {text.get_text() for text in axes.texts}
    assert set(FIGURE_1.names) <= texts
    assert len([t for t in axes.texts if not t.get_text()]) == len(FIGURE_1.directed) + len(FIGURE_1.bidirected) + 1


def test_shares_and_means() -> None:
    environment = figure_1()
    optimizer = Optimizer(environment.problem, seed=0)
    environment.play(optimizer, 6, 0)
    left, right = figure(optimizer).axes
    found = shares_of(optimizer)
    assert [patch.get_width() for patch in left.patches] == [each.rounds for each in found]
    assert sum(each.rounds for each in found) == pytest.approx(1.0)
    assert [each.played for each in found] == sorted((each.played for each in found), reverse=True)
    assert [text.get_text() for text in left.child_axes[0].get_yticklabels()] == [str(each.played) for each in found]
    assert right.lines[-1].get_ydata()[-1] == pytest.approx(optimizer.recommend().mean)


def test_where_rounds_cost_the_share_of_the_money_stands_beside_that_of_the_rounds() -> None:
    optimizer = priced()
    spent: dict[str, float] = {}
    for played in optimizer.history:
        spent[str(played.suggestion.scope)] = spent.get(str(played.suggestion.scope), 0.0) + played.charged
    found = shares_of(optimizer)
    assert {each.name: each.paid for each in found} == pytest.approx(
        {name: cost / sum(spent.values()) for name, cost in spent.items()}
    )
    axes = shares(optimizer)
    assert [patch.get_width() for patch in axes.patches] == [x for each in found for x in (each.rounds, each.paid)]


def priced(rounds: int = 14) -> Optimizer:
    environment = figure_1()
    problem = Causal(FIGURE_1, environment.problem.variables, prices={"x1": 1, "c": 2}, base=1, tolerance=Absolute(0.1))
    optimizer = Optimizer(problem, seed=0, initial=2)
    environment.play(optimizer, rounds, 0)
    return optimizer


def test_scopes_with_their_prices() -> None:
    """A mark for each scope, the recommended one in a ring."""
    optimizer = priced()
    advice = optimizer.recommend()
    titles = [picture.title for picture in draw(optimizer, advice)]
    assert titles[0] == "Which to set"
    axes = prices(optimizer, money="EUR")
    told = [choice for choice in (advice, *advice.alternatives) if choice.mean is not None]
    marks = {bars.get_label().replace("\n", " "): bars.lines[0].get_xydata()[0] for bars in axes.containers}
    assert {name: value for name, (_, value) in marks.items()} == {str(c.scope): c.mean for c in told}
    ring = next(line for line in axes.lines if line.get_label() == "recommended")
    assert ring.get_ydata()[0] == advice.mean
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("cost of a round (EUR)", f"expected {FIGURE_1.target}")


def test_without_prices_there_is_nothing_to_draw() -> None:
    environment = figure_1()
    optimizer = Optimizer(environment.problem, seed=0)
    environment.play(optimizer, 3, 0)
    with pytest.raises(InvalidProblem, match=r"prices: None is not allowed; expected the cost of setting and looking"):
        prices(optimizer)


def test_one_scope_is_its_graph_and_no_flat_line() -> None:
    graph = CausalGraph.from_text("x -> y", target="y", intervenable=["x"])
    optimizer = Optimizer(Causal(graph, [sb.Float("x", 0, 1)]), rounds=3, seed=0)
    while (suggestion := optimizer.ask()) is not None:
        optimizer.tell(suggestion, suggestion.values["x"])
    axes = shares(optimizer)
    assert axes.get_title() == "every round: set x"
    assert {"x", "y"} <= {text.get_text() for text in axes.texts}
    left, _ = figure(optimizer).axes
    assert left.get_title() == "every round: set x"
    assert "Share of rounds by scope" not in [p.title for p in draw(optimizer, optimizer.recommend())]


def test_no_arrow_runs_through_a_name() -> None:
    graph = CausalGraph.from_text(
        "age -> dose; weight -> dose; age -> recovery; weight -> recovery; dose -> pulse; pulse -> rest; "
        "dose -> recovery; rest -> recovery; pulse -> recovery",
        target="recovery",
        intervenable=["dose", "rest"],
    )
    scope = Scope.of({"dose": ["age", "weight"], "rest": ["age", "weight", "pulse"]})
    shown = scope_figure(graph, scope)
    FigureCanvasAgg(shown).draw()
    (axes,) = shown.axes
    boxes = [text.get_window_extent() for text in axes.texts if text.get_text()]
    places, scale = layers(graph), shown.dpi / 72
    for edge in edges_of(graph, scope):
        line = scale * curve(axes, places[edge.start], places[edge.end], edge.bend)
        assert not any(box.contains(x, y) for box in boxes for x, y in line), edge


@pytest.mark.parametrize("size", [(3.54, 2.9), (7.08, 2.6), (7.5, 5.0)])
def test_names_stand_beside_their_nodes(size: tuple[float, float]) -> None:
    """No name covers a node or another name, whatever the size."""
    graph = CausalGraph.from_text(
        "blood pressure -> statin -> cancer; age -> statin; age -> aspirin -> y; cancer -> y; blood pressure -> y; "
        "statin <-> y; aspirin -> cancer",
        target="y",
        intervenable=["statin", "aspirin"],
    )
    shown = scope_figure(graph, Scope.of({"statin": ["age"], "aspirin": []}), size)
    FigureCanvasAgg(shown).draw()
    (axes,) = shown.axes
    half = 5.5 * shown.dpi / 72
    nodes = [axes.transData.transform(point) for line in axes.lines for point in line.get_xydata()]
    names = [text.get_window_extent() for text in axes.texts if text.get_text()]
    assert len(names) == len(nodes) == len(graph.names)
    for box in names:
        assert not any(box.x0 < x + half and x - half < box.x1 and box.y0 < y + half and y - half < box.y1
                       for x, y in nodes)  # fmt: skip
    for one, other in combinations(names, 2):
        assert not one.overlaps(other)
