"""Points are encoded once for each name, and again when its values change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import steerbo as sb
from steerbo.errors import InvalidOutcome
from steerbo.space import Space
from steerbo.surrogate import EncodingCache

SPACE = Space([sb.Float("dose", 0.1, 10, scale="log"), sb.Categorical("line", ["a", "b"])])


class Counting:
    """Encodes, and counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, rows: Sequence[Mapping[str, Any]]) -> np.ndarray:
        self.times += len(rows)
        return SPACE.encode(rows)


def test_once_for_each_name_and_again_where_its_values_are_others() -> None:
    encode = Counting()
    found, rng = EncodingCache(encode), np.random.default_rng(0)
    rows = {f"{k:04}": {"dose": rng.uniform(0.1, 10), "line": "ab"[k % 2]} for k in range(20)}
    for _ in range(3):
        for name, values in rows.items():
            np.testing.assert_array_equal(found.of(name, dict(values)), SPACE.encode([values])[0])
    assert encode.times == 20
    rows["0003"] = {**rows["0003"], "dose": 5.0}
    for name, values in rows.items():
        np.testing.assert_array_equal(found.of(name, values), SPACE.encode([values])[0])
    assert encode.times == 21


def test_what_cannot_be_encoded_is_not_kept() -> None:
    encode = Counting()
    found = EncodingCache(encode)
    for _ in range(2):
        with pytest.raises(InvalidOutcome, match="dose"):
            found.of("0001", {"line": "a"})
    assert encode.times == 2
    assert found.of("0001", {"dose": 10.0, "line": "a"}).tolist() == [1.0, 0.0]


def test_many_at_once_are_the_same_to_the_last_bit_and_known_ones_are_not_encoded_again() -> None:
    rng = np.random.default_rng(1)
    rows = [(f"{k:04}", {"dose": rng.uniform(0.1, 10), "line": "ab"[k % 2]}) for k in range(100)]
    counted: list[int] = []

    def encode(several: Sequence[Mapping[str, Any]]) -> np.ndarray:
        counted.append(len(several))
        return SPACE.encode(several)

    found = EncodingCache(encode)
    one_by_one = [SPACE.encode([values])[0] for _, values in rows]
    np.testing.assert_array_equal(found.of_all(rows[:30]), one_by_one[:30])
    np.testing.assert_array_equal(found.of_all(rows), one_by_one)
    np.testing.assert_array_equal(found.of_all(rows), one_by_one)
    assert counted == [30, 70]
