"""How far it has come, drawn: what a line means where the optimum stays, and where it moves."""

from __future__ import annotations

from typing import Any

import pytest

import steerbo as sb
from steerbo.page.pictures import Chart, thinned
from steerbo.page.view import progress
from steerbo.study import MemoryLog, Study


def played(values: list[float], times: list[float] | None = None, **problem: Any) -> Chart:
    study = Study.create(MemoryLog(), sb.CostVarying([sb.Float("x", 0, 1)], [["x"]], **problem), "random", rounds=99)
    for k, value in enumerate(values):
        asked: Any = {"time": times[k]} if times else {}
        study.tell(study.ask(**asked), value)
    found = progress(study)
    assert found is not None
    return found


def heights(found: Chart) -> list[float]:
    return [float(point.split(",")[1]) for point in found.line.split()]


def test_where_nothing_moves_the_line_is_the_best_so_far() -> None:
    found = played([1.0, 5.0, 3.0, 0.0])
    assert found.up == tuple((f"{100 - 20 * k}.00%", str(k)) for k in range(6))
    assert (found.across, found.along) == (
        (("0.00%", "0"), ("25.00%", "1"), ("50.00%", "2"), ("75.00%", "3"), ("100.00%", "4")),
        "rounds",
    )
    assert heights(found) == [80.0, 80.0, 0.0, 0.0], "a corner where the best changes"
    assert found.says == "Line: the best so far. Dots: every outcome."
    assert found.text == "Best single outcome: round 2."


def test_an_outcome_that_is_probably_wrong_is_never_the_best() -> None:
    study = Study.create(MemoryLog(), sb.CostVarying([sb.Float("x", 0, 1)], [["x"]]), rounds=99, seed=1)
    for k in range(20):
        asked = study.ask()
        x = asked.values["x"]
        study.tell(asked, 60.0 if k == 12 else 5.0 - 4.0 * (x - 0.4) ** 2 + 0.01 * (k % 3))
    assert study.doubted == {[r.suggestion.token for r in study.history][12]}
    found = progress(study)
    assert found is not None
    assert found.says == "Line: the best so far, without what is probably wrong. Dots: every outcome."
    assert min(heights(found)) > 80.0, "60 is at the top, and all others are near the bottom"
    assert found.text != "Best single outcome: round 13."


def test_where_smaller_is_better_it_falls() -> None:
    assert heights(played([1.0, 5.0, 0.0], minimize=True)) == [80.0, 80.0, 100.0, 100.0]


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
    assert heights(found) == [50.0] * 2, "outcomes that are all alike are in the middle"


def test_of_very_many_outcomes_some_are_drawn_and_the_last() -> None:
    found = played([float(k) for k in range(99)])
    assert len(found.dots) == 99
    some = thinned(found.dots, most=10)
    assert (len(some), some[-1]) == (10, found.dots[-1])
