"""Settings that follow what is seen: over time, by what is seen, and as dose curves, the same in every drawing."""

from __future__ import annotations

import math
import random
from functools import cache

import numpy as np
import pytest

import steerbo as sb
from steerbo import plots
from steerbo.core import Recommendation
from steerbo.errors import InvalidOption
from steerbo.page.charts import Chart
from steerbo.page.drawings import policy_charts
from steerbo.page.learned import learned, tabs_of
from steerbo.plots.policies import followed, policies_of, policy_of, response_of, settings_of

pytest.importorskip("matplotlib")


@cache
def building() -> tuple[sb.Optimizer, Recommendation]:
    """The colder it is, the more to heat; above 10 °C heating is not worth its price."""
    problem = sb.CostVarying(
        [
            sb.Float("heating", 0, 30, law=sb.Uniform(), unit="kW"),
            sb.Float("air", 0, 1, law=sb.Uniform()),
            sb.Float("outdoors", -10, 20, seen=True, unit="°C"),
        ],
        [["air"], ["heating", "air"]],
        costs=[1, 2],
        tolerance=sb.Absolute(1.5),
    )
    study, chance = sb.Optimizer(problem, seed=1), random.Random(1)
    for k in range(14):
        cold = chance.uniform(-10, 20)
        suggestion = study.attach(
            {"heating": chance.uniform(0, 30), "air": 0.5} if k % 2 else {"air": chance.random()},
            context={"outdoors": cold},
        )
        row = {"heating": chance.uniform(0, 30), "air": 0.5, **suggestion.values, "outdoors": cold}
        value = 10 - ((row["heating"] - 20 + cold) / 10) ** 2 - (row["air"] - 0.5) ** 2
        study.tell(suggestion, value, realised=row)
    study.attach({"heating": 12.0, "air": 0.4}, context={"outdoors": 3.0})
    return study, study.recommend()


@cache
def clinic() -> tuple[sb.Optimizer, Recommendation]:
    graph = sb.CausalGraph.from_text("age -> dose -> y; age -> y", target="y", intervenable=["dose"])
    problem = sb.Causal(graph, [sb.Float("dose", 0, 1, unit="mg"), sb.Float("age", 20, 90)])
    study, chance = sb.Optimizer(problem, seed=0), random.Random(0)
    for _ in range(10):
        suggestion, age = study.ask(), chance.uniform(20, 90)
        if suggestion.observe:
            suggestion = study.decide(suggestion, {"age": age})
        dose = suggestion.values.get("dose", chance.random())
        study.tell(suggestion, 1 - (dose - age / 100) ** 2)
    return study, study.recommend()


def values_at(chart: Chart, xs: list[float], ys: list[float]) -> np.ndarray:
    """Values of places in a chart, (n, 2), by its ticks."""

    def read(ticks: tuple[tuple[str, str], ...], places: list[float]) -> np.ndarray:
        (first, low), *_, (last, high) = ticks
        a, b = float(first.rstrip("%")), float(last.rstrip("%"))
        return float(low) + (np.array(places) - a) / (b - a) * (float(high) - float(low))

    return np.stack([read(chart.across, xs), read(chart.up, ys)], axis=1)


def dots_of(chart: Chart) -> np.ndarray:
    places = [(float(dot.x.rstrip("%")), float(dot.y.rstrip("%"))) for dot in chart.dots]
    return values_at(chart, *map(list, zip(*places, strict=True)))


def line_of(chart: Chart, points: str) -> np.ndarray:
    pairs = [tuple(map(float, pair.split(","))) for pair in points.split()]
    return values_at(chart, [x for x, _ in pairs], [y for _, y in pairs])


def near(ours: np.ndarray, theirs: np.ndarray, chart: Chart) -> bool:
    """Whether values are alike to a thousandth of what the axes span: places have two decimals."""
    span = np.array([float(ticks[-1][1]) - float(ticks[0][1]) for ticks in (chart.across, chart.up)])
    return bool(np.all(np.abs(np.asarray(ours) - np.asarray(theirs, dtype=float)) <= 1e-3 * span))


