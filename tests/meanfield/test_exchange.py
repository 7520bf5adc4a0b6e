"""Single moves: never worse, never taken, never beyond a limit."""

from __future__ import annotations

import numpy as np

from steerbo.meanfield.exchange import exchange
from tests.meanfield.test_region import limited, region

START = np.array([[6, 10, 10, 4], [2, 3, 3, 2]])


def bowl(tables: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Concave, with the best table in between whole agents."""
    best = np.array([[0.1, 0.52, 0.31, 0.07], [0.33, 0.33, 0.2, 0.14]])
    return -((tables - best) ** 2).sum(axis=(1, 2)), -2 * (tables - best)


def test_no_single_move_is_better_in_the_end() -> None:
    free = region()
    agents = free.agents_in[:, None]
    found = exchange(bowl, START, free, set(), steps=50)
    value = bowl((found / agents)[None])[0][0]
    for c, a, b in np.ndindex(2, 4, 4):
        if a != b and found[c, a]:
            moved = found.copy()
            moved[c, a] -= 1
            moved[c, b] += 1
            assert bowl((moved / agents)[None])[0][0] <= value + 1e-12


def test_what_is_taken_is_left_for_the_next_best() -> None:
    free = region()
    best = exchange(bowl, START, free, set(), steps=50)
    assert np.abs(exchange(bowl, best, free, {best.tobytes()}) - best).sum() == 2


def test_limits_hold() -> None:
    for seed in range(10):
        tight = limited(seed, 0.1)
        assert tight.present is not None
        start = np.rint(tight.present * tight.agents_in[:, None]).astype(np.int64)
        found = exchange(bowl, start, tight, set())
        assert (found.sum(axis=0) <= tight.capacity).all()
        assert (found[~tight.allowed] == 0).all()
        assert tight.moved(found / tight.agents_in[:, None]).max() <= 0.1 + 1e-9
