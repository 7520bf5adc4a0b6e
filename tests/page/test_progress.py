"""How far it has come, drawn: what a line means where the optimum stays, and where it moves."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo import plots
from steerbo.core import _past_answers, past_answers
from steerbo.page.charts import Chart, thinned
from steerbo.page.view import progress
from steerbo.plots.rounds import progress_of
from steerbo.study import MemoryLog, Study


def played(values: list[float], times: list[float] | None = None, **problem: Any) -> Chart:
    study = Study.create(MemoryLog(), sb.CostVarying([sb.Float("x", 0, 1)], [["x"]], **problem), "random", rounds=99)
    for k, value in enumerate(values):
        asked: Any = {"time": times[k]} if times else {}
        study.tell(study.ask(**asked), value)
    found = progress(study, None)
    assert found is not None
    return found


def heights(found: Chart) -> list[float]:
    return [float(point.split(",")[1]) for point in found.line.split()]


def told(n: int, **problem: Any) -> Study:
    """A study of a hill, with a model."""
    study = Study.create(MemoryLog(), sb.CostVarying([sb.Float("x", 0, 1)], [["x"]], **problem), rounds=99, seed=1)
    for k in range(n):
        asked = study.ask()
        study.tell(asked, 5.0 - 4.0 * (asked.values["x"] - 0.4) ** 2 + 0.01 * (k % 3), cost=2.0)
    return study


def test_the_line_is_what_was_expected_of_the_recommendations() -> None:
    """Not the best single outcome so far, which is the luckiest of them."""
    study = told(7)
    past, now = past_answers(study), study.recommend()
    assert [(each.rounds, each.spent) for each in past] == [(4, 8.0), (6, 12.0)]
    found = progress_of(study)
    assert found.reached == (
        *((each.spent, each.mean, each.lower, each.upper) for each in past),
        (14.0, now.mean, now.lower, now.upper),
    )


def test_an_answer_of_the_past_is_the_one_that_was_given_then() -> None:
    study = told(4)
    then = study.recommend()
    for _ in range(3):
        study.tell(study.ask(), 5.0, cost=2.0)
    first = past_answers(study)[0]
    assert (first.mean, first.lower, first.upper) == (then.mean, then.lower, then.upper)


def test_answers_of_long_studies_need_no_fit_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """They wait for the next fit of the log, and are what was recommended by it; rounds of one's own have none."""
    monkeypatch.setattr(_past_answers, "_LEARNED_ANEW", 0)
    study = told(5)
    study.tell(study.ask(), 5.0, cost=2.0)
    for k in range(4):
        study.tell(study.attach({"x": 0.2 * k}), 4.0, cost=2.0)
    found = past_answers(study)
    assert [each.rounds for each in found] == [4, 10], "the second one is today's"
    assert found[0].mean == told(4).recommend().mean
    study.tell(study.ask(), 5.0, cost=2.0)
    assert [each.rounds for each in past_answers(study)] == [4, 10]


@pytest.mark.parametrize("minimize", [False, True])
def test_the_page_and_matplotlib_draw_the_same(minimize: bool) -> None:
    pytest.importorskip("matplotlib")
    study = told(7, minimize=minimize)
    found, axes = progress(study, None), plots.progress(study)
    assert found is not None
    (low, high), (left, right) = axes.get_ylim(), (0.0, 14.0)
    outcomes, line = axes.get_lines()
    mapped = [
        ((x - left) / (right - left) * 100, (high - y) / (high - low) * 100)
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    ]
    assert np.allclose([[float(x) for x in point.split(",")] for point in found.line.split()], mapped, atol=0.01)
    dots = [(float(dot.x[:-1]), float(dot.y[:-1])) for dot in found.dots]
    theirs = [
        ((x - left) / (right - left) * 100, (high - y) / (high - low) * 100)
        for x, y in zip(outcomes.get_xdata(), outcomes.get_ydata(), strict=True)
    ]
    assert np.allclose(dots, theirs, atol=0.01)
    (band,) = axes.collections
    mine = {tuple(map(float, point.split(","))) for point in found.band.split()}
    for x, y in band.get_paths()[0].vertices:
        place = ((x - left) / (right - left) * 100, (high - y) / (high - low) * 100)
        assert min(np.hypot(*np.subtract(place, each)) for each in mine) < 0.02
    assert found.says.startswith("Line: expected of what was recommended")
    assert line.get_label() == "expected of what was recommended"


def test_where_nothing_is_expected_there_is_no_line() -> None:
    found = played([1.0, 5.0, 3.0, 0.0])
    assert (found.line, found.band, found.says) == ("", "", "Dots: every outcome.")
    assert found.up == tuple((f"{100 - 20 * k}.00%", str(k)) for k in range(6))
    assert (found.across[0], found.across[-1], found.along) == (("0.00%", "0"), ("100.00%", "4"), "rounds")


def test_an_answer_of_the_past_is_of_the_bounds_of_that_time() -> None:
    optimizer = sb.Optimizer(sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), seed=1)
    for k in range(4):
        optimizer.tell(optimizer.ask(), float(k))
    then = optimizer.recommend()
    optimizer.extend({"x": (0.0, 2.0)})
    assert [each.mean for each in past_answers(optimizer)] == [then.mean]


def test_where_the_optimum_moves_the_line_is_what_is_reached_by_now() -> None:
    found = played([100.0] * 10 + [0.0] * 10, drift=sb.Decay(0.1))
    line = heights(found)
    assert line[:10] == [0.0] * 10
    assert line[-1] == pytest.approx(100.0), "what was reached once is over"
    assert line == sorted(line)
    assert found.along == "time"
    assert "mean of the last 10" in found.says


def test_along_the_time_that_was_said() -> None:
    found = played([1.0, 2.0, 3.0], times=[10.0, 14.0, 20.0], drift=sb.Decay(0.1))
    assert (found.across[0], found.across[-1]) == (("0.00%", "10"), ("100.00%", "20"))
    assert [dot.x for dot in found.dots] == ["0.00%", "40.00%", "100.00%"]


def test_money_is_counted_where_there_is_any() -> None:
    study = Study.create(MemoryLog(), sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), "random", budget=99.0)
    assert progress(study) is None, "nothing is observed yet"
    for cost in (1.0, 3.0):
        study.tell(study.ask(), 2.0, cost=cost)
    study.fail(study.ask(), "it broke", cost=4.0)
    found = progress(study)
    assert found is not None
    assert (found.along, found.across[-1], len(found.dots)) == ("money spent", ("100.00%", "4"), 2)
    assert {dot.y for dot in found.dots} == {"50.00%"}, "outcomes that are all alike are in the middle"


def test_of_very_many_outcomes_some_are_drawn_and_the_last() -> None:
    found = played([float(k) for k in range(99)])
    assert len(found.dots) == 99
    some = thinned(found.dots, most=10)
    assert (len(some), some[-1]) == (10, found.dots[-1])


def test_data_that_are_probably_wrong_are_not_drawn_and_not_named() -> None:
    study = Study.create(MemoryLog(), sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), rounds=40)
    for k in range(20):
        outcome = 8 - 5 * (k / 20 - 0.4) ** 2
        with warnings.catch_warnings(action="ignore"):
            study.add(outcome * 10 if k == 9 else outcome, {"x": k / 20})
    study.tell(study.ask(), 7.5)
    assert study.doubted == {"added-10"}
    found = progress(study)
    assert found is not None
    assert found.says.startswith("Dots: every outcome.")
