"""The recommended policy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo._wording import interval_texts
from steerbo.core import Optimizer
from steerbo.errors import InvalidContext
from steerbo.records import to_dict
from tests.causal.published import psa
from tests.causal.worlds import FIGURE


def test_the_recommended_policy_can_be_called_and_read() -> None:
    environment = psa(2)
    optimizer = Optimizer(environment.problem, seed=1)
    environment.play(optimizer, 60, 1)
    policy: Any = optimizer.recommend()
    person = {"age": 70.0, "bmi": 26.3}
    best = (70 - 55) / 21 * abs((26.3 - 27) / 4)
    assert policy(person)["aspirin"] == pytest.approx(best, abs=0.1)
    assert policy.table.columns == ("age", "bmi", "aspirin", "statin")
    assert "act" not in to_dict(policy)
    with pytest.raises(InvalidContext, match="bmi"):
        policy({"age": 70.0})
    with pytest.raises(InvalidContext, match="weight"):
        policy({**person, "weight": 80.0})
    assert "statin" in str(policy)


def test_an_unplayed_policy_says_so() -> None:
    policy: Any = Optimizer(FIGURE).recommend()
    assert "nothing is known yet" in str(policy)
    with pytest.raises(InvalidContext, match="Play a round"):
        policy({"c": 0.0})


def ward(**more: Any) -> Optimizer:
    """Forty rounds with ages of 20 to 40, of a range to 90."""
    graph = sb.CausalGraph.from_text("age -> dose -> y; age -> y", target="y", intervenable=["dose"])
    problem = sb.Causal(graph, [sb.Float("dose", 0, 1), sb.Float("age", 20, 90)], **more)
    optimizer, random = Optimizer(problem, seed=1), np.random.default_rng(0)
    sign = -1 if problem.minimize else 1
    for _ in range(40):
        suggestion, age = optimizer.ask(), float(20 + 20 * random.random())
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, {"age": age})
        dose = suggestion.values.get("dose", float(random.random()))
        value = sign * (expected(age, dose) + 0.05 * random.standard_normal())
        optimizer.tell(suggestion, value, realised={"age": age, "dose": dose})
    return optimizer


def expected(age: float, dose: float) -> float:
    return 10 - 8 * (dose - age / 60) ** 2 - 0.1 * (age - 20)


@pytest.mark.parametrize("minimize", [False, True])
def test_a_step_says_what_to_expect_of_it_for_this_patient(minimize: bool) -> None:
    optimizer, sign = ward(minimize=minimize), -1 if minimize else 1
    for age in (25.0, 30.0, 37.0):
        step = optimizer.policy({"age": age})
        assert step.mean is not None
        assert step.lower is not None
        assert step.upper is not None
        assert step.lower < step.mean < step.upper
        assert step.mean == pytest.approx(sign * expected(age, step.values["dose"]), abs=0.1)
        assert not step.why
        mean, low, high = interval_texts(step.mean, step.lower, step.upper)
        assert f"; expected value {mean} (between {low} and {high})" in str(step)
        assert to_dict(step)["mean"] == step.mean
    first = optimizer.policy()
    assert first.observe == ("age",)
    assert (first.mean, first.lower, first.upper) == (None, None, None)
    assert "expected" not in str(first)


def test_where_no_outcome_is_near_a_step_says_that_it_guesses() -> None:
    optimizer = ward()
    oldest = max(r.suggestion.context["age"] for r in optimizer.history)
    assert not optimizer.policy({"age": oldest + 6}).why, "less than a tenth of the range"
    step = optimizer.policy({"age": 90})
    assert step.why == f"no outcome has age above {oldest:.4g}: this is a guess"
    assert step.upper - step.lower > 5  # type: ignore[operator]
    assert "this is a guess" in str(step)
    assert optimizer.policy({"age": 150}).why == "age = 150 is outside its range, 20 to 90: this is a guess"


def test_before_the_scale_is_known_a_step_has_no_bounds() -> None:
    optimizer = Optimizer(FIGURE, seed=0)
    suggestion = optimizer.ask()
    while suggestion.observe:
        suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, 0.2))
    optimizer.tell(suggestion, 1.0)
    step = optimizer.policy(dict.fromkeys(optimizer.policy().observe, 0.2))
    assert step.mean == optimizer.recommend().mean == 1.0
    assert step.lower is step.upper is None
    assert "no bounds yet" in step.why


def test_a_scope_whose_outcomes_are_alike_is_as_unsure_as_others_say_that_they_differ() -> None:
    """All its plays succeeded, as some of the other scopes' did: it was expected to be 1.00, without any bounds."""
    optimizer, lucky = Optimizer(FIGURE, "random", seed=0), None
    for k in range(24):
        suggestion = optimizer.ask()
        assert suggestion is not None
        while suggestion.observe:
            suggestion = optimizer.decide(suggestion, dict.fromkeys(suggestion.observe, round(0.04 * k, 2)))
        lucky = lucky or suggestion.scope
        optimizer.tell(suggestion, 1.0 if suggestion.scope == lucky else float(k % 3 > 0))
    for one in (optimizer, sb.load(optimizer.to_json())):
        answer: Any = one.recommend()
        found = next(each for each in (answer, *answer.alternatives) if each.scope == lucky)
        assert found.upper is not None
        assert found.lower is not None
        assert found.lower < 0.85


@pytest.mark.all_draws
def test_a_step_that_does_not_look_expects_what_the_answer_does_and_the_rest_is_averaged() -> None:
    """With prices, where a scope does not look at what its model knows."""
    optimizer = ward(prices={"dose": 0.5, "age": 0.1}, base=1.0)
    advice, step = optimizer.recommend(), optimizer.policy()
    assert not advice.scope.look
    assert (step.mean, step.lower, step.upper) == (advice.mean, advice.lower, advice.upper)
    method: Any = optimizer._method
    i = next(i for i, arm in enumerate(method.arms) if arm.scope == advice.scope)
    ages = [r.suggestion.context.get("age", r.realised["age"]) for r in optimizer.history]
    mean, sd = method.value_at(i, {"dose": 0.5})
    assert mean == pytest.approx(np.mean([expected(age, 0.5) for age in ages]), abs=0.15)
    known, _ = method.value_at(i, {"dose": 0.5, "age": 30.0})
    assert known == pytest.approx(expected(30.0, 0.5), abs=0.1)
    assert 0 < sd < 0.3
