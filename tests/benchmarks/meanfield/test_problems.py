"""The paper's payoffs against sums over single agents, and their optima against the notes' figures."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from benchmarks import data
from benchmarks.meanfield import problems
from benchmarks.meanfield.played import World
from partial_control_bench.errors import BenchError
from partial_control_bench.meanfield.places import new_york
from steerbo.errors import InvalidOption

needs_data = pytest.mark.skipif(
    data.folder() is None, reason="STEERBO_DATA names no folder with the real data: see CONTRIBUTING"
)


def drawn(world: World, seed: int = 0) -> np.ndarray:
    """Whole agents of a random table."""
    random = np.random.default_rng(seed)
    C, A = world.problem.simplex.shape
    return np.array([random.multinomial(n, random.dirichlet(np.ones(A))) for n in world.problem.agents_in]).reshape(
        C, A
    )


def test_swarm_is_a_mean_over_agents() -> None:
    world = problems.world("swarm")
    counts = drawn(world)
    x = np.repeat(np.linspace(0, 2 * np.pi, 30), counts[0])
    reward = (2 * np.pi**2 * (np.sin(x) - np.cos(x) ** 2) + 2 * np.sin(x)).mean()
    crowd = np.repeat(counts[0] / 50, counts[0])
    assert world.value(counts / 50) == pytest.approx(reward - 10 * np.log1p(crowd).mean())


def test_arena_is_a_sum_over_ordered_pairs() -> None:
    world = problems.world("arena")
    counts = drawn(world)
    spots = np.linspace(0, 2 * np.pi, 30, endpoint=False)
    agents = [
        (sign, spots[a], a) for sign, row in zip((-1, 1), counts, strict=True) for a in np.repeat(np.arange(30), row)
    ]
    pairs = sum(c * d * np.cos(x - y) for (c, x, _), (d, y, _) in itertools.permutations(agents, 2))
    crowd = np.bincount([a for _, _, a in agents], minlength=30) / 50
    penalty = 10 * np.mean([np.log1p(crowd[a]) for _, _, a in agents])
    assert world.value(counts / world.problem.agents_in[:, None]) == pytest.approx(pairs / (50 * 49 / 2) - penalty)


def test_optima_are_those_of_the_notes() -> None:
    assert problems.world("swarm").optimum == pytest.approx(18.01, abs=0.01)
    assert problems.world("arena").optimum == pytest.approx(1.03, abs=0.02)


@needs_data
@pytest.mark.parametrize("name", ["bikes-36", "new-york-160"])
def test_the_demand_itself_is_the_optimum(name: str) -> None:
    world = problems.world(name)
    assert world.optimum == pytest.approx(0.0, abs=1e-9)
    assert world.random < -0.05
    assert world.score(world.random) == pytest.approx(0.0)


@needs_data
@pytest.mark.parametrize("name", ["swarm", "arena", "bikes-36", "new-york-160", "maritime", "coverage-160"])
def test_gradients_against_finite_differences(name: str) -> None:
    world = problems.world(name)
    random = np.random.default_rng(1)
    C, A = world.problem.simplex.shape
    table = random.dirichlet(np.full(A, 5.0), size=C)
    way = random.normal(size=(C, A))
    way -= way.mean(axis=1, keepdims=True)
    up, down = (world.value(table + side * 1e-7 * way) for side in (1, -1))
    slope = world.payoff(table[None])[1][0]
    assert (slope * way).sum() == pytest.approx((up - down) / 2e-7, rel=1e-4)


@needs_data
@pytest.mark.parametrize("name", ["swarm", "arena", "bikes-36", "maritime", "coverage-160"])
def test_the_payoff_is_the_average_of_the_agents(name: str) -> None:
    world = problems.world(name)
    table = drawn(world) / world.problem.agents_in[:, None]
    average = world.problem.shares @ (table * world.agent(table)).sum(axis=1)
    assert average == pytest.approx(world.value(table))


@needs_data
def test_maritime_is_a_mean_over_vessels() -> None:
    world = problems.world("maritime")
    assert world.problem.simplex.shape == (5, 30)
    assert (world.problem.agents_in == 600).all()
    assert world.optimum > world.random


@needs_data
def test_maps_are_in_kilometres() -> None:
    """Manhattan's cells are half a kilometre wide; the demand, and so the optimum, is that of the names."""
    world, names = problems.world("new-york-160-map"), problems.world("new-york-160")
    places = np.array(world.problem.action_features)
    apart = np.linalg.norm(places[:, None] - places, axis=2) + 1e9 * np.eye(160)
    assert 0.3 < np.median(apart.min(axis=1)) < 0.7
    assert np.ptp(places[:, 1]) < 30
    assert names.problem.action_features is None
    table = drawn(world) / world.problem.agents_in[:, None]
    assert world.value(table) == names.value(table)


@needs_data
def test_a_shuffled_map_has_the_same_places_elsewhere() -> None:
    world, other = problems.world("new-york-160-map"), problems.world("new-york-160-shuffled")
    assert world.problem.action_features != other.problem.action_features
    assert sorted(map(tuple, world.problem.action_features or ())) == sorted(
        map(tuple, other.problem.action_features or ())
    )


@needs_data
def test_crowds_in_one_place_cover_little() -> None:
    world = problems.world("coverage-160")
    assert world.value(np.eye(160)[:1]) < world.random - 0.5 < 0.5


def test_unknown_names_are_refused() -> None:
    with pytest.raises(InvalidOption, match="swarm"):
        problems.world("swrm")
    with pytest.raises(BenchError, match="160"):
        new_york(161)
