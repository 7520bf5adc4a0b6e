"""Digits in which settings are written: what is written keeps what the settings keep."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

import pytest

import steerbo as sb
from steerbo.study.files.export import suggestions_csv

FLOW = sb.Float("flow", 0, 5000, unit="l/h")
DRIFTING = sb.TimeVarying([FLOW])


def written(optimizer: sb.Optimizer, suggestion: sb.Suggestion) -> dict[str, float]:
    """Settings as they are printed, which a table to fill in has, too."""
    numbers = {name: float(suggestion.shown[name].split()[0]) for name in suggestion.values}
    (row,) = csv.DictReader(io.StringIO(suggestions_csv(optimizer.problem, [suggestion])))
    assert {name: float(row[name]) for name in numbers} == numbers
    return numbers


def play(problem: Any, rounds: int, **request: Any) -> list[dict[str, float]]:
    optimizer, found = sb.Optimizer(problem, seed=1), []
    for k in range(rounds):
        suggestion = optimizer.ask(**request)
        found.append(written(optimizer, suggestion))
        optimizer.tell(suggestion, float(k))
    return found


@pytest.mark.parametrize("listed", [(1.5, 2.4), (1 / 3, 2 / 3)])
def test_a_listed_point_is_written_as_it_is(listed: tuple[float, float]) -> None:
    found = play(DRIFTING, 4, available=[{"flow": x} for x in listed])
    assert {row["flow"] for row in found} <= {*listed}


def test_what_is_written_is_within_the_available_bounds() -> None:
    for row in play(DRIFTING, 4, available={"flow": (1.21, 1.24)}):
        assert 1.21 <= row["flow"] <= 1.24


def test_what_is_written_keeps_linear_limits() -> None:
    limits = [
        sb.LinearConstraint({"flow": 1}, at_least=1.2, at_most=1.4),
        sb.LinearConstraint({"flow": 1, "dose": -1000}, at_most=0),
        sb.LinearConstraint({"dose": 1}, at_most=0.0013),
    ]
    problem = sb.CostVarying([FLOW, sb.Float("dose", 0, 1)], [["flow", "dose"]], limits=limits)
    for row in play(problem, 5):
        assert not any(limit.breaks(row) for limit in limits), row


def test_a_mixture_is_written_so_that_it_adds_up() -> None:
    parts = [sb.Float(name, 0, 100) for name in "abc"]
    whole = sb.LinearConstraint(dict.fromkeys("abc", 1.0), at_least=100, at_most=100)
    found = play(sb.CostVarying(parts, [list("abc")], limits=[whole]), 8)
    assert all(math.isclose(sum(row.values()), 100.0, rel_tol=1e-9) for row in found)
    assert max(len(str(x)) for row in found for x in row.values()) <= 6  # most need no more than a tenth


def test_numbers_that_a_person_gave_are_written_as_they_are() -> None:
    seen = sb.TimeVarying([FLOW, sb.Float("load", 0, 5000, seen=True)])
    study = sb.Optimizer(seen, seed=1)
    own = study.attach({"flow": 1.5}, context={"load": 1.2})
    assert own.shown == {"load": "1.2", "flow": "1.5 l/h"}
    study.tell(own, 1.0)
    assert study.predict({"flow": 1.5}, context={"load": 1.2}).shown["flow"] == "1.5 l/h"


@pytest.mark.parametrize("setting", [1.5, "1.5"])
@pytest.mark.parametrize("kind", ["time-varying", "cost-varying"])
def test_todays_settings_are_played_as_they_were_given(kind: str, setting: Any) -> None:
    current = {"flow": setting}
    problem: Any = (
        sb.TimeVarying([FLOW], current=current)
        if kind == "time-varying"
        else sb.CostVarying([FLOW], [["flow"]], current=current)
    )
    suggestion = sb.Optimizer(problem, seed=1).ask()
    assert (suggestion.values, suggestion.shown) == ({"flow": 1.5}, {"flow": "1.5 l/h"})


def test_other_settings_have_the_digits_of_a_thousandth_of_their_range() -> None:
    assert DRIFTING.shown({"flow": 1234.56789012345}) == {"flow": "1235 l/h"}
