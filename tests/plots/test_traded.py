"""A trade-off drawn: two outcomes against each other, with bounds, the same by the page and by matplotlib."""

from __future__ import annotations

from functools import cache

import pytest

import steerbo as sb
from steerbo import plots
from steerbo.core import Explanation, Recommendation
from steerbo.errors import InvalidRequest
from steerbo.page.view import advice_card
from steerbo.plots.traded import traded_of

pytest.importorskip("matplotlib")


@cache
def oven() -> tuple[sb.Optimizer, Recommendation]:
    """Waste falls with the heat, energy rises; and a round that is worse in both."""
    problem = sb.CostVarying(
        [sb.Float("heat", 0, 1), sb.Float("flow", 0, 1, law=sb.Uniform())],
        [["heat"], ["heat", "flow"]],
        costs=[1, 2],
        minimize=True,
        outcomes={"energy": "minimize"},
    )
    study = sb.Optimizer(problem, seed=1)
    for k, heat in enumerate((0.0, 0.2, 0.4, 0.6, 0.8, 1.0)):
        waste = (1 - heat) ** 2 + 0.2 * (k % 2)
        study.add(waste, {"heat": heat, "flow": 0.5 * (k % 2), "energy": heat**2})
    study.add(1.4, {"heat": 0.5, "flow": 1.0, "energy": 0.9})
    return study, study.recommend()


def test_plays_and_outcomes_have_their_places() -> None:
    study, advice = oven()
    found = traded_of(study, advice, "energy")
    assert [play.advice for play in found.plays] == [advice, *advice.alternatives]
    assert [play.chosen for play in found.plays] == [True] + [False] * len(advice.alternatives)
    first = advice.outcomes["energy"]
    assert found.plays[0].across == (first.mean, first.lower, first.upper)
    assert found.plays[0].up == (advice.mean, advice.lower, advice.upper)
    assert (len(found.told), found.told[-1]) == (7, (0.9, 1.4))
    (left, right), (low, high) = found.across, found.up
    assert all(left < x < right and low < y < high for x, y in found.told)


def test_the_page_and_matplotlib_draw_the_same() -> None:
    study, advice = oven()
    (chart,) = advice_card(study, advice, Explanation("")).traded
    axes = plots.tradeoff(study, value="waste (kg)")
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()

    def place(x: float, y: float) -> list[float]:
        return [100 * (x - left) / (right - left), 100 * (high - y) / (high - low)]

    def percent(*places: str) -> list[float]:
        return [float(each.removesuffix("%")) for each in places]

    assert len(chart.points) == len(axes.containers) > 2
    for point, bars in zip(chart.points, axes.containers, strict=True):
        assert percent(point.x, point.y) == pytest.approx(place(*bars.lines[0].get_xydata()[0]), abs=0.01)
        aside, upright = (segments.get_segments()[0] for segments in bars.lines[2])
        ends = [place(*aside[0])[0], place(*aside[1])[0], place(*upright[1])[1], place(*upright[0])[1]]
        assert percent(point.left, point.right, point.top, point.bottom) == pytest.approx(ends, abs=0.01)
    lines = {line.get_label(): line for line in axes.get_lines()}
    (ring,) = [point for point in chart.points if point.chosen]
    assert percent(ring.x, ring.y) == pytest.approx(place(*lines["recommended"].get_xydata()[0]), abs=0.01)
    dots = [percent(dot.x, dot.y) for dot in chart.dots]
    assert dots == [pytest.approx(place(x, y), abs=0.01) for x, y in lines["one round"].get_xydata()]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("expected energy", "expected waste (kg)")


def test_before_any_outcome_there_is_no_picture_and_an_unknown_outcome_is_refused() -> None:
    study, _ = oven()
    new = sb.Optimizer(study.problem, seed=1)
    assert advice_card(new, new.recommend(), Explanation("")).traded == ()
    assert not plots.tradeoff(new).containers
    with pytest.raises(InvalidRequest, match="did you mean 'energy'"):
        plots.tradeoff(study, "enrgy")
    alone = sb.Optimizer(sb.CostVarying([sb.Float("heat", 0, 1)], [["heat"]]))
    with pytest.raises(InvalidRequest, match=r"outcome: .*several outcomes"):
        plots.tradeoff(alone)
