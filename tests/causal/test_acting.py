"""Actions are chosen on what was seen, and on nothing else."""

from __future__ import annotations

import pytest

from steerbo.causal import Causal, CausalGraph
from steerbo.causal.arm import Arm
from steerbo.core import Optimizer, Scope
from steerbo.space import Categorical, Float, Integer


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
    monkeypatch.setattr("steerbo.causal.coca_bo.policy_scopes", lambda graph, mode, limit: (scope,))
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
