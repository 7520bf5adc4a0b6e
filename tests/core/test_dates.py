"""Data that say their time: rounds are counted on from it, answers are as of it, and a mistyped one is not followed."""

from __future__ import annotations

import warnings
from datetime import date, datetime
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Event, Optimizer, Problem, now, time_of
from steerbo.core._dates import Dates
from steerbo.errors import InvalidRequest, OutOfRangeWarning, UnusualOutcomeWarning
from steerbo.records import from_dict, to_dict
from steerbo.testing import values_of
from steerbo.testing.case import bits
from tests.core.test_clock import PRIORS, TIMED, X

DRIFTING = sb.CostVarying([sb.Float("x", 0, 1)], [["x"]], drift="learned")
CAUSAL = sb.CausalGraph.from_text("x -> y", target="y", intervenable=["x"])
SLIDING: dict[str, tuple[Problem, str | None]] = {
    "time-varying": (sb.TimeVarying(X), None),
    "priors": (sb.TimeVarying(X, PRIORS[:1]), "switching-elimination"),
    "cost-varying, learned": (sb.CostVarying(X, [["x"]], costs=[1], drift="learned"), None),
    "cost-varying, stated": (sb.CostVarying(X, [["x"]], costs=[1], drift=sb.Decay(0.02)), None),
    "causal, learned": (sb.Causal(CAUSAL, X, drift="learned"), None),
    "causal, stated": (sb.Causal(CAUSAL, X, drift=sb.Decay(0.02)), None),
}
FADING = sb.MeanField(["a", "b"], 10, drift=sb.gp.MaternInTime(20.0))


def measured(kind: str, first: float, rounds: int = 40) -> Optimizer:
    """A new study with outcomes of an optimum that slid from .2 to .785, one in each unit of time."""
    problem, method = SLIDING[kind]
    optimizer, random = Optimizer(problem, method, seed=0), np.random.default_rng(0)
    scope = ["x"] if problem.kind == "causal" else None
    for t in range(rounds):
        x = float(random.random())
        value = -4 * (x - 0.2 - 0.015 * t) ** 2 + 0.02 * random.standard_normal()
        optimizer.add(float(value), {"x": x, "time": first + t}, scope=scope)
    return optimizer


def dated(*times: float | None, problem: Problem = DRIFTING, method: str | None = "random") -> Optimizer:
    """A study that begins with data of these times."""
    optimizer = Optimizer(problem, method, rounds=99)
    for time in times:
        add(optimizer, time)
    return optimizer


def add(optimizer: Optimizer, time: float | None) -> Any:
    """Add an outcome of a time, or of none."""
    when = {} if time is None else {"time": time}
    return optimizer.add(0.5, {**dict.fromkeys(optimizer.problem.space.names, 0.5), **when})


def read_back(optimizer: Optimizer) -> Optimizer:
    return Optimizer.replay(optimizer.problem, [from_dict(Event, to_dict(event, Event)) for event in optimizer.events])


# -- a study goes on where its data end --------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [1.0, 1.7e9])
@pytest.mark.parametrize("kind", SLIDING)
@pytest.mark.filterwarnings("ignore::steerbo.timevarying.PriorWarning")
def test_a_new_study_goes_on_where_its_data_end(kind: str, first: float) -> None:
    """Before, the first answer was as of 0 and the first round at 1, where the optimum was 40 rounds ago."""
    optimizer = measured(kind, first)
    advice = optimizer.recommend()
    assert f"as of time {first + 39:.10g}" in advice.why
    assert abs(advice.values["x"] - 0.785) < 0.1
    optimizer.ask(batch=2)
    optimizer.ask()
    assert [time_of(played) for played in optimizer.history] == [first + 40, first + 41, first + 42]
    assert optimizer.status.findings == ()
    assert now(read_back(optimizer).history) == first + 42
    assert bits(read_back(optimizer).ask()) == bits(optimizer.ask())


def test_payoffs_of_agents_too() -> None:
    optimizer = Optimizer(FADING, seed=0)
    for t in range(1, 9):
        optimizer.add(float(t), {"distribution": {"everyone": {"a": t / 10, "b": 1 - t / 10}}, "time": float(t)})
    assert optimizer.recommend().why.startswith("as of time 8;")
    optimizer.ask()
    assert time_of(optimizer.history.latest) == 9.0  # type: ignore[arg-type]
    assert "as of time 9;" in optimizer.recommend().why


