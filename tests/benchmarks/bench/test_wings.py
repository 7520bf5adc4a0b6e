"""Each wing's world says what it does not take, knows its truth, and is the one that runs were kept of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from partial_control_bench import Look
from partial_control_bench.causal.graph import Diagram
from partial_control_bench.causal.scm import StructuralCausalModel
from partial_control_bench.costvarying.world import Plant
from partial_control_bench.errors import BenchError
from partial_control_bench.laws import parent_sd, quantile
from partial_control_bench.meanfield.published import crowd
from partial_control_bench.meanfield.world import OPTIMUM, whole
from partial_control_bench.playing import run
from partial_control_bench.problem import Budget, Problem
from partial_control_bench.record import Result
from partial_control_bench.registry import contender, problem
from steerbo.core import Optimizer
from steerbo.space import Float, TruncatedNormal
from tests.causal.published import psa


def shortened(name: str, budget: Budget) -> Problem:
    return replace(problem(name), budget=budget)


def play(about: Problem, entrant: str, seed: int) -> Result:
    who = contender(entrant)
    return run(about, who.name, who.load(), seed)


# -- cost-varying ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variance", [0.02, 0.04])
def test_the_law_is_that_of_the_paper(variance: float) -> None:
    sd = variance**0.5
    ours = Float("x", 0, 1, law=TruncatedNormal(0.5, sd, moments="truncated")).distribution
    u = np.linspace(0.001, 0.999, 999)
    np.testing.assert_allclose(quantile(u, parent_sd(sd)), ours.ppf(u), atol=1e-12)


@pytest.mark.parametrize(
    ("values", "said"), [({"x1": 0.5}, "must be one of the control sets"), ({"x1": 1.5, "x2": 0, "x3": 0}, "outside")]
)
def test_control_sets_alone_can_be_held(values: Mapping[str, float], said: str) -> None:
    world = problem("levy-cheap-0.02").make(10)
    with pytest.raises(BenchError, match=said):
        world.play(1, values, {})
    with pytest.raises(BenchError, match="nothing to look at"):
        world.look(1, Look(["x1"]))


def test_a_play_costs_what_its_set_costs_and_nature_is_the_same_for_all() -> None:
    world = problem("ackley-cheap-0.02").make(10)
    first, second = (world.play(1, {"x1": x, "x2": x, "x3": x}, {}) for x in (0.2, 0.8))
    assert first.cost == second.cost == 0.01
    assert first.realised["x7"] == second.realised["x7"]
    assert first.realised["x1"] == 0.2
    assert world.regret(1, {f"x{d}": 0.5 for d in range(1, 7)}, {}) == pytest.approx(0.0, abs=1e-9)
    assert Plant("ackley").nothing < -15


# -- causal ------------------------------------------------------------------------------------------------------------


def test_causal_runs_are_those_that_were_kept_before() -> None:
    budget = Budget(12, marks=(6.0, 12.0))
    found = play(shortened("psa-2", budget), "coca-bo", 3)
    environment = psa(2)
    clean = environment.play(Optimizer(environment.problem, "coca-bo", seed=3), 12, 3)[1]
    sums = [found.at("cumulative", mark) or 0.0 for mark in budget.marks]
    np.testing.assert_allclose(sums, np.cumsum(clean)[[5, 11]], rtol=1e-6)


def test_looks_and_actions_are_those_of_the_graph() -> None:
    world = problem("figure-1").make(0)
    assert world.look(1, Look(["c"])) == world.look(1, Look(["c"], {"x1": 0.5})), "c comes before x1"
    with pytest.raises(BenchError, match="x2: cannot be looked at"):
        world.look(1, Look(["x2"]))
    with pytest.raises(BenchError, match="c: cannot be set"):
        world.play(1, {"c": 0.0}, {})
    seen = world.look(1, Look(["c"]))
    assert world.regret(1, {"x1": -seen["c"]}, seen) == pytest.approx(0.0)
    assert world.regret(1, {"x2": 1.0}, seen) == pytest.approx(1 / 3)
    assert problem("psa-1").make(0).regret(1, {"aspirin": 1.0, "statin": 0.0}, {}) > 0.5, "what is large is bad there"


def test_diagrams() -> None:
    graph = Diagram([("a", "b"), ("b", "y")], [("z", "y")], target="y", intervenable=["b"])
    assert graph.names == ("a", "b", "y", "z")
    assert graph.seen == ("a", "z")
    assert graph.descendants(["b"]) == {"b", "y"}
    with pytest.raises(BenchError, match="none for 'b'"):
        StructuralCausalModel(graph, {"a": lambda v, r, n: r.random(n)})


# -- mean-field --------------------------------------------------------------------------------------------------------


def test_whole_agents() -> None:
    assert whole(np.array([0.4, 0.35, 0.25]), 3).tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    assert whole(np.array([2.0, 0.0]), 5).tolist() == [1.0, 0.0]
    rows = np.random.default_rng(0).dirichlet(np.ones(7), 50)
    counts = np.array([whole(row, 31) * 31 for row in rows])
    np.testing.assert_allclose(counts, counts.round(), atol=1e-9)
    np.testing.assert_allclose(counts.sum(axis=1), 31)
    assert abs(counts - 31 * rows).max() < 1


@pytest.mark.parametrize(
    ("given", "said"),
    [([[0.5, 0.5]], "2 lists of 30"), ([[0.0] * 30] * 2, "sum to 1"), ([[-1.0, 2.0, *[0.0] * 28]] * 2, "none below 0")],
)
def test_only_distributions_can_be_played(given: Any, said: str) -> None:
    with pytest.raises(BenchError, match=said):
        problem("arena").make(10).play(1, {"distribution": given}, {})


@pytest.mark.parametrize("name", ["swarm", "arena"])
def test_the_optimum_is_not_passed(name: str) -> None:
    """By 3000 draws, and by steps uphill from the best of them."""
    society, random = crowd(name).society, np.random.default_rng(0)
    tables = random.dirichlet(np.full(len(society.actions), 0.2), (3000, len(society.contexts)))
    values = crowd(name).payoff(tables)[0]
    best = tables[[int(values.argmax())]]
    for _ in range(3000):
        best = best * np.exp(0.02 * crowd(name).payoff(best)[1])
        best /= best.sum(axis=2, keepdims=True)
    reached = float(crowd(name).payoff(best)[0][0])
    assert values.max() < reached <= OPTIMUM[name] + 1e-9


def test_what_is_not_looked_at_is_averaged_over_on_plates() -> None:
    """Against 100 000 draws of the model: within five standard errors."""
    world: Any = problem("plates").make(0)
    for actions in ({}, {"x1": 0.4}, {"x2": 0.3}, {"x1": -0.2, "x2": -0.5}):
        drawn = world.system.model.sample(100_000, np.random.default_rng(1), do=actions)["y"]
        error = drawn.std() / len(drawn) ** 0.5
        typical = 1.0 / 2000**0.5  # of what it is averaged over
        assert 1.0 - world.regret(1, actions, {}) == pytest.approx(
            drawn.mean(), abs=5 * (error + typical * drawn.std())
        )


def test_an_optimum_off_nature_s_centre() -> None:
    best = {f"x{d}": 0.8 if d % 2 else 0.2 for d in range(1, 7)}
    away, centre = problem("ackley-off-cheap-0.02").make(10), problem("ackley-cheap-0.02").make(10)
    assert away.regret(1, best, {}) == pytest.approx(0.0, abs=1e-9)
    middle = dict.fromkeys(("x1", "x2", "x3"), 0.5)
    assert away.regret(1, middle, {}) > centre.regret(1, middle, {}) + 3, "what nature draws is no good data there"
