"""Rows of data given what is seen: against the laws that they are drawn from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from steerbo.surrogate import conditional_rows, similarity_weights

NUMBERS = np.zeros(2, dtype=bool)
LAWS: dict[str, Callable[[Any, Any], Any]] = {
    "line": lambda z, e: 0.2 + 0.6 * z + 0.05 * e,
    "U-shape": lambda z, e: 0.2 + 2.4 * (z - 0.5) ** 2 + 0.05 * e,
    "spread": lambda z, e: 0.5 + (0.02 + 0.2 * z) * e,
    "independent": lambda z, e: 0.5 + 0.15 * e,
}


@pytest.mark.parametrize("law", LAWS)
def test_averages_are_those_of_the_law_at_what_is_seen(law: str) -> None:
    random, draw = np.random.default_rng(0), LAWS[law]
    z = random.random(365)
    rows = np.column_stack([z, draw(z, random.normal(size=365))])
    off = []
    for at in np.linspace(0.05, 0.95, 10).tolist():
        found, truth = conditional_rows(rows, np.array([at, np.nan]), NUMBERS), draw(at, random.normal(size=20_000))
        assert found.weights.sum() == pytest.approx(1)
        for centre in (0.2, 0.5, 0.8):
            here, there = (np.exp(-0.5 * ((x - centre) / 0.3) ** 2) for x in (found.points[:, 1], truth))
            off.append(found.weights @ here - there.mean())
    assert np.sqrt(np.mean(np.square(off))) < 0.07


def test_a_line_is_followed_beyond_where_rows_are_as_far_as_the_column_goes() -> None:
    rows = np.column_stack([np.linspace(0.4, 0.6, 50), np.linspace(0.4, 0.6, 50)])
    inside = conditional_rows(rows, np.array([0.58, np.nan]), NUMBERS)
    assert inside.points[:, 1] == pytest.approx(0.58, abs=1e-6)
    beyond = conditional_rows(rows, np.array([0.9, np.nan]), NUMBERS)
    assert beyond.points[:, 1] == pytest.approx(0.6)


def test_choices_are_alike_or_not_and_never_moved() -> None:
    random = np.random.default_rng(1)
    sky = random.integers(0, 2, 300).astype(float)
    rows = np.column_stack([sky, 0.3 + 0.4 * sky, random.integers(0, 3, 300)])
    law = conditional_rows(rows, np.array([1.0, np.nan, np.nan]), np.array([True, False, True]))
    assert law.weights @ law.points[:, 1] == pytest.approx(0.7, abs=0.05)
    assert set(law.points[:, 2].tolist()) == {0.0, 1.0, 2.0}


@pytest.mark.parametrize("rows", [2, 3, 5, 10_000])
def test_logs_of_any_length_and_columns_that_never_change(rows: int) -> None:
    random = np.random.default_rng(2)
    some = np.column_stack([np.full(rows, 0.3), random.random(rows), np.full(rows, 0.7)])
    for known in ([0.3, np.nan, np.nan], [0.9, np.nan, np.nan], [np.nan, 0.2, 0.7], [1e6, 1e6, np.nan]):
        law = conditional_rows(some, np.array(known), np.zeros(3, dtype=bool))
        assert len(law.points) <= 500
        assert np.isfinite(law.points).all()
        assert law.weights.sum() == pytest.approx(1)
        assert law.count is not None
        assert 1 <= law.count <= 1.01 * rows


def test_nothing_is_like_what_nobody_knows() -> None:
    assert similarity_weights(np.array([[np.nan], [0.5]]), np.array([0.5]), np.zeros(1, dtype=bool)).tolist() == [
        0.0,
        1.0,
    ]
    assert similarity_weights(np.empty((3, 0)), np.empty(0), np.zeros(0, dtype=bool)).tolist() == [1.0, 1.0, 1.0]
