"""Trust regions."""

from __future__ import annotations

import numpy as np

from steerbo.meanfield.turbo import Turbo
from tests.meanfield.test_individuals import made
from tests.meanfield.worlds import crowd


def test_trust_regions_grow_shrink_and_begin_anew() -> None:
    turbo = made(Turbo, crowd(), starting_points=2, length=0.4, successes=2, failures=2)
    assert turbo._region(np.array([0.0, 1.0])) == (0, 0.4)
    assert turbo._region(np.array([0.0, 1.0, 2.0, 3.0])) == (0, 0.8)
    assert turbo._region(np.array([0.0, 1.0, 0.5, 0.5])) == (0, 0.2)
    start, length = turbo._region(np.zeros(40))
    assert start > 0
    assert 1 / 40 <= length <= 0.4
