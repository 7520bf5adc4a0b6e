"""Which to hold: what each scope is expected to give, against what a round of it costs."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Recommendation, Scope, good_enough
from steerbo.page.charts import Chart
from steerbo.page.view import sets
from steerbo.plots import costvarying
from steerbo.plots.choices import Choices, choices_of, draw_prices, steps

LAW = sb.Uniform()
VARIABLES = [sb.Float("t", 0, 1, law=LAW), sb.Float("u", 0, 1, law=LAW)]
PROBLEM = sb.CostVarying(VARIABLES, [["t"], ["u"], ["t", "u"]], tolerance=sb.Absolute(0.5))
T, U, BOTH = PROBLEM.scopes


def choice(scope: Scope, mean: float | None, cost: float | None, **more: Any) -> Recommendation:
    return Recommendation(scope, {}, mean=mean, cost=cost, **more)


def compared(advice: Recommendation, problem: Any = PROBLEM) -> Choices:
    return choices_of(sb.Optimizer(problem), advice)


ADVICE = choice(
    BOTH,
    2.4,
    4.0,
    lower=1.5,
    upper=2.75,
    works=0.5,
    reasons=(good_enough(2.1, False, ["t + u"]),),
    alternatives=(choice(T, 2.0, 1.0), choice(U, 2.2, 1.0), choice(U, None, 2.0), choice(U, 0.5, None)),
)


def test_the_cheapest_come_first_and_of_equal_ones_the_better() -> None:
    found = compared(ADVICE)
    assert [(row.name, row.advice.cost, row.chosen) for row in found.rows] == [
        ("u", 1.0, False), ("t", 1.0, False), ("u", 2.0, False), ("t + u", 4.0, True), ("u", None, False)
    ]  # fmt: skip
    assert [row.name for row in found.drawn] == ["u", "t", "t + u"], "what has no cost, or no value, has no place"
    assert (found.least, found.rows[3].works) == (2.1, "50 %")
    u, t, both = (float(row.at or 0.0) for row in found.drawn)
    assert 1.0 - u == pytest.approx(t - 1.0)
    assert u < t, "side by side where they cost the same"
    assert both == 4.0
    worse = sb.CostVarying(VARIABLES, PROBLEM.control_sets, minimize=True)
    assert [row.name for row in compared(ADVICE, worse).drawn] == ["t", "u", "t + u"]


@pytest.mark.parametrize(("minimize", "front"), [(False, ["a", "b", "d"]), (True, ["a", "c"])])
def test_what_is_dearer_and_no_better_is_not_on_the_frontier(minimize: bool, front: list[str]) -> None:
    problem = sb.CostVarying([sb.Float(name, 0, 1, law=LAW) for name in "abcd"], [[*"a"], [*"b"], [*"c"], [*"d"]],
                             minimize=minimize)  # fmt: skip
    a, b, c, d = (
        choice(scope, mean, cost)
        for scope, mean, cost in zip(problem.scopes, (1.0, 3.0, -2.0, 4.0), (1.0, 2.0, 3.0, 4.0), strict=True)
    )
    found = compared(sb.core.Recommendation(a.scope, {}, mean=1.0, cost=1.0, alternatives=(b, c, d)), problem)
    names = {(row.at, row.ends[0]): row.name for row in found.drawn}
    assert [names[place] for place in found.frontier] == front
    corners = steps(found)
    assert all(x == x2 or y == y2 for (x, y), (x2, y2) in pairwise(corners)), "steps go along and up"
    assert corners[-1][0] == found.across[1], "as far as the edge"


def test_of_very_many_a_dozen_are_named_the_recommended_one_and_the_frontier_among_them() -> None:
    many = [[f"x{k}"] for k in range(40)]
    problem = sb.CostVarying([sb.Float(name, 0, 1, law=LAW) for (name,) in many], many)
    others = [choice(scope, float(k), 1.0 + (k % 3)) for k, scope in enumerate(problem.scopes)]
    advice = sb.core.Recommendation(others[0].scope, {}, mean=0.0, cost=1.0, alternatives=tuple(others[1:]))
    found = compared(advice, problem)
    named = {row.name for row in found.rows if row.named}
    assert (len(named), len(found.drawn)) == (12, 40)
    assert {"x0", "x39", "x37", "x38"} <= named, "39 is the best of the cheapest"
    at = sorted(float(row.at or 0.0) for row in found.drawn if row.named)
    assert min(np.diff(at)) > 0, "no two lie on one another"
    nearest = [min((1.0, 2.0, 3.0), key=lambda cost: abs(cost - float(row.at or 0.0))) for row in found.drawn]
    assert nearest == [row.advice.cost for row in found.drawn], "each is nearest to its own cost"


def test_without_any_cost_they_stand_in_their_order() -> None:
    found = compared(choice(T, 2.0, None, alternatives=(choice(U, 1.0, None),)))
    assert [(row.name, row.at) for row in found.drawn] == [("t", 1.0), ("u", 2.0)]
    assert (found.priced, found.frontier) == (False, ())


def test_no_name_is_left_out_of_the_legend_however_long() -> None:
    pytest.importorskip("matplotlib")
    sets_ = [[f"temperature of oven {k}", f"moisture of oven {k}"] for k in range(12)]
    problem = sb.CostVarying([sb.Float(name, 0, 1, law=LAW) for both in sets_ for name in both], sets_)
    first, *others = (choice(scope, float(k), 1.0 + k) for k, scope in enumerate(problem.scopes))
    advice = sb.core.Recommendation(first.scope, {}, mean=0.0, cost=1.0, alternatives=tuple(others))
    axes = draw_prices(sb.Optimizer(problem), advice)
    (legend,) = axes.figure.legends
    assert {" ".join(text.get_text().split()) for text in legend.get_texts()} >= {str(s) for s in problem.scopes}


def failing(minimize: bool) -> sb.Optimizer:
    """A study of three sets, some of whose rounds break."""
    problem = sb.CostVarying(
        VARIABLES, PROBLEM.control_sets, costs=[1, 1, 3], tolerance=sb.Absolute(0.3), minimize=minimize
    )
    optimizer, nature = sb.Optimizer(problem, seed=3), np.random.default_rng(3)
    for _ in range(9):
        asked = optimizer.ask()
        x = {"t": nature.uniform(), "u": nature.uniform(), **asked.values}
        if x["t"] > 0.7:
            optimizer.fail(asked, realised=x)
        else:
            optimizer.tell(asked, x["t"] + 2 * x["u"], realised=x)
    return optimizer


@pytest.mark.parametrize("minimize", [False, True])
def test_the_page_and_matplotlib_draw_the_same(minimize: bool) -> None:
    pytest.importorskip("matplotlib")
    optimizer = failing(minimize)
    advice = optimizer.recommend()
    page, axes = sets(optimizer, advice), costvarying.prices(optimizer)
    assert isinstance(page.chart, Chart)

    def place(x: float, y: float) -> tuple[float, float]:
        (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
        return 100 * (x - left) / (right - left), 100 * (high - y) / (high - low)

    def percent(*places: str) -> list[float]:
        return [float(each.removesuffix("%")) for each in places]

    assert len(page.chart.points) == len(axes.containers) == 3
    for point, bars in zip(page.chart.points, axes.containers, strict=True):
        (x,), (y,) = bars.lines[0].get_data()
        assert percent(point.x, point.y) == pytest.approx(place(x, y), abs=0.01)
        ((_, low), (_, high)) = bars.lines[2][0].get_segments()[0]
        assert percent(point.top, point.bottom) == pytest.approx([place(x, high)[1], place(x, low)[1]], abs=0.01)
        assert point.text.startswith(f"{bars.get_label()}: ")
    lines = {line.get_label(): line for line in axes.get_lines()}
    (ring,) = [point for point in page.chart.points if point.chosen]
    circle = lines["recommended"]
    assert percent(ring.x, ring.y) == pytest.approx(place(*circle.get_xydata()[0]), abs=0.01)
    dashed = [place(*corner) for corner in lines["nothing cheaper is expected to be better"].get_xydata()]
    mine = [percent(*corner.split(",")) for corner in page.chart.frontier.split()]
    assert np.allclose(mine, dashed, atol=0.01)
    (region,) = [patch for patch in axes.patches if patch.get_label() == "good enough"]
    (_, low), (_, high) = region.get_extents().transformed(axes.transData.inverted()).get_points()
    good = page.chart.good
    assert good is not None
    assert percent(good.y, good.height) == pytest.approx(
        [place(0, high)[1], place(0, low)[1] - place(0, high)[1]], abs=0.01
    )


def test_every_answer_says_how_often_it_works_where_some_have_failed() -> None:
    optimizer = failing(minimize=False)
    advice = optimizer.recommend()
    everyone = (advice, *advice.alternatives)
    assert all(0.0 < float(each.works or 0.0) < 1.0 for each in everyone)
    page = sets(optimizer, advice)
    assert page.broken
    by_name = {str(each.scope): each.works for each in everyone}
    assert {row.name: row.works for row in page.rows} == {
        name: f"{100 * float(works or 0.0):.0f} %" for name, works in by_name.items()
    }
    never = sb.Optimizer(PROBLEM, seed=3)
    never.tell(never.ask(), 1.0, realised={"t": 0.5, "u": 0.5})
    assert never.recommend().works is None
    assert not sets(never, never.recommend()).broken
