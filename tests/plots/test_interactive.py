"""Pictures to hover over say what the study says; names of users are texts there, and no tags."""

from __future__ import annotations

import sys

import pytest

import steerbo as sb
from steerbo.errors import InvalidProblem, MissingExtra
from steerbo.plots import interactive
from tests.interop.examples import box, control_sets
from tests.meanfield import worlds as meanfield


def test_without_plotly_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    with pytest.raises(MissingExtra, match=r"steerbo\[interactive\]"):
        interactive.rounds(control_sets())


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


def test_control_sets_are_the_recommendation() -> None:
    pytest.importorskip("plotly", reason="plotly is not installed: pip install 'steerbo[interactive]'")
    optimizer = control_sets()
    advice = optimizer.recommend()
    shown = interactive.control_sets(optimizer)
    assert sorted(float(each.y[0]) for each in shown.data) == pytest.approx(
        sorted(choice.mean or 0.0 for choice in (advice, *advice.alternatives))
    )
    (recommended,) = [each for each in shown.data if each.name.endswith("(recommended)")]
    assert recommended.y[0] == advice.mean
    assert recommended.error_y.array[0] == pytest.approx((advice.upper or 0.0) - (advice.mean or 0.0))
    with pytest.raises(InvalidProblem, match="CostVarying"):
        interactive.control_sets(box())


def test_priors_are_named() -> None:
    pytest.importorskip("plotly", reason="plotly is not installed: pip install 'steerbo[interactive]'")
    optimizer = box()
    *expected, outcomes = interactive.priors(optimizer).data
    assert sum(len(each.x) for each in expected) == len(outcomes.y) == 8
    assert all(each.name.startswith("expected by hill at") for each in expected)


def test_names_are_no_tags() -> None:
    pytest.importorskip("plotly", reason="plotly is not installed: pip install 'steerbo[interactive]'")
    name = "<a href=x>"
    optimizer = sb.Optimizer(sb.CostVarying([sb.Float(name, 0, 1)], [[name]], costs=[1.0]), seed=0)
    suggestion = optimizer.ask()
    assert suggestion is not None
    optimizer.tell(suggestion, 1.0)
    for shown in (interactive.rounds(optimizer), interactive.control_sets(optimizer)):
        assert name not in str(shown.to_dict())
        assert "&lt;a href=x&gt;" in str(shown.to_dict())
