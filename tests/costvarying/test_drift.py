"""A moving optimum, in every method of the wing: how it drifts is given, or learned."""

from __future__ import annotations

import dataclasses
import json
import re
from functools import cache
from itertools import cycle, product
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.core import Event, Optimizer, Refitted
from steerbo.costvarying._switching import plays_to_come
from steerbo.costvarying.cheap_first import worthwhile_width
from steerbo.errors import InvalidProblem, InvalidRequest
from steerbo.records import from_dict, to_dict
from steerbo.testing import Case, TraitContract
from steerbo.testing.case import bits, values_of
from tests.costvarying.worlds import DRIFTING, LEARNED, PROBLEM, drifting_case
from tests.sizes import FULL, size

pytestmark = pytest.mark.few_draws


class TestCheapFirst(TraitContract):
    @staticmethod
    def case() -> Case:
        return drifting_case("cheap-first")


class TestLearned(TraitContract):
    @staticmethod
    def case() -> Case:
        return drifting_case("cheap-first", LEARNED, rounds=11)


class TestTsPsq(TraitContract):
    @staticmethod
    def case() -> Case:
        return drifting_case("ts-psq")


class TestExploreThenCommit(TraitContract):
    @staticmethod
    def case() -> Case:
        return drifting_case("explore-then-commit", explore_cycles=2)


DRIFTS = (DRIFTING.drift, "learned", sb.Decay(0), sb.Decay(0.5, per=1e9), sb.gp.Periodic(4), sb.gp.Sliding(9))
METHODS = ("random", "ucb-psq", "ucb-cvs", "etc-groups")
PLAYED = list(product(METHODS, DRIFTS) if FULL else zip(cycle(METHODS), DRIFTS))
"""Models of drifts are the wing's, not a method's: by default every drift is played by one of them."""


@pytest.mark.parametrize(("method", "drift"), PLAYED)
def test_every_method_plays_any_drift(method: str, drift: Any) -> None:
    world = drifting_case(method, dataclasses.replace(PROBLEM, drift=drift))
    optimizer = world.play(world.start(), 7)
    again = Optimizer.replay(world.problem, [from_dict(Event, json.loads(bits(event))) for event in optimizer.events])
    assert bits(again.ask(time=30)) == bits(optimizer.ask(time=30))
    assert optimizer.recommend().why.startswith("as of time 30;")


SLIDING = sb.CostVarying(
    [sb.Float("x", 0, 1, law=sb.Uniform()), sb.Float("w", 0, 1, law=sb.Uniform())],
    [["x"], ["x", "w"]],
    costs=[0.3, 1.0],
    tolerance=sb.Absolute(0.05),
)


def best(now: float) -> float:
    """Where x is best."""
    return 0.2 + 0.012 * now


@cache
def play(drift: Any, rounds: int = 50, noise: float = 0.02, moves: bool = True) -> sb.Optimizer:
    """Played once for all that only read it: a quadratic whose best x slides from .2 to .8 in fifty rounds."""
    optimizer = sb.Optimizer(dataclasses.replace(SLIDING, drift=drift), rounds=rounds + 5, seed=2)
    random = np.random.default_rng(5)
    for t in range(1, rounds + 1):
        suggestion = optimizer.ask()
        assert suggestion is not None
        x = {"x": random.random(), "w": random.random(), **suggestion.values}
        value = -4 * (x["x"] - best(t if moves else 1)) ** 2 - 0.2 * (x["w"] - 0.5) ** 2
        optimizer.tell(suggestion, value + noise * random.normal(), realised=x)
    return optimizer


FOLLOWED = [sb.gp.Sliding(60), "learned"]


@pytest.mark.all_draws
@pytest.mark.parametrize("drift", [*FOLLOWED, sb.gp.MaternInTime(25.0, 2.5)] if FULL else FOLLOWED)
def test_a_moving_optimum_is_followed(drift: Any) -> None:
    followed, left = (abs(play(each).recommend().values["x"] - best(50)) for each in (drift, None))
    assert followed < 0.05 < left


@pytest.mark.all_draws
def test_where_nothing_moves_learning_a_drift_finds_none() -> None:
    optimizer = play("learned", rounds=30, moves=False)
    learned = [event.hyperparameters["objective"]["drift"] for event in optimizer.events if isinstance(event, Refitted)]
    assert {(each["kind"], len(each["cuts"])) for each in learned} == {("steady", 0)}
    assert "Drift: nothing seems to drift." in optimizer.explain().text
    still = play(None, rounds=8, moves=False)
    same = play("learned", rounds=8, moves=False)
    moved = [
        a.suggestion.values["x"] - b.suggestion.values["x"] for a, b in zip(same.history, still.history, strict=True)
    ]
    assert np.abs(moved).max() < 1e-4, "the same plays, to the accuracy of searches in one more column"


