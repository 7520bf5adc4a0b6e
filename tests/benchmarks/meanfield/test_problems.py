"""The paper's payoffs against sums over single agents, and their optima against the notes' figures."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from partial_control_bench import data
from partial_control_bench.errors import BenchError
from partial_control_bench.meanfield.crowd import Crowd
from partial_control_bench.meanfield.places import new_york
from partial_control_bench.meanfield.published import crowd
from steerbo.optim import maximise_simplex, simplex_starts

needs_data = pytest.mark.skipif(
    data.folder() is None, reason="STEERBO_DATA names no folder with the real data: see CONTRIBUTING"
)


def shape(world: Crowd) -> tuple[int, int]:
    """Contexts and actions."""
    return len(world.society.contexts), len(world.society.actions)


def optimum(world: Crowd) -> float:
    """The largest payoff over distributions, not only those that whole agents can play."""
    starts = simplex_starts(np.empty((0, *shape(world))), 64, seed=1)
    return float(maximise_simplex(world.payoff, starts, iterations=5000, tolerance=1e-12).value)


def drawn(world: Crowd, seed: int = 0) -> np.ndarray:
    """Whole agents of a random table."""
    random = np.random.default_rng(seed)
    C, A = shape(world)
    return np.array([random.multinomial(n, random.dirichlet(np.ones(A))) for n in world.society.agents_in]).reshape(
        C, A
    )


def test_swarm_is_a_mean_over_agents() -> None:
    world = crowd("swarm")
    counts = drawn(world)
    x = np.repeat(np.linspace(0, 2 * np.pi, 30), counts[0])
    reward = (2 * np.pi**2 * (np.sin(x) - np.cos(x) ** 2) + 2 * np.sin(x)).mean()
    share = np.repeat(counts[0] / 50, counts[0])
    assert world.value(counts / 50) == pytest.approx(reward - 10 * np.log1p(share).mean())


def test_arena_is_a_sum_over_ordered_pairs() -> None:
    world = crowd("arena")
    counts = drawn(world)
    spots = np.linspace(0, 2 * np.pi, 30, endpoint=False)
    agents = [
        (sign, spots[a], a) for sign, row in zip((-1, 1), counts, strict=True) for a in np.repeat(np.arange(30), row)
    ]
    pairs = sum(c * d * np.cos(x - y) for (c, x, _), (d, y, _) in itertools.permutations(agents, 2))
    share = np.bincount([a for _, _, a in agents], minlength=30) / 50
    penalty = 10 * np.mean([np.log1p(share[a]) for _, _, a in agents])
    assert world.value(counts / world.society.agents_in[:, None]) == pytest.approx(pairs / (50 * 49 / 2) - penalty)


def test_optima_are_those_of_the_notes() -> None:
    assert optimum(crowd("swarm")) == pytest.approx(18.01, abs=0.01)
    assert optimum(crowd("arena")) == pytest.approx(1.03, abs=0.02)


@needs_data
@pytest.mark.parametrize("name", ["bikes-36", "new-york-160"])
def test_the_demand_itself_is_the_optimum(name: str) -> None:
    world = crowd(name)
    assert optimum(world) == pytest.approx(0.0, abs=1e-9)
    assert world.random < -0.05


@needs_data
@pytest.mark.parametrize("name", ["swarm", "arena", "bikes-36", "new-york-160", "maritime", "coverage-160"])
def test_gradients_against_finite_differences(name: str) -> None:
    world = crowd(name)
    random = np.random.default_rng(1)
    C, A = shape(world)
    table = random.dirichlet(np.full(A, 5.0), size=C)
    way = random.normal(size=(C, A))
    way -= way.mean(axis=1, keepdims=True)
    up, down = (world.value(table + side * 1e-7 * way) for side in (1, -1))
    slope = world.payoff(table[None])[1][0]
    assert (slope * way).sum() == pytest.approx((up - down) / 2e-7, rel=1e-4)


@needs_data
@pytest.mark.parametrize("name", ["swarm", "arena", "bikes-36", "maritime", "coverage-160"])
def test_the_payoff_is_the_average_of_the_agents(name: str) -> None:
    world = crowd(name)
    table = drawn(world) / world.society.agents_in[:, None]
    average = world.society.shares @ (table * world.agent(table)).sum(axis=1)
    assert average == pytest.approx(world.value(table))


@needs_data
def test_maritime_is_a_mean_over_vessels() -> None:
    world = crowd("maritime")
    assert shape(world) == (5, 30)
    assert (world.society.agents_in == 600).all()
    assert optimum(world) > world.random


@needs_data
def test_maps_are_in_kilometres() -> None:
    """Manhattan's cells are half a kilometre wide; the demand, and so the optimum, is that of the names."""
    world, names = crowd("new-york-160-map"), crowd("new-york-160")
    places = np.array(world.society.features)
    apart = np.linalg.norm(places[:, None] - places, axis=2) + 1e9 * np.eye(160)
    assert 0.3 < np.median(apart.min(axis=1)) < 0.7
    assert np.ptp(places[:, 1]) < 30
    assert names.society.features is None
    table = drawn(world) / world.society.agents_in[:, None]
    assert world.value(table) == names.value(table)


@needs_data
def test_a_shuffled_map_has_the_same_places_elsewhere() -> None:
    world, other = crowd("new-york-160-map"), crowd("new-york-160-shuffled")
    assert world.society.features != other.society.features
    assert sorted(map(tuple, world.society.features or ())) == sorted(map(tuple, other.society.features or ()))


@needs_data
def test_crowds_in_one_place_cover_little() -> None:
    world = crowd("coverage-160")
    assert world.value(np.eye(160)[:1]) < world.random - 0.5 < 0.5


def test_an_unknown_grid_is_refused() -> None:
    with pytest.raises(BenchError, match="160"):
        new_york(161)
