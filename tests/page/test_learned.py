"""What was learned along each variable."""

from __future__ import annotations

import re
from typing import Any

import pytest

import steerbo as sb
from steerbo.core import Optimizer
from steerbo.page.learned import along, slice_along
from steerbo.plots.model import slices_of
from tests.serve.players import KINDS
from tests.torture.kills import WINGS


def kiln(minimize: bool = False) -> Optimizer:
    variables: list[Any] = [
        sb.Float("heat", 1000, 1280, unit="°C"),
        sb.Categorical("line", ["old", "new"]),
    ]
    optimizer = sb.Optimizer(sb.CostVarying(variables, [["heat", "line"]], minimize=minimize), "cheap-first", seed=1)
    for _ in range(12):
        suggestion = optimizer.ask()
        heat = (suggestion.values["heat"] - 1130) / 70
        better = 7.0 - heat**2 + (suggestion.values["line"] == "new")
        optimizer.tell(suggestion, -better if minimize else better)
    optimizer.ask()
    return optimizer


@pytest.mark.parametrize("minimize", [False, True])
def test_a_slice_goes_through_the_best(minimize: bool) -> None:
    study = kiln(minimize)
    advice = study.recommend()
    assert along(study, advice) == ("heat", "line")
    heat = slice_along(study, advice, "heat")
    assert heat.chart is not None
    assert {mark.kind for mark in heat.chart.marks} == {"next", "best"}
    assert heat.chart.band
    assert heat.chart.dots
    assert heat.chart.along == "heat (°C)"
    (best,) = [mark for mark in heat.chart.marks if mark.kind == "best"]
    there = float(best.x.rstrip("%"))
    line = [tuple(map(float, point.split(","))) for point in heat.chart.line.split()]
    top = (max if minimize else min)(line, key=lambda point: point[1])
    assert abs(top[0] - there) < 8, "the best is where the line says so"
    assert "best at 11" in heat.chart.text


def test_a_band_is_as_wide_as_the_bounds_of_answers() -> None:
    """It was that of the model, narrower than the bounds that were printed beside it."""
    study = kiln()
    advice, chart = study.recommend(), slice_along(study, study.recommend(), "heat").chart
    assert chart is not None
    said = re.search(r"([\d.]+) is expected, ([\d.]+) to ([\d.]+)\.", chart.text)
    assert said is not None
    mean, lower, upper = map(float, said.groups())
    assert advice.lower is not None
    assert advice.upper is not None
    found = slices_of(study, advice=advice).of("heat")
    there = int(found.mean.argmax())
    assert upper - lower == pytest.approx(2 * found.width[there], rel=0.05), "as in the picture"
    assert upper - lower > 0.75 * (advice.upper - advice.lower), "whose bounds are quantiles of a mixture"
    assert mean == pytest.approx(advice.mean, abs=0.05)


def test_choices_are_rows() -> None:
    study = kiln()
    found = slice_along(study, study.recommend(), "line")
    assert found.chart is None
    assert [(level.name, level.best) for level in found.levels] == [("old", False), ("new", True)]


@pytest.mark.filterwarnings("ignore:.*not even the noise:UserWarning")
@pytest.mark.parametrize("wing", KINDS)
def test_every_kind_says_what_it_can(wing: str) -> None:
    case, _ = WINGS[wing]
    study = case.start(rounds=9)
    assert along(study, study.recommend()) == (), "nothing is learned yet"
    case.play(study, 5)
    advice = study.recommend()
    for name in along(study, advice):
        assert slice_along(study, advice, name).says
    with pytest.raises((KeyError, sb.errors.SteerboError)):
        slice_along(study, advice, "no such variable")
