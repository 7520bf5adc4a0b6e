from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import differential_evolution

from steerbo.errors import ModelFailure
from steerbo.optim import Box, best_first, maximise
from steerbo.optim._box import _diverse
from tests.sizes import examples

from .problems import BRANIN_MAXIMUM, HARTMANN_MAXIMUM, Points, Values, branin, hartmann

UNIT = Box(np.zeros(6), np.ones(6))
FORTY = Box([0] * 3, [39] * 3, [range(40)] * 3)


def hartmann_value(Z: Points) -> Values:
    return hartmann(Z)[0]


@pytest.mark.parametrize("seed", range(10))
def test_hartmann_with_and_without_gradient(seed: int) -> None:
    by_gradient = maximise(hartmann_value, hartmann, UNIT, seed)
    by_differences = maximise(hartmann_value, None, UNIT, seed)
    assert by_gradient.value == pytest.approx(HARTMANN_MAXIMUM, abs=1e-8)
    assert by_differences.value == pytest.approx(HARTMANN_MAXIMUM, abs=1e-8)
    assert by_gradient.value == hartmann_value(by_gradient.point[None])[0]


@pytest.mark.parametrize("seed", range(5))
def test_branin_on_its_own_scale(seed: int) -> None:
    best = maximise(branin, None, Box([-5, 0], [10, 15]), seed)
    assert best.value == pytest.approx(BRANIN_MAXIMUM, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_many_waves_against_differential_evolution(seed: int) -> None:
    random = np.random.default_rng(seed)
    waves, shifts, heights = random.uniform(2, 9, (12, 2)), random.uniform(0, 6, 12), random.standard_normal(12)

    def ripples(Z: Points) -> Values:
        return np.asarray(np.sin(Z @ waves.T + shifts) @ heights)

    rival = differential_evolution(lambda z: -float(ripples(z[None])[0]), [(0, 1)] * 2, seed=seed, tol=1e-10)
    assert maximise(ripples, None, Box([0, 0], [1, 1]), seed).value >= -rival.fun - 1e-9


def mixed(seed: int) -> tuple[Callable[[Points], Values], Box, float]:
    """Two continuous coordinates, a category that changes everything, an integer tied to both; maximum on a grid."""
    random = np.random.default_rng(seed)
    centre, height, width = random.random((4, 2)), random.standard_normal(4), random.uniform(0.1, 0.5, 4)
    tie = random.integers(0, 11, 4) / 10

    def value(Z: Points) -> Values:
        c = Z[:, 2].astype(int)
        bump = np.exp(-((Z[:, :2] - centre[c]) ** 2).sum(axis=1) / width[c] ** 2)
        waves = 0.3 * np.cos(9 * Z[:, 0] * (1 + c))
        return np.asarray(height[c] + bump - 3 * (Z[:, 3] - tie[c] * Z[:, 0]) ** 2 + waves)

    levels = [None, None, range(4), np.linspace(0, 1, 11)]
    box = Box([0, 0, 0, 0], [1, 1, 3, 1], levels, [False, False, True, False])
    fine = np.linspace(0, 1, 51)
    grid = np.stack(np.meshgrid(fine, fine, range(4), np.linspace(0, 1, 11), indexing="ij"), axis=-1).reshape(-1, 4)
    return value, box, float(value(grid).max())


@pytest.mark.parametrize("seed", range(15))
def test_mixed_coordinates_against_a_fine_grid(seed: int) -> None:
    value, box, brute_force = mixed(seed)
    best = maximise(value, None, box, seed)
    assert best.value >= brute_force - 1e-9
    np.testing.assert_array_equal(box.snap(best.points), best.points)


def chain(seed: int, d: int = 8, k: int = 5) -> tuple[Callable[[Points], Values], Box, float]:
    """Eight categories, neighbours matched by random tables; the maximum by dynamic programming."""
    random = np.random.default_rng(seed)
    single, pair = random.standard_normal((d, k)), random.standard_normal((d - 1, k, k))

    def value(Z: Points) -> Values:
        c = Z.astype(int)
        matches = pair[np.arange(d - 1), c[:, :-1], c[:, 1:]].sum(axis=1)
        return np.asarray(single[np.arange(d), c].sum(axis=1) + matches)

    best = single[0]
    for i in range(d - 1):
        best = (best[:, None] + pair[i]).max(axis=0) + single[i + 1]
    return value, Box(np.zeros(d), np.full(d, k - 1.0), [range(k)] * d, [True] * d), float(best.max())


def test_categories_that_must_match_against_dynamic_programming() -> None:
    exact = 0
    for seed in range(20):
        value, box, maximum = chain(seed)
        best = maximise(value, None, box, seed)
        assert best.value <= maximum + 1e-9
        exact += best.value >= maximum - 1e-9
    assert exact >= 18  # of 390 625 combinations each; exchanging single coordinates only finds 16


def test_whole_numbers_with_many_levels_against_brute_force_around_the_top() -> None:
    exact = 0
    for seed in range(10):
        random = np.random.default_rng(seed)
        root, centre = random.standard_normal((3, 3)), random.uniform(10, 90, 3)
        H = root @ root.T + 0.1 * np.eye(3)

        def value(Z: Points, H: Points = H, centre: Values = centre) -> Values:
            return -np.asarray(np.einsum("ri,ij,rj->r", Z - centre, H, Z - centre))

        best = maximise(value, None, Box([0] * 3, [100] * 3, [range(101)] * 3), seed)
        near = [np.arange(max(int(c) - 12, 0), min(int(c) + 13, 101)) for c in centre]
        brute_force = value(np.stack(np.meshgrid(*near, indexing="ij"), axis=-1).reshape(-1, 3)).max()
        assert best.value >= brute_force - 3e-4 * abs(value(np.zeros((1, 3)))[0])
        exact += best.value >= brute_force - 1e-9
    assert exact >= 7


@settings(deadline=None, max_examples=examples(20), derandomize=True)
@given(seed=st.integers(0, 10_000))
def test_small_finite_boxes_are_searched_in_full(seed: int) -> None:
    table = np.random.default_rng(seed).standard_normal((10, 10, 10))

    def value(Z: Points) -> Values:
        return np.asarray(table[tuple(Z.astype(int).T)])

    best = maximise(value, None, Box([0] * 3, [9] * 3, [range(10)] * 3), seed)
    assert best.value == table.max()
    np.testing.assert_array_equal(best.values, np.sort(table.ravel())[::-1][:8])


def test_the_best_so_far_is_never_lost_and_moved_inside() -> None:
    def needle(Z: Points) -> Values:
        return np.asarray(np.exp(-1e8 * ((Z - 0.123) ** 2).sum(axis=1)))

    extra = np.full((1, 6), 0.123)
    assert maximise(needle, None, UNIT, 0, extra=extra).value == pytest.approx(1)
    assert maximise(lambda Z: Z.sum(axis=1), None, UNIT, 0, extra=np.full((2, 6), 7.0)).value == 6


def test_the_same_seed_gives_the_same_bits_and_other_seeds_other_starts() -> None:
    first, again, other = (maximise(hartmann_value, hartmann, UNIT, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.points, again.points)
    np.testing.assert_array_equal(first.values, again.values)
    assert not np.array_equal(first.points, other.points)


@pytest.mark.parametrize("seed", range(6))
def test_starts_lie_apart(seed: int) -> None:
    """The best screened points lie all on the wide bump, but the narrow one is higher: both must be climbed."""

    def bumps(Z: Points) -> Values:
        wide, narrow = ((Z - 0.2) ** 2).sum(axis=1), ((Z - 0.8) ** 2).sum(axis=1)
        return np.asarray(np.exp(-8 * wide) + 1.02 * np.exp(-300 * narrow))

    top = bumps(np.array([[0.8, 0.8]]))[0]
    assert maximise(bumps, None, Box([0, 0], [1, 1]), seed).value >= top


def test_all_of_a_few_levels_are_tried() -> None:
    """One level of each coordinate is far better than the rest, and its neighbours say nothing about it."""
    good = np.array([27.0, 13.0, 38.0])
    best = maximise(lambda Z: (good == Z).sum(axis=1) - Z.sum(axis=1) / 1e3, None, FORTY, 0, starts=2)
    np.testing.assert_array_equal(best.point, good)


def test_neighbouring_codes_of_categories_lie_apart_and_neighbouring_numbers_do_not() -> None:
    def ends(unordered: bool) -> set[float]:
        box = Box([0, 0], [1, 29], [None, range(30)], [False, unordered])
        candidates = best_first(np.column_stack([np.full(6, 0.5), [10, 11, 12, 25, 26, 27]]), np.arange(6.0, 0, -1))
        return set(_diverse(box, candidates, 2)[0][:, 1])

    assert ends(unordered=True) == {10, 11}
    assert ends(unordered=False) == {10, 25}


def test_one_start_crosses_a_thousand_levels() -> None:
    box = Box([0, 0], [1000, 1000], [range(1001)] * 2)
    best = maximise(lambda Z: -((Z - [123, 877]) ** 2).sum(axis=1), None, box, 0, screen=1, starts=1)
    np.testing.assert_array_equal(best.point, [123, 877])


def test_boxes_of_one_point_answer_it() -> None:
    assert maximise(lambda Z: np.ones(len(Z)), None, Box([], []), 0).point.shape == (0,)
    fixed = maximise(lambda Z: Z.sum(axis=1), None, Box([0.5, 1], [0.5, 1], [None, [1]]), 0)
    np.testing.assert_array_equal(fixed.point, [0.5, 1])


def test_a_fixed_coordinate_stays_while_others_move() -> None:
    box = Box([0, 0.3, 0, 0, 0, 0], [1, 0.3, 1, 1, 1, 1])
    best = maximise(hartmann_value, hartmann, box, 0)
    assert best.point[1] == 0.3
    assert best.value > 2


def test_holes_are_avoided_and_nothing_but_holes_is_a_model_failure() -> None:
    def holed(Z: Points) -> Values:
        return np.where(Z[:, 0] > 0.5, np.nan, hartmann_value(Z))

    best = maximise(holed, None, UNIT, 0)
    assert best.value == pytest.approx(HARTMANN_MAXIMUM, abs=1e-8)  # at x₀ = .20
    with pytest.raises(ModelFailure, match="512 points"):
        maximise(lambda Z: np.full(len(Z), np.inf), None, UNIT, 0)


def test_a_constant_function_has_a_maximum_everywhere() -> None:
    best = maximise(lambda Z: np.full(len(Z), 3.0), None, UNIT, 0)
    assert best.value == 3
    assert len(best.points) == 8