@pytest.mark.all_draws
def test_what_slides_is_forecast() -> None:
    for drift in (sb.gp.Sliding(60), "learned"):
        optimizer = play(drift)
        said = re.search(r"Drift: the best place slides, by up to ([\d.]+\d) of", optimizer.explain().text)
        assert said is not None
        assert float(said[1]) == pytest.approx(0.01, rel=0.3)
        assert optimizer.policy(time=60).values["x"] == pytest.approx(best(60), abs=0.1)
        method: Any = optimizer._state.method
        now = method.candidates({"time": 60.0})  # integrals agree with the model itself, at that time
        points = np.random.default_rng(0).random((5, 2))
        mean, _ = now.expectation(1).moments(points)
        direct = method.surrogate.for_next_round().marginals(np.column_stack([points, np.full(5, 60.0)]))[0]
        np.testing.assert_allclose(mean, direct, atol=1e-6)


@pytest.mark.all_draws
def test_where_something_drifts_bounds_are_half_as_wide_and_nothing_makes_up_for_lagging_behind() -> None:
    def factor_and_patience(optimizer: sb.Optimizer) -> tuple[float, float]:
        method: Any = optimizer._state.method
        left = plays_to_come(optimizer.history, 0.0, 0.0)
        after = 0.0 if method.surrogate.drift.drifts else len(optimizer.history) + left
        width = worthwhile_width(left + after)
        return method.beta() / min(width, 2.0), method.patience

    for steady in (None, "learned"):
        assert factor_and_patience(play(steady, 3, moves=False)) == (1.0, 1.0)
    for drifts in (sb.gp.MaternInTime(25.0), sb.gp.Sliding(60)):
        assert factor_and_patience(play(drifts, 3, moves=False)) == (0.5, 0.0)
    assert factor_and_patience(play("learned")) == (0.5, 0.0)


@pytest.mark.all_draws
def test_a_set_that_is_known_not_to_be_good_enough_is_not_looked_at_again_because_time_has_passed() -> None:
    """A drift makes what was not seen for long uncertain: with patience for that the cheap set came back for ever."""
    problem = sb.CostVarying(
        [sb.Float("x", 0, 1), sb.Float("w", 0, 1, law=sb.Uniform())],
        [["x"], ["x", "w"]],
        costs=[1, 3],
        tolerance=sb.Absolute(0.2),
        drift=sb.gp.MaternInTime(25.0),
    )
    optimizer = sb.Optimizer(problem, rounds=40, seed=1)
    random = np.random.default_rng(3)
    for _ in range(40):
        suggestion = optimizer.ask()
        assert suggestion is not None
        x = {"x": random.random(), "w": random.random(), **suggestion.values}
        value = 3 * x["w"] + np.sin(4 * x["x"]) + 0.03 * random.normal()
        optimizer.tell(suggestion, value, realised=x)
    late = [len(played.suggestion.scope.set) for played in optimizer.history][20:]
    assert late.count(1) == 0


@pytest.mark.all_draws
def test_a_switch_is_noticed_and_what_was_before_is_forgotten() -> None:
    problem = dataclasses.replace(SLIDING, drift="learned")
    optimizer = sb.Optimizer(problem, rounds=70, seed=1)
    random = np.random.default_rng(3)
    for t in range(1, 61):
        suggestion = optimizer.ask()
        assert suggestion is not None
        x = {"x": random.random(), "w": random.random(), **suggestion.values}
        value = np.sin(9 * x["x"] + (0 if t < 31 else 3)) - 0.2 * (x["w"] - 0.5) ** 2
        optimizer.tell(suggestion, value + 0.03 * random.normal(), realised=x)
    cuts = [
        event.hyperparameters["objective"]["drift"]["cuts"] for event in optimizer.events if isinstance(event, Refitted)
    ][-1]
    assert [float.fromhex(cut) for cut in cuts] == [pytest.approx(31, abs=2)]
    assert "everything changed at time 3" in optimizer.explain().text
    found = optimizer.recommend().values["x"]
    assert np.sin(9 * found + 3) > 0.95


def test_the_time_is_taken_logged_and_kept_in_order() -> None:
    world = drifting_case("cheap-first")
    optimizer = world.play(world.start(), 3)
    assert [played.request["time"] for played in optimizer.history] == [0.0, 2.0, 3.0]
    before = values_of(optimizer.events)
    for time in (float("nan"), float("inf"), "noon", True, [1.0]):
        with pytest.raises(InvalidRequest, match="time"):
            optimizer.ask(time=time)  # type: ignore[arg-type]
    with pytest.raises(InvalidRequest, match=r"time: 2\.5 is not allowed; expected at least 3, the time of round 3\."):
        optimizer.ask(time=2.5)
    with pytest.raises(InvalidRequest, match="time"):
        optimizer.policy(time=2.5)
    assert values_of(optimizer.events) == before
    batch = optimizer.ask(batch=3, time=4)
    assert len({bits(each.values) for each in batch}) == 3
    assert optimizer.policy(time=100).why.startswith("as of time 100;")
    assert optimizer.recommend().why.startswith("as of time 4;")


def test_without_a_drift_nobody_asks_what_time_it_is() -> None:
    optimizer = sb.Optimizer(PROBLEM)
    with pytest.raises(InvalidRequest, match=r"time: 3 is not allowed.*only where the optimum moves"):
        optimizer.ask(time=3)
    suggestion = optimizer.ask()
    assert suggestion is not None
    assert optimizer.history.latest is not None
    assert optimizer.history.latest.request == {}


