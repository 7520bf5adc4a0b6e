"""Many observations as few."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steerbo.causal.thinned import Thinned


@given(st.integers(1, 400), st.integers(1, 40), st.integers(0, 10**6), st.booleans())
def test_groups_are_few_and_every_row_is_in_one_at_most(n: int, most: int, seed: int, rough: bool) -> None:
    random = np.random.default_rng(seed)
    numbers = random.random((n, 2)).round(1 if rough else 9)
    points = np.column_stack([numbers, random.integers(0, 3, n)])
    categorical = np.array([False, False, True])
    found = Thinned.of(points, categorical, most)
    rows = np.concatenate(found.groups)
    assert len(found.groups) <= max(most, 1) or n <= most
    assert len(set(rows.tolist())) == len(rows) <= n
    assert len(found.chosen) == min(n, most)
    assert set(found.chosen.tolist()) <= set(rows.tolist())
    assert all(len(set(points[group, 2].tolist())) == 1 for group in found.groups)
    assert set(found.points(points, categorical)[:, 2]) <= {0.0, 1.0, 2.0}
    if most >= 3:
        assert len(rows) == n, "three categories fit into three groups: nothing is left out"


def test_few_stay_as_they_are() -> None:
    points = np.array([[0.2], [0.1], [0.2]])
    found = Thinned.of(points, np.array([False]), 3)
    np.testing.assert_array_equal(found.points(points, np.array([False])), points)
    np.testing.assert_array_equal(found.more, np.zeros(3))


def test_constant_columns_and_rows_without_columns() -> None:
    found = Thinned.of(np.full((50, 2), 0.3), np.array([False, False]), 10)
    assert [len(group) for group in found.groups] == [50]
    found = Thinned.of(np.zeros((50, 0)), np.zeros(0, dtype=bool), 10)
    assert found.more.tolist() == [49.0]
    assert len(found.chosen) == 10


def test_a_mean_over_groups_is_near_the_function() -> None:
    points = np.random.default_rng(0).random((5000, 2))
    found = Thinned.of(points, np.array([False, False]), 256)
    means = found.means(np.sin(3 * points[:, 0]) + points[:, 1])
    at = found.points(points, np.array([False, False]))
    np.testing.assert_allclose(means, np.sin(3 * at[:, 0]) + at[:, 1], atol=0.02)
    assert found.more.sum() == pytest.approx(5000 - 256)
