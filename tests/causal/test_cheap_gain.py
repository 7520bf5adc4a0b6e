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
        gains.append(optimizer._fold.method.gain(optimizer.history))
    assert gains[0] == np.inf > gains[1] > gains[2] > 0
    stopped = play(chain, sb.Optimizer(chain.problem, seed=0, stop=1.01 * gains[2], rounds=95))
    assert len(stopped.history) <= 90
