"""Climbing within limits: against a quadratic programme solved by its conditions of optimality."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steerbo.gp import GPRegression, SquaredExponentialKernel
from steerbo.optim import Box, FeasibleRegion, maximise_constrained
from steerbo.optim._lbfgs import differences, maximise_batched
from steerbo.optim._polytope import Polytope
from tests.sizes import examples


@settings(deadline=None, max_examples=examples(25))
@given(st.integers(0, 10**6))
def test_the_nearest_point_of_a_half_space_is_the_projection(seed: int) -> None:
    random = np.random.default_rng(seed)
    normal, centre = random.normal(size=3), 0.5 + 0.1 * random.normal(size=3)
    bound = float(normal @ centre) - 0.05 * float(np.linalg.norm(normal))
    region = Polytope(Box([-9] * 3, [9] * 3), normal[None], np.array([bound]))
    ends, values = maximise_constrained(
        lambda Z: (-((Z - centre) ** 2).sum(1), -2 * (Z - centre)), region.place(random.random((2, 3))), region
    )
    wanted = centre - (normal @ centre - bound) * normal / (normal @ normal)
    assert region.allows(ends).all()
    np.testing.assert_allclose(ends, [wanted, wanted], atol=2e-3)
    np.testing.assert_allclose(values, -((wanted - centre) ** 2).sum(), atol=1e-5)


def test_what_has_levels_is_held_and_no_restart_ends_lower() -> None:
    box = Box([0, 0], [1, 1], [None, [0.0, 0.5, 1.0]])
    region = Polytope(box, np.array([[1.0, 1.0]]), np.array([1.2]))
    starts = np.array([[0.1, 0.5], [0.1, 1.0], [0.2, 0.0]])
    ends, values = maximise_constrained(lambda Z: (Z[:, 0], np.tile([1.0, 9.0], (len(Z), 1))), starts, region)
    np.testing.assert_allclose(ends, [[0.7, 0.5], [0.2, 1.0], [1.0, 0.0]], atol=1e-9)
    np.testing.assert_allclose(values, ends[:, 0])


def test_a_function_that_is_no_number_outside_ends_where_it_is_one() -> None:
    region = Polytope(Box([0], [1]), np.array([[1.0]]), np.array([0.9]))
    ends, values = maximise_constrained(
        lambda Z: (np.where(Z[:, 0] < 0.6, Z[:, 0], np.nan), np.ones(Z.shape)), np.array([[0.3]]), region
    )
    assert 0.3 <= ends[0, 0] <= 0.6
    assert values[0] == ends[0, 0]


def test_in_a_box_it_is_climb() -> None:
    box = Box([0, 0], [1, 1], [None, [0.0, 1.0]])
    starts = np.array([[0.2, 1.0]])

    def bowl(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return -((Z - 0.4) ** 2).sum(1), -2 * (Z - 0.4)

    ours, plain = (
        maximise_constrained(bowl, starts, box),
        maximise_batched(bowl, starts, np.array([0.0, 1]), np.array([1.0, 1])),
    )
    np.testing.assert_array_equal(ours[0], plain[0])


@pytest.mark.parametrize("seed", [0, 4, 5])
def test_a_climb_that_leaps_into_another_hollow_is_begun_again_nearby(seed: int) -> None:
    """From a point well inside, where the function has a slope, there is always a way up."""
    random = np.random.default_rng(seed)
    points = random.random((14, 3))
    worth, strain = (GPRegression(SquaredExponentialKernel([0.4] * 3), noise=2e-4) for _ in range(2))
    worth.replace(points, random.normal(size=14))
    strain.replace(points, random.normal(size=14))

    def margin(Z: np.ndarray) -> np.ndarray:
        mean, variance = strain.marginals(Z)
        return np.asarray(-mean / np.sqrt(variance + 2e-4) - 1.28)

    region = FeasibleRegion(Polytope(Box([0] * 3, [1] * 3), np.ones((1, 3)), np.array([1.8])), margin)
    tried = region.place(random.random((200, 3)))
    tried = tried[region.allows(tried) & (margin(tried) > 0.1) & (tried.sum(1) < 1.78) & (tried.min(1) > 0.02)]
    starts = tried[np.argsort(-worth.means(tried))[:2]]
    rise = differences(worth.means, region.low, region.high, region.continuous)
    ends, values = maximise_constrained(rise, starts, region)
    assert (np.abs(rise(starts)[1]).max(axis=1) > 0.1).all()
    assert (values > worth.means(starts) + 0.01).all()
    assert region.allows(ends).all()


@pytest.mark.parametrize("seed", [92, 173, 240])
def test_a_climb_ends_where_a_margin_is_rounded(seed: int) -> None:
    """Of a margin with eight digits no step keeps more: steps to and fro would go on as long as they may."""
    random, calls = np.random.default_rng(seed), 0
    along, bend = random.random(2) + 0.2, random.random((2, 2))
    bend, least = bend @ bend.T, 10 ** random.uniform(-3, 0)
    bulge, top = random.random(2) + 0.5, 0.4 * random.random() + 0.2

    def hill(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        nonlocal calls
        calls += 1
        return least + Z @ along - 0.5 * np.einsum("ni,ij,nj->n", Z, bend, Z), along - Z @ bend

    def margin(Z: np.ndarray) -> np.ndarray:
        return np.floor(1e8 * (top - np.log1p(2.0 * (Z**2 * bulge).sum(1)))) / 1e8

    def slopes(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        steep = -4.0 * Z * bulge / (1.0 + 2.0 * (Z**2 * bulge).sum(1))[:, None]
        return margin(Z)[:, None], steep[:, None]

    region = FeasibleRegion(Box([0, 0], [1, 1]), margin, gradients=slopes)
    (end,), _ = maximise_constrained(hill, np.full((1, 2), 0.05), region, tolerance=1e-6)
    assert calls < 100
    assert 0.0 <= margin(end[None])[0] < 2e-5
    # where slopes are parallel nothing along the edge is higher
    rise, steep = hill(end[None])[1][0], slopes(end[None])[1][0, 0]
    assert abs(rise[0] * steep[1] - rise[1] * steep[0]) < 1e-3 * np.linalg.norm(rise) * np.linalg.norm(steep)
