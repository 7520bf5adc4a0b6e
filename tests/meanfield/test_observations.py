"""Outcomes as the model takes them."""

from __future__ import annotations

import numpy as np

from steerbo.meanfield._gp import softened


def test_softening_keeps_order_and_everything_good() -> None:
    random = np.random.default_rng(0)
    averages = np.concatenate([random.normal(size=5), 10 * random.normal(size=20)])
    soft = softened(averages, first=5)
    np.testing.assert_array_equal(np.argsort(soft), np.argsort(averages))
    start = np.median(averages[:5])
    mild = averages >= 2 * start - averages.max()
    np.testing.assert_array_equal(soft[mild], averages[mild])
    assert 0 < (~mild).sum() < 20


def test_a_thousandfold_disaster_is_a_few_gains_deep_and_still_apart_from_noise() -> None:
    averages = np.array([0.0, 0.01, -0.01, 0.0, 0.02, -20.0])
    soft = softened(averages, first=5)
    assert -10 * 0.02 < soft[-1] < -5 * 0.02


def test_without_any_gain_nothing_is_changed() -> None:
    averages = np.array([1.0, 1.0, 1.0, -7.0])
    np.testing.assert_array_equal(softened(averages, first=3), averages)
