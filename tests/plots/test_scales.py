"""What is stated on a logarithmic scale is drawn on one by page and matplotlib; so are outcomes that span decades."""

from __future__ import annotations

from functools import cache

import pytest

import steerbo as sb
from steerbo import plots
from steerbo.page.learned import slice_along
from steerbo.page.view import progress

pytest.importorskip("matplotlib")


@cache
def reactor() -> sb.Optimizer:
    problem = sb.CostVarying(
        [sb.Float("rate", 1e-4, 1, scale="log"), sb.Float("flow", 1, 100, scale="log", law=sb.Uniform())],
        [["rate", "flow"]],
    )
    study = sb.Optimizer(problem, seed=1)
    for rate, flow, value in ((1e-3, 3.0, 0.02), (1e-2, 10.0, 5.0), (0.1, 30.0, 40.0)):
        study.tell(study.attach({"rate": rate, "flow": flow}), value)
    return study


def test_slices_of_both_engines_are_logarithmic() -> None:
    study = reactor()
    chart = slice_along(study, study.recommend(), "rate").chart
    assert chart is not None
    assert [text for _, text in chart.across] == ["0.0001", "0.001", "0.01", "0.1", "1"]
    assert [place for place, _ in chart.across] == ["0.00%", "25.00%", "50.00%", "75.00%", "100.00%"]
    assert {dot.x for dot in chart.dots} <= {"25.00%", "50.00%", "75.00%"}
    assert plots.known(study, variable="rate").get_xscale() == "log"
    plain = sb.Optimizer(sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]]), seed=1)
    plain.tell(plain.ask(), 1.0)
    assert plots.known(plain).get_xscale() == "linear"


def test_maps_and_settings_are_logarithmic() -> None:
    axes = plots.contour(reactor())
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    panels = plots.settings(reactor()).axes[:2]
    assert [axes.get_yscale() for axes in panels] == ["log", "log"]


def test_outcomes_that_span_decades_are_on_a_logarithmic_scale() -> None:
    study = reactor()
    chart = progress(study, None)
    assert chart is not None
    heights = [float(dot.y.removesuffix("%")) for dot in chart.dots]
    assert 25 < heights[1] < 35, "on a linear one it stands at 83"
    axes = plots.progress(study)
    assert axes.get_yscale() == "log"
    assert [text for _, text in chart.up] == ["0.1", "1", "10"]
    few = sb.Optimizer(sb.CostVarying([sb.Float("ph", 4, 8)], [["ph"]]), seed=1)
    few.tell(few.ask(), 1.0)
    few.tell(few.ask(), 30.0)
    assert plots.progress(few).get_yscale() == "linear"
