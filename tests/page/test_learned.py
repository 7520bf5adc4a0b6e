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


def clinic(dose: Any = None) -> Optimizer:
    graph = sb.CausalGraph.from_text("age -> dose -> y; age -> y", target="y", intervenable=["dose"])
    problem = sb.Causal(graph, [dose or sb.Float("dose", 0, 10), sb.Float("age", 20, 90, unit="years")])
    optimizer = sb.Optimizer(problem, seed=1)
    for k in range(12):
        suggestion = optimizer.ask()
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, {"age": 40.0 + k})
        amount = {"low": 3.0, "high": 6.0}.get(suggestion.values["dose"], suggestion.values["dose"])
        optimizer.tell(suggestion, 5 - 0.1 * (amount - 6) ** 2 + 0.01 * (-1) ** k)
    return optimizer


def test_the_best_of_a_policy_is_marked_where_it_would_be_set_and_what_was_seen_is_said() -> None:
    study = clinic()
    dose, age = (slice_along(study, study.recommend(), name) for name in ("dose", "age"))
    assert dose.chart is not None
    assert [mark.kind for mark in dose.chart.marks] == ["best"]
    assert dose.says.startswith("Expected y along dose, having seen age = 46 years.")
    assert age.chart is not None
    assert not age.chart.marks, "an age is not chosen"
    assert age.says.startswith("Expected y along age (years), the other setting as in the best.")
    choices = clinic(sb.Categorical("dose", ["low", "high"]))
    assert [level.best for level in slice_along(choices, choices.recommend(), "dose").levels] == [False, True]


def test_dots_are_of_rounds_that_looked_at_the_same() -> None:
    graph = sb.CausalGraph.from_text("c -> y; x -> y", target="y", intervenable=["x"])
    problem = sb.Causal(graph, [sb.Float("x", 0, 1), sb.Float("c", 0, 1)], prices={"x": 0.1, "c": 0.1}, base=1.0)
    optimizer = sb.Optimizer(problem, "cheap-first", seed=0)
    for k in range(10):
        suggestion = optimizer.ask()
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, {"c": 0.37 * k % 1})
        realised = {"x": 0.61 * k % 1, "c": 0.37 * k % 1, **suggestion.context, **suggestion.values}
        optimizer.tell(suggestion, -40 * (realised["x"] - realised["c"]) ** 2, realised=realised)
    advice, dots, hollow = optimizer.recommend(), {}, 0
    for each in (advice, *advice.alternatives):
        if each.scope.set == ("x",):
            chart = slice_along(optimizer, each, "x").chart
            assert chart is not None
            hollow += sum(dot.kind == "off" for dot in chart.dots)
            dots[len(each.scope.look)] = (
                sum(dot.kind == "dot" for dot in chart.dots),
                sum(r.suggestion.scope == each.scope for r in optimizer.history),
            )
    assert dots.keys() == {0, 1}, "with a look, and without"
    assert all(drawn == played for drawn, played in dots.values())
    assert dots[0] != dots[1]
    assert hollow, "those of the other"


def test_an_outcome_beyond_the_picture_is_counted() -> None:
    study = kiln()
    assert slice_along(study, study.recommend(), "heat").says.endswith("Dots: outcomes.")
    (last,) = study.history.pending
    with pytest.warns(sb.errors.OutOfRangeWarning):
        study.tell(last.suggestion, -300.0)
    drawn = slice_along(study, study.recommend(), "heat")
    assert drawn.says.endswith("Dots: outcomes; 1 outcome beyond this picture.")


def test_whole_numbers_have_no_decimals() -> None:
    optimizer = sb.Optimizer(sb.CostVarying([sb.Integer("n", 1, 9)], [["n"]]), seed=1)
    for _ in range(8):
        suggestion = optimizer.ask()
        optimizer.tell(suggestion, -float((suggestion.values["n"] - 3) ** 2))
    chart = slice_along(optimizer, optimizer.recommend(), "n").chart
    assert chart is not None
    assert "best at 3, where" in chart.text


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


def test_what_is_not_recommended_can_be_looked_at_too() -> None:
    problem = sb.CostVarying(
        [sb.Float("heat", 0, 1, law=sb.Uniform()), sb.Float("ph", 4, 8, law=sb.Uniform())], [["heat"], ["ph"]]
    )
    study = sb.Optimizer(problem, seed=1)
    for heat, ph in ((0.1, 5.0), (0.5, 7.0), (0.9, 6.0)):
        study.tell(study.attach({"heat": heat}), 1 - (heat - 0.5) ** 2, realised={"ph": ph})
    advice = study.recommend()
    other = "ph" if advice.scope.set == ("heat",) else "heat"
    assert {"heat", "ph"} == {*along(study, advice)}
    found = slice_along(study, advice, other)
    assert found.chart is not None
    assert f"holding {other}" in found.says


def test_a_slice_of_a_mixture_says_that_the_others_have_to_change() -> None:
    """Along one part, with all others where they are, nothing but the best adds up to 1."""
    parts = [sb.Float(name, 0, 1) for name in ("water", "salt", "oil")]
    whole = sb.LinearConstraint({"water": 1, "salt": 1, "oil": 1}, at_most=1, at_least=1)
    wide = sb.LinearConstraint({"heat": 1, "water": 10}, at_most=95)
    problem = sb.CostVarying(
        [*parts, sb.Float("heat", 0, 100)], [["water", "salt", "oil", "heat"]], limits=[whole, wide]
    )
    study = sb.Optimizer(problem, seed=0, rounds=20)
    for _ in range(12):
        suggestion = study.ask()
        x = suggestion.values
        study.tell(suggestion, -((x["water"] - 0.5) ** 2) - (x["oil"] - 0.2) ** 2 - (x["heat"] / 100 - 0.4) ** 2)
    told = "Most of it breaks a limit unless others change, too: oil + salt + water exactly 1."
    advice = study.recommend()
    assert told in slice_along(study, advice, "water").says
    assert "limit" not in slice_along(study, advice, "heat").says
