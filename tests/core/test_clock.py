"""What time it is, and how much of it a study is about."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Optimizer, Problem, horizon, now, time_of
from steerbo.core._context import read_when
from steerbo.errors import InvalidOutcome, InvalidRequest, UnusualOutcomeWarning
from steerbo.testing import values_of
from steerbo.timevarying import SquaredExponential
from tests.core.kinds import GRAPH
from tests.costvarying.worlds import DRIFTING

X = [sb.Float("x", 0, 1)]
PRIORS = [sb.Prior(SquaredExponential(0.2), drift=drift, noise=0.1) for drift in (sb.Decay(0.1), sb.gp.Periodic(12.0))]
SITES = [sb.Float("x", 0, 1, step=0.25)]
CAUSAL = [sb.Float(name, 0, 1) for name in ("z", "m", "b")]
TIMED: dict[str, tuple[Problem, str | None]] = {
    "learned-drift": (sb.TimeVarying(X), None),
    "sites": (sb.TimeVarying(SITES, PRIORS), "tempered-elimination"),
    "box": (sb.TimeVarying(X, PRIORS), "switching-elimination"),
    "cost-varying": (sb.CostVarying(X, [["x"]], drift="learned"), None),
    "hard to change": (
        sb.CostVarying([sb.Float("x", 0, 1, change=sb.SwitchingCost(2.0))], [["x"]], drift="learned"),
        None,
    ),
    "causal": (sb.Causal(GRAPH, CAUSAL, drift="learned"), "coca-bo"),
}


def test_the_time_is_the_last_rounds() -> None:
    optimizer = sb.Optimizer(DRIFTING, "random")
    assert now(optimizer.history) == 0.0
    optimizer.ask(batch=2)
    assert [time_of(played) for played in optimizer.history] == [1.0, 2.0]
    optimizer.ask(time=2.5)
    assert now(optimizer.history) == 2.5


def test_a_study_is_about_what_has_passed_and_what_its_limits_leave() -> None:
    for limits, expected in (
        ({}, 6.0),
        ({"rounds": 8}, 24.0),
        ({"rounds": 2}, 6.0),
        ({"budget": 10.0}, 15.0),
        ({"budget": 10.0, "rounds": 100}, 15.0),
    ):
        optimizer = sb.Optimizer(DRIFTING, "random", **limits)
        for _ in range(2):
            optimizer.fail(optimizer.ask(batch=1)[0], cost=2)
        assert horizon(optimizer.history, 6.0) == pytest.approx(expected)
    assert horizon(sb.Optimizer(DRIFTING, budget=3).history, 6.0) == 6.0


def test_data_may_say_when() -> None:
    assert read_when({"x": 1, "time": 3}) == (3.0, {"x": 1})
    assert read_when({"x": 1}) == (None, {"x": 1})
    for time in ("now", float("inf"), True, None):
        with pytest.raises(InvalidOutcome, match=r"realised\.time"):
            read_when({"time": time})


def began(kind: str, rounds: int = 6) -> Optimizer:
    """A study that has been asked at 0.5, 1, 1.5 …"""
    problem, method = TIMED[kind]
    optimizer = sb.Optimizer(problem, method, rounds=99, seed=0)
    for k in range(1, rounds + 1):
        told(optimizer, k / 2)
    return optimizer


def told(optimizer: Optimizer, time: float) -> str:
    """Token of a round at this time, with an outcome."""
    suggestion = optimizer.ask(time=time)
    if suggestion.observe:
        suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 0.5))
    seen = {"b": 0.5} if "b" in optimizer.problem.space.names else {}
    optimizer.tell(suggestion, sum(suggestion.values.values()), realised=seen)
    return suggestion.token


@pytest.mark.parametrize("kind", TIMED)
@pytest.mark.parametrize("ended", ["abandoned", "void", "failed and void"])
@pytest.mark.filterwarnings("ignore::steerbo.errors.UnusualOutcomeWarning")
def test_a_mistyped_time_is_taken_back_with_its_round(kind: str, ended: str) -> None:
    optimizer = began(kind)
    token = told(optimizer, 25.0) if ended == "void" else optimizer.ask(time=25.0).token
    with pytest.raises(InvalidRequest, match=r"at least 25, the time of round 7.*If 25 is a wrong time, .*7-"):
        optimizer.ask(time=3.5)
    if ended == "abandoned":
        optimizer.abandon(token)
    else:
        if ended == "failed and void":
            optimizer.fail(token)
        optimizer.amend(token, void=True)
    assert now(optimizer.history) == 3.0
    assert "as of time 3;" in f"{optimizer.recommend().why};"
    optimizer.add(0.5, dict.fromkeys(optimizer.problem.space.names, 0.5) | {"time": 3.0})
    told(optimizer, 3.5)
    with pytest.raises(InvalidRequest, match=r"at least 3\.5, the time of round 8"):
        optimizer.ask(time=3.0)
    told(optimizer, 30.0)
    again = Optimizer.replay(optimizer.problem, optimizer.events)
    assert again.ask(time=31.0) == optimizer.ask(time=31.0)


def test_a_round_that_waits_or_was_told_late_holds_the_clock() -> None:
    optimizer = sb.Optimizer(DRIFTING, "random", rounds=99)
    first = optimizer.ask(time=2.0)
    early, late = optimizer.ask(time=25.0), optimizer.ask(time=25.0)
    optimizer.abandon(early)
    with pytest.raises(InvalidRequest, match="the time of round 3"):
        optimizer.ask(time=3.0)
    optimizer.abandon(late)
    assert now(optimizer.history) == 2.0
    optimizer.ask(time=3.0)
    optimizer.fail(early, cost=1)
    with pytest.raises(InvalidRequest, match=r"the time of round 2\. If 25 is a wrong time, void 2-"):
        optimizer.ask(time=4.0)
    optimizer.amend(early, void=True)
    optimizer.abandon(first)
    assert optimizer.ask(time=3.0).round == 5


def test_without_a_round_that_holds_it_there_is_no_time() -> None:
    optimizer = sb.Optimizer(DRIFTING, "random")
    optimizer.abandon(optimizer.ask(time=1e9))
    assert now(optimizer.history) == 0.0
    assert optimizer.history.clock is None
    assert optimizer.ask(time=-5.0).round == 2


def test_a_time_far_out_of_the_pattern_is_kept_and_warned_of() -> None:
    optimizer = sb.Optimizer(DRIFTING, "random", rounds=99)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for time in (1.0, 1.5, 2.0):
            optimizer.ask(time=time)
        with pytest.warns(UnusualOutcomeWarning, match="no step was larger than 0.5"):
            optimizer.abandon(optimizer.ask(time=1_700_000_000))
        optimizer.ask(time=2.0)
        optimizer.ask(time=12.0)  # 20 times is not seldom after a night
        optimizer.abandon(optimizer.ask(time=200.0))
    (seen,) = optimizer.implausible_values("ask", time=1_700_000_000)
    assert (seen.kind, seen.field) == ("far-time", "time")
    said: Any = (
        r"round 8: time = 1700000000 is 1\.7e\+09 after the last one, and no step was larger than 10; it is kept"
    )
    with pytest.warns(UnusualOutcomeWarning, match=said):
        suggestion = optimizer.ask(time=1_700_000_000)
    assert suggestion.warnings[0].endswith(f"abandon {suggestion.token} and ask again.")
    assert optimizer.implausible_values("ask", time=1_700_000_001) == ()


def test_a_time_that_was_forgotten_is_said() -> None:
    """Rounds at .5, .75 and 1 days: the next one is not at day 4."""
    optimizer = sb.Optimizer(DRIFTING, "random", rounds=99)
    for time in (0.5, 0.75, 1.0):
        optimizer.ask(time=time)
    with pytest.warns(UnusualOutcomeWarning, match="time = 4 is the number of the round, which counts where no time"):
        suggestion = optimizer.ask()
    assert suggestion.warnings[0].endswith(f"abandon {suggestion.token} and ask again.")
    assert not optimizer.ask().warnings, "rounds are counted from here"


def test_at_one_time_there_is_no_pattern() -> None:
    optimizer = sb.Optimizer(DRIFTING, "random", rounds=99)
    for _ in range(6):
        optimizer.ask(time=1.0)
    assert optimizer.ask(time=500.0).warnings == ()


def with_data(problem: Problem, method: str | None, when: dict[str, float]) -> Optimizer:
    """A study that begins with data of a time, or of none."""
    optimizer, random = Optimizer(problem, method, seed=1), np.random.default_rng(0)
    names = problem.space.names
    for _ in range(9):
        realised = {name: 0.25 * int(random.integers(5)) for name in names}
        optimizer.add(float(sum(realised.values())) + 0.1 * random.standard_normal(), {**realised, **when})
    return optimizer


def advised(optimizer: Optimizer) -> list[Any]:
    return [optimizer.events[-1], optimizer.recommend(), optimizer.explain()]


@pytest.mark.parametrize("kind", TIMED)
def test_data_without_a_time_came_at_the_first_round(kind: str) -> None:
    """Before, they were of time 0: at a time of 1000 nothing of them was left."""
    problem, method = TIMED[kind]
    said, unsaid = (with_data(problem, method, when) for when in ({"time": 1000.0}, {}))
    if kind != "causal":  # where data are observations, and of no scope
        assert unsaid.policy(time=1000.0) == said.policy(time=1000.0)
    events = len(unsaid.events)
    for optimizer in (said, unsaid):
        asked = optimizer.ask(time=1000.0)
        while asked.observe:
            asked = optimizer.decide(asked, dict.fromkeys(asked.observe, 0.5))
        optimizer.tell(
            asked, 1.0, realised={**dict.fromkeys(problem.space.names, 0.5), **asked.context, **asked.values}
        )
        optimizer.ask(time=1001.0)
    assert values_of(unsaid.events[events:]) == values_of(said.events[events:])
    assert advised(unsaid) == advised(said)
    assert advised(Optimizer.replay(problem, unsaid.events)) == advised(said)


def test_data_without_a_time_follow_a_first_round_whose_time_was_mistyped() -> None:
    problem, method = TIMED["cost-varying"]
    said, unsaid = (with_data(problem, method, when) for when in ({"time": 1000.0}, {}))
    for optimizer, time in ((said, 1000.0), (unsaid, 0.0)):
        optimizer.abandon(optimizer.ask(time=1e9))
        assert now(optimizer.history) == time
        optimizer.ask(time=1000.0)
    assert unsaid.recommend() == said.recommend()


def test_where_rounds_are_counted_data_came_before_the_first() -> None:
    problem, method = TIMED["cost-varying"]
    said, unsaid = (with_data(problem, method, when) for when in ({"time": 0.0}, {}))
    for optimizer in (said, unsaid):
        optimizer.ask()
    assert unsaid.recommend() == said.recommend()


@pytest.mark.parametrize("name", TIMED)
@pytest.mark.parametrize("call", ["ask", "attach", "add", "predict"])
def test_a_time_beyond_all_numbers_that_are_read_back_is_refused(name: str, call: str) -> None:
    """A round with one was logged, and the study could not be opened again."""
    problem, method = TIMED[name]
    settings = dict.fromkeys(problem.settable[:1], 0.5)
    measured = dict.fromkeys(problem.space.names, 0.5)
    given: dict[str, tuple[Any, ...]] = {"ask": (), "attach": (settings,), "predict": (settings,)}
    for time in (1e101, -1e308):
        optimizer = Optimizer(problem, method, seed=0)
        words: tuple[Any, ...] = (1.0, {**measured, "time": time}) if call == "add" else given[call]
        named = {} if call == "add" else {"time": time}
        with pytest.raises((InvalidOutcome, InvalidRequest), match=r"time: .* a number of at most 1e\+100"):
            getattr(optimizer, call)(*words, **named)
        assert len(optimizer.events) == 1
