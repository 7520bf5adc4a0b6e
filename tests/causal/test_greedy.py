"""The policy of the posterior mean: stage by stage the same as at once, and the best of all that are tried."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal.acting import Actor
from steerbo.causal.arm import Arm
from steerbo.causal.arm_model import ModelOptions, arm_model
from steerbo.causal.greedy import Greedy
from steerbo.core import Scope, Streams
from steerbo.errors import InvalidContext

GRAPH = sb.CausalGraph.from_text(
    "age -> dose -> pulse -> rest -> y; age -> y; pulse -> y; age -> rest; sex -> y",
    target="y",
    intervenable=["dose", "rest"],
)
SPACE = sb.Causal(GRAPH, [sb.Float(name, 0, 1) for name in ("dose", "rest", "age", "pulse", "sex")]).space


def greedy(scope: dict[str, list[str]], seed: int = 0, **more: Any) -> Greedy:
    """The dose is best at the age, and the rest at the pulse."""
    arm = Arm(Scope.of(scope), GRAPH, SPACE)
    model, random = arm_model(arm.space, ModelOptions()), np.random.default_rng(0)
    for _ in range(40):
        row = dict(zip(arm.names, random.random(len(arm.names)), strict=True))
        value = -((row.get("dose", 0.0) - row.get("age", 0.4)) ** 2) - (row.get("rest", 0.0) - row.get("pulse", 0)) ** 2
        model.add(np.array([row[name] for name in arm.names]), value)
    model.set(model.fit())
    return Greedy(Actor(arm, model), Streams(seed), 0, **more)


STAGED = {"dose": ["age"], "rest": ["age", "pulse"]}


def test_it_is_the_best_of_the_posterior_mean() -> None:
    policy = greedy({"dose": ["age"]})
    for age in (0.2, 0.7):
        found = policy({"age": age})["dose"]
        tried = np.column_stack([np.linspace(0, 1, 501), np.full(501, age)])
        means = policy.actor.model.means(tried)
        at = policy.actor.model.means(np.array([[found, age]]))[0]
        assert at >= means.max() - 1e-4
        assert found == pytest.approx(age, abs=0.1)


def test_stage_by_stage_it_says_the_same_as_at_once() -> None:
    policy, seen = greedy(STAGED), {"age": 0.3, "pulse": 0.8}
    whole = policy(seen)
    assert list(whole) == ["dose", "rest"]
    nothing = policy.step({})
    assert (nothing.values, nothing.observe) == ({}, ("age",))
    first = policy.step({"age": 0.3})
    assert first.values == {"dose": whole["dose"]}
    assert first.observe == ("pulse",)
    last = policy.step(seen)
    assert (last.values, last.observe, last.note) == (whole, (), "")
    assert policy(seen) == whole, "asked again it is the same"


def test_what_is_seen_later_changes_nothing_that_was_set_before() -> None:
    policy = greedy(STAGED)
    doses = {policy({"age": 0.3, "pulse": pulse})["dose"] for pulse in (0.1, 0.9)}
    assert len(doses) == 1


def test_a_later_stage_that_was_seen_before_an_earlier_one_is_refused() -> None:
    with pytest.raises(InvalidContext, match=r"context: .*a value for 'age'.*pulse comes after it"):
        greedy(STAGED).step({"pulse": 0.5})


def test_what_it_does_not_look_at_is_left_out_and_said() -> None:
    policy = greedy({"dose": ["age"]})
    found = policy.step({"age": 0.3, "sex": 1.0, "pulse": 0.2})
    assert found.note == "the policy does not look at sex, pulse"
    assert found.values == policy({"age": 0.3})
    assert dict(found.context) == {"age": 0.3}


def test_without_a_look_it_is_one_setting() -> None:
    policy = greedy({"dose": [], "rest": []})
    assert policy({}) == policy.step({}).values
    assert policy.step({}).observe == ()
