"""What was learned, applied: stage by stage, without a trace in the log; and every answer as JSON."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest

import steerbo as sb
from steerbo.core import Recommendation, Scope
from steerbo.core._findings import gain_over_current, reason
from steerbo.core.optimizer import widened
from steerbo.errors import InvalidContext, InvalidRequest
from steerbo.testing import Case
from tests.causal.worlds import figure, staged
from tests.costvarying.worlds import PROBLEM, evaluate
from tests.meanfield.worlds import case as crowd_case
from tests.meanfield.worlds import crowd
from tests.timevarying.cases import box, sites
from tests.timevarying.cases import case as drifting


def played(case: Case, rounds: int) -> sb.Optimizer:
    return case.play(case.start(), rounds)


def test_a_causal_policy_looks_and_sets_in_stages() -> None:
    optimizer = played(staged("coca-bo", initial=1), 10)
    best = optimizer.recommend()
    before = optimizer.events
    step = optimizer.policy()
    seen: dict[str, Any] = {}
    contexts = {"age": "old", "pulse": 0.4}
    while step.observe:
        seen |= {name: contexts[name] for name in step.observe}
        later = optimizer.policy(seen)
        assert step.values.items() <= later.values.items(), "values only grow"
        step = later
    assert step.values == best(seen)  # type: ignore[operator]
    assert step.scope == best.scope
    assert set(step.values) == set(best.scope.set)
    assert optimizer.events == before, "nothing is logged"
    assert optimizer.policy(contexts).values == step.values


def test_contexts_are_missing_or_unknown_by_name() -> None:
    optimizer = played(staged("coca-bo", initial=1), 10)
    with pytest.raises(InvalidContext, match=r"context.agee.*did you mean 'age'"):
        optimizer.policy({"agee": "old"})
    with pytest.raises(InvalidContext, match=r"context.age: 'ancient'"):
        optimizer.policy({"age": "ancient"})
    with pytest.raises(InvalidContext, match="values by variable name"):
        optimizer.policy(["age"])  # type: ignore[arg-type]
    with pytest.raises(InvalidRequest, match="time: 3"):
        optimizer.policy(time=3)
    with pytest.raises(InvalidContext, match=r"context.age: 3.*nothing to look at"):
        played(crowd_case("random"), 1).policy({"age": 3})


def test_what_comes_later_does_not_stand_for_what_comes_first() -> None:
    optimizer = played(staged("coca-bo", initial=1), 10)
    with pytest.raises(InvalidContext, match=r"a value for 'age'. pulse comes after it"):
        optimizer.policy({"pulse": 0.4})


def test_settings_beyond_the_range_of_what_is_seen_are_called_a_guess() -> None:
    optimizer = played(staged("coca-bo", initial=1), 10)
    contexts = {"age": "old", "pulse": 0.4}
    assert optimizer.policy(contexts).why == ""
    step = optimizer.policy({**contexts, "pulse": 7.0})
    assert step.values
    assert step.why.endswith("pulse = 7 is outside its range, 0 to 1: this is a guess")


def test_what_a_policy_does_not_look_at_is_said() -> None:
    optimizer = played(figure("coca-bo-no-context", initial=1), 6)
    step = optimizer.policy({"c": 0.5})
    assert step.why == "the policy does not look at c"
    assert set(step.values) == set(step.scope.set)


@pytest.mark.parametrize("case", [figure("coca-bo"), crowd_case("mf-gp-ucb"), crowd_case("random")])
def test_before_anything_is_told_there_is_nothing_to_apply(case: Case) -> None:
    with pytest.raises(InvalidRequest, match="an outcome to learn from"):
        case.start().policy()


def test_a_policy_at_another_time() -> None:
    case = drifting("fully-bayesian", box())
    optimizer = case.play(case.start(), 4)
    assert optimizer.policy().values == optimizer.recommend().values
    late = optimizer.policy(time=1e6)
    assert "as of time 1000000" in late.why
    low = optimizer.policy(available={"x": (0.2, 0.3)}).values["x"]
    assert 0.2 <= low <= 0.3
    with pytest.raises(InvalidRequest, match=r"the time of round 4\."):
        optimizer.policy(time=-5)


@pytest.mark.parametrize("method", ["mf-gp-ucb", "random"])
def test_a_fleet_goes_as_far_as_it_may(method: str) -> None:
    problem = crowd(largest_move=0.1, moving_cost=2.0)
    optimizer = played(crowd_case(method, problem), 6)
    goal = problem.table(optimizer.policy().values["distribution"])
    assert (goal == problem.table(optimizer.recommend().values["distribution"])).all()
    far = {"day": {"a": 0.0, "b": 0.0, "c": 0.0, "d": 1.0}, "night": {"a": 0.0, "b": 0.0, "c": 0.0, "d": 1.0}}
    step = optimizer.policy(current=far)
    moved = problem.region.around(problem.table(far), 0.1).moved(problem.table(step.values["distribution"]))
    assert 0.05 < moved.max() <= 0.1 + 1e-9
    assert "of the way" in step.why
    assert "the move costs" in step.why
    stay = optimizer.policy(current=optimizer.recommend().values["distribution"])
    assert problem.table(stay.values["distribution"]) == pytest.approx(goal)


def test_every_action_is_in_a_distribution() -> None:
    optimizer = sb.Optimizer(crowd(counts=True), seed=1)
    suggestion = optimizer.ask()
    assert suggestion is not None
    lonely = {"day": {"a": 1.0}, "night": {"d": 1.0}}
    optimizer.tell(suggestion, 1.0, realised={"distribution": lonely})
    optimizer.tell(suggestion, 1.0, realised={"distribution": lonely})
    (round_,) = optimizer.history
    found = [suggestion.values["distribution"], suggestion.values["counts"], round_.realised["distribution"]]
    found.append(optimizer.recommend().values["distribution"])
    for table in found:
        assert {context: list(row) for context, row in table.items()} == {c: list("abcd") for c in ("day", "night")}
    assert round_.realised["distribution"]["day"] == {"a": 1.0, "b": 0.0, "c": 0.0, "d": 0.0}


WINGS = {
    "causal": staged("coca-bo", initial=1),
    "fleet": crowd_case("mf-gp-ucb"),
    "drift": drifting("prior-elimination"),
}


@pytest.mark.parametrize("case", WINGS.values(), ids=WINGS)
def test_answers_are_json(case: Case) -> None:
    optimizer = played(case, 3)
    suggestion = case.ask(optimizer)
    for answer in (suggestion, optimizer.recommend(), optimizer.explain(), optimizer.status, optimizer.policy()):
        plain = answer.to_dict()
        assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert optimizer.status.to_dict()["rounds"] == 4
    assert suggestion.to_dict()["values"] == suggestion.values


LEARNERS = {
    "partial control": Case(PROBLEM, "cheap-first", evaluate),
    "partial control, explored": Case(PROBLEM, "explore-then-commit", evaluate),
    "causal": figure("coca-bo"),
    "one scope": figure("cobo"),
    "fleet": crowd_case("mf-gp-ucb"),
    "drift": Case(sb.TimeVarying([sb.Float("x", 0, 1)]), "learned-drift", lambda s, r: {"value": 5 + s.values["x"]}),
    "sites": Case(
        sb.TimeVarying([sb.Float("x", 0, 1, step=0.1)]),
        "learned-drift",
        lambda s, r: {"value": 5 + s.values["x"]},
    ),
}
"""Kinds whose scale is learned from the outcomes."""


def told(optimizer: sb.Optimizer, case: Case, *values: float) -> sb.Optimizer:
    """Rounds of a case, with these values in the place of its own."""
    for value in values:
        suggestion = case.ask(optimizer)
        optimizer.tell(suggestion, **{**case.outcome(suggestion), "value": value})
    return optimizer


def unbounded(advice: sb.core.Recommendation) -> bool:
    each = (advice, *advice.alternatives)
    return "no bounds yet" in str(advice) and all((one.lower, one.upper) == (None, None) for one in each)


@pytest.mark.parametrize("case", LEARNERS.values(), ids=LEARNERS)
def test_one_outcome_tells_no_scale(case: Case) -> None:
    optimizer = told(case.start(), case, 4.0)
    assert optimizer.recommend().mean == pytest.approx(4.0, rel=0.1)
    assert unbounded(optimizer.recommend())
    optimizer.amend(optimizer.history.latest.suggestion.token, 4.2)  # type: ignore[union-attr]
    assert unbounded(optimizer.recommend())


@pytest.mark.few_draws
@pytest.mark.parametrize("case", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("value", [0.0, -7.3, 1e100])
def test_outcomes_that_are_all_alike_tell_no_scale(case: Case, value: float) -> None:
    optimizer = told(case.start(), case, *5 * [value])
    assert optimizer.recommend().mean == pytest.approx(value)
    assert unbounded(optimizer.recommend())


@pytest.mark.few_draws
@pytest.mark.parametrize("case", LEARNERS.values(), ids=LEARNERS)
def test_bounds_come_with_a_scale(case: Case) -> None:
    """Where an answer has bounds its mean lies between them; and they are there in the end."""
    optimizer, last = case.start(), 0
    for n in range(1, 13):
        told(optimizer, case, 10.0 + n % 3)
        advice = optimizer.recommend()
        if advice.lower is not None and advice.upper is not None:
            assert advice.mean is not None
            assert advice.lower < advice.mean < advice.upper
            last = n
    assert last == 12


def test_who_states_a_scale_has_bounds_at_once() -> None:
    case = drifting("tempered-elimination", box())
    advice = told(case.start(), case, 4.0).recommend()
    assert advice.lower is not None
    assert "no bounds yet" not in advice.why


def test_nobody_widens_what_has_no_bounds() -> None:
    advice = sb.core.Recommendation(sb.core.Scope(["ph"]), {"ph": 6.0}, mean=1.0)
    assert widened(advice, 2.0) == widened(advice, math.inf) == advice
    one = sb.core.Recommendation(sb.core.Scope(["ph"]), {"ph": 6.0}, mean=1.0, lower=0.5)
    assert widened(one, 3.0).lower == -0.5
    far = sb.core.Recommendation(sb.core.Scope(["ph"]), {"ph": 6.0}, mean=1e100, lower=-1e308, upper=1e308)
    assert all(math.isfinite(end) for end in (widened(far, 10.0).lower or math.nan, widened(far, 10.0).upper or 0))


SURPRISED = {
    "prior": (drifting("prior-elimination", box()), 12),
    "sites": (drifting("fully-bayesian", sites()), 12),
}
"""Cases, and rounds after which an outcome is out of all proportion."""


def doubt(optimizer: sb.Optimizer) -> float:
    """By how much bounds are wider than the model has them; of priors also for an error that is added."""
    method: Any = optimizer._method
    more = method.calibration.factor if isinstance(optimizer.problem, sb.TimeVarying) else 1.0
    return float(more * method.bound_inflation(optimizer.recommend().scope))


def width_of(optimizer: sb.Optimizer) -> float:
    advice = optimizer.recommend()
    assert advice.upper is not None
    assert advice.lower is not None
    return advice.upper - advice.lower


@pytest.mark.parametrize("name", SURPRISED)
def test_a_surprise_widens_bounds(name: str) -> None:
    case, rounds = SURPRISED[name]
    optimizer = case.play(case.start(), rounds)
    before, width = doubt(optimizer), width_of(optimizer)
    values = [r.outcome.value for r in optimizer.history if r.outcome is not None]
    token = told(optimizer, case, max(values) + 9 * (max(values) - min(values))).history.latest
    shocked = doubt(optimizer)
    assert shocked > 1.2 * before
    assert width_of(optimizer) > width
    assert sb.load(optimizer.to_json()).recommend().upper == optimizer.recommend().upper, "a function of the log"
    assert token is not None
    optimizer.amend(token.suggestion.token, values[-1])
    assert doubt(optimizer) < 0.9 * shocked, "put right, it is none"


def test_what_a_prior_held_for_impossible_leaves_no_bounds() -> None:
    case = drifting("fully-bayesian", box())
    assert unbounded(told(case.start(), case, 1.0, 1e99).recommend())
    case = drifting("tempered-elimination", box())
    assert not unbounded(told(case.start(), case, 1.0, 1e99).recommend()), "it is taken for a mistake"


def test_a_gain_over_today_is_as_unsure_as_its_answer() -> None:
    """A fleet's answer after two outcomes was 8 ± 10, and yet 0.5 better than today's settings, from 0.25 to 0.75."""
    said = (reason("played"), gain_over_current(0.5, 0.25))
    answer = Recommendation(Scope(["x"]), {}, mean=8.0, lower=7.0, upper=9.0, reasons=said)
    played, gain = widened(answer, 10.0).reasons
    assert played == said[0]
    assert gain.values == {"gain": 0.5, "low": -2.0, "high": 3.0, "net": False}
    assert [each.kind for each in widened(answer, math.inf).reasons] == ["played", "unbounded"]
    (far,) = widened(replace(answer, reasons=(gain_over_current(-1e308, 1e308),)), 10.0).reasons
    assert all(map(math.isfinite, far.values.values()))
