"""Means, errors and paired differences, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from partial_control_bench.statistics import label_of, paired, summary


def test_summary_by_hand() -> None:
    found = summary([1.0, 2.0, 3.0, 10.0])
    assert (found.runs, found.mean, found.median) == (4, 4.0, 2.5)
    assert found.error == pytest.approx(np.sqrt(50 / 3) / 2)
    assert found.tail == pytest.approx(7.9)
    assert np.isnan(summary([1.0]).error)
    assert str(summary([1.0, 3.0])) == "2 ± 1"


def test_pairs_are_of_the_same_seed() -> None:
    found = paired({1: 10.0, 2: 21.0, 9: 0.0}, {2: 20.0, 1: 9.0})
    assert found is not None
    assert (found.runs, found.mean, found.error) == (2, 1.0, 0.0)
    assert paired({1: 0.0}, {2: 0.0}) is None


def test_labels() -> None:
    assert label_of("a", {}) == "a"
    assert label_of("a", {"ties": "first", "beta": 2.0}) == "a (beta 2, ties first)"
