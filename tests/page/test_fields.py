"""What can be filled in on the page."""

from __future__ import annotations

import pytest

import steerbo as sb
from steerbo._wording import PAGE, SHELL
from steerbo.errors import InvalidRequest
from steerbo.page.edit import ask_fields, field_of, fields_of, policy_fields
from steerbo.page.view import view
from steerbo.study import MemoryLog, Study
from tests.serve.players import OVEN
from tests.timevarying.cases import sites


def test_a_field_says_its_unit_and_what_it_may_be() -> None:
    found = field_of(OVEN, "oven", "realised", True)
    assert (found.name, found.label, found.unit, found.needed) == ("realised:oven", "oven", "°C", True)
    assert "100" in found.hint
    assert "200" in found.hint
    lines = sb.CostVarying([sb.Categorical("line", ["a", "b"], law=sb.Uniform())], [["line"]])
    assert field_of(lines, "line", "realised", True).choices == ("a", "b")


def test_what_is_seen_is_asked_for_and_what_may_be_left_out_says_so() -> None:
    assert [(f.name, f.needed) for f in ask_fields(OVEN)] == [("seen:weather", False)]
    assert [f.name for f in policy_fields(OVEN)] == ["given:weather"]


def test_no_field_of_the_page_speaks_of_a_file() -> None:
    fleet = sb.MeanField(["north", "south"], agents=40, moving_cost=1.0)
    hints = [field.hint for problem in (sites(), fleet) for field in ask_fields(problem)]
    (available,) = (field for field in sites().asked() if field.name == "available")
    with pytest.raises(InvalidRequest) as refused:
        available.read(sites(), "{x")
    said = [*hints, refused.value.worded(PAGE)]
    assert not any("CSV" in text or "‹" in text for text in said)
    assert "or a file, CSV or JSON" in refused.value.worded(SHELL)


def test_a_time_is_asked_for_before_what_may_be_left_out() -> None:
    assert [(f.name, f.extra) for f in ask_fields(sites())] == [("ask:time", False), ("ask:available", True)]


def test_keypads_without_a_minus_are_for_what_is_never_negative() -> None:
    problem = sb.CostVarying([sb.Float("heat", -5, 5), sb.Float("ph", 4, 8)], [["heat", "ph"]])
    assert [field.decimal for field in fields_of(problem, ["heat", "ph"], "realised")] == [False, True]
    (out,) = view(_asked(problem)).out
    assert (out.fields[0].name, out.fields[0].decimal) == ("value", False)


def _asked(problem: sb.CostVarying) -> Study:
    study = Study.create(MemoryLog(), problem, "random", rounds=3)
    study.ask()
    return study


def test_of_very_many_variables_none_is_typed() -> None:
    names = [f"x{k}" for k in range(30)]
    problem = sb.CostVarying([sb.Float(name, 0, 1, law=sb.Uniform()) for name in names], [names])
    assert fields_of(problem, names, "realised", needed=False) == ()
    assert len(fields_of(problem, names, "realised")) == 30
