"""A kernel of sheared points; what holds of every kernel is held in `test_base.py`."""

from __future__ import annotations

import numpy as np

from steerbo.gp import Matern52, Sheared

from ..examples import points


def test_the_same_as_the_base_at_sheared_points() -> None:
    base, X, Z = Matern52([0.4, 0.9]), points(5, 1)[:, :2], points(7, 2)[:, :2]
    S = np.array([[1.0, 0.5], [0.0, 1.0]])  # column 0 moves by half of column 1
    np.testing.assert_allclose(Sheared(base, ((0, 1),), (0.5,))(X, Z), base(X @ S.T, Z @ S.T), rtol=1e-12)


def test_what_moves_along_the_line_stays_alike() -> None:
    kernel = Sheared(Matern52([0.4, 1e3]), ((0, 1),), (-1.0,))
    X = np.array([[0.1, 0.1], [0.6, 0.6], [0.6, 0.1]])
    row = kernel(X[:1], X)[0]
    assert row[1] > 0.999
    assert row[2] < 0.6


def test_held_slopes_are_not_learned() -> None:
    held = Sheared(Matern52([0.4, 0.9]), ((0, 1), (1, 0)), (0.0, 0.0), held=True)
    ends = [(p.low, p.high) for p in held.parameters if p.name.startswith("slope")]
    assert ends == [(0, 0), (0, 0)]
    assert held.with_theta(np.zeros(5)).held
