"""Observations without intervention."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from benchmarks.causal.problems import FIGURE_1, figure_1
from steerbo.causal import Causal, CausalGraph
from steerbo.causal.arm import Arm
from steerbo.causal.observations import adjustment
from steerbo.core import Optimizer, Scope, load
from steerbo.errors import InvalidOutcome, InvalidProblem
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


def _world(a: float, n: int) -> tuple[Causal, dict[str, np.ndarray], Any]:
    """What is observed where a hidden cause of strength a moves x and y, and what a play gives."""
    graph = CausalGraph.from_text("c -> x -> y; c -> y", target="y", intervenable=["x"])
    problem = Causal(graph, [Float("x", 0, 1), Float("c", 0, 1)])
    random = np.random.default_rng(1)
    c, u = random.random(n), random.standard_normal(n)
    x = np.clip(0.5 + 0.25 * u, 0, 1)
    y = -((x - c) ** 2) + a * u + 0.05 * random.standard_normal(n)

    def play(x: float, c: float) -> float:
        return float(-((x - c) ** 2) + a * random.standard_normal() + 0.05 * random.standard_normal())

    return problem, {"x": x, "c": c, "y": y}, play


def observed(a: float, n: int, rounds: int) -> Optimizer:
    problem, drawn, play = _world(a, n)
    optimizer = Optimizer(problem, "coca-bo", seed=0)
    for k in range(n):
        optimizer.add(float(drawn["y"][k]), {name: float(drawn[name][k]) for name in ("x", "c")})
    for k in range(rounds):
        suggestion = optimizer.ask()
        assert suggestion is not None
        suggestion = optimizer.decide(suggestion, {"c": (0.37 * k) % 1.0})
        optimizer.tell(suggestion, play(suggestion.values["x"], suggestion.context["c"]))
    return optimizer


def _model(optimizer: Optimizer) -> Any:
    return optimizer._method.models.each[0]  # type: ignore[attr-defined]


@pytest.mark.parametrize("rows", [1, 3])
def test_a_few_observations_and_constant_columns(rows: int) -> None:
    problem, _, play = _world(0.0, 1)
    optimizer = Optimizer(problem, "coca-bo", seed=0)
    for _ in range(rows):
        optimizer.add(1.0, {"x": 0.5, "c": 0.5})
    assert optimizer.recommend().mean is not None
    for k in range(6):
        suggestion = optimizer.decide(optimizer.ask(), {"c": 0.2 * k})
        optimizer.tell(suggestion, play(suggestion.values["x"], 0.2 * k))
    assert np.isfinite(optimizer.recommend().mean or np.nan)


def test_observations_may_come_after_plays() -> None:
    optimizer = observed(0.0, 0, 6)
    problem, drawn, _ = _world(0.0, 40)
    for k in range(40):
        optimizer.add(float(drawn["y"][k]), {name: float(drawn[name][k]) for name in ("x", "c")})
    assert len(_model(optimizer)) == 46
    pending = optimizer.ask(batch=2)
    assert len(pending) == 2
    optimizer.amend(next(iter(optimizer.history)).suggestion.token, value=0.0)
    again = Optimizer.replay(problem, optimizer.events)
    np.testing.assert_array_equal(_model(again).weights, _model(optimizer).weights)
    assert again.ask() == optimizer.ask()


def test_logs_from_when_there_was_a_choice_open_if_it_was_the_default() -> None:
    optimizer = observed(0.0, 20, 3)
    saved = json.loads(optimizer.to_json())
    saved["events"][0]["options"] |= {"observations": "trusted", "slanted": False}
    again = load(json.dumps(saved))
    assert again.ask() == optimizer.ask()
    assert _model(again).inputs.shape == (23, 2)
    saved["events"][0]["options"] |= {"observations": "checked"}
    with pytest.raises(InvalidProblem, match="observations"):
        load(json.dumps(saved))


def test_what_is_no_number_is_refused_by_name() -> None:
    optimizer = observed(0.0, 0, 0)
    with pytest.raises(InvalidOutcome, match=r"realised\.c|c"):
        optimizer.add(1.0, {"x": 0.1, "c": float("nan")})
