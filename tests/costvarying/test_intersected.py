"""Laws of Algorithm 1: how long it explores, and bounds that only close in."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from steerbo.bandit import ArmStatistics
from steerbo.costvarying._explore_then_commit import BudgetUse, Intersected, cost_bounds, explores

NUMBERS = st.integers(-40, 40).map(lambda k: k / 8)


@given(st.integers(1, 6), st.floats(1.0, 50.0), st.floats(0, 1), st.lists(st.floats(0.1, 1.0), min_size=6, max_size=6))
def test_whole_cycles_are_explored_within_their_share_of_the_budget(
    m: int, budget: float, fraction: float, costs: list[float]
) -> None:
    used, played = 0.0, 0
    while explores(played, m, BudgetUse(budget, used, None, played), fraction):
        used += costs[played % m]
        played += 1
        assert played < 1000
    assert played % m == 0
    assert played >= m
    assert used <= max(fraction * budget, sum(costs[:m])) * (1 + 1e-9)
    assert used + sum(costs[:m]) > fraction * budget * (1 - 1e-9), "another cycle would have fitted"


def test_rounds_and_cycles_limit_exploration_too() -> None:
    unlimited = BudgetUse(None, 3.0, None, 6)
    assert explores(6, 3, BudgetUse(None, 3.0, 18, 6), 0.5)
    assert not explores(6, 3, BudgetUse(None, 3.0, 17, 6), 0.5)
    assert explores(6, 3, unlimited, 0.5, cycles=3)
    assert not explores(6, 3, unlimited, 0.5, cycles=2)
    assert explores(27, 3, unlimited, 0.0)
    assert not explores(30, 3, unlimited, 0.0)


@given(st.lists(st.tuples(st.integers(0, 3), NUMBERS, NUMBERS), max_size=20))
def test_bounds_only_close_in_while_exploring(turns: list[tuple[int, float, float]]) -> None:
    bounds = Intersected.nothing_known(4)
    for arm, lower, upper in turns:
        after = bounds.explored(arm, lower, upper)
        assert after.guaranteed == max(bounds.guaranteed, lower)
        assert after.possible[arm] == min(bounds.possible[arm], upper)
        others = np.arange(4) != arm
        assert (after.possible[others] == bounds.possible[others]).all()
        bounds = after


@given(
    st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=6, unique_by=lambda row: row[2]),
    NUMBERS,
    NUMBERS,
    st.randoms(),
)
def test_some_arm_is_acceptable_and_arms_have_no_names(
    rows: list[tuple[float, float, float]], guaranteed: float, lag: float, random: object
) -> None:
    def play(some: list[tuple[float, float, float]]) -> tuple[Intersected, np.ndarray]:
        low, past, up = np.array(some).T
        return Intersected(guaranteed, past).exploited(low, up, lambda best: best - lag)

    bounds, acceptable = play(rows)
    assert acceptable.any()
    low, past, up = np.array(rows).T
    forgotten = not (np.minimum(past, up) > max(guaranteed, low.max()) - lag).any()
    if forgotten:
        assert bounds.guaranteed == low.max()
        np.testing.assert_array_equal(bounds.possible, up)
    else:
        assert bounds.guaranteed >= guaranteed
        assert (acceptable == (bounds.possible > bounds.guaranteed - lag)).all()
    order = list(range(len(rows)))
    random.shuffle(order)  # type: ignore[attr-defined]
    assert play([rows[i] for i in order])[1].tolist() == acceptable[order].tolist()


def test_where_nothing_is_acceptable_the_largest_bound_stands_alone() -> None:
    lower, upper = np.array([0.0, 0.5]), np.array([1.0, 2.0])
    bounds, acceptable = Intersected(5.0, upper - 1).exploited(lower, upper, lambda _: 10.0)
    assert acceptable.tolist() == [False, True]
    assert bounds.guaranteed == 0.5, "the past is forgotten"


def test_costs_are_bounded_from_below_by_ever_more() -> None:
    costs = ArmStatistics.new(2)
    bounds = []
    for k in range(200):
        costs = costs.tell(0, 0.5 + 0.01 * (k % 2))
        bounds.append(cost_bounds(costs, 400.0)[0])
    assert cost_bounds(costs, 400.0)[1] == 0.0
    assert bounds[0] == 0.0
    assert all(b <= 0.506 for b in bounds)
    assert bounds[-1] > 0.3
    assert (np.diff(bounds) >= -0.01).all()
    scaled = ArmStatistics.new(2)
    for _ in range(200):
        scaled = scaled.tell(0, 5000.0)
    assert cost_bounds(scaled, 400.0)[0] > 3000, "in any currency"
