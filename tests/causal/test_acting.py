"""Actions are chosen on what was seen, and on nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal import Causal, CausalGraph
from steerbo.causal._acting import GreedyPolicy, PolicyOptimiser
from steerbo.causal._arms import Arm
from steerbo.causal._contexts import ContextSample
from steerbo.causal.cheap_first import CheapOptions
from steerbo.causal.identification.scopes import ScopesFound
from steerbo.causal.models import ModelOptions
from steerbo.core import Optimizer, Scope, Streams
from steerbo.errors import InvalidContext
from steerbo.space import Categorical, Float, Integer
from steerbo.surrogate import ucb


def _apart() -> Arm:
    """Two actions with different contexts, both seen at the start."""
    graph = CausalGraph.from_text("a -> x1 -> y; b -> x2 -> y; a -> y; b -> y", target="y", intervenable=["x1", "x2"])
    variables = (Float("x1", 0, 1), Float("x2", 0, 1), Float("a", 0, 1), Float("b", 0, 1))
    problem = Causal(graph, variables)
    return Arm(Scope.of({"x1": ["a"], "x2": ["a", "b"]}), graph, problem.space)


@pytest.mark.parametrize("played", [1, 6])
def test_a_policy_never_reads_a_context_that_it_was_not_given(monkeypatch: pytest.MonkeyPatch, played: int) -> None:
    """x1 looks at a and x2 at b: what b is must not change x1 in a single bit, though both are seen at once."""
    arm = _apart()
    problem = Causal(arm.graph, arm.problem_space.variables)
    scope = Scope.of({"x1": ["a"], "x2": ["b"]})
    found = ScopesFound((scope,), complete=True)
    monkeypatch.setattr("steerbo.causal.coca_bo.found_scopes", lambda graph, mode, limit: found)
    chosen = {}
    for b in (0.1, 0.9):
        optimizer = Optimizer(problem, "coca-bo", seed=3, initial=2)
        for t in range(played):
            suggestion = optimizer.ask()
            assert suggestion is not None
            last = t == played - 1
            decided = optimizer.decide(suggestion, {"a": 0.3, "b": b if last else 0.2 + 0.1 * t})
            if not last:
                optimizer.tell(decided, decided.values["x1"] - (decided.values["x2"] - decided.context["b"]) ** 2)
        chosen[b] = decided.values
    assert chosen[0.1]["x1"] == chosen[0.9]["x1"]
    assert played == 1 or chosen[0.1]["x2"] != chosen[0.9]["x2"]


def test_mixed_variables() -> None:
    graph = CausalGraph.from_text("c -> x -> y; c -> y; n -> y; c -> n", target="y", intervenable=["x", "n"])
    problem = Causal(graph, (Categorical("x", ["a", "b", "c"]), Integer("n", 1, 4), Float("c", 0, 1)))
    optimizer = Optimizer(problem, seed=0)
    for _ in range(14):
        suggestion = optimizer.ask()
        assert suggestion is not None
        decided = optimizer.decide(suggestion, {"c": 0.5})
        assert decided.values["x"] in {"a", "b", "c"}
        assert decided.values["n"] in {1, 2, 3, 4}
        optimizer.tell(decided, float(decided.values["x"] == "b") - abs(decided.values["n"] - 2))
    assert optimizer.recommend()({"c": 0.5}) == {"x": "b", "n": 2}  # type: ignore[operator]


LOOKS = sb.CausalGraph.from_text("a -> y; b -> y; x -> y", target="y", intervenable=["x"])
LOOKS_SPACE = sb.Causal(LOOKS, [sb.Float(name, 0, 1) for name in ("x", "a", "b")]).space


def test_an_optimiser_averages_over_contexts_not_looked_at_given_the_others() -> None:
    """b is what a is: who sees a low a expects a low b, and sets x by that."""
    model_of_b, random = CheapOptions().model(LOOKS_SPACE, None), np.random.default_rng(0)
    for x, a, b in random.random((40, 3)):
        model_of_b.add(np.array([x, a, b]), float(-3 * (x - b) ** 2))
    model_of_b.set(model_of_b.fit())
    a = random.random(60)
    realised = ContextSample(np.column_stack([a, a + 0.01 * random.normal(size=60)]), np.array([False, False]))
    arm = Arm(Scope.of({"x": ["a"]}), LOOKS, LOOKS_SPACE, covariates=("b",))
    actor = PolicyOptimiser(arm, model_of_b, marginalise=realised)
    for seen in (0.2, 0.8):
        found = actor.best(("x",), {"a": seen}, ucb(0.0), np.random.default_rng(0))
        assert found["x"] == pytest.approx(seen, abs=0.1)
    both = PolicyOptimiser(Arm(Scope.of({"x": ["a", "b"]}), LOOKS, LOOKS_SPACE), model_of_b, marginalise=realised)
    assert both._unknown({"a": 0.1, "b": 0.9}, np.random.default_rng(0)) == {}


GRAPH = sb.CausalGraph.from_text(
    "age -> dose -> pulse -> rest -> y; age -> y; pulse -> y; age -> rest; sex -> y",
    target="y",
    intervenable=["dose", "rest"],
)
SPACE = sb.Causal(GRAPH, [sb.Float(name, 0, 1) for name in ("dose", "rest", "age", "pulse", "sex")]).space


def greedy(scope: dict[str, list[str]], seed: int = 0, **more: Any) -> GreedyPolicy:
    """The dose is best at the age, and the rest at the pulse."""
    arm = Arm(Scope.of(scope), GRAPH, SPACE)
    model, random = ModelOptions().model(arm.space), np.random.default_rng(0)
    for _ in range(40):
        row = dict(zip(arm.names, random.random(len(arm.names)), strict=True))
        value = -((row.get("dose", 0.0) - row.get("age", 0.4)) ** 2) - (row.get("rest", 0.0) - row.get("pulse", 0)) ** 2
        model.add(np.array([row[name] for name in arm.names]), value)
    model.set(model.fit())
    return GreedyPolicy(PolicyOptimiser(arm, model), Streams(seed), 0, **more)


STAGED = {"dose": ["age"], "rest": ["age", "pulse"]}


def test_it_is_the_best_of_the_posterior_mean() -> None:
    policy = greedy({"dose": ["age"]})
    for age in (0.2, 0.7):
        found = policy({"age": age})["dose"]
        tried = np.column_stack([np.linspace(0, 1, 501), np.full(501, age)])
        means = policy.optimiser.model.means(tried)
        at = policy.optimiser.model.means(np.array([[found, age]]))[0]
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
    assert (last.values, last.observe, last.why) == (whole, (), "")
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
    assert found.why == "the policy does not look at sex, pulse"
    assert found.values == policy({"age": 0.3})
    assert dict(found.context) == {"age": 0.3}


def test_without_a_look_it_is_one_setting() -> None:
    policy = greedy({"dose": [], "rest": []})
    assert policy({}) == policy.step({}).values
    assert policy.step({}).observe == ()
