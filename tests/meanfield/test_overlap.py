"""The process over vectors of actions."""

from __future__ import annotations

import numpy as np
import pytest

from steerbo.meanfield.overlap import Overlap


@pytest.mark.parametrize("additive", [False, True])
def test_the_process_over_vectors_against_the_definition(additive: bool) -> None:
    random = np.random.default_rng(0)
    vectors, values = random.integers(3, size=(8, 5)), random.normal(size=8)
    process = Overlap.fitted(vectors, values, additive)
    trials = random.integers(3, size=(4, 5))
    for trial, bound, mean in zip(trials, process.bound(trials, 1.0), process.bound(trials, 0.0), strict=True):
        h = np.array([(trial != row).mean() for row in vectors])
        k = 1 - h if additive else np.exp(-h / process.length)
        assert mean == pytest.approx(process.mean + k @ process.weights)
        spread = max(1 - k @ process.inverse @ k, 1e-12)
        assert bound - mean == pytest.approx(np.sqrt(process.scale * spread), rel=1e-6)
