"""Observations without intervention."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.causal.problems import FIGURE_1, figure_1
from steerbo.causal import Causal, CausalGraph
from steerbo.causal.arm import Arm
from steerbo.causal.observations import adjustment
from steerbo.rounds import Optimizer, Scope
from steerbo.space import Float
from tests.causal.test_methods import FIGURE


def test_which_scopes_observations_identify() -> None:
    space = FIGURE.space
    assert adjustment(Arm(Scope.of({"x1": ["c"]}), FIGURE_1, space)) == ()
    assert adjustment(Arm(Scope.of({"x1": []}), FIGURE_1, space)) == ("c",)
    assert adjustment(Arm(Scope.of({"x2": ["c"]}), FIGURE_1, space)) is None, "x2 and y are confounded"


def test_observations_feed_identified_scopes_only_and_are_no_plays() -> None:
    environment = figure_1()
    optimizer = Optimizer(environment.problem, "coca-bo", seed=0)
    drawn = environment.model.sample(30, np.random.default_rng(0))
    for k in range(30):
        optimizer.add(float(drawn["y"][k]), {name: float(drawn[name][k]) for name in ("x1", "x2", "c")})
    method = optimizer._method
    assert [len(model) for model in method.models.each] == [30, 0]  # type: ignore[attr-defined]
    assert not method.plays.any()  # type: ignore[attr-defined]
    assert "30 observations without intervention feed: set x1 after looking at c" in optimizer.explain().summary


def _confounded() -> tuple[Causal, dict[str, np.ndarray]]:
    """Those with a large z get a large x and do well anyway: x itself does harm, y = 3 z − x + noise."""
    graph = CausalGraph.from_text("z -> x -> y; z -> y", target="y", intervenable=["x"])
    problem = Causal(graph, [Float("x", 0, 1), Float("z", 0, 1)])
    random = np.random.default_rng(1)
    z = random.random(120)
    x = np.clip(z + 0.2 * random.standard_normal(120), 0, 1)
    return problem, {"x": x, "z": z, "y": 3 * z - x + 0.1 * random.standard_normal(120)}


def test_observations_are_adjusted_for_what_is_beside_a_scope() -> None:
    """CaBO does not look at z. Unadjusted, watching would tell it to set x to one; the effect of x is −1."""
    problem, drawn = _confounded()
    optimizer = Optimizer(problem, "cabo", seed=0)
    for k in range(120):
        optimizer.add(float(drawn["y"][k]), {name: float(drawn[name][k]) for name in ("x", "z")})
    optimizer.ask()
    assert "set x (adjusted for z)" in optimizer.explain().summary
    method = optimizer._method
    model = next(m for m, arm in zip(method.models.each, method.arms, strict=True) if arm.names == ("x",))  # type: ignore[attr-defined]
    low, high = model.predict([[0.1], [0.9]])[0]
    assert high - low == pytest.approx(-0.8, abs=0.2)
    assert low == pytest.approx(1.4, abs=0.15)
    assert np.polyfit(drawn["x"], drawn["y"], 1)[0] > 1.0, "watching alone misleads"


def test_adjusted_observations_survive_replay_and_amendments() -> None:
    problem, drawn = _confounded()
    optimizer = Optimizer(problem, "cabo", seed=0)
    suggestion = None
    for k in range(30):
        optimizer.add(float(drawn["y"][k]), {name: float(drawn[name][k]) for name in ("x", "z")})
        if k % 6 == 5:
            suggestion = optimizer.ask()
            assert suggestion is not None
            optimizer.tell(suggestion, 1.5 - suggestion.values.get("x", 0.5), realised={"x": 0.5, **suggestion.values})
    assert suggestion is not None
    optimizer.amend(suggestion, value=0.7)
    again = Optimizer.replay(problem, optimizer.events)
    assert again.ask() == optimizer.ask()
    for ours, theirs in zip(optimizer._method.models.each, again._method.models.each, strict=True):  # type: ignore[attr-defined]
        np.testing.assert_array_equal(ours.outcomes, theirs.outcomes)
        assert len(ours) >= 30 or not len(ours)
