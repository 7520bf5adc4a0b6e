"""What forms say, as what a study is told."""

from __future__ import annotations

import pytest

from steerbo.core import Optimizer
from steerbo.errors import InvalidInput
from steerbo.page.edit import ask_fields, time_needed
from steerbo.serve.forms import Doubtful, check_plausible, give, read_ask
from steerbo.study import MemoryLog, Study
from tests.serve.players import OVEN
from tests.timevarying.cases import sites


def test_what_is_seen_is_read_by_its_variable() -> None:
    assert read_ask(OVEN, {"seen:weather": " 12,5 ", "form": "x"}, comma=False) == {"context": {"weather": 12.5}}
    assert read_ask(OVEN, {"seen:weather": " "}, comma=False) == {}


def test_other_fields_are_read_as_the_command_line_does() -> None:
    assert read_ask(sites(), {"ask:time": "8,5", "ask:available": "0,5; 0,75"}, comma=True) == {
        "time": 8.5,
        "available": sites().asked()[1].read(sites(), "0,5; 0,75"),
    }
    optimizer = Optimizer(sites(), seed=0)
    assert optimizer.ask(**read_ask(sites(), {"ask:time": "3", "ask:available": "0.5,0.75"}, comma=False)) is not None


def test_a_time_that_can_be_read_in_two_ways_is_refused() -> None:
    with pytest.raises(InvalidInput, match="1,250 or 1250"):
        read_ask(sites(), {"ask:time": "1.250"}, comma=True)


def test_a_time_that_has_to_be_stated_is_asked_for_at_its_field() -> None:
    study = Study.create(MemoryLog(), sites(), rounds=9)
    assert time_needed(study) == ""
    study.ask()
    assert time_needed(study) == "", "the time is the number of the round"
    study.ask(time=20.5)
    with pytest.raises(InvalidInput, match=r"time: missing; expected the time of this round: round 2 was at 20\.5"):
        read_ask(study.problem, {"ask:time": ""}, False, time_needed(study))
    (field, _) = ask_fields(study.problem, time_needed(study))
    assert (field.name, field.needed, field.extra) == ("ask:time", True, False)
    dated = Study.create(MemoryLog(), sites(), rounds=9)
    dated.add(1.0, realised={"x": 0.5, "time": 7.0})
    assert time_needed(dated) == "data were at 7 at the latest"


def test_rounds_are_counted_on_from_those_of_an_earlier_study() -> None:
    study = Study.create(MemoryLog(), sites(), rounds=9)
    for time in (1.0, 2.0, 4.0):
        study.add(1.0, realised={"x": 0.5, "time": time})
    assert time_needed(study) == ""
    assert read_ask(study.problem, {"ask:time": ""}, False, time_needed(study)) == {}
    assert study.history[study.ask().token].request["time"] == 5.0
    assert time_needed(study) == "", "round 1 was at 5, which was counted"
    study.add(1.0, realised={"x": 0.5, "time": 812.5})
    study.ask(time=900.5)
    assert time_needed(study) == "round 2 was at 900.5"


def test_fields_that_are_empty_say_nothing() -> None:
    study = Study.create(MemoryLog(), OVEN, "random", budget=9.0)
    token = study.ask(context={"weather": 1.0}).token
    blank = {"cost": "", "realised:speed": " ", "realised:oven": "150"}
    with pytest.raises(InvalidInput, match="value"):
        give(study, "tell", token, {**blank, "value": ""}, comma=False)
    give(study, "fail", token, {**blank, "reason": "it leaked", "cost": "2"}, comma=False)
    assert study.history[token].state == "failed"
    assert study.history[token].realised["oven"] == 150.0
    give(study, "amend", token, {"void": "yes", "reason": "never begun"}, comma=False)
    assert study.history[token].state == "void"


def test_a_round_is_given_up() -> None:
    study = Study.create(MemoryLog(), OVEN, "random", budget=9.0)
    token = study.ask(context={"weather": 1.0}).token
    give(study, "abandon", token, {"reason": "no time", "charge": "1,5"}, comma=False)
    assert (study.history[token].state, study.status.spent) == ("abandoned", 1.5)


def test_a_time_far_from_the_others_is_asked_about_at_its_field() -> None:
    study = Study.create(MemoryLog(), sites(), rounds=9)
    for time in range(4):
        study.ask(time=time)
    form = {"ask:time": "2500"}
    with pytest.raises(Doubtful) as doubt:
        check_plausible(study, "ask", None, {"time": 2500.0}, form)
    assert list(doubt.value.doubts) == ["ask:time"]
    check_plausible(study, "ask", None, {"time": 2500.0}, {**form, "sure": doubt.value.sure})
