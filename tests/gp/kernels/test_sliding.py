"""A function that slides: the kernel of a frozen field."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.errors import InvalidProblem
from steerbo.gp import SlidingKernel, SquaredExponentialKernel

SPACE = SquaredExponentialKernel([0.3, 0.6], 1.7)
KERNEL = SlidingKernel(SPACE, 2, 50.0, (0, 1), (0.8, -0.3))


def points(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random((n, 3)) * [1, 1, 60]


def test_points_are_alike_where_they_have_moved_to() -> None:
    X, Z = points(5, 0), points(4, 1)
    for now in (0.0, 17.0, 1e6):
        np.testing.assert_allclose(KERNEL(X, Z), SPACE(KERNEL.moved(X, now), KERNEL.moved(Z, now)), rtol=1e-6)
    np.testing.assert_allclose(KERNEL(X, X).diagonal(), KERNEL.diagonal(X))
    assert np.linalg.eigvalsh(KERNEL(X, X)).min() > 0


def test_what_stands_still_is_the_kernel_in_space() -> None:
    still, X = SlidingKernel(SPACE, 2, 50.0, (0, 1), (0.0, 0.0)), points(6, 2)
    np.testing.assert_array_equal(still(X, X), SPACE(X, X))


def test_the_pull_back_is_the_slope() -> None:
    X, W = points(7, 3), np.random.default_rng(4).normal(size=(7, 7))
    theta = np.array([p.value for p in KERNEL.parameters])
    K, pull = KERNEL.linearise(X)
    np.testing.assert_array_equal(K, KERNEL(X, X))

    def weighed(theta: np.ndarray) -> float:
        return float((KERNEL.with_theta(theta)(X, X) * W).sum())

    steps = 1e-6 * np.eye(len(theta))
    slopes = [(weighed(theta + step) - weighed(theta - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(pull(W), slopes, atol=1e-7)
    assert [p.name for p in KERNEL.parameters[-2:]] == ["velocity[0]", "velocity[1]"]


def test_slopes_along_inputs() -> None:
    X, Z, W = points(3, 5), points(6, 6), np.random.default_rng(7).normal(size=(3, 6))
    slope = KERNEL.input_gradient(X, Z, W)
    for i in range(3):
        for d in range(3):
            step = np.zeros_like(X)
            step[i, d] = 1e-6
            rise = ((KERNEL(X + step, Z) - KERNEL(X - step, Z)) * W).sum() / 2e-6
            assert slope[i, d] == pytest.approx(rise, abs=1e-7)


@pytest.mark.parametrize(
    ("field", "changed"),
    [
        ("unit", {"unit": 0.0}),
        ("dimension", {"dimension": 1}),
        ("columns_moved", {"columns_moved": (0, 5)}),
        ("velocity", {"velocity": (1.0,)}),
        ("velocity", {"velocity": (1.0, np.inf)}),
    ],
)
def test_what_is_no_slide_is_refused(field: str, changed: dict[str, object]) -> None:
    given = {"space": SPACE, "dimension": 2, "unit": 1.0, "columns_moved": (0, 1), "velocity": (0.0, 0.0)}
    with pytest.raises(InvalidProblem, match=field):
        SlidingKernel(**(given | changed))  # type: ignore[arg-type]
