"""Local maxima, rounding to whole agents, and exchange search."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from steerbo.meanfield._rounding import best_integer, exchange_search, local_maxima, minus_moving_cost, sampled
from tests.meanfield.worlds import crowd, limited, region

BEST = np.array([[0.1, 0.52, 0.31, 0.07], [0.33, 0.33, 0.2, 0.14]])
GOOD = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.5, 0.5, 0.0]])


def bowl(tables: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Concave, with the best table in between whole agents."""
    return -((tables - BEST) ** 2).sum(axis=(1, 2)), -2 * (tables - BEST)


def starts(count: int = 4) -> np.ndarray:
    return np.random.default_rng(0).dirichlet(np.ones(4), size=(count, 2))


def test_the_maximum_of_a_concave_bound_is_found_best_first() -> None:
    found = local_maxima(bowl, crowd().region, starts(), 200)
    np.testing.assert_allclose(found[0], BEST, atol=1e-2)
    values = bowl(found)[0]
    assert (np.diff(values) <= 1e-9).all()
    assert len(found) <= 3, "of the restarts that are screened"


def test_maxima_keep_to_open_cells_and_capacities() -> None:
    region = crowd(allowed={"night": ("a", "b")}, capacity={"b": 12}).region
    found = local_maxima(bowl, region, region.project(starts()), 100)
    assert (found[:, 1, 2:] == 0).all()
    assert (found[:, :, 1] @ region.agents_in <= 12 + 0.05).all()
    free = local_maxima(bowl, crowd(allowed={"night": ("a", "b")}).region, starts(), 100)
    assert (free[:, :, 1] @ region.agents_in > 15).all(), "the capacity had something to hold back"


def test_the_best_whole_agents_are_the_best_of_all_in_a_small_world() -> None:
    """Against brute force over all 15² tables of four agents in each of two contexts."""
    region = crowd(agents=8, weights=(1, 1), actions=("a", "b", "c")).region
    target = np.array([[0.6, 0.3, 0.1], [0.15, 0.05, 0.8]])

    def bound(tables: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return -((tables - target) ** 2).sum(axis=(1, 2)), -2 * (tables - target)

    found = best_integer(bound, region, target[None], set(), np.random.default_rng(0))
    rows = [np.array(row) for row in product(range(5), repeat=3) if sum(row) == 4]
    every = np.array(list(product(rows, rows)))
    best = every[bound(every / 4)[0].argmax()]
    np.testing.assert_array_equal(found, best)
    far = best_integer(bound, region, np.array([[[1.0, 0, 0], [1.0, 0, 0]]]), set(), np.random.default_rng(0))
    np.testing.assert_array_equal(far, best, "agent by agent, where no table is near")
    other = best_integer(bound, region, target[None], {best.tobytes()}, np.random.default_rng(0))
    ranked = np.sort(bound(every / 4)[0])[::-1]
    assert bound((other / 4)[None])[0][0] == pytest.approx(ranked[1]), "the second best, where the best is taken"


def test_where_all_are_taken_the_best_is_found_again() -> None:
    region = crowd(agents=2, contexts=("all",), weights=(1,), actions=("a", "b")).region
    table = np.array([[[0.5, 0.5]]])
    taken = {np.array([[i, 2 - i]]).tobytes() for i in range(3)}

    def steep(tables: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        slopes = np.broadcast_to(np.array([1.0, 0.0]), tables.shape)
        return (tables * slopes).sum(axis=(1, 2)), slopes

    assert best_integer(steep, region, table, taken, np.random.default_rng(0)).tolist() == [[2, 0]]


def test_agents_that_draw_are_those_of_the_table_on_average_and_not_twice_the_same() -> None:
    region, random = crowd().region, np.random.default_rng(0)
    draws = np.array([sampled(region, BEST, set(), random) for _ in range(400)])
    assert (draws.sum(axis=2) == region.agents_in).all()
    np.testing.assert_allclose(draws.mean(axis=0) / region.agents_in[:, None], BEST, atol=0.03)
    first = sampled(region, BEST, set(), np.random.default_rng(1))
    assert sampled(region, BEST, {first.tobytes()}, np.random.default_rng(1)).tobytes() != first.tobytes()
    sure = np.array([[1.0, 0, 0, 0], [0, 1.0, 0, 0]])
    only = sampled(region, sure, set(), random)
    np.testing.assert_array_equal(sampled(region, sure, {only.tobytes()}, random), only)


def test_moving_is_paid_by_the_share_that_moves_with_its_slope() -> None:
    problem = crowd(moving_cost=1.0)
    region = problem.region.around(GOOD, None)
    paid = minus_moving_cost(bowl, region, problem.shares, 3.0)
    tables = starts(3)
    moved = 0.5 * np.abs(tables - GOOD).sum(axis=2) @ problem.shares
    np.testing.assert_allclose(paid(tables)[0], bowl(tables)[0] - 3.0 * moved)
    np.testing.assert_allclose(paid(GOOD[None])[0], bowl(GOOD[None])[0])
    slopes, step = paid(tables)[1], 1e-7
    for r, c, a in np.ndindex(*tables.shape):
        up, down = tables.copy(), tables.copy()
        up[r, c, a] += step
        down[r, c, a] -= step
        assert slopes[r, c, a] == pytest.approx((paid(up)[0][r] - paid(down)[0][r]) / (2 * step), abs=1e-5)


def test_without_a_price_or_a_present_nothing_is_paid() -> None:
    problem = crowd(moving_cost=1.0)
    assert minus_moving_cost(bowl, problem.region, problem.shares, 3.0) is bowl
    assert minus_moving_cost(bowl, problem.region.around(GOOD, None), problem.shares, 0.0) is bowl


START = np.array([[6, 10, 10, 4], [2, 3, 3, 2]])


def test_no_single_move_is_better_in_the_end() -> None:
    free = region()
    agents = free.agents_in[:, None]
    found = exchange_search(bowl, START, free, set(), steps=50)
    value = bowl((found / agents)[None])[0][0]
    for c, a, b in np.ndindex(2, 4, 4):
        if a != b and found[c, a]:
            moved = found.copy()
            moved[c, a] -= 1
            moved[c, b] += 1
            assert bowl((moved / agents)[None])[0][0] <= value + 1e-12


def test_what_is_taken_is_left_for_the_next_best() -> None:
    free = region()
    best = exchange_search(bowl, START, free, set(), steps=50)
    assert np.abs(exchange_search(bowl, best, free, {best.tobytes()}) - best).sum() == 2


def test_limits_hold() -> None:
    for seed in range(10):
        tight = limited(seed, 0.1)
        assert tight.present is not None
        start = np.rint(tight.present * tight.agents_in[:, None]).astype(np.int64)
        found = exchange_search(bowl, start, tight, set())
        assert (found.sum(axis=0) <= tight.capacity).all()
        assert (found[~tight.allowed] == 0).all()
        assert tight.moved(found / tight.agents_in[:, None]).max() <= 0.1 + 1e-9