@pytest.mark.parametrize("kind", [kind for kind in TIMED if kind != "causal"])  # where data are observations
def test_a_counted_time_is_as_one_that_is_given(kind: str) -> None:
    problem, method = TIMED[kind]
    counted, given = (dated(3.0, 5.0, 4.0, 7.0, problem=problem, method=method) for _ in range(2))
    for time in (8.0, 9.0, 10.0):
        told = [counted.ask(), given.ask(time=time)]
        for optimizer, suggestion in zip((counted, given), told, strict=True):
            optimizer.tell(suggestion, 0.1 * time)
    assert values_of(counted.events) == values_of(given.events)
    assert counted.recommend() == given.recommend()
    assert counted.policy() == given.policy()


def test_data_from_before_the_rounds_change_nothing() -> None:
    optimizer = dated(-4.0, 0.0, 0.5)
    assert now(optimizer.history) == 0.5
    optimizer.ask(batch=2)
    add(optimizer, 1.5)
    optimizer.abandon(optimizer.ask())
    optimizer.ask()
    assert [time_of(played) for played in optimizer.history] == [1.0, 2.0, 3.0, 4.0]


def test_data_of_a_later_time_that_come_midway() -> None:
    optimizer = dated()
    optimizer.ask(batch=2)
    add(optimizer, 2.0)
    optimizer.ask()
    add(optimizer, 7.25)
    assert now(optimizer.history) == 7.25
    asked = optimizer.ask(batch=2)
    assert [time_of(played) for played in optimizer.history] == [1.0, 2.0, 3.0, 8.25, 9.25]
    for suggestion in asked:
        optimizer.abandon(suggestion)
    assert now(optimizer.history) == 7.25
    optimizer.ask()
    assert time_of(optimizer.history.latest) == 8.25  # type: ignore[arg-type]