def test_page_and_matplotlib_draw_the_same_settings_and_policy() -> None:
    study, advice = building()
    (pair,) = (each for each in followed(study, advice) if each.setting == "heating")
    past, policy, _ = policy_charts(study, advice, pair)
    shown = plots.settings(study, seen="outdoors")
    names = [axes.get_ylabel() for axes in shown.axes]
    k = names.index("heating (kW)")
    left, right = shown.axes[k], shown.axes[k + 1]
    assert near(dots_of(past), left.collections[0].get_offsets(), past)
    assert near(dots_of(policy), right.collections[0].get_offsets(), policy)
    drawn = right.lines[0].get_xydata()
    drawn = drawn[np.isfinite(drawn[:, 1])]
    assert near(np.concatenate([line_of(policy, each.line) for each in policy.curves]), drawn, policy)
    assert past.marks[0].text == "next 12 kW"


def test_page_and_matplotlib_draw_the_same_dose_curves() -> None:
    study, advice = clinic()
    (pair,) = followed(study, advice)
    *_, chart = policy_charts(study, advice, pair)
    axes = plots.response(study, setting="dose", seen="age")
    lines, marks = axes.lines[0:-1:2], axes.lines[1:-1:2]
    assert len(lines) == len(chart.curves) == 3
    for each, point, line, mark in zip(chart.curves, chart.points, lines, marks, strict=True):
        assert near(line_of(chart, each.line), line.get_xydata(), chart)
        place = [float(text.rstrip("%")) for text in (point.x, point.y)]
        assert near(values_at(chart, place[:1], place[1:]), mark.get_xydata(), chart)
        assert line.get_label() == each.name
    band = axes.collections[0].get_paths()[0].vertices
    ours = line_of(chart, chart.curves[0].band)
    assert near(ours.min(axis=0), band.min(axis=0), chart)
    assert near(ours.max(axis=0), band.max(axis=0), chart)


def test_the_line_is_what_the_policy_says_with_a_gap_where_it_is_not_set() -> None:
    study, advice = building()
    (pair,) = (each for each in followed(study, advice) if each.setting == "heating")
    found = policy_of(study, pair)
    for at, value in zip(found.at, found.values, strict=True):
        said = study.policy({"outdoors": float(at)}).values.get("heating", math.nan)
        assert value == said or (math.isnan(value) and math.isnan(said))
    assert np.isnan(found.values).any()
    assert np.isfinite(found.values).any()
    assert [each.names.setting for each in policies_of(study, followed(study, advice))] == ["air", "heating"]


def test_marks_of_dose_curves_stand_on_them_where_the_policy_is() -> None:
    study, advice = clinic()
    (pair,) = followed(study, advice)
    policy = policy_of(study, pair)
    for curve in response_of(study, policy).curves:
        step = study.policy({"age": curve.seen})
        assert curve.chosen == step.values["dose"]
        assert curve.height == pytest.approx(step.mean, abs=0.05)
        assert curve.seen in policy.at, "where the policy was asked"


def test_settings_over_time_have_all_plays_and_what_is_out() -> None:
    study, advice = building()
    found = settings_of(study, advice, "heating")
    assert [each.number for each in found.plays] == [2, 4, 6, 8, 10, 12, 14]
    assert [each.value for each in found.suggested] == [12.0]
    assert found.best is None, "it hangs on what is seen"


def test_there_is_a_tab_for_each_pair_and_none_where_nothing_is_seen() -> None:
    study, advice = clinic()
    tabs = [tab for tab in tabs_of(study, advice) if tab.draw == "policy"]
    assert [tab.label for tab in tabs] == ["dose by age"]
    found = learned(study, advice, "policy", "dose by age").slice
    assert found is not None
    assert len(found.beside) == 3
    plain = sb.Optimizer(sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), seed=1)
    plain.tell(plain.ask(), 1.0)
    assert followed(plain, plain.recommend()) == ()
    with pytest.raises(InvalidOption, match="No number is set by a number that is seen"):
        plots.response(plain)


def test_what_is_not_seen_is_refused_by_name() -> None:
    study, _ = building()
    with pytest.raises(InvalidOption, match="outdoors"):
        plots.settings(study, seen="outdoor")
