"""Pictures to hover over say what the study says; names of users are texts there, and no tags."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.errors import InvalidOption, InvalidProblem, InvalidRequest, MissingExtra
from steerbo.interop.posteriors import PosteriorQuery
from steerbo.plots import interactive
from steerbo.plots.model import importance_of, slices_of
from tests.interop.examples import box, control_sets, drifting, mixed_control_sets, scopes, seen
from tests.meanfield import worlds as meanfield


def test_without_plotly_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    for draw in (interactive.rounds, interactive.prices, interactive.slices):
        with pytest.raises(MissingExtra, match=r"steerbo\[interactive\]"):
            draw(control_sets())


def test_rounds_of_every_kind() -> None:
    pytest.importorskip("plotly", reason="plotly is not installed: pip install 'steerbo[interactive]'")
    optimizer = control_sets(minimize=True)
    points, best = interactive.rounds(optimizer, "loss").data
    values = [r.outcome.value for r in optimizer.history if r.outcome]
    assert list(points.y) == values
    assert list(best.y) == [min(values[: i + 1]) for i in range(len(values))]
    assert all(f"round {i}: " in text and "ph = " in text for i, text in enumerate(points.hovertext, 1))
    crowd = meanfield.case("random")
    shown = interactive.rounds(crowd.play(crowd.start(), 3))
    assert len(shown.data[0].y) == 3
    assert "plotly" in shown.to_html(include_plotlyjs=False)


def test_prices_are_the_recommendation_a_row_each() -> None:
    pytest.importorskip("plotly", reason="plotly is not installed: pip install 'steerbo[interactive]'")
    optimizer = control_sets()
    advice = optimizer.recommend()
    shown = interactive.prices(optimizer, money="EUR")
    assert sorted(float(each.x[0]) for each in shown.data) == pytest.approx(
        sorted(choice.mean or 0.0 for choice in (advice, *advice.alternatives))
    )
    assert [each.y[0] for each in shown.data] == [0, 1, 2], "equal prices have rows of their own"
    assert len({each.marker.symbol for each in shown.data}) == 3, "shapes say what colours say"
    (recommended,) = [each for each in shown.data if each.name.endswith("(recommended)")]
    assert recommended.x[0] == advice.mean
    assert recommended.error_x.array[0] == pytest.approx((advice.upper or 0.0) - (advice.mean or 0.0))
    assert "cost of a play (EUR)" in [note.text for note in shown.layout.annotations]
    with pytest.raises(InvalidProblem, match="CostVarying"):
        interactive.prices(box())
    with pytest.raises(InvalidProblem, match="prices: None"):
        interactive.prices(sb.Optimizer(scopes().problem))


@pytest.mark.parametrize("make", [control_sets, mixed_control_sets, seen, box, drifting, scopes])
def test_slices_are_those_of_matplotlib(make: Any) -> None:
    pytest.importorskip("plotly", reason="plotly is not installed: pip install 'steerbo[interactive]'")
    optimizer = make()
    found = slices_of(optimizer)
    shown = interactive.slices(optimizer, value="yield (kg)")
    best = [each for each in shown.data if each.name == "recommended"]
    assert [each.x[0] for each in best] == [found.values[name] for name in found.names if name in found.values]
    expected = [each for each in shown.data if each.name.startswith("expected")]
    for each, name in zip(expected, found.names, strict=True):
        assert list(each.y) == pytest.approx(list(found.of(name).mean))
    assert shown.layout.yaxis.title.text == "expected yield (kg)"


def test_importance_is_that_of_matplotlib() -> None:
    pytest.importorskip("plotly", reason="plotly is not installed: pip install 'steerbo[interactive]'")
    optimizer = mixed_control_sets()
    found = importance_of(optimizer, PosteriorQuery())
    (bars,) = interactive.importance(optimizer).data
    assert list(bars.y) == list(found.names)
    assert list(bars.x) == pytest.approx(list(found.share))


def test_settings_have_a_panel_each() -> None:
    pytest.importorskip("plotly", reason="plotly is not installed: pip install 'steerbo[interactive]'")
    optimizer = drifting()
    shown = interactive.settings(optimizer)
    plays = [each for each in shown.data if each.name == "one play"]
    rounds = [r for r in optimizer.history if "t" in r.suggestion.values]
    assert list(plays[0].x) == [r.request["time"] for r in rounds]
    assert list(plays[0].y) == [r.suggestion.values["t"] for r in rounds]
    with pytest.raises(InvalidRequest, match="set a variable"):
        interactive.settings(sb.Optimizer(meanfield.crowd()))


def test_priors_are_named() -> None:
    pytest.importorskip("plotly", reason="plotly is not installed: pip install 'steerbo[interactive]'")
    optimizer = box()
    *expected, outcomes = interactive.expected(optimizer).data
    assert sum(len(each.x) for each in expected) == len(outcomes.y) == 8
    assert all(each.name.startswith("expected by hill at") for each in expected)
    assert len({each.marker.symbol for each in expected}) == len(expected)


def test_a_graph_has_its_nodes_by_role() -> None:
    pytest.importorskip("plotly", reason="plotly is not installed: pip install 'steerbo[interactive]'")
    optimizer = scopes()
    graph = optimizer.problem.graph  # type: ignore[attr-defined]
    shown = interactive.graph(optimizer)
    nodes = [each for each in shown.data if each.mode == "markers+text"]
    assert sorted(name for each in nodes for name in each.text) == sorted(graph.names)
    (target,) = [each for each in nodes if each.name == "target"]
    assert (list(target.text), target.marker.symbol) == ([graph.target], "diamond")


def test_shares_and_payoffs_of_agents() -> None:
    pytest.importorskip("plotly", reason="plotly is not installed: pip install 'steerbo[interactive]'")
    problem = meanfield.crowd(capacity={"c": 3})
    world = meanfield.case("mf-gp-ucb", problem)
    optimizer = world.play(world.start(), 6)
    bars = interactive.shares(optimizer).data
    assert sum(sum(each.x) for each in bars if each.type == "bar") == pytest.approx(1.0)
    (limit,) = [each for each in bars if each.name == "at most"]
    assert (list(limit.x), list(limit.y)) == ([pytest.approx(3 / problem.agents)], ["c"])
    traces = {each.name: each for each in interactive.payoffs(optimizer, "c").data}
    assert {"expected", "outcome", "recommended"} <= set(traces)
    assert len(traces["outcome"].x) == 6
    with pytest.raises(InvalidOption, match="action: 'z'"):
        interactive.payoffs(optimizer, "z")


def test_names_are_no_tags() -> None:
    pytest.importorskip("plotly", reason="plotly is not installed: pip install 'steerbo[interactive]'")
    name = "<a href=x>"
    optimizer = sb.Optimizer(sb.CostVarying([sb.Float(name, 0, 1)], [[name]], costs=[1.0]), seed=0)
    suggestion = optimizer.ask()
    assert suggestion is not None
    optimizer.tell(suggestion, 1.0)
    for shown in (interactive.rounds(optimizer), interactive.prices(optimizer)):
        assert name not in str(shown.to_dict())
        assert "&lt;a href=x&gt;" in str(shown.to_dict())


def test_every_picture_of_matplotlib_has_its_counterpart() -> None:
    pytest.importorskip("plotly", reason="plotly is not installed: pip install 'steerbo[interactive]'")
    held, graph = control_sets(), scopes()
    spent = interactive.spending(held, "EUR")
    paid = [r.charged for r in held.history]
    assert sum(each.y[-1] for each in spent.data) == pytest.approx(sum(paid))
    assert spent.layout.yaxis.title.text == "money spent (EUR)"
    outcomes = [each for each in interactive.plays(held).data if each.mode == "markers"]
    assert sum(len(each.x) for each in outcomes) == held.history.n_completed
    assert max(x for each in outcomes for x in each.x) == pytest.approx(sum(paid))
    assert sum(each.y[-1] for each in interactive.shares(graph).data) == pytest.approx(1.0)
    moving = box()
    (bars,) = interactive.weights(moving).data
    assert sum(bars.x) == pytest.approx(1.0)
    assert sum(len(each.x) for each in interactive.believed(moving).data) == len(moving.history)
    shades, best, plays = interactive.over_time(moving).data
    assert np.shape(shades.z) == (len(shades.y), len(shades.x))
    assert len(best.x) == len(shades.x)
    assert list(plays.marker.color) == [r.outcome.value for r in moving.history if r.outcome]
    crowd = meanfield.case("random")
    agents = interactive.tried(crowd.play(crowd.start(), 3)).data
    assert sum(np.array(each.y) for each in agents) == pytest.approx(np.ones(4))
