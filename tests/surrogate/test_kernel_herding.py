"""Few weighted rows for many."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.surrogate import kernel_herding

NUMBERS = np.zeros(2, dtype=bool)


def correlated(rows: int, rho: float) -> np.ndarray:
    random = np.random.default_rng(3)
    return np.clip(0.5 + 0.15 * random.multivariate_normal([0, 0], [[1, rho], [rho, 1]], rows), 0, 1)


def test_few_rows_stay_and_those_that_are_there_twice_count_twice() -> None:
    points = np.array([[0.2, 0.1], [0.7, 0.3], [0.2, 0.1]])
    law = kernel_herding(points, NUMBERS)
    assert law.points.tolist() == [[0.2, 0.1], [0.7, 0.3]]
    assert law.weights == pytest.approx([2 / 3, 1 / 3])
    assert law.count == 3


@pytest.mark.parametrize("rho", [0.9, -0.9])
def test_averages_over_a_long_log_stay_what_they_are(rho: float) -> None:
    """Ten times nearer than as many rows at random, for kernels that are wider and narrower than the one aimed at."""
    points = correlated(5000, rho)
    law = kernel_herding(points, NUMBERS)
    assert len(law.points) <= 200
    assert law.count == 5000
    assert law.weights.sum() == pytest.approx(1, abs=1e-12)
    assert (law.weights >= 0).all()
    assert {tuple(row) for row in law.points.tolist()} <= {tuple(row) for row in points.tolist()}
    asked = np.random.default_rng(4).random((50, 2))
    for width in (0.1, 0.2, 0.5):

        def kernel(rows: np.ndarray, width: float = width) -> np.ndarray:
            return np.exp(-0.5 * ((asked[:, None] - rows) ** 2).sum(2) / width**2)

        truth = kernel(points).mean(1)
        wrong = np.sqrt(((kernel(law.points) @ law.weights - truth) ** 2).mean())
        at_random = np.sqrt(((kernel(points[:200]).mean(1) - truth) ** 2).mean())
        assert wrong < 0.0023
        assert wrong < 0.1 * at_random


def test_the_same_rows_give_the_same_law() -> None:
    points = correlated(1000, 0.5)
    one, two = kernel_herding(points, NUMBERS), kernel_herding(points.copy(), NUMBERS)
    assert (one.points == two.points).all()
    assert (one.weights == two.weights).all()


def test_codes_of_categories_keep_their_shares() -> None:
    random = np.random.default_rng(5)
    codes = random.choice(3, 3000, p=[0.6, 0.3, 0.1]).astype(float)
    points = np.column_stack([codes, np.clip(0.2 + 0.3 * codes + 0.05 * random.normal(size=3000), 0, 1)])
    law = kernel_herding(points, np.array([True, False]))
    for code in range(3):
        assert law.weights[law.points[:, 0] == code].sum() == pytest.approx((codes == code).mean(), abs=0.01)


def test_a_column_that_never_changes_is_no_matter() -> None:
    points = np.column_stack([np.full(500, 0.4), np.linspace(0, 1, 500)])
    law = kernel_herding(points, NUMBERS)
    assert law.weights @ law.points == pytest.approx([0.4, 0.5], abs=0.003)


def test_wide_averages_over_many_columns_stay_too() -> None:
    """Rows in the middle of their clusters lie too far inside, unless the weights make up for it."""
    random = np.random.default_rng(6)
    points, asked = random.random((4000, 6)), random.random((50, 6))
    law = kernel_herding(points, np.zeros(6, dtype=bool))

    def kernel(rows: np.ndarray) -> np.ndarray:
        return np.exp(-0.5 * ((asked[:, None] - rows) ** 2).sum(2))

    assert np.sqrt(((kernel(law.points) @ law.weights - kernel(points).mean(1)) ** 2).mean()) < 0.003


def test_rows_that_are_nearly_the_same_are_no_trouble() -> None:
    points = 0.5 + 1e-13 * np.random.default_rng(7).random((1000, 2))
    law = kernel_herding(np.vstack([points, [[0.0, 1.0]]]), NUMBERS)
    assert law.weights @ law.points == pytest.approx([0.5, 0.5], abs=0.002)
