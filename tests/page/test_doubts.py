"""Numbers that look mistyped."""

from __future__ import annotations

import pytest

import steerbo as sb
from steerbo.page.doubts import doubts
from steerbo.study import MemoryLog, Study

PROBLEM = sb.CostVarying(
    [sb.Float("x", 10, 35, law=sb.Uniform(), unit="°C"), sb.Categorical("line", ["a", "b"], law=sb.Uniform())],
    [["x"]],
    costs=[2],
    limits=[sb.Measured("pressure", at_most=5, probability=0.9)],
)


@pytest.fixture
def study() -> Study:
    made = Study.create(MemoryLog(), PROBLEM, "random", rounds=99, seed=1)
    for value in (3.0, 10.0, 5.0):
        made.tell(made.ask(), value, realised={"line": "a", "pressure": value / 10})
    return made


def test_what_is_likely_is_not_doubted(study: Study) -> None:
    token = study.ask().token
    given = {"value": 11.0, "cost": 2.5, "realised": {"x": 36.0, "line": "b", "pressure": 0.7}}
    assert doubts(study, given, token) == {}
    assert doubts(study, {"value": "n/a", "realised": {"x": "warm", "line": 7.0}}, token) == {}, "others refuse it"


def test_what_is_far_off_is_said_at_its_field(study: Study) -> None:
    token = study.ask().token
    given = {"value": 740.0, "cost": 200.0, "realised": {"x": 600.0, "pressure": 70.0}}
    assert doubts(study, given, token) == {
        "value": "740 is unusual: outcomes so far were 3 to 10",
        "cost": "200 is far from the stated price, 2",
        "realised:x": "600 is far outside the range of x, 10 to 35 °C",
        "realised:pressure": "70 is unusual: pressure so far was 0.3 to 1",
    }
    assert list(doubts(study, {"seen": {"x": 600.0}})) == ["seen:x"]


def test_few_outcomes_say_little(study: Study) -> None:
    assert doubts(study, {"value": 25.0}, study.ask().token) == {}
    for value in (4.0, 5.0, 6.0, 7.0, 8.0):
        study.tell(study.ask(), value, realised={"line": "a", "pressure": 0.5})
    assert "value" in doubts(study, {"value": 25.0}, study.ask().token)


def test_what_stands_already_is_not_doubted_again(study: Study) -> None:
    token = next(iter(study.history)).suggestion.token
    study.amend(token, 500.0)
    assert doubts(study, {"value": 500.0}, token) == {}
