"""The largest score, by chance where several are the largest."""

from __future__ import annotations

import numpy as np

from steerbo.timevarying.data import draw_largest


def test_the_largest_is_drawn_without_chance() -> None:
    random = np.random.default_rng(0)
    before = random.bit_generator.state
    assert draw_largest(np.array([0.0, -1.0, 2.0, 1.0]), random) == 2
    assert random.bit_generator.state == before


def test_ties_are_broken_evenly_and_rounding_makes_no_difference() -> None:
    random = np.random.default_rng(0)
    scores = np.array([1.0, 3.0, 3.0 * (1 - 1e-15), 2.0])
    counts = np.bincount([draw_largest(scores, random) for _ in range(1000)], minlength=4)
    assert counts[[0, 3]].sum() == 0
    assert abs(counts[1] - 500) < 80, "five standard deviations: a false alarm in two million"


def test_scores_of_nought_are_all_the_largest() -> None:
    random = np.random.default_rng(1)
    assert {draw_largest(np.zeros(3), random) for _ in range(60)} == {0, 1, 2}