@pytest.mark.filterwarnings("error")
def test_a_log_whose_rounds_were_counted_beside_later_data_goes_on_after_these() -> None:
    """Such logs were written: their rounds stay where they are."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        optimizer = dated(*map(float, range(1, 41)))
        for time in (1.0, 2.0, 3.0, 4.0):
            optimizer.ask(time=time)
    again = read_back(optimizer)
    assert now(again.history) == 40.0
    assert again.ask().warnings == ()
    assert [time_of(played) for played in again.history] == [1.0, 2.0, 3.0, 4.0, 41.0]


# -- data without a time -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [None, "random"])
def test_data_without_a_time_among_others_came_when_these_end(method: str | None) -> None:
    problem = sb.CostVarying(X, [["x"]], drift=sb.Decay(0.1))
    said = dated(2.0, 3.0, 40.0, 40.0, problem=problem, method=method)
    unsaid = dated(2.0, None, 3.0, 40.0, problem=problem, method=method)
    assert unsaid.recommend().mean == pytest.approx(dated(2.0, 40.0, 3.0, 40.0, problem=problem).recommend().mean)
    for optimizer in (said, unsaid):
        optimizer.ask()
        assert time_of(optimizer.history.latest) == 41.0  # type: ignore[arg-type]
    assert unsaid.history.beginning == 40.0
    assert unsaid.recommend().values == read_back(unsaid).recommend().values


def test_data_without_a_time_came_at_the_last_round_whatever_others_say() -> None:
    optimizer = dated(problem=sb.CostVarying(X, [["x"]], drift=sb.Decay(0.1)), method=None)
    optimizer.ask()
    add(optimizer, 30.0)
    add(optimizer, None)
    assert [optimizer.history.clock_at(name) for name in ("added-1", "added-2")] == [1.0, 1.0]


# -- times that are given ----------------------------------------------------------------------------------------------


def test_a_time_that_is_given_is_believed_and_what_is_stated_later_counts() -> None:
    """With a season of 365 days, data of last year are all of later days."""
    optimizer = dated(100.0, 200.0, 300.0)
    with pytest.warns(UnusualOutcomeWarning, match=r"round 1: time = 10 is earlier than that of added-3, 300; it is"):
        said = optimizer.ask(time=10.0)
    assert said.warnings[0].endswith(f"If it is wrong, abandon {said.token} and ask again, or amend added-3.")
    assert now(optimizer.history) == 10.0
    assert [value.field for value in optimizer.implausible_values("ask", time=11.0)] == ["time"]
    add(optimizer, 12.0)
    assert now(optimizer.history) == 12.0
    assert now(read_back(optimizer).history) == 12.0
    optimizer.amend("added-4", realised={"time": 5.0})
    assert now(optimizer.history) == 10.0
    with pytest.raises(InvalidRequest, match="at least 10"):
        optimizer.ask()


def test_data_that_came_after_a_round_are_no_reason_to_doubt_its_time() -> None:
    problem = sb.CostVarying(
        [sb.Float("x", 0, 1), sb.Float("b", 0, 1, seen=True, law=sb.Uniform())], [["x"]], drift="learned"
    )
    optimizer = dated(problem=problem)
    suggestion = optimizer.ask(time=2.5)
    add(optimizer, 7.0)
    assert optimizer.with_warnings(suggestion).warnings == ()


@pytest.mark.filterwarnings("error")
def test_a_policy_may_look_into_the_past_of_data() -> None:
    optimizer = dated(3.0, 40.0, problem=sb.CostVarying(X, [["x"]], drift="learned"), method=None)
    assert "as of time 5;" in optimizer.policy(time=5).why
    assert "as of time 40;" in optimizer.policy().why


# -- mistyped times ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rounds", [0, 5])
def test_one_time_far_ahead_is_warned_of_and_not_followed(rounds: int) -> None:
    optimizer = dated(*([] if rounds else [1.0, 2.0, 3.0, 4.0, 5.0]))
    for _ in range(rounds):
        optimizer.ask()
    name = optimizer.history.next_data
    said = rf"{name}: time = 4000 is 3995 after all others, and no step was larger than 1: nothing is counted from it"
    with pytest.warns(UnusualOutcomeWarning, match=said):
        add(optimizer, 4000.0)
    assert now(optimizer.history) == 5.0
    assert f"The time of {name}, 4000, is far ahead of all others" in str(optimizer.status)
    assert "answers are as of 5 until another one is near it" in optimizer.explain().text
    optimizer.ask()
    assert time_of(optimizer.history.latest) == 6.0  # type: ignore[arg-type]
    assert now(read_back(optimizer).history) == 6.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer.amend(name, realised={"time": 6.0})
    assert optimizer.status.findings == ()
    optimizer.ask()
    assert time_of(optimizer.history.latest) == 7.0  # type: ignore[arg-type]


@pytest.mark.parametrize("variables", [X, [sb.Float("x", 0, 1, step=0.125)]])
@pytest.mark.filterwarnings("ignore")
def test_filters_do_not_follow_a_time_far_ahead(variables: list[sb.Float]) -> None:
    """They are of the latest time: nothing was left of the others."""

    def begun(*more: float) -> Optimizer:
        optimizer = sb.Optimizer(sb.TimeVarying(variables, PRIORS[:1]), seed=0)
        for time in (1.0, 2.0, 3.0, 4.0, *more):
            optimizer.add(time / 10, {"x": time / 8, "time": time} if time < 5 else {"x": 1.0, "time": time})
        return optimizer

    without, with_one, with_two = begun(), begun(4000.0), begun(4000.0, 4001.0)
    assert with_one.recommend() == without.recommend()
    assert with_two.recommend().values == begun(4001.0, 4000.0).recommend().values
    assert with_two.recommend().values["x"] == pytest.approx(1.0, abs=0.2)
    for optimizer in (with_one, with_two):
        assert read_back(optimizer).recommend() == optimizer.recommend()
    with_two.amend("added-6", void=True)
    with_one.amend("added-5", 0.375)
    assert with_one.recommend() == with_two.recommend() == without.recommend()
    with_one.amend("added-5", 0.9, realised={"time": 5.0})
    assert with_one.recommend().values["x"] > 0.8
    assert read_back(with_one).recommend() == with_one.recommend()


def test_two_times_near_each_other_count() -> None:
    optimizer = dated(1.0, 2.0, 3.0, 4.0)
    with pytest.warns(UnusualOutcomeWarning, match="added-5: time = 400 is 396 after"):
        add(optimizer, 400.0)
    assert add(optimizer, 401.0) is None
    assert now(optimizer.history) == 401.0
    assert optimizer.status.findings == ()
    optimizer.amend("added-6", void=True)
    assert now(optimizer.history) == 4.0
    optimizer.ask(time=399.0)
    assert optimizer.history.next_time == 2.0  # a time was given


def test_several_far_times_are_taken_back_one_by_one() -> None:
    optimizer = dated(1.0, 2.0, 3.0, 4.0)
    for time in (400.0, 1e6):
        with pytest.warns(OutOfRangeWarning, match="is kept"):
            add(optimizer, time)
    assert now(optimizer.history) == 4.0


def test_a_plausible_time_that_was_wrong_is_taken_back_by_a_correction() -> None:
    optimizer = dated(1.0, 2.0, 3.0, 15.0)
    assert now(optimizer.history) == 15.0
    optimizer.amend("added-4", realised={"time": 5.0})
    assert (now(optimizer.history), optimizer.history.next_time) == (5.0, 6.0)
    optimizer.amend("added-4", void=True)
    assert (now(optimizer.history), optimizer.history.next_time) == (3.0, 4.0)


def test_rounds_that_followed_a_wrong_time_stay_and_count_on() -> None:
    optimizer = dated(1.0, 2.0, 3.0, 15.0)
    first, second = optimizer.ask(batch=2)
    optimizer.amend("added-4", realised={"time": 4.0})
    assert (now(optimizer.history), optimizer.history.next_time) == (17.0, 18.0)
    for suggestion in (first, second):
        optimizer.abandon(suggestion)
    assert (now(optimizer.history), optimizer.history.next_time) == (4.0, 5.0)


def test_a_correction_of_the_value_says_nothing_of_the_time() -> None:
    optimizer = dated(1.0, 2.0, 3.0, 4.0)
    with pytest.warns(UnusualOutcomeWarning):
        add(optimizer, 400.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer.amend("added-5", 0.25)
    with pytest.warns(UnusualOutcomeWarning, match="time = 500"):
        optimizer.amend("added-5", realised={"time": 500.0})


def test_a_variable_that_is_called_time_is_no_time() -> None:
    optimizer = Optimizer(sb.CostVarying([sb.Float("time", 0, 10)], [["time"]]), "random", rounds=9)
    for time in (1.0, 2.0, 3.0, 4.0, 5.0):
        assert optimizer.add(0.1 * time, {"time": time}) is None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        optimizer.add(0.4, {"time": 400.0})
    assert [str(each.message) for each in caught] == [
        "added-6: time = 400 is far outside its range, 0 to 10; it is kept. If it is wrong, amend added-6."
    ]
    assert optimizer.status.findings == ()


def test_times_in_order() -> None:
    dates = Dates()
    assert not dates
    assert dates.last(3) == []
    for name, time in (("a", 3.0), ("b", 1.0), ("c", 2.0), ("d", 2.0), ("e", None)):
        dates.state(name, time, 0)
    assert [dated.name for dated in dates.last(9)] == ["b", "c", "d", "a"]
    dates.state("a", 0.0, 4)
    dates.state("c", None, 4)
    assert [(dated.name, dated.rounds) for dated in dates.last(9)] == [("a", 4), ("b", 0), ("d", 0)]
    assert dates.reach(2.0)
    assert not dates.reach(2.5)


@pytest.mark.parametrize("when", [datetime(2015, 10, 25, 1), date(2015, 10, 25), np.datetime64("2015-10-25T01")])
def test_a_date_of_any_library_is_refused_with_what_to_write(when: object) -> None:
    optimizer = sb.Optimizer(sb.TimeVarying(X), seed=0)
    with pytest.raises(InvalidRequest, match="days since the first one"):
        optimizer.ask(time=when)  # type: ignore[call-overload]


def test_a_time_of_pandas_is_refused_with_what_to_write() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: pip install 'steerbo[pandas]'")
    optimizer = sb.Optimizer(sb.TimeVarying(X), seed=0)
    for when in (pandas.Timestamp("2015-10-25 01:00"), pandas.NaT):
        with pytest.raises(InvalidRequest, match="days since the first one"):
            optimizer.ask(time=when)


def test_a_far_time_is_warned_of_when_it_is_asked_for_and_not_again_when_rounds_are_listed() -> None:
    optimizer = sb.Optimizer(sb.TimeVarying([sb.Float("x", 0, 1)]), "random", seed=0)
    for time in range(4):
        optimizer.tell(optimizer.ask(time=time), 1.0)
    with pytest.warns(UnusualOutcomeWarning, match="time = 500"):
        asked = optimizer.ask(time=500)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert optimizer.pending == (asked,)
