"""A matrix that is multiplied with, and never made."""

from __future__ import annotations

import numpy as np

from steerbo.surrogate._expectation import Scaled


def test_what_is_never_made_multiplies_as_what_is() -> None:
    random = np.random.default_rng(0)
    half = random.normal(size=(9, 9))
    scaled = Scaled(half @ half.T, random.random(9), (random.normal(size=(9, 2)), random.normal(size=(9, 3))))
    rows, made = random.normal(size=(4, 9)), scaled.made()
    by_hand = np.diag(scaled.scale) @ scaled.inverse @ np.diag(scaled.scale) - sum(R @ R.T for R in scaled.roots)
    np.testing.assert_allclose(made, by_hand, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(rows @ scaled, rows @ by_hand, rtol=1e-12, atol=1e-12)