@pytest.mark.parametrize("drift", [1, 0.1, "unknown", {"kind": "decay"}, {"kind": "matern", "lengthscale": 0},
                                   {"kind": "sliding", "within": 0}, {"kind": "sliding"}])  # fmt: skip
def test_a_drift_that_is_none_is_refused_by_name(drift: Any) -> None:
    with pytest.raises(InvalidProblem, match="drift"):
        dataclasses.replace(PROBLEM, drift=drift)


def test_the_name_of_the_time_is_taken() -> None:
    variables = [sb.Float("time", 0, 1), sb.Float("x", 0, 1)]
    sb.CostVarying(variables, [["time", "x"]])
    with pytest.raises(InvalidProblem, match=r"variables\.time: 'time' is not allowed; expected another name"):
        sb.CostVarying(variables, [["time", "x"]], drift="learned")


def test_a_drift_is_described_and_read_back() -> None:
    assert ("drift", "matern (lengthscale 12, nu 1.5)") in DRIFTING.describe()
    assert ("drift", "learned") in LEARNED.describe()
    for problem in (DRIFTING, LEARNED, PROBLEM):
        assert from_dict(type(problem), json.loads(json.dumps(to_dict(problem)))) == problem


LONG = size(25, 14)


@pytest.mark.parametrize("times", [[0.0] * LONG, [1.7e9 + i for i in range(LONG)], [1e-9 * i for i in range(LONG)],
                                   [0.0] * (LONG // 2) + [1e15] * (LONG // 2)])  # fmt: skip
@pytest.mark.parametrize("constant", [False, True])
def test_any_clock_and_any_outcomes_are_survived(times: list[float], constant: bool) -> None:
    optimizer = sb.Optimizer(dataclasses.replace(SLIDING, drift="learned"), seed=0)
    random = np.random.default_rng(0)
    for time in times:
        suggestion = optimizer.ask(time=time)
        assert suggestion is not None
        x = {"x": random.random(), "w": random.random(), **suggestion.values}
        optimizer.tell(suggestion, 3.0 if constant else -((x["x"] - 0.3) ** 2), realised=x)
    advice = optimizer.recommend()
    assert advice.mean is not None
    assert np.isfinite([advice.mean, advice.lower or 0.0, advice.upper or 0.0]).all()


def test_one_outcome_is_enough_for_an_answer() -> None:
    world = drifting_case("cheap-first", LEARNED)
    optimizer = world.play(world.start(), 1)
    assert optimizer.recommend().mean is not None
    assert optimizer.policy(time=1e9).values


def test_failures_are_judged_as_of_now() -> None:
    """At time 0 those of now, a million later, counted as long past."""
    variables = [sb.Float(name, 0, 1, law=sb.Uniform()) for name in "ab"]
    optimizer = Optimizer(sb.CostVarying(variables, [["a"], ["b"]], drift="learned"), seed=0)
    for k in range(16):
        suggestion = optimizer.ask(time=1e6 + k)
        if "b" in suggestion.values:
            optimizer.fail(suggestion, "broke")
        else:
            optimizer.tell(suggestion, suggestion.values["a"], realised={**suggestion.values, "b": 0.5})
    method: Any = optimizer._method
    assert method.working([0, 1]) == [0]


def test_the_room_of_a_limit_on_an_outcome_is_that_of_now() -> None:
    limit, random = sb.OutcomeConstraint("heat", at_most=5), np.random.default_rng(0)
    problem = sb.CostVarying([sb.Float("a", 0, 1)], [["a"]], limits=[limit], drift="learned")
    optimizer = Optimizer(problem, seed=0)
    for k in range(25):
        suggestion = optimizer.ask(time=100.0 + k)
        a = suggestion.values["a"]
        heat = 3.0 + 0.075 * k + 0.5 * a + 0.02 * random.normal()
        optimizer.tell(suggestion, a + 0.05 * random.normal(), realised={"heat": heat})
    room = optimizer.explain().tables[-1].rows[0][1]
    # The answer keeps a distance for what no outcome has shown; as of the beginning there would be 1.8 more.
    assert room == pytest.approx(5.0 - 3.0 - 0.075 * 24 - 0.5 * optimizer.recommend().values["a"], abs=0.3)


@pytest.mark.parametrize("correction", [{"void": True}, {"value": 2.0}])
def test_the_only_outcome_of_what_moves_may_be_corrected_after_a_fit(correction: dict[str, Any]) -> None:
    """A model from which the fit was taken back had no rows, and the next ask ended in numpy's words."""
    problem = sb.CostVarying(
        [sb.Float("x", 0, 1, law=sb.Uniform()), sb.Float("y", 0, 1, law=sb.Uniform())], [["x"], ["x", "y"]],
        costs=[1, 2], drift="learned",
    )  # fmt: skip
    optimizer = sb.Optimizer(problem, "ucb-cvs", seed=0)
    optimizer.add(1.0, {"x": 0.5, "y": 0.5})
    optimizer.refit()
    optimizer.amend("added-1", **correction)
    assert optimizer.ask().values
