"""Actions of an arm whose model has columns for more than it looks at."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.causal.arm import Arm
from steerbo.causal.cheap_options import CheapOptions
from steerbo.causal.nearness import Realised
from steerbo.causal.nested import NestedActor
from steerbo.core import Scope
from steerbo.surrogate import ucb
from tests.causal.test_worth import GRAPH, SPACE


def test_an_actor_averages_over_what_is_not_looked_at_given_what_is() -> None:
    """b is what a is: who sees a low a expects a low b, and sets x by that."""
    model_of_b, random = CheapOptions().model(SPACE, None), np.random.default_rng(0)
    for x, a, b in random.random((40, 3)):
        model_of_b.add(np.array([x, a, b]), float(-3 * (x - b) ** 2))
    model_of_b.set(model_of_b.fit())
    a = random.random(60)
    realised = Realised(np.column_stack([a, a + 0.01 * random.normal(size=60)]), np.array([False, False]))
    arm = Arm(Scope.of({"x": ["a"]}), GRAPH, SPACE, beside=("b",))
    actor = NestedActor(arm, model_of_b, realised=realised)
    for seen in (0.2, 0.8):
        found = actor.best(("x",), {"a": seen}, ucb(0.0), np.random.default_rng(0))
        assert found["x"] == pytest.approx(seen, abs=0.1)
    both = NestedActor(Arm(Scope.of({"x": ["a", "b"]}), GRAPH, SPACE), model_of_b, realised=realised)
    assert both._unseen({"a": 0.1, "b": 0.9}, np.random.default_rng(0)) == {}
