"""The largest bound of a scope's policies."""

from __future__ import annotations

import numpy as np
import pytest

import steerbo as sb
from steerbo.causal.arm import Arm
from steerbo.causal.arm_model import ModelOptions, arm_model
from steerbo.causal.gain import highest_policy
from steerbo.causal.keeping import Keeping
from steerbo.core import Scope

GRAPH = sb.CausalGraph.from_text("c -> x; c -> y; x -> y", target="y", intervenable=["x"])
PROBLEM = sb.Causal(GRAPH, [sb.Float("x", 0, 1), sb.Float("c", 0, 1)])


@pytest.mark.parametrize("scope", [Scope.of({"x": ["c"]}), Scope(["x"]), Scope([])])
def test_it_is_the_mean_over_contexts_of_the_largest_bound(scope: Scope) -> None:
    arm = Arm(scope, GRAPH, PROBLEM.space)
    model, random = arm_model(arm.space, ModelOptions()), np.random.default_rng(0)
    for x in random.random((12, len(arm.names))):
        model.add(x, float(x.sum() ** 2 + random.standard_normal()))
    contexts = [dict.fromkeys(arm.contexts, c) for c in (0.1, 0.5, 0.9)] if arm.contexts else [{}]
    found = []
    for seen in contexts:
        settings = [dict(zip(arm.actions, (x,) * len(arm.actions), strict=True)) for x in np.linspace(0, 1, 401)]
        rows = np.concatenate([arm.encode({**seen, **each}) for each in settings])
        mean, deviation = model.predict(rows)
        found.append(float((mean + 3 * deviation).max()))
    assert highest_policy(Keeping(arm), model, contexts, 3.0) == pytest.approx(float(np.mean(found)), rel=0.05)
