"""Structural causal models: interventions, policies, and the paper's models against what the paper says of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from partial_control_bench.causal.scm import StructuralCausalModel
from partial_control_bench.errors import BenchError
from steerbo.causal import CausalGraph
from tests.causal.published import cosine, figure_1, plates, psa


def test_a_mechanism_is_missing() -> None:
    graph = CausalGraph([("x", "y")], target="y", intervenable=["x"])
    with pytest.raises(BenchError, match="there is none for 'y'"):
        StructuralCausalModel(graph, {"x": lambda v, r, n: r.random(n)})


def test_the_noise_of_one_variable_does_not_depend_on_what_is_set() -> None:
    model = figure_1().model
    free, held = model.sample(5, np.random.default_rng(3)), model.sample(5, np.random.default_rng(3), do={"x1": 0.2})
    assert (free["c"] == held["c"]).all()
    assert (held["x1"] == 0.2).all()
    assert (free["x2"] != held["x2"]).all()


@pytest.mark.parametrize(
    ("policies", "expected"),
    [
        ({"x1": lambda v: -v["c"]}, 1 / 3),
        ({"x1": lambda v: 0.0 * v["c"]}, 1 / 3 - 0.0844),
        ({"x2": lambda v: v["c"]}, 0.0),
        ({}, 1 / 3 * 0.4410),
    ],
)
def test_figure_1(policies: dict[str, object], expected: float) -> None:
    """Section 2's values; each within 4.5 standard errors, so that a right model fails once in 150 000 runs."""
    value, error = figure_1().model.value(policies, np.random.default_rng(0))  # type: ignore[arg-type]
    assert abs(value - expected) < 4.5 * error + 1e-3
    assert error < 0.003


def test_best_policies_of_the_other_models() -> None:
    random = np.random.default_rng(1)
    for environment, policies in (
        (cosine(), {"x2": lambda v: v["c"]}),
        (psa(1), {"aspirin": lambda v: 0 * v["age"], "statin": lambda v: 1 + 0 * v["age"]}),
        (
            psa(2),
            {x: (lambda v: (v["age"] - 55) / 21 * np.abs((v["bmi"] - 27) / 4)) for x in ("aspirin", "statin")},
        ),
        (plates(3, 2), {"x2": lambda v: v["c1"]}),
    ):
        value, error = environment.model.value(policies, random, n=20_000)
        assert abs(value - environment.best) < 4.5 * error + 0.01, environment.name


@pytest.mark.parametrize("environment", [figure_1(), cosine(), psa(1), psa(2), plates(2, 1)], ids=lambda e: e.name)
def test_means_for_regret_are_those_of_the_model(environment: object) -> None:
    """`E[Y | do(x), c]` as the regret uses it, averaged over contexts, against the model's own average."""
    from steerbo.causal import policy_scopes

    e: Any = environment
    for scope in policy_scopes(e.problem.graph):
        variables = {v.name: v for v in e.problem.variables}
        held = {x: variables[x].low + 0.3 * (variables[x].high - variables[x].low) for x in scope.set}
        drawn = e.model.sample(4000, np.random.default_rng(5), do=held)
        target = drawn[e.problem.graph.target]
        means = [e.mean(held, {c: drawn[c][k] for c in scope.contexts}) for k in range(0, 4000, 4)]
        error = np.hypot(np.std(means) / np.sqrt(len(means)), target.std() / np.sqrt(4000))
        assert abs(np.mean(means) - target.mean()) < 4.5 * error + 0.005, str(scope)


def test_a_round_shows_the_same_whenever_one_looks() -> None:
    environment = figure_1()
    played = environment.model.play(seed=4)
    seen = played.look(("c",), {})
    assert played.look(("c",), {"x1": 0.3}) == seen
    assert played.outcome({"x1": -seen["c"]}) >= seen["c"]
