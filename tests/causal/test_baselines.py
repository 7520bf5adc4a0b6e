"""CaBO."""

from __future__ import annotations

from steerbo.core import Optimizer
from tests.causal.published import plates, psa


def test_cabo_never_looks() -> None:
    environment = psa(2)
    optimizer = Optimizer(environment.problem, "cabo", seed=0)
    _, _, scopes = environment.play(optimizer, 14, 0)
    assert set(scopes) == {"nothing", "aspirin|", "statin|", "aspirin| statin|"}


def test_cobo_leaves_out_contexts_that_an_action_affects() -> None:
    problem = plates(2, 2).problem
    optimizer = Optimizer(problem, "cobo")
    suggestion = optimizer.ask()
    assert suggestion is not None
    assert set(suggestion.scope.set) == {"x1", "x2"}
    assert set(suggestion.observe) == {f"c{i}" for i in range(7)} | {"ct0", "ct1"}
