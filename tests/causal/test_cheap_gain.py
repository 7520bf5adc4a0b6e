"""What could still be gained where scopes have prices."""

from __future__ import annotations

import numpy as np

import steerbo as sb
from benchmarks.traits.priced_worlds import world
from tests.causal.test_cheap_first import play


def test_a_study_ends_when_enough_is_known() -> None:
    """Nothing is said of what may be gained before every scope was played; then it is less and less."""
    chain = world("chain")
    gains = []
    for rounds in (3, 25, 90):
        optimizer = play(chain, sb.Optimizer(chain.problem, seed=0), rounds)
        gains.append(optimizer._state.method.gain(optimizer.history))
    assert gains[0] == np.inf > gains[1] > gains[2] > 0
    stopped = play(chain, sb.Optimizer(chain.problem, seed=0, stop=1.01 * gains[2], rounds=95))
    assert len(stopped.history) <= 90


def test_a_scope_that_never_worked_holds_no_stop_up() -> None:
    """To set nothing fails, always: nothing is waited for there, and the others say when enough is known."""
    graph = sb.CausalGraph([("x", "y"), ("z", "y")], target="y", intervenable=["x", "z"])
    problem = sb.Causal(
        graph, [sb.Float("x", 0, 1), sb.Float("z", 0, 1)], prices={"x": 1, "z": 1}, base=1, tolerance=sb.Absolute(0.05)
    )
    optimizer, random = sb.Optimizer(problem, seed=0, stop=0.3, rounds=60), np.random.default_rng(0)
    while (suggestion := optimizer.ask()) is not None:
        if not suggestion.scope.set:
            optimizer.fail(suggestion, "it burst")
            continue
        x = {"x": random.random(), "z": random.random(), **suggestion.values}
        value = -((x["x"] - 0.3) ** 2) - (x["z"] - 0.6) ** 2 + 0.02 * random.normal()
        optimizer.tell(suggestion, value, realised=x)
    assert "enough is known" in optimizer.status.finished
    assert optimizer.history.failed >= 2
