"""The ANOVA kernel: its expansion into main effects and interactions, its slopes, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from steerbo.errors import InvalidProblem
from steerbo.gp import AnovaKernel, SquaredExponentialKernel

X = np.random.default_rng(0).random((7, 3))
X[:, 2] = [0, 1, 2, 0, 1, 2, 1]
KERNEL = AnovaKernel([0.4, 0.2, 0.8], [0.9, 0.3, 0.5], 1.7, categorical=[False, False, True])
TAILED = replace(KERNEL, tail=0.7)


def test_it_is_a_sum_of_products_over_all_sets_of_variables() -> None:
    bells = [
        np.exp(-0.5 * (np.subtract.outer(X[:, d], X[:, d]) / ell) ** 2) for d, ell in enumerate(KERNEL.lengthscales[:2])
    ]
    bells.append(np.equal.outer(X[:, 2], X[:, 2]).astype(float))
    total = np.zeros((7, 7))
    for size in range(4):
        for chosen in combinations(range(3), size):
            term = np.full((7, 7), 1.7)
            for d in range(3):
                term = term * (KERNEL.weights[d] * bells[d] if d in chosen else 1 - KERNEL.weights[d])
            total += term
    assert_allclose(KERNEL(X, X), total, rtol=1e-12)
    assert_allclose(KERNEL.diagonal(X), np.diag(total), rtol=1e-12)


def test_with_all_weights_one_it_is_a_plain_product() -> None:
    plain = SquaredExponentialKernel([0.4, 0.2], 1.7)
    assert_allclose(AnovaKernel([0.4, 0.2], [1.0, 1.0], 1.7)(X, X), plain(X, X), rtol=1e-12)


@pytest.mark.parametrize("kernel", [KERNEL, TAILED], ids=["bells", "tails"])
def test_its_pull_back_is_the_slope_by_differences(kernel: AnovaKernel) -> None:
    theta, half = np.array([p.value for p in kernel.parameters]), np.random.default_rng(1).normal(size=(7, 7))
    weights = half + half.T
    _, pull = kernel.linearise(X)
    for i, slope in enumerate(pull(weights)):
        step = 1e-6 * np.eye(len(theta))[i]
        ends = [float(np.vdot(weights, kernel.with_theta(theta + side * step)(X, X))) for side in (1, -1)]
        assert slope == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("kernel", [KERNEL, TAILED], ids=["bells", "tails"])
def test_of_many_points_half_a_matrix_is_enough(kernel: AnovaKernel) -> None:
    """Of 400 points the matrix is worked on in blocks from its diagonal on; of 100 it is not."""
    random = np.random.default_rng(3)
    many, half = np.column_stack([random.random((400, 2)), random.integers(0, 3, 400)]), random.normal(size=(400, 400))
    weights = half + half.T
    gram, pull = kernel.linearise(many)
    assert gram.tobytes() == kernel(many, many).tobytes()
    total = np.zeros(len(kernel.parameters))
    for i, first in enumerate(np.split(many, 8)):
        for j, second in enumerate(np.split(many, 8)):
            across = np.zeros((100, 100))
            across[:50, 50:] = weights[50 * i : 50 * i + 50, 50 * j : 50 * j + 50]
            across = 0.5 * (across + across.T)
            total += kernel.linearise(np.vstack([first, second]))[1](across)
    assert_allclose(pull(weights), total, rtol=1e-9, atol=1e-9 * np.abs(total).max())


@pytest.mark.parametrize("kernel", [KERNEL, TAILED], ids=["bells", "tails"])
def test_its_slope_along_inputs_is_that_by_differences(kernel: AnovaKernel) -> None:
    weights, Z = np.random.default_rng(2).normal(size=(7, 5)), X[:5] + 0.05 * np.array([1, 1, 0])
    found = kernel.input_gradient(X, Z, weights)
    for d in (0, 1):
        step = 1e-6 * np.eye(3)[d]
        ends = [(weights * kernel(X + side * step, Z)).sum(axis=1) for side in (1, -1)]
        assert_allclose(found[:, d], (ends[0] - ends[1]) / 2e-6, rtol=1e-5, atol=1e-7)
    assert not found[:, 2].any()


def test_with_a_long_tail_it_is_that_of_bells() -> None:
    assert_allclose(replace(KERNEL, tail=1e9)(X, X), KERNEL(X, X), rtol=1e-7)


def test_a_single_variable_learns_no_weight() -> None:
    assert [p.name for p in AnovaKernel([0.3]).parameters] == ["lengthscale[0]", "variance"]
    assert AnovaKernel([0.3]).weights == 1.0


def test_a_category_has_one_number_its_weight_which_is_smaller_among_many() -> None:
    one = AnovaKernel([0.3] * 4, categorical=[False, True, True, True])
    assert [p.name for p in one.parameters] == ["lengthscale[0]", *(f"weight[{d}]" for d in range(4)), "variance"]
    assert_allclose(one.weights, [1 / 2, 1 / 3, 1 / 3, 1 / 3])
    assert [p.name for p in AnovaKernel([0.3], categorical=[True]).parameters] == ["variance"]


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("lengthscales", {"lengthscales": [0.0, 1.0]}),
        ("weights", {"lengthscales": [1.0, 1.0], "weights": [0.5, 1.5]}),
        ("weights", {"lengthscales": [1.0, 1.0], "weights": [0.5]}),
        ("variance", {"lengthscales": [1.0], "variance": 0.0}),
        ("dimensions", {"lengthscales": [1.0, 1.0], "dimensions": [0, 0]}),
        ("categorical", {"lengthscales": [1.0, 1.0], "categorical": [True]}),
    ],
)
def test_what_is_no_kernel_is_refused_by_name(field: str, given: dict[str, object]) -> None:
    with pytest.raises(InvalidProblem, match=rf"kernel\.{field}"):
        AnovaKernel(**given)  # type: ignore[arg-type]
